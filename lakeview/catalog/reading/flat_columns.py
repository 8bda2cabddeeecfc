"""Columns of files that have types of their own, flat: structs as "a.b", all else in its own type.

What a value's text is, `values` alone says: lists and maps print as JSON there, bytes as the UTF-8 that they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from lakeview import values
from lakeview.catalog.model import Problem
from lakeview.catalog.naming import unique_names
from lakeview.catalog.reading.width import bounded_width


@dataclass(frozen=True)
class Leaves:
    """The flat columns of a schema that are given: `wanted`, and the schema's columns that hold them.

    top, called, types: the places, names and types of those columns; by_name: no two columns of the schema are called
    alike. names: of the leaves of each, no two alike.
    """

    top: list[int]
    called: list[str]
    by_name: bool
    types: list[pa.DataType]
    names: list[list[str]]
    wanted: frozenset[str]

    @classmethod
    def of(cls, schema: pa.Schema, report: Callable[[Problem], None], columns: Sequence[str] | None,
           most: int | None) -> Leaves:  # fmt: skip
        """Those in `columns` (flat names); of all (None) the first `most`, and what is left out is reported."""
        leaves = [[name for name, _ in flatten(field.name, pa.nulls(0, field.type))] for field in schema]
        unique = unique_names([name for of_field in leaves for name in of_field])
        named = iter(unique)
        names = [[next(named) for _ in of_field] for of_field in leaves]
        if columns is None:
            columns = unique[: bounded_width(len(unique), most, report)]
        wanted = frozenset(columns)
        top = [place for place, own in enumerate(names) if not wanted.isdisjoint(own)]
        called = schema.names
        return cls(
            top, [called[place] for place in top], len(set(called)) == len(called),
            [schema.field(place).type for place in top], [names[place] for place in top], wanted,
        )  # fmt: skip

    def batches(self, batches: Iterable[pa.RecordBatch], report: Callable[[Problem], None]) -> Iterator[pa.RecordBatch]:
        """The flat columns of batches of the schema, or of some of its columns, those at `top` among them; at least
        one, without rows."""
        spoilt = Counter[str]()
        given = False
        for batch in batches:
            given = True
            alone = batch.num_columns == len(self.top)
            at: Sequence[int | str] = range(len(self.top)) if alone else self.called if self.by_name else self.top
            yield self._flat([batch.column(place) for place in at], batch.num_rows, spoilt)
        if not given:
            yield self._flat([pa.nulls(0, kind) for kind in self.types], 0, spoilt)
        for name, count in spoilt.items():
            report(Problem("", "binary values", f"{count:,} values of {name!r} are not text: nothing joins by them",
                           count))  # fmt: skip

    def _flat(self, arrays: Sequence[pa.Array], rows: int, spoilt: Counter[str]) -> pa.RecordBatch:
        """The leaves of the columns at `top`; values that are no text are counted in `spoilt`."""
        out: dict[str, pa.Array] = {}
        for array, named in zip(arrays, self.names, strict=True):
            for name, (_, leaf) in zip(named, flatten("", array), strict=True):
                if name in self.wanted:
                    out[name] = _plain(leaf, name, spoilt)
        # The last column is there for the number of rows alone, which a batch without columns would not know.
        counted = pa.RecordBatch.from_arrays([*out.values(), pa.nulls(rows)], names=[*out, ""])
        return counted.select(range(len(out)))


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
