"""`Hit`: a column of the lake that shares values with the query, what it measures, and the join that it offers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lakeview.errors import LakeviewError
from lakeview.estimate.coupled import Comparison
from lakeview.guards import checks
from lakeview.index.postings import intersect
from lakeview.join.model import HOWS, How, JoinCounts, rows_out
from lakeview.join.side import Side
from lakeview.join.transform.nearly import Nearly, nearly_equal
from lakeview.join.variable import variable_name
from lakeview.search.confidence import Told
from lakeview.search.query import Query
from lakeview.search.tells import Tells
from lakeview.store.snapshot import Snapshot

if TYPE_CHECKING:
    import pyarrow as pa

    from lakeview.join.plan import JoinPlan


Examples = tuple[list[tuple[str, int]], list[tuple[str, int]]]  # values and their rows: that are met, that are not
Joiner = Callable[..., "JoinPlan"]  # of a hit, how, what stands for the left frame, and the tables to join as one


class Answer(Protocol):
    """What a hit is one of. join: plans its join. change_of: says what became of a table since it was indexed."""

    query: Query
    snapshot: Snapshot
    join: Joiner
    change_of: Callable[[str], str]


class Hit(Told):
    """One column of the lake that shares values with the query.

    containment, its bounds, jaccard and reverse_containment are over distinct values; rows and distinct are the lake
    column's; `counts` is what a left join of the query with it does; `reason` says in a sentence why it ranks there,
    before that whether its table changed since it was indexed; `confidence`, `line`, `pro` and `con` say it in parts
    (`search.confidence`). `role` is what its values are: "key", "time", "flag", "category", or "values" of another
    kind; `common`: it joins whatever has such times, flags or categories. `alike`: the others of its family, best
    first, where hits are folded: pieces of one table, or copies of one list (`search.families`). `tells`: where there
    is a target, what each column that it brings tells of it, the telling first (`search.telling`).
    """

    kind: str = "equi"  # how its values meet: also "composite", "bridge", "transform", "fuzzy"
    hows: Sequence[How] = HOWS  # the kinds of joins that there are
    role = "values"
    common = False
    alike: Sequence[Hit] = ()
    tells: Sequence[Tells] = ()

    def __init__(
        self,
        hits: Answer,
        number: int,
        overlap: int,
        score: float,
        accidental: bool,
        why: str,
        comparison: Comparison | None = None,
        method: str = "exact",
    ) -> None:
        self._of_column(hits, number)
        self._measure(overlap, score, accidental, why)
        self.method = method
        self.estimated = comparison is not None
        if comparison is not None:
            contained = comparison.containment
            self.containment, self.containment_low, self.containment_high = (
                contained.value,
                contained.low,
                contained.high,
            )
            self.jaccard, self.reverse_containment = comparison.jaccard.value, comparison.reverse_containment.value

    def _of_column(self, hits: Answer, number: int) -> None:
        """What the index knows of a column, by its number there."""
        snapshot = hits.snapshot
        self.number, self.key_like = number, bool(snapshot.key_like[number])
        rows, distinct = int(snapshot.rows[number]), int(snapshot.distinct[number])
        self._describe(hits, snapshot.tables[number], snapshot.names[number], distinct, rows)

    def _describe(self, hits: Answer, table: str, column: Any, distinct: int, rows: int) -> None:
        self._hits, self.table, self.column = hits, table, column
        self.distinct, self.rows = distinct, rows

    def _measure(self, overlap: int, score: float, accidental: bool, why: str) -> None:
        """What an overlap that is known exactly says."""
        asked = self._hits.query.distinct
        self.overlap, self.score, self.accidental, self._why = overlap, score, accidental, why
        self.containment = overlap / asked if asked else 0.0
        self.containment_low = self.containment_high = self.containment
        self.reverse_containment = overlap / self.distinct if self.distinct else 0.0
        union = asked + self.distinct - overlap
        self.jaccard = overlap / union if union else 0.0
        self.method, self.estimated = "exact", False

    def _tokens(self) -> tuple[np.ndarray, np.ndarray]:
        """What the hit holds: tokens, uint64, sorted, distinct, and the rows of each."""
        return self._hits.snapshot.tokens_of(self.number)

    def __repr__(self) -> str:
        return f"Hit({self.name}: {self.overlap} of {self._hits.query.distinct})"

    @property
    def reason(self) -> str:
        changed = self._hits.change_of(self.table)
        return f"{changed}. {self._why}" if changed else self._why

    @property
    def asked(self) -> str:
        """The column that was asked for."""
        return self._hits.query.column

    @property
    def asked_distinct(self) -> int:
        """Distinct values of that column."""
        return self._hits.query.distinct

    @property
    def name(self) -> str:
        """table.column; the columns of a composite key in parentheses."""
        column = f"({', '.join(map(str, self.column))})" if isinstance(self.column, tuple) else self.column
        return f"{self.table}.{column}"

    @property
    def brings(self) -> list[str]:
        """The other columns of its table, in their order: what a join adds."""
        own = self.column if isinstance(self.column, tuple) else (self.column,)
        return [name for name in self._hits.snapshot.by_table.get(self.table, ()) if name not in own]

    @property
    def telling(self) -> list[Tells]:
        """Those of `tells` that tell something."""
        return [told for told in self.tells if told.is_telling]

    @property
    def explained(self) -> float:
        """The share of the target's variance that its most telling column explains, 0 where none does."""
        return max((told.explained for told in self.telling), default=0.0)

    @cached_property
    def _shared(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions of the shared tokens in the query and in the column, and the column's row counts."""
        tokens, counts = self._tokens()
        return *intersect(self._hits.query.tokens, tokens), counts

    @cached_property
    def counts(self) -> JoinCounts | None:
        """What a left join of the query's rows with this column's table does to them; exact, from the store. None where
        sketches or a part of a Spark frame answered: `join().counts()` counts it."""
        return self.join_counts("left")

    def join_counts(self, how: How) -> JoinCounts | None:
        """As `counts`, for any join."""
        how, query = checks.how(how), self._hits.query
        if self.estimated:
            return None
        mine, theirs, counts = self._shared
        left, right = query.counts[mine].astype(np.int64), counts[theirs].astype(np.int64)
        left_matched, right_matched = int(left.sum()), int(right.sum())
        matches = int((left * right).sum())
        out = rows_out(how, matches, query.rows - left_matched, self.rows - right_matched)
        return JoinCounts(query.rows, left_matched, self.rows, right_matched, out, int(right.max(initial=0)))

    def examples(self, n: int = 4) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
        """Query values that occur in this column and values that do not, with their rows, most frequent first."""
        n, query = checks.whole("n", n), self._hits.query
        texts = query.texts
        if texts is None or self.estimated:
            return [], []
        held = np.zeros(query.distinct, bool)
        held[self._shared[0]] = True

        return met_and_not(texts, query.counts, held, n)

    def join(self, how: How = "left", left: Any = None, many: str | Mapping[Hashable, str] = "all",
             when: Hashable = None, all_alike: bool = False) -> JoinPlan:  # fmt: skip
        """The plan that joins the query's table with this column's. Nothing runs yet.

        how: left, inner, right or outer. left: the DataFrame that holds the query column, where the query was a Series.
        many, when: what becomes of several rows that one row of the query meets, as `JoinPlan.with_many` has it: "all"
        come out, or "first", "last", "latest", "aggregate", "list" or a dict give one row for each left row.
        all_alike: with the tables of the whole family as one, their rows one below the other, in the order of their
        names, and a column "file" (or a name that is free) that names the table of each row. Raises InputError where
        they are no files of one kind, or call the column differently.
        """
        how, whole = checks.how(how), checks.flag("all_alike", all_alike)
        tables = sorted({one.table for one in (self, *self.alike)}) if whole else None
        return self._hits.join(self, how, left, tables).with_many(many, when)

    @property
    def example(self) -> tuple[str, str] | None:
        """Of a column that is met after a step: a value and what it joins there, in their own spelling."""
        return None

    @cached_property
    def nearly(self) -> Nearly | None:
        """What would join more of the values than match as they are ("7 of 12 values match as they are, all once fips
        is written in 5 digits"), None where nothing would. The column is read once to find it."""
        if isinstance(self.column, tuple) or self.overlap == self._hits.query.distinct:
            return None
        try:
            return nearly_equal(self.join())
        except LakeviewError:  # what cannot be joined now, as its file is gone, is not nearly equal either
            return None


def met_and_not(texts: pa.Array, rows: np.ndarray, met: np.ndarray, n: int) -> Examples:
    """Of some values those that are met, bool[values], and the others: up to `n` of each, most rows first."""

    def top(which: np.ndarray) -> list[tuple[str, int]]:
        places = which[np.argsort(-rows[which], kind="stable")[:n]]
        return [(texts[int(p)].as_py(), int(rows[p])) for p in places]

    return top(np.flatnonzero(met)), top(np.flatnonzero(~met))


def standing(left: Any) -> Side | None:
    """What stands for the query's table in a join: a side, or a frame as one; None for that table itself."""
    return left if left is None or isinstance(left, Side) else Side.frame(left, variable_name(left) or "left")
