"""Whatever holds a column, as an Arrow array; text is never cast to another type."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview.errors import InputError
from lakeview.guards import checks

DEEPEST = 60
"""Levels of lists in lists that a value may have."""
_TOO_DEEP = f"a value is nested more than {DEEPEST} levels deep, or holds itself: make text of it, or leave it out"
_LARGE = 1 << 29  # characters, of up to four bytes: from here on 64-bit offsets
# Types whose values always share an Arrow type, and None.
_FLAT = {type(None), bool, int, float, complex, str, bytes, date, datetime, time, timedelta, Decimal}
_NESTED = (list, tuple, dict, set, frozenset, np.ndarray)
_SIMPLE = {type(None), bool, int, float, bytes, date, timedelta, Decimal}


def as_arrow(data: Any) -> pa.Array | pa.ChunkedArray:
    """The values of one column as an Arrow array, in order, null where a value is missing.

    Takes Arrow arrays (returned as they are), pandas Series, Index and extension arrays, one-dimensional numpy
    arrays, anything of the Arrow PyCapsule interface, and iterables of Python objects. Objects of several types come
    back as text, each printed by its own type.

    Raises InputError for what is not one column (a frame, a string, an array of more dimensions), and for values that
    cannot be read: some are nested too deep, some run code of their own, which may fail.
    """
    try:
        found = _as_arrow(data)
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"these values cannot be read ({checks.said(error)}): make a column of text of them"
        ) from error
    if _depth(found.type) > DEEPEST:
        raise InputError(_TOO_DEEP)
    return found


def _as_arrow(data: Any) -> pa.Array | pa.ChunkedArray:
    if isinstance(data, pa.Array | pa.ChunkedArray):
        return data
    if isinstance(data, np.ndarray):
        return _from_numpy(data)
    pandas = sys.modules.get("pandas")
    if pandas is not None:
        if isinstance(data, pandas.Series | pandas.Index):
            return _from_pandas(data, pandas)
        if isinstance(data, pandas.api.extensions.ExtensionArray):
            return _from_pandas(pandas.Series(data), pandas)
    if isinstance(data, str | bytes | dict | type | pa.Scalar) or hasattr(data, "columns"):
        raise InputError(f"one column of values is wanted, not a {type(data).__name__}; pick a column of it")
    if not isinstance(data, Iterable):
        raise InputError(f"one column of values is wanted, not {checks.said(data)}")
    if hasattr(data, "__arrow_c_stream__"):
        return pa.chunked_array(data)
    if hasattr(data, "__arrow_c_array__") or hasattr(data, "__arrow_array__"):
        return pa.array(data)
    return from_objects(list(data))


def _from_pandas(series: Any, pandas: Any) -> pa.Array | pa.ChunkedArray:
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return _from_numpy(series.to_numpy())
    if isinstance(dtype, pandas.CategoricalDtype):
        codes = np.asarray(series.array.codes)
        indices = pa.array(codes, mask=codes < 0)
        return pa.DictionaryArray.from_arrays(indices, _one_array(_from_pandas(dtype.categories, pandas)))
    if isinstance(dtype, pandas.SparseDtype):
        return _from_numpy(np.asarray(series))
    if isinstance(dtype, pandas.PeriodDtype | pandas.IntervalDtype):
        return pa.array(
            [None if missing else str(value) for value, missing in zip(series, series.isna(), strict=True)], pa.string()
        )
    try:
        return pa.array(series)
    except (pa.ArrowException, TypeError, ValueError):
        return from_objects(list(series))


def _from_numpy(values: np.ndarray) -> pa.Array:
    if values.ndim != 1:
        raise InputError(f"one column of values is wanted, not an array of {values.ndim} dimensions")
    mask = None
    if isinstance(values, np.ma.MaskedArray):
        mask, values = np.ma.getmaskarray(values), values.data
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    kind = values.dtype.kind
    if kind in "Mm":
        unit = np.datetime_data(values.dtype)[0]
        if kind == "M" and unit in ("Y", "M"):  # a year or a month is no day: "2024-03"
            kind, values = "O", np.datetime_as_string(values).astype(object)
            values[values == "NaT"] = None
        elif unit in ("W", "D", "h", "m"):
            values = values.astype(f"{kind}8[D]" if kind == "M" and unit in "WD" else f"{kind}8[s]")
    if kind == "f" and values.dtype.itemsize > 8:
        values = values.astype(np.float64)
    if kind in "biufMmSU":
        return pa.array(values, mask=mask)
    objects = values.tolist()
    if mask is not None:
        objects = [None if hidden else value for value, hidden in zip(objects, mask, strict=True)]
    return from_objects(objects)


def from_objects(values: list[Any]) -> pa.Array:
    """Python objects as an Arrow array: of their type where they have one in common, else as text."""
    # The usual cases first, text and text with None or NaN for what is missing: to visit every object, scattered as
    # they may be, takes longer than all that follows.
    if isinstance(next((value for value in values if not _missing(value)), None), str):
        with suppress(pa.ArrowException, TypeError, ValueError):  # raised by anything else among them
            return _of_strings(values)
        with suppress(pa.ArrowException, TypeError, ValueError):
            return pa.array(values, pa.string(), from_pandas=True)
    types = set(map(type, values))
    if not types <= _FLAT:
        _check_depth(values)
    if types <= _SIMPLE and len(types - {type(None)}) == 1:
        return _of_one_kind(values, (next(iter(types - {type(None)})), False, None))
    places: dict[Any, list[int]] = {}
    for place, value in enumerate(values):
        if not _missing(value):
            places.setdefault(_kind(value), []).append(place)
    parts = [_of_one_kind([values[place] for place in where], kind) for kind, where in places.items()]
    if not parts:
        return pa.nulls(len(values), pa.string())
    if len(parts) > 1:
        from lakeview.values.printing import text  # printing reads columns through this module

        parts = [text(part).cast(pa.large_string()) for part in parts]
    index = np.full(len(values), -1)
    index[np.concatenate(list(places.values()))] = np.arange(sum(map(len, parts)))
    return pa.concat_arrays(parts).take(pa.array(index, mask=index < 0))


def _of_strings(values: list[str]) -> pa.Array:
    """Strings alone. Joining them is a loop so tight that the processor fetches several at once: where they lie
    scattered in memory, twice as fast as Arrow's own way."""
    joined = "\0".join(values)
    kind = pa.string() if len(joined) < _LARGE else pa.large_string()
    array = pc.split_pattern(pa.array([joined], kind), "\0").values
    if len(array) != len(values):
        raise ValueError("a value has a NUL")
    return array


