"""Two columns of a table of the lake as a map: what each value of the one stands for in the other.

For each value the map has what most of its rows say, each pair of values counted; where no value has most, as of a name
that two things share, it has none. So a map never multiplies rows.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview import values
from lakeview.join.naming import free, identifier, one_line
from lakeview.join.side import Side
from lakeview.values import Normalize

if TYPE_CHECKING:
    import pandas as pd

Form = Literal["all", "present", "distinct", "listed"]
MOST = 0.5  # share of a value's rows above which what they say is what it stands for


@dataclass(frozen=True, eq=False)
class Pairs:
    """A map as canonical text: `source[i]` stands for `target[i]`; sources are distinct.

    rows: the first row of the table that says so, int64[n], ascending. functional: the share of the rows with both
    values that say what the map says.
    """

    source: pa.Array
    target: pa.Array
    rows: np.ndarray
    functional: float

    @staticmethod
    def of(source: pa.Array, target: pa.Array) -> Pairs:
        """Of canonical text, row by row."""
        rows = np.flatnonzero(pc.and_(source.is_valid(), target.is_valid()).to_numpy(zero_copy_only=False))
        keys, meant = (column.take(pa.array(rows)).dictionary_encode() for column in (source, target))
        a, b = (np.asarray(column.indices, np.int64) for column in (keys, meant))
        together = a * max(len(meant.dictionary), 1) + b
        pairs, first, count = np.unique(together, return_index=True, return_counts=True)
        of = pairs // max(len(meant.dictionary), 1)
        total = np.bincount(a, minlength=len(keys.dictionary))
        most = count > MOST * total[of]
        kept = np.sort(first[most])
        share = float(count[most].sum() / len(rows)) if len(rows) else 0.0
        return Pairs(keys.dictionary.take(pa.array(a[kept])), meant.dictionary.take(pa.array(b[kept])), rows[kept],
                     share)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Lookup:
    """A map as a side of a join: `side` is a table of the lake, `source` and `target` two of its columns."""

    side: Side
    source: Hashable
    target: Hashable
    normalize: Normalize = "fold"

    @property
    def what(self) -> str:
        """The table and both columns, on one line."""
        return one_line(f"{self.side.name}: {self.source} → {self.target}")

    @property
    def variable(self) -> str:
        """What it is called in code: name_to_code."""
        return identifier(f"{identifier(str(self.source), 'key')}_to_{identifier(str(self.target), 'value')}", "map")

    @cached_property
    def _columns(self) -> pd.DataFrame:
        import pandas as pd

        both = (self.source, self.target)
        return pd.DataFrame({name: self.side.key_series(name) for name in both})

    @cached_property
    def _canonical(self) -> tuple[pa.Array, pa.Array]:
        both = (self.side.key(name) for name in (self.source, self.target))
        source, target = (values.canonical(column, self.normalize) for column in both)
        return source, target

    @cached_property
    def pairs(self) -> Pairs:
        return Pairs.of(*self._canonical)

    @cached_property
    def form(self) -> Form:
        """How code makes the map of the table: of its two columns as they are, without rows that lack a value, each
        pair once; or else the pairs have to be listed."""
        forms: tuple[Form, ...] = ("all", "present", "distinct")
        return next((form for form in forms if self._does(form)), "listed")

    def _made(self, form: Form) -> pd.DataFrame:
        import pandas as pd

        if form == "listed":  # as text, which is what code can list
            both = (values.text(self.side.key(name)) for name in (self.source, self.target))
            listed = [column.take(pa.array(self.pairs.rows)).to_pylist() for column in both]
            return pd.DataFrame({self.source: listed[0], self.target: listed[1]}, dtype=object)
        made = self._columns
        if form != "all":
            made = made.dropna()
        return made.drop_duplicates() if form == "distinct" else made

    def _does(self, form: Form) -> bool:
        """Whether what code makes so has each value of the source once, with what it stands for."""
        try:
            rows = self._made(form).index.to_numpy()
        except TypeError:  # lists cannot be told to be distinct
            return False
        source, target = (column.take(pa.array(rows)) for column in self._canonical)
        keyed = source.is_valid()
        here, meant = source.filter(keyed), target.filter(keyed)
        known = pc.index_in(here, self.pairs.source)
        if len(here.unique()) < len(here) or pc.sum(known.is_valid()).as_py() != len(self.pairs.source):
            return False
        wanted = self.pairs.target.take(known)
        return bool(pc.all(pc.or_kleene(pc.equal(wanted, meant), meant.is_null()), min_count=0).as_py()) and (
            wanted.null_count == meant.null_count
        )

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The map as a pandas frame of two columns, in the values of the table."""
        return self._made(self.form).reset_index(drop=True)

    def labels(self, key: Hashable | None) -> tuple[Hashable, Hashable]:
        """What its columns are called where a column `key` is joined with it: the source as that column, so that the
        result has it once, and the target by another name where that is its own. Without a key, as they are."""
        if key is None:
            return self.source, self.target
        target = self.target if self.target != key else free(f"{self.target}_{identifier(self.side.stem)}", {key})
        return key, target


class MapSide(Side):
    """A map as the right side of a step. lookup: what it is made of."""

    lookup: Lookup

    @classmethod
    def of(cls, lookup: Lookup, columns: Sequence[Hashable], name: str) -> Self:
        """A map under a name, its two columns called so."""
        side = cls.frame(lookup.frame.set_axis(list(columns), axis=1), name)
        side.lookup = lookup
        return side
