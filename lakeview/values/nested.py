"""Nested values print as JSON, compact, so that equal lists, structs and maps have equal text."""

from __future__ import annotations

import json

import pyarrow as pa

from lakeview.values.printing import text

_LARGE = 1 << 27
_LISTS = (pa.types.is_list, pa.types.is_large_list, pa.types.is_list_view, pa.types.is_large_list_view)


def json_text(array: pa.Array) -> pa.Array:
    """Lists, structs, maps, unions and intervals as JSON text; a null value is null.

    Numbers and booleans stand bare, all else is a string, printed as `text` prints it. Null fields of a struct are
    left out, as in Spark's to_json; keys stay in their order.
    """
    return pa.array(_fragments(array), pa.string() if array.nbytes < _LARGE else pa.large_string())


def _fragments(array: pa.Array) -> list[str | None]:
    kind = array.type
    if pa.types.is_fixed_size_list(kind):
        return _fragments(array.cast(pa.large_list(kind.value_type)))
    if pa.types.is_map(kind) or any(is_list(kind) for is_list in _LISTS):
        return _lists(array)
    if pa.types.is_struct(kind):
        return _structs(array)
    if pa.types.is_union(kind) or pa.types.is_interval(kind):
        return [
            None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
            for value in array.to_pylist()
        ]
    printed = text(array).to_pylist()
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind):
        return printed
    if pa.types.is_floating(kind):
        return [_quote(value) if value in ("inf", "-inf") else value for value in printed]  # no JSON numbers
    return [None if value is None else _quote(value) for value in printed]


def _lists(array: pa.Array) -> list[str | None]:
    starts = array.offsets.to_pylist()
    if hasattr(array, "sizes"):  # list views, which casting to lists once spoilt (pyarrow 26)
        ends = [start + size for start, size in zip(starts, array.sizes.to_pylist(), strict=True)]
    else:
        starts, ends = starts[:-1], starts[1:]
    first = min(starts, default=0)
    length = max(ends, default=0) - first
    is_map = pa.types.is_map(array.type)
    items = [item or "null" for item in _fragments((array.items if is_map else array.values).slice(first, length))]
    if is_map:
        keys = text(array.keys.slice(first, length)).to_pylist()
        items = [f"{_quote(key or '')}:{item}" for key, item in zip(keys, items, strict=True)]
    opening, closing = "{}" if is_map else "[]"
    return [
        opening + ",".join(items[start - first : end - first]) + closing if valid else None
        for start, end, valid in zip(starts, ends, array.is_valid().to_pylist(), strict=True)
    ]


def _structs(array: pa.Array) -> list[str | None]:
    names = [_quote(array.type.field(i).name) for i in range(array.type.num_fields)]
    rows = zip(*map(_fragments, array.flatten()), strict=True) if names else [()] * len(array)
    return [
        "{" + ",".join(f"{name}:{value}" for name, value in zip(names, row, strict=True) if value is not None) + "}"
        if valid
        else None
        for row, valid in zip(rows, array.is_valid().to_pylist(), strict=True)
    ]


def _quote(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