def _check_depth(values: list[Any]) -> None:
    """Raises InputError where a value is nested deeper than DEEPEST, or holds itself: Arrow would go down without end.

    Every list and dict is looked into once a level, however often it is held.
    """
    for _ in range(DEEPEST):
        held: dict[int, Any] = {}
        for value in values:
            if isinstance(value, _NESTED):
                held[id(value)] = value
        values = []
        for value in held.values():
            if isinstance(value, dict):
                values += [*value.keys(), *value.values()]
            elif not isinstance(value, np.ndarray):
                values += value
            elif value.dtype == object:
                values += value.ravel().tolist()
        if _FLAT.issuperset(map(type, values)):
            return
    raise InputError(_TOO_DEEP)


def _depth(kind: pa.DataType) -> int:
    """The levels of a type, 0 of one that is not nested; no more than one above DEEPEST are counted."""
    level, kinds = 0, [kind]
    while kinds and level <= DEEPEST:
        kinds = [inner.field(place).type for inner in kinds for place in range(inner.num_fields)]
        level += bool(kinds)
    return level


def _missing(value: Any) -> bool:
    if isinstance(value, float):
        return value != value  # NaN
    return value is None or type(value).__name__ in ("NAType", "NaTType")  # by name: pandas stays unimported


def _kind(value: Any) -> tuple[type, bool, Any]:
    """What must agree for values to share an Arrow type without changing how they print."""
    return type(value), getattr(value, "tzinfo", None) is not None, getattr(value, "dtype", None)


def _of_one_kind(values: list[Any], kind: tuple[type, bool, Any]) -> pa.Array:
    python_type, zoned, dtype = kind
    try:
        if issubclass(python_type, np.generic):
            return _from_numpy(np.array(values, dtype))
        if issubclass(python_type, datetime):
            return _datetimes(values, hasattr(python_type, "nanosecond"), "UTC" if zoned else None)
        return pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return pa.array([None if value is None else _print_alone(value) for value in values], pa.string())


def _datetimes(values: list[Any], nanoseconds: bool, zone: str | None) -> pa.Array:
    if nanoseconds:  # pandas' Timestamps
        try:
            return pa.array(values, pa.timestamp("ns", zone))
        except OverflowError:  # before 1677 or after 2262
            pass
    return pa.array(values, pa.timestamp("us", zone))


def _print_alone(value: Any) -> str | None:
    """One object for which Arrow has no type, as text; None where the text is not Unicode."""
    if isinstance(value, dict | list | tuple | set | frozenset | np.ndarray):
        from lakeview.values.text import json_of  # which reads what is inside through this module

        printed = json_of(value) or "null"
    elif isinstance(value, Decimal):  # of more than 76 digits, or infinite
        printed = format(value, "f") if value.is_finite() else str(float(value))
    else:
        printed = str(value)
    try:
        printed.encode()
    except UnicodeEncodeError:  # lone surrogates
        return None
    return printed


def _one_array(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
