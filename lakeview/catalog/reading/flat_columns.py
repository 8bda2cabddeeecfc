"""Columns of files that have types of their own, flat: structs as "a.b", all else in its own type.

What a value's text is, `values` alone says: lists and maps print as JSON there, bytes as the UTF-8 that they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import pyarrow as pa

from lakeview import values
from lakeview.catalog.model import Problem
from lakeview.catalog.naming import unique_names


def flat_batches(
    schema: pa.Schema, batches: Iterable[pa.RecordBatch], report: Callable[[Problem], None],
    columns: Sequence[str] | None,
) -> Iterator[pa.RecordBatch]:  # fmt: skip
    """Batches of one schema with flat columns, or with those in `columns` (flat names); at least one, without rows."""
    names = flat_names(schema)
    spoilt = Counter[str]()
    empty = pa.RecordBatch.from_arrays([pa.nulls(0, field.type) for field in schema], schema=schema)
    given = False
    for batch in batches:
        given = True
        yield flat(batch.columns, names, columns, batch.num_rows, spoilt)
    if not given:
        yield flat(empty.columns, names, columns, 0, spoilt)
    tell_spoilt(spoilt, report)


def flat_names(schema: pa.Schema) -> list[list[str]]:
    """The names of the leaves of each column of a schema, no two alike."""
    leaves = [[name for name, _ in flatten(field.name, pa.nulls(0, field.type))] for field in schema]
    names = iter(unique_names([name for of_field in leaves for name in of_field]))
    return [[next(names) for _ in of_field] for of_field in leaves]


def flat(
    arrays: Sequence[pa.Array], names: Sequence[Sequence[str]], columns: Sequence[str] | None, rows: int,
    spoilt: Counter[str],
) -> pa.RecordBatch:  # fmt: skip
    """The leaves of some columns under their names, those wanted; values that are no text are counted in `spoilt`."""
    out: dict[str, pa.Array] = {}
    for array, named in zip(arrays, names, strict=True):
        for name, (_, leaf) in zip(named, flatten("", array), strict=True):
            if columns is None or name in columns:
                out[name] = _plain(leaf, name, spoilt)
    # The last column is there for the number of rows alone, which a batch without columns would not know.
    counted = pa.RecordBatch.from_arrays([*out.values(), pa.nulls(rows)], names=[*out, ""])
    return counted.select(range(len(out)))


def tell_spoilt(spoilt: Counter[str], report: Callable[[Problem], None]) -> None:
    """Report the values of each column that are no text."""
    for name, count in spoilt.items():
        report(Problem("", "binary values", f"{count:,} values of {name!r} are no text: nothing joins by them", count))


def flatten(name: str, array: pa.Array) -> list[tuple[str, pa.Array]]:
    """The leaves of a struct, nulls of the struct being nulls of its leaves; any other array itself."""
    if not isinstance(array, pa.StructArray):
        return [(name, array)]
    fields = zip(array.type.fields, array.flatten(), strict=True)
    return [leaf for field, child in fields for leaf in flatten(f"{name}.{field.name}", child)]


def _plain(array: pa.Array, name: str, spoilt: Counter[str]) -> pa.Array:
    """The array without a dictionary, and strings that are none as nulls; bytes that are no text are counted."""
    if isinstance(array, pa.DictionaryArray):
        return _plain(array.dictionary_decode(), name, spoilt)
    kind = array.type
    is_bytes = pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind)
    if not (is_bytes or pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)):
        return array
    printed = values.text(array)
    if missing := printed.null_count - array.null_count:
        spoilt[name] += missing
    return array if is_bytes or not missing else printed


def first_line(error: Exception) -> str:
    """The first line of what Arrow says of a file."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
