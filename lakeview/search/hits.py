"""`Hits`: the answer to a search, and what the analyst does with each `Hit`: look at it, join it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from lakeview.errors import LakeviewError
from lakeview.estimate.coupled import Comparison
from lakeview.guards import checks
from lakeview.guards.ranked import Ranked
from lakeview.index.josie import Statistics
from lakeview.index.postings import intersect
from lakeview.join.model import HOWS, How, JoinCounts, rows_out
from lakeview.join.side import Side
from lakeview.join.transform.nearly import Nearly, nearly_equal
from lakeview.join.variable import variable_name
from lakeview.search.confidence import Told
from lakeview.search.query import Query
from lakeview.store.snapshot import Snapshot

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from lakeview.join.bridge import BridgePlan
    from lakeview.join.plan import JoinPlan


Examples = tuple[list[tuple[str, int]], list[tuple[str, int]]]  # values and their rows: that are met, that are not
Joiner = Callable[..., "JoinPlan"]  # of a hit, how, what stands for the left frame, and the tables to join as one


class Hit(Told):
    """One column of the lake that shares values with the query.

    containment, its bounds, jaccard and reverse_containment are over distinct values; rows and distinct are the lake
    column's; `counts` is what a left join of the query with it does; `reason` says in a sentence why it ranks there,
    before that whether its table changed since it was indexed; `confidence`, `line`, `pro` and `con` say it in parts
    (`search.confidence`). `role` is what its values are: "key", "time", "flag", "category", or "values" of another
    kind; `common`: it joins whatever has such times, flags or categories. `alike`: the others of its family, best
    first, where hits are folded: pieces of one table, or copies of one list (`search.families`).
    """

    kind: str = "equi"  # how its values meet: also "composite", "bridge", "transform", "fuzzy"
    hows: Sequence[How] = HOWS  # the kinds of joins that there are
    role = "values"
    common = False
    alike: Sequence[Hit] = ()

    def __init__(
        self,
        hits: Hits,
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

    def _of_column(self, hits: Hits, number: int) -> None:
        """What the index knows of a column, by its number there."""
        snapshot = hits.snapshot
        self.number, self.key_like = number, bool(snapshot.key_like[number])
        rows, distinct = int(snapshot.rows[number]), int(snapshot.distinct[number])
        self._describe(hits, snapshot.tables[number], snapshot.names[number], distinct, rows)

    def _describe(self, hits: Hits, table: str, column: Any, distinct: int, rows: int) -> None:
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


class Hits(Ranked[Hit]):
    """The answer to a search, best first. `closest` is what came nearest where nothing did well.

    Where families are folded, a hit is the best of its family and has the family's score; `len`, `k` and positions are
    of families, and `hit.alike` has the others.

    possible: of a search with a threshold or for what joins, the columns that sketches can neither find nor exclude,
    most likely first: those that are large beside the query.
    """

    _called = "hits"

    def __init__(
        self,
        query: Query,
        snapshot: Snapshot,
        problems: int,
        join: Joiner,
        change_of: Callable[[str], str] = lambda table: "",
    ) -> None:
        """change_of: says what became of a table since it was indexed, "" where nothing did; asked once a table."""
        self.query, self.snapshot, self.problems, self.join = query, snapshot, problems, join
        self.change_of = cache(change_of)
        self.left_out: list[str] = []  # why tables are no hits that could not be read as they were
        self.tried = ""  # how many of the likely tables a search by transformation looked into
        self.looking = ""  # what for: "transformations", then "similar text"
        self.looked = self.of = 0  # tables that were looked into for that, and are to be
        self._go_on: Callable[[int], None] | None = None
        self.tables, self.columns = len(snapshot.by_table), int(snapshot.alive.sum())
        self.seconds = 0.0
        self.closest: list[Hit] = []
        self._possible: Callable[[], list[Hit]] = list
        self._bridges: Callable[[], list[BridgePlan]] = list
        self.left: Side | None = None  # what was asked from, where that has rows to join
        self.further: Callable[[], Iterable[Hits]] | None = None  # what steps add; None where none are looked for
        self.doubtful = 0  # how many are possible
        self.estimated = False  # whether sketches answered for some column, found or not
        self._ranked: list[Hit] = []
        self.statistics = Statistics(why="nothing was read yet")

    @cached_property
    def bridges(self) -> list[BridgePlan]:
        """Of a search for what joins one column: plans to keys of the lake that it reaches through a table between
        (`Lake.bridge`), where no hit does, best first; looked for when they are asked for."""
        return self._bridges()

    def over(self, bridges: Callable[[], list[BridgePlan]]) -> None:
        """There may be bridges; `bridges` looks for them."""
        self._bridges = bridges

    @cached_property
    def possible(self) -> list[Hit]:
        return self._possible()

    def doubt(self, count: int, possible: Callable[[], list[Hit]]) -> None:
        """There are `count` possible columns; what they are is looked up when it is asked for."""
        self.doubtful, self._possible = count, possible
        self.__dict__.pop("possible", None)

    def fill(self, found: Sequence[Hit]) -> None:
        """The hits, best first."""
        self._ranked = list(found)

    @property
    def unfolded(self) -> list[Hit]:
        """The hits, and behind each the others of its family."""
        return [one for hit in self for one in (hit, *hit.alike)]

    @property
    def above(self) -> list[Hit]:
        """The hits above the line: what joins, and not by chance alone."""
        return [hit for hit in self if not hit.accidental]

    @property
    def below(self) -> list[Hit]:
        """Those below it: times, flags and categories that join whatever has such values, then chance."""
        return [hit for hit in self if hit.accidental]

    def go_on(self, tried: int, likely: int, more: Callable[[int], None] | None) -> None:
        """So many of the likely tables were looked into; `more` looks into up to so many of the others."""
        self.tried = f"{tried:,} of {likely:,} likely tables were tried" + (": more() goes on" if more else "")
        self.looked, self.of = tried, likely
        self._go_on = more

    @property
    def goes_on(self) -> bool:
        """Whether likely tables are left that a search by transformation did not look into: `more()` does."""
        return self._go_on is not None

    def go_no_further(self) -> None:
        """These are an answer on the way: another one goes on."""
        self._go_on, self.tried = None, self.tried.removesuffix(": more() goes on")

    def more(self, tables: int = 60) -> Hits:
        """Look into up to so many further tables of those that a search by transformation did not try, some seconds at
        most, and return these hits with what was found. Of other searches nothing is left: they looked into all."""
        tables = checks.whole("tables", tables)
        if self._go_on is not None:
            self._go_on(tables)
        return self

    def leave_out(self, why: str) -> None:
        """A table had to be read and could not be: it is no hit."""
        if why not in self.left_out:
            self.left_out.append(why)

    @property
    def changed(self) -> list[str]:
        """What became of tables since they were indexed, a sentence each: of the hits' tables by a stat of their files,
        and of tables that are no hits because they could not be read as they were."""
        tables = dict.fromkeys(hit.table for hit in self)
        return [*filter(None, map(self.change_of, tables)), *self.left_out]

    def __repr__(self) -> str:
        lines = [f"{len(self)} hits for {self.query.name} ({self.query.distinct:,} distinct values)", *self.left_out]
        lines += [self.tried] * bool(self.tried)
        lines += [f"{i:3d}  {h.name}{_alike(h)}  {h.containment:.2f}  {h.reason}" for i, h in enumerate(self[:20])]
        return "\n".join(lines)

    def explain(self) -> Statistics:
        """How the exact overlaps were found (`index.josie.Statistics`; shows as text): the plan and why it was chosen,
        the posting lists, sets and bytes that were read, and what that was expected to cost and did; where sketches
        answered, also which index served and why."""
        return self.statistics

    def to_pandas(self) -> pd.DataFrame:
        """All hits, one a row, in their order."""
        import pandas as pd

        fields = (
            "table", "column", "overlap", "containment", "containment_low", "containment_high", "jaccard",
            "reverse_containment", "distinct", "rows", "score", "reason", "method",
        )  # fmt: skip
        return pd.DataFrame({f: [getattr(hit, f) for hit in self] for f in fields}, columns=list(fields))


def _alike(hit: Hit) -> str:
    return f" (+{len(hit.alike):,} alike)" if hit.alike else ""


def met_and_not(texts: pa.Array, rows: np.ndarray, met: np.ndarray, n: int) -> Examples:
    """Of some values those that are met, bool[values], and the others: up to `n` of each, most rows first."""

    def top(which: np.ndarray) -> list[tuple[str, int]]:
        places = which[np.argsort(-rows[which], kind="stable")[:n]]
        return [(texts[int(p)].as_py(), int(rows[p])) for p in places]

    return top(np.flatnonzero(met)), top(np.flatnonzero(~met))


def standing(left: Any) -> Side | None:
    """What stands for the query's table in a join: a side, or a frame as one; None for that table itself."""
    return left if left is None or isinstance(left, Side) else Side.frame(left, variable_name(left) or "left")
