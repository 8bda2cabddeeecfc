"""Nested values print as JSON: the one printer, of Arrow's arrays and of Python's objects.

Equal values have equal text wherever they come from: it is compact, keys are sorted, a key without a value is left out
(frames make one of every key that any row has), numbers are plain and in positional notation without trailing zeros,
all that JSON has no name for is a string, printed as by itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview.values.arrow import from_objects
from lakeview.values.printing import replace_where, text
from lakeview.values.steps import numbers

_LARGE = 1 << 27
_QUOTED = r'["\\\x00-\x1f]'  # what JSON escapes in a string
_TEXT = pa.large_string()


class Number(str):
    """The text of a JSON number, in positional notation: never through a double, which would change it."""

    __slots__ = ()


def json_text(array: pa.Array) -> pa.Array:
    """Lists, structs, maps, unions and intervals as JSON text; a null value is null.

    Numbers and booleans stand bare, NaN is null and an infinity a string; all else is a string as `text` prints it.
    """
    printed = _fragments(array)
    return printed if printed.nbytes >= _LARGE else printed.cast(pa.string())


def json_of(value: Any) -> str | None:
    """A Python object as `json_text` prints it: dicts, sequences, sets, arrays, and whatever a cell may hold.

    None where there is no value. Strings of the type `Number` are numbers.
    """
    if isinstance(value, Number):
        return _plain_number(value)
    if isinstance(value, str):
        return _quote(value)
    if value is None or isinstance(value, bool):
        return None if value is None else "true" if value else "false"
    if isinstance(value, dict):
        named = {key if isinstance(key, str) else text([key])[0].as_py() or "": item for key, item in value.items()}
        fields = ((key, json_of(named[key])) for key in sorted(named))
        return "{" + ",".join(f"{_quote(key)}:{item}" for key, item in fields if item is not None) + "}"
    if isinstance(value, list | tuple):
        return _list(map(json_of, value))
    if isinstance(value, set | frozenset):
        return _list(sorted(json_of(item) or "null" for item in value))
    if isinstance(value, np.ndarray) and value.ndim:
        return _list(_fragments(from_objects(list(value))).to_pylist())
    if type(value) is int:
        return str(value)
    return _fragments(from_objects([value]))[0].as_py()  # type: ignore[no-any-return]


def _list(items: Iterable[str | None]) -> str:
    return "[" + ",".join("null" if item is None else item for item in items) + "]"


def _plain_number(printed: str) -> str | None:
    """As `numbers` has it, but for one value."""
    if printed in ("inf", "-inf"):
        return f'"{printed}"'
    if "e" in printed or "E" in printed:
        printed = format(Decimal(printed), "f") if abs(Decimal(printed).adjusted()) < 400 else printed
    if "." in printed:
        printed = printed.rstrip("0").rstrip(".")
    return "0" if printed == "-0" else printed


def _quote(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _fragments(array: pa.Array) -> pa.Array:
    """Every value as JSON, null where there is none: large_string, as long as the array."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType) and kind.extension_name != "arrow.uuid":
        is_flag = kind.extension_name == "arrow.bool8"
        return _fragments(array.storage.cast(pa.bool_()) if is_flag else array.storage)
    if pa.types.is_dictionary(kind):
        return _fragments(array.dictionary).take(array.indices)
    if pa.types.is_run_end_encoded(kind):
        return _fragments(pc.run_end_decode(array))
    if pa.types.is_map(kind):
        return _maps(array)
    if pa.types.is_struct(kind):
        return _structs(array)
    if pa.types.is_union(kind) or pa.types.is_interval(kind):
        return pa.array([None if value is None else json_of(value) for value in array.to_pylist()], _TEXT)
    if pa.types.is_nested(kind):
        lengths = pc.fill_null(pc.list_value_length(array), 0)
        return _joined(_fragments(array.flatten()), lengths.to_numpy(zero_copy_only=False), array, "[]")
    printed = text(array).cast(_TEXT)
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind):
        return printed
    if pa.types.is_decimal(kind) or pa.types.is_floating(kind):
        return replace_where(numbers(printed), pc.match_substring(printed, "inf"), _quoted)
    return _quoted(printed)


def _joined(items: pa.Array, lengths: np.ndarray, array: pa.Array, brackets: str) -> pa.Array:
    """The items in runs of some lengths, between commas and brackets; null where `array` is."""
    offsets = pa.array(np.concatenate(([0], np.cumsum(lengths))), pa.int64())
    lists = pa.LargeListArray.from_arrays(offsets, pc.fill_null(items, "null"))
    return _within(pc.binary_join(lists, pa.scalar(",", _TEXT)), array, brackets)


def _within(inside: pa.Array, array: pa.Array, brackets: str) -> pa.Array:
    whole = _concat(brackets[0], inside, brackets[1])
    return pc.if_else(array.is_valid(), whole, pa.scalar(None, _TEXT)) if array.null_count else whole


def _maps(array: pa.Array) -> pa.Array:
    starts = array.offsets.to_numpy()
    lengths = np.where(array.is_valid().to_numpy(zero_copy_only=False), np.diff(starts), 0)
    rows = np.repeat(np.arange(len(array)), lengths)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    at = pa.array(np.repeat(starts[:-1], lengths) + within, pa.int64())
    keys = pc.fill_null(text(array.keys.take(at)).cast(_TEXT), "")
    items = _fragments(array.items.take(at))
    order = pc.sort_indices(pa.table({"row": rows, "key": keys}),
                            sort_keys=[("row", "ascending"), ("key", "ascending")])  # fmt: skip
    rows, keys = rows[order.to_numpy()], keys.take(order)
    fields = _concat(_quoted(keys), ":", items.take(order))
    # Of a key that occurs twice the last one counts, as in Python's dict.
    last = np.ones(len(rows), np.bool_)
    if len(rows) > 1:
        same = pc.equal(keys.slice(0, len(keys) - 1), keys.slice(1)).to_numpy(zero_copy_only=False)
        last[:-1] = ~(same & (rows[1:] == rows[:-1]))
    kept = last & fields.is_valid().to_numpy(zero_copy_only=False)
    return _joined(fields.filter(pa.array(kept)), np.bincount(rows[kept], minlength=len(array)), array, "{}")


def _structs(array: pa.Array) -> pa.Array:
    children = array.flatten()
    named = sorted(((array.type.field(i).name, i) for i in range(array.type.num_fields)), key=lambda pair: pair[0])
    # not null_handling="skip", which drops rows whose fields are all null (pyarrow 26)
    fields = [pc.fill_null(_concat(f",{_quote(name)}:", _fragments(children[i])), "") for name, i in named]
    empty = pa.repeat(pa.scalar("", _TEXT), len(array))
    inside = pc.utf8_slice_codeunits(_concat(*fields), 1) if fields else empty
    return _within(inside, array, "{}")


def _concat(*pieces: str | pa.Array) -> pa.Array:
    """The pieces after each other; null where one of them is."""
    typed = [pa.scalar(piece, _TEXT) if isinstance(piece, str) else piece for piece in pieces]
    return pc.binary_join_element_wise(*typed, pa.scalar("", _TEXT))


def _quoted(printed: pa.Array) -> pa.Array:
    def escaped(chosen: pa.Array) -> pa.Array:
        return pa.array([value and _quote(value)[1:-1] for value in chosen.to_pylist()], _TEXT)

    return _concat('"', replace_where(printed, pc.match_substring_regex(printed, _QUOTED), escaped), '"')
