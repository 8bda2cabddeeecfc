"""Tables that a JSON document is without having a list of records: a map of codes to names, records by their keys,
columns of values. Each is what some tool writes, or a person by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from lakeview.values.objects import Number

SURE = 5  # entries from which a map of plain values is no record, whatever its keys are called
_LEAST = 3  # of fewer entries, keys that are alike tell nothing
_FILLED = 0.5  # of the cells of records by their keys


class Shape(NamedTuple):
    """What a document was read as, in words, and the rows that it is."""

    said: str
    rows: Iterator[dict]


def shape_of(document: Mapping[str, Any]) -> Shape | None:
    """The table that a document is, None where it is none, or one record."""
    values = list(document.values())
    if {"columns", "data"} <= set(document) <= {"columns", "data", "index", "schema"} and _is_split(document):
        names = [str(name) for name in document["columns"]]
        return Shape(
            "a list of columns and one of rows", (dict(zip(names, row, strict=True)) for row in document["data"])
        )
    if len(values) > 1 and all(isinstance(value, list) for value in values) and _are_columns(values):
        return Shape("columns of values", (dict(zip(document, row, strict=True)) for row in zip(*values, strict=True)))
    if len(values) > 1 and all(isinstance(value, dict) and value for value in values):
        return _of_objects(document)
    if _is_map(document):
        return Shape("a map of keys to values", ({"key": key, "value": value} for key, value in document.items()))
    return None


def _is_split(document: Mapping[str, Any]) -> bool:
    names, rows = document["columns"], document["data"]
    return isinstance(names, list) and isinstance(rows, list) and all(
        isinstance(row, list) and len(row) == len(names) for row in rows
    )  # fmt: skip


def _are_columns(values: list[list]) -> bool:
    n = len(values[0])
    return n > 1 and all(len(value) == n and all(map(_is_plain, value)) for value in values)


def _of_objects(document: Mapping[str, dict]) -> Shape | None:
    """Objects in an object: columns by their rows' numbers, as pandas writes a frame, or records by their keys."""
    objects = list(document.values())
    first = list(objects[0])
    if all(list(each) == first for each in objects) and first == [str(n) for n in range(len(first))]:
        return Shape(
            "columns of values by row", ({name: column[row] for name, column in document.items()} for row in first)
        )
    every = {key for each in objects for key in each}
    filled = sum(map(len, objects)) / (len(objects) * len(every))
    if filled < _FILLED:
        return None
    name = "key"
    while name in every:
        name = f"_{name}"
    return Shape("records by their keys", ({name: key, **each} for key, each in document.items()))


def _is_map(document: Mapping[str, Any]) -> bool:
    """Whether plain values of one kind are those of a map: of a good many keys, or of some that look alike, as codes
    do; a record names things that differ."""
    kinds = {_kind(value) for value in document.values()} - {"null"}
    if len(document) < _LEAST or len(kinds) != 1 or "other" in kinds:
        return False
    alike = len({(len(key), key.isupper(), key.isdigit()) for key in document}) == 1
    return len(document) >= SURE or alike


def _is_plain(value: Any) -> bool:
    return not isinstance(value, dict | list)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, Number):
        return "number"
    return "text" if isinstance(value, str) else "other"
