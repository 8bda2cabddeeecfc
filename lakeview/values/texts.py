"""Any Arrow array as text. Nested values print as JSON: this is its one printer.

Equal values have equal text wherever they come from: it is compact, keys are sorted, a key without a value is left out
(frames make one of every key that any row has), numbers are plain and in positional notation without trailing zeros,
all that JSON has no name for is a string, printed as by itself.
"""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview.values.printing import concat, replace_where, scalars, take_text
from lakeview.values.steps import numbers

_LARGE = 1 << 27
_QUOTED = r'["\\\x00-\x1f]'  # what JSON escapes in a string
_TEXT = pa.large_string()


def printed(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Every value of an array as text, a string or large_string array as long; as `values.text` says."""
    if isinstance(array, pa.ChunkedArray):
        return concat([printed(chunk) for chunk in array.chunks])
    found = scalars(array)
    if found is not None:
        return found
    kind = array.type
    if pa.types.is_dictionary(kind):
        return take_text(printed(array.dictionary), array.indices)
    if pa.types.is_run_end_encoded(kind):
        return printed(pc.run_end_decode(array))
    if isinstance(kind, pa.BaseExtensionType):
        return printed(_storage(array))
    made = fragments(array)
    return made if made.nbytes >= _LARGE else made.cast(pa.string())


def _storage(array: pa.Array) -> pa.Array:
    return array.storage.cast(pa.bool_()) if array.type.extension_name == "arrow.bool8" else array.storage


def quote(value: str) -> str:
    """A text as a JSON string."""
    return json.dumps(value, ensure_ascii=False)


def fragments(array: pa.Array) -> pa.Array:
    """Lists, structs, maps, unions and intervals as JSON, and what they hold: large_string, as long as the array, null
    where there is no value. Numbers and booleans stand bare, NaN is null and an infinity a string; all else is a string
    as `printed` has it.
    """
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType) and kind.extension_name != "arrow.uuid":
        return fragments(_storage(array))
    if pa.types.is_dictionary(kind):
        return fragments(array.dictionary).take(array.indices)
    if pa.types.is_run_end_encoded(kind):
        return fragments(pc.run_end_decode(array))
    if pa.types.is_map(kind):
        return _maps(array)
    if pa.types.is_struct(kind):
        return _structs(array)
    if pa.types.is_union(kind):
        return _unions(array)
    if pa.types.is_interval(kind):
        return pa.array([value and f"[{','.join(map(str, value))}]" for value in array.to_pylist()], _TEXT)
    if pa.types.is_nested(kind):
        lengths = pc.fill_null(pc.list_value_length(array), 0)
        return _joined(fragments(array.flatten()), lengths.to_numpy(zero_copy_only=False), array, "[]")
    plain = printed(array).cast(_TEXT)
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind):
        return plain
    if pa.types.is_decimal(kind) or pa.types.is_floating(kind):
        return replace_where(numbers(plain), pc.match_substring(plain, "inf"), _quoted)
    return _quoted(plain)


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
    keys = pc.fill_null(printed(array.keys.take(at)).cast(_TEXT), "")
    items = fragments(array.items.take(at))
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
    fields = [pc.fill_null(_concat(f",{quote(name)}:", fragments(children[i])), "") for name, i in named]
    empty = pa.repeat(pa.scalar("", _TEXT), len(array))
    inside = pc.utf8_slice_codeunits(_concat(*fields), 1) if fields else empty
    return _within(inside, array, "{}")


def _unions(array: pa.Array) -> pa.Array:
    kind, codes = array.type, array.type_codes.to_numpy()
    children = [fragments(array.field(i)) for i in range(kind.num_fields)]
    begin = np.concatenate(([0], np.cumsum([len(child) for child in children])))
    child_of = np.zeros(max(kind.type_codes, default=0) + 1, np.int64)
    child_of[kind.type_codes] = np.arange(kind.num_fields)
    within = array.offsets.to_numpy() if kind.mode == "dense" else np.arange(len(array))
    return pa.concat_arrays(children).take(pa.array(begin[child_of[codes]] + within))


def _concat(*pieces: str | pa.Array) -> pa.Array:
    """The pieces after each other; null where one of them is."""
    typed = [pa.scalar(piece, _TEXT) if isinstance(piece, str) else piece for piece in pieces]
    return pc.binary_join_element_wise(*typed, pa.scalar("", _TEXT))


def _quoted(texts: pa.Array) -> pa.Array:
    def escaped(chosen: pa.Array) -> pa.Array:
        return pa.array([value and quote(value)[1:-1] for value in chosen.to_pylist()], _TEXT)

    return _concat('"', replace_where(texts, pc.match_substring_regex(texts, _QUOTED), escaped), '"')
