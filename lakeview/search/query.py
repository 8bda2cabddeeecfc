"""A column that the lake is searched with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np
import pyarrow as pa

from lakeview import values
from lakeview.estimate.joint import Sketch
from lakeview.store.profiles import sketch_of
from lakeview.store.shapes import Shape, shape_of
from lakeview.store.snapshot import Snapshot
from lakeview.values import Normalize

_SHAPE = ("values", "integers", "numbers", "dates", "timestamps", "low", "high", "decimals")


@dataclass
class Query:
    """A column that is searched with.

    tokens: uint64, sorted, distinct; counts: rows of each. spell: gives `texts`, None where only the store knows the
    column. number: the column's number in the snapshot, for a lake column.
    """

    name: str
    column: str
    rows: int
    nulls: int
    tokens: np.ndarray = field(repr=False)
    counts: np.ndarray = field(repr=False)
    shape: Shape = field(repr=False)
    spell: Callable[[], pa.Array] | None = field(default=None, repr=False)
    number: int | None = None
    sketch: Sketch | None = field(default=None, repr=False)

    @cached_property
    def distinct(self) -> int:
        """Distinct values; an estimate where the store keeps a sketch of the column alone."""
        return len(self.tokens) if self.sketch is None else round(self.sketch.size()[0])

    @cached_property
    def signature(self) -> Sketch:
        """The column's sketch, made from its tokens where these are known."""
        return sketch_of(self.tokens) if self.sketch is None else self.sketch

    @cached_property
    def texts(self) -> pa.Array | None:
        """One spelling of each value, as the first of its rows has it, in the order of the tokens; None where only the
        store knows the column."""
        return None if self.spell is None else self.spell()

    @classmethod
    def of(cls, data: pa.Array | pa.ChunkedArray, name: str, column: str, normalize: Normalize) -> Query:
        """A query of a whole column of data."""
        texts = values.canonical(data, normalize)
        present = texts.drop_null() if texts.null_count else texts
        hashes = values.hash_strings(present)
        tokens, counts = values.counted(hashes.copy())
        first = cache(lambda: pa.array(np.unique(hashes, return_index=True)[1]))  # slower than all the rest, so late
        distinct = present if len(tokens) == len(present) else present.take(first())

        def spell() -> pa.Array:
            written = texts if values.is_settled(data.type) else values.text(data)
            return (written.filter(texts.is_valid()) if texts.null_count else written).take(first())

        return cls(name, column, len(texts), texts.null_count, tokens, counts, shape_of(distinct), spell)

    @classmethod
    def of_lake(cls, snapshot: Snapshot, number: int) -> Query:
        """A query by a column of the lake."""
        tokens, counts = snapshot.tokens_of(number)
        fields = {f: snapshot.array(f)[number] for f in _SHAPE}
        shape = Shape(**fields, letters=tuple(int(n) for n in snapshot.letters[:, number]))
        return cls(
            f"{snapshot.tables[number]}.{snapshot.names[number]}",
            snapshot.names[number],
            int(snapshot.rows[number]),
            int(snapshot.nulls[number]),
            np.asarray(tokens),
            np.asarray(counts),
            shape,
            number=number,
            sketch=snapshot.sketch_of(number) if snapshot.sketched[number] else None,
        )
