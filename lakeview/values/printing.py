"""Step 1 of the rule: typed values print the same wherever they come from. Here are those that hold no others."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview.values.buffers import is_ascii

# Strings beyond this many bytes get 64-bit offsets: NFKC makes text up to 11 times as long.
_LARGE = 1 << 27
_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


def scalars(array: pa.Array) -> pa.Array | None:
    """The values of an array as text, where its type is none that is made of others; else None."""
    kind = array.type
    return next((printer(array) for is_kind, printer in _PRINTERS if is_kind(kind)), None)


def concat(arrays: list[pa.Array]) -> pa.Array:
    """String arrays one after the other, with 64-bit offsets where they need them."""
    if len(arrays) == 1:
        return arrays[0]
    large = sum(a.nbytes for a in arrays) >= _LARGE or any(pa.types.is_large_string(a.type) for a in arrays)
    kind = pa.large_string() if large else pa.string()
    return pa.concat_arrays([a.cast(kind) for a in arrays]) if arrays else pa.array([], kind)


def replace_where(array: pa.Array, mask: pa.Array | np.ndarray, change: Callable[[pa.Array], pa.Array]) -> pa.Array:
    """`array` with `change` applied to the values where `mask` is true (nulls of the mask count as false)."""
    mask = pc.fill_null(pa.array(mask), False)
    chosen = array.filter(mask)
    if len(chosen) == 0:
        return array
    if len(chosen) == len(array):
        return change(array)
    return pc.replace_with_mask(array, mask, change(chosen).cast(array.type))


def _plain(array: pa.Array) -> pa.Array:
    return array.cast(pa.string())


def _float16(array: pa.Array) -> pa.Array:
    # Arrow prints a half by its double; numpy knows its own shortest text
    values = array.to_numpy(zero_copy_only=False).astype(np.float16) + np.float16(0)
    distinct, inverse = np.unique(values, return_inverse=True)
    printed = [np.format_float_positional(x, unique=True, trim="-") for x in distinct]
    missing = array.is_null().to_numpy(zero_copy_only=False)
    return _nan_to_null(array, pa.array(printed, pa.string()).take(pa.array(inverse, mask=missing)))


def _float(array: pa.Array) -> pa.Array:
    unsigned_zero = pc.add(array, pa.scalar(0, array.type))  # -0.0 + 0.0 is 0.0
    return _positional(_nan_to_null(array, unsigned_zero.cast(pa.string())))


def _nan_to_null(array: pa.Array, printed: pa.Array) -> pa.Array:
    nan = pc.is_nan(array)
    return pc.if_else(nan, pa.scalar(None, printed.type), printed) if pc.any(nan).as_py() else printed


def _decimal(array: pa.Array) -> pa.Array:
    return _positional(array.cast(pa.string()))


def _positional(printed: pa.Array) -> pa.Array:
    """Numbers that Arrow prints with an exponent, without it: 1e+22, 0E-10."""

    def expand(chosen: pa.Array) -> pa.Array:
        encoded = chosen.dictionary_encode()
        plain = [format(Decimal(number), "f") for number in encoded.dictionary.to_pylist()]
        return pa.array(plain, pa.string()).take(encoded.indices)

    return replace_where(printed, pc.match_substring(printed, "e", ignore_case=True), expand)


def _date(array: pa.Array) -> pa.Array:
    days = array.cast(pa.date32(), safe=False)
    return _in_range(days.cast(pa.string()), days, "D")


def _timestamp(array: pa.Array) -> pa.Array:
    unit, zoned = array.type.unit, array.type.tz is not None
    count = array.view(pa.int64())
    if zoned:
        return pc.binary_join_element_wise(_moment(count, unit), "Z", "")
    midnight = _divides(_DAY[unit], count)
    if pc.all(midnight, min_count=0).as_py():
        return _days(count, unit)
    return pc.if_else(midnight, _days(count, unit), _moment(count, unit))


def _moment(count: pa.Array, unit: str) -> pa.Array:
    if unit != "s" and pc.all(_divides(_SECOND[unit], count), min_count=0).as_py():
        count, unit = pc.divide(count, _SECOND[unit]), "s"
    return _trim_fraction(_in_range(count.view(pa.timestamp(unit)).cast(pa.string()), count, unit), unit)


def _days(count: pa.Array, unit: str) -> pa.Array:
    missing = count.is_null().to_numpy(zero_copy_only=False)
    days = np.floor_divide(pc.fill_null(count, 0).to_numpy(), _DAY[unit])
    clipped = np.clip(days, -(1 << 31), (1 << 31) - 1).astype(np.int32)  # out of range here as well as there
    dates = pa.array(clipped, mask=missing).view(pa.date32())
    return _in_range(dates.cast(pa.string()), pa.array(days, mask=missing), "D")


def _divides(whole: int, count: pa.Array) -> pa.Array:
    return pc.equal(pc.subtract(count, pc.multiply(pc.divide(count, whole), whole)), 0)


def _trim_fraction(printed: pa.Array, unit: str) -> pa.Array:
    return printed if unit == "s" else pc.ascii_rtrim(pc.ascii_rtrim(printed, "0"), ".")


def _in_range(printed: pa.Array, count: pa.Array, unit: str) -> pa.Array:
    """Arrow prints years beyond 32,767 as "<value out of range>": numpy prints those."""
    wild = pc.starts_with(printed, "<")
    if not pc.any(wild).as_py():
        return printed
    numbers = count.view(pa.int32() if pa.types.is_date32(count.type) else pa.int64()).filter(wild).to_numpy()
    stamps = np.datetime_as_string(numbers.astype("int64").view(f"M8[{unit}]"))
    return pc.replace_with_mask(printed, wild, pa.array([stamp.replace("T", " ") for stamp in stamps], printed.type))


def _time(array: pa.Array) -> pa.Array:
    return _trim_fraction(array.cast(pa.string()), array.type.unit)


def _duration(array: pa.Array) -> pa.Array:
    unit = array.type.unit
    count = array.view(pa.int64())
    numbers = pc.fill_null(count, 0).to_numpy()
    days, rest = np.divmod(numbers, _DAY[unit])
    clock = pa.array(rest, pa.int64())
    clock = clock.cast(pa.int32()).view(pa.time32(unit)) if unit in ("s", "ms") else clock.view(pa.time64(unit))
    sign = pa.array(np.where(days < 0, " days +", " days ").astype(object), pa.string())
    printed = pc.binary_join_element_wise(pa.array(days).cast(pa.string()), sign, _time(clock), "")
    return pc.if_else(array.is_valid(), printed, pa.scalar(None, pa.string()))


def _string(array: pa.Array) -> pa.Array:
    if not is_ascii(array):
        try:
            array.validate(full=True)
        except pa.ArrowInvalid:  # a Parquet file may say that its bytes are text when they are not
            return _binary(array.cast(pa.large_binary()))
    return array if array.nbytes < _LARGE else array.cast(pa.large_string())


def _binary(array: pa.Array) -> pa.Array:
    try:
        return _as_string(array)
    except pa.ArrowInvalid:
        return pa.array([_decode(value) for value in array.to_pylist()], pa.large_string())


def _decode(value: bytes | None) -> str | None:
    try:
        return None if value is None else value.decode()
    except UnicodeDecodeError:
        return None


def _as_string(array: pa.Array) -> pa.Array:
    return array.cast(pa.string() if array.nbytes < _LARGE else pa.large_string())


def take_text(values: pa.Array, indices: pa.Array) -> pa.Array:
    """`values` at `indices`, with 64-bit offsets where 32 bits might not do."""
    longest = pc.max(pc.binary_length(values)).as_py() or 0
    return (values.cast(pa.large_string()) if longest * len(indices) >= _LARGE else values).take(indices)


def _uuids(array: pa.Array) -> pa.Array:
    """UUIDs as their text, in the usual form."""
    raw = array.storage.to_pylist()
    return pa.array([None if value is None else str(uuid.UUID(bytes=value)) for value in raw], pa.string())


_PRINTERS: tuple[tuple[Callable[[pa.DataType], bool], Callable[[pa.Array], pa.Array]], ...] = (
    (lambda t: pa.types.is_string(t) or pa.types.is_large_string(t), _string),
    (lambda t: pa.types.is_integer(t) or pa.types.is_boolean(t) or pa.types.is_null(t), _plain),
    (pa.types.is_float16, _float16),
    (pa.types.is_floating, _float),
    (pa.types.is_decimal, _decimal),
    (pa.types.is_date, _date),
    (pa.types.is_timestamp, _timestamp),
    (pa.types.is_time, _time),
    (pa.types.is_duration, _duration),
    (
        lambda t: (
            pa.types.is_binary(t)
            or pa.types.is_large_binary(t)
            or pa.types.is_fixed_size_binary(t)
            or pa.types.is_binary_view(t)
        ),
        _binary,
    ),
    (pa.types.is_string_view, lambda array: _string(_as_string(array))),
    (lambda t: isinstance(t, pa.BaseExtensionType) and t.extension_name == "arrow.uuid", _uuids),
)
