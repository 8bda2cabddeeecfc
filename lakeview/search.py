"""One question, answered: which columns of the lake hold the values of this one, and are they a join or an accident."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from lakeview import approximate, sampled, scoring
from lakeview.approximate import Estimates
from lakeview.catalog.snapshot import Snapshot
from lakeview.errors import InputError
from lakeview.estimate.coupled import Comparison
from lakeview.index import chance
from lakeview.index.josie import Statistics
from lakeview.index.postings import intersect
from lakeview.join.equi import How, JoinCounts, rows_out
from lakeview.query import Query
from lakeview.reasons import reason

if TYPE_CHECKING:
    import pandas as pd

    from lakeview.join.plan import JoinPlan

Rank = Literal["overlap", "join"]
CLOSEST = 5  # columns named where nothing is found
_EMPTY_AT = 0.1  # a best containment under this is "nothing found" to an analyst who looks for a join


class Hit:
    """One column of the lake that shares values with the query.

    containment, its bounds, jaccard and reverse_containment are over distinct values; rows and distinct are the lake
    column's; `counts` is what a left join of the query with it does; `reason` says in a sentence why it ranks there.
    """

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
        snapshot = hits.snapshot
        self.number = number
        self.key_like = bool(snapshot.key_like[number])
        self._describe(
            hits, snapshot.tables[number], snapshot.names[number], int(snapshot.distinct[number]),
            int(snapshot.rows[number]),
        )  # fmt: skip
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

    def _describe(self, hits: Hits, table: str, column: Any, distinct: int, rows: int) -> None:
        self._hits, self.table, self.column = hits, table, column
        self.distinct, self.rows = distinct, rows

    def _measure(self, overlap: int, score: float, accidental: bool, why: str) -> None:
        """What an overlap that is known exactly says."""
        asked = self._hits.query.distinct
        self.overlap, self.score, self.accidental, self.reason = overlap, score, accidental, why
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
    def name(self) -> str:
        """table.column; the columns of a composite key in parentheses."""
        column = f"({', '.join(map(str, self.column))})" if isinstance(self.column, tuple) else self.column
        return f"{self.table}.{column}"

    @cached_property
    def _shared(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions of the shared tokens in the query and in the column, and the column's row counts."""
        tokens, counts = self._tokens()
        return *intersect(self._hits.query.tokens, tokens), counts

    @cached_property
    def counts(self) -> JoinCounts | None:
        """What a left join of the query's rows with this column's table does to them; exact, from the store. None where
        sketches answered: `join().counts()` counts it."""
        return self.join_counts("left")

    def join_counts(self, how: How) -> JoinCounts | None:
        """As `counts`, for any join."""
        query = self._hits.query
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
        query = self._hits.query
        texts = query.texts
        if texts is None or self.estimated:
            return [], []
        held = np.zeros(query.distinct, bool)
        held[self._shared[0]] = True

        def top(which: np.ndarray) -> list[tuple[str, int]]:
            places = which[np.argsort(-query.counts[which], kind="stable")[:n]]
            return [(texts[int(p)].as_py(), int(query.counts[p])) for p in places]

        return top(np.flatnonzero(held)), top(np.flatnonzero(~held))

    def join(self, how: How = "left", left: Any = None) -> JoinPlan:
        """The plan that joins the query's table with this column's. Nothing runs yet.

        how: left, inner, right or outer. left: the DataFrame that holds the query column, where the query was a Series.
        """
        return self._hits.join(self, how, left)


class Hits(Sequence[Hit]):
    """The answer to a search, best first. `closest` is what came nearest where nothing did well.

    possible: of a search with a threshold, the columns that sketches can neither find nor exclude, most likely first:
    those that are large beside the query.
    """

    def __init__(
        self, query: Query, snapshot: Snapshot, problems: int, join: Callable[[Hit, How, Any], JoinPlan]
    ) -> None:
        self.query, self.snapshot, self.problems, self.join = query, snapshot, problems, join
        self.tables, self.columns = len(snapshot.by_table), int(snapshot.alive.sum())
        self.seconds = 0.0
        self.closest: list[Hit] = []
        self._possible: Callable[[], list[Hit]] = list
        self.doubtful = 0  # how many are possible
        self.estimated = False  # whether sketches answered for some column, found or not
        self._hits: list[Hit] = []
        self.statistics = Statistics(why="nothing was read yet")

    @cached_property
    def possible(self) -> list[Hit]:
        return self._possible()

    def doubt(self, count: int, possible: Callable[[], list[Hit]]) -> None:
        """There are `count` possible columns; what they are is looked up when it is asked for."""
        self.doubtful, self._possible = count, possible
        self.__dict__.pop("possible", None)

    def fill(self, found: Sequence[Hit]) -> None:
        """The hits, best first."""
        self._hits = list(found)

    def __len__(self) -> int:
        return len(self._hits)

    @overload
    def __getitem__(self, index: int) -> Hit: ...

    @overload
    def __getitem__(self, index: slice) -> list[Hit]: ...

    def __getitem__(self, index: int | slice) -> Hit | list[Hit]:
        return self._hits[index]

    def __iter__(self) -> Iterator[Hit]:
        return iter(self._hits)

    def __repr__(self) -> str:
        lines = [f"{len(self)} hits for {self.query.name} ({self.query.distinct:,} distinct values)"]
        lines += [f"{i:3d}  {h.name}  {h.containment:.2f}  {h.reason}" for i, h in enumerate(self[:20])]
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


def search(
    hits: Hits,
    k: int | None,
    threshold: float | None,
    rank: Rank,
    hidden: np.ndarray,
    exact: bool = True,
    sample: bool = False,
) -> Hits:
    """Fill `hits` with the columns that share values with its query.

    k: how many at most, None for all; threshold: least containment; hidden: bool[n], columns never to be suggested;
    exact: by tokens wherever both sides have them, else of large columns by their sketches. sample: by a sample of the
    query's tokens alone, where it has more than that. Ties go by (table, column).
    """
    started = time.perf_counter()
    query, snapshot = hits.query, hits.snapshot
    if sample and len(query.tokens) > sampled.SAMPLE:
        query = sampled.Sample.of_query(query)
        guessed = sampled.estimates(query, snapshot, hidden)
        overlap, frequency = np.zeros(len(snapshot), np.int64), snapshot.frequency(query.tokens)
        hits.statistics = snapshot.merged(query.tokens)
    else:
        guessed = _estimates(query, snapshot, hidden, exact, threshold)
        overlap, frequency = _overlaps(
            hits, k if rank == "overlap" and threshold is None else None, hidden | guessed.columns
        )
    score = partial(scoring.scores, query, snapshot, overlap=overlap, frequency=frequency, guessed=guessed)
    hits.estimated = bool(guessed.columns.any())
    overlap[guessed.columns] = 0
    overlap[guessed.numbers] = np.rint(guessed.overlap[:, 0]).astype(np.int64)
    overlap[hidden] = 0
    least = 1 if threshold is None else max(1, math.ceil(threshold * query.distinct - 1e-9))
    found = np.flatnonzero(overlap >= least)
    if rank == "overlap":
        places = _top(found, [snapshot.rank[found], -overlap[found]], k)
        scores = score(places)
    else:
        scores = score(found)
        order = _top(np.arange(len(found)), [snapshot.rank[found], -scores.score, scores.accidental], k)
        places, scores = found[order], scoring.pick(scores, order)
    hits._hits = _hits(hits, places, overlap, scores, guessed)
    if not hits._hits or (rank == "join" and max(h.containment for h in hits._hits) < _EMPTY_AT):
        near = _top(nearest := np.flatnonzero(overlap), [snapshot.rank[nearest], -overlap[nearest]], CLOSEST)
        hits.closest = _hits(hits, near, overlap, score(near), guessed)
    if threshold is not None:
        doubtful = _doubtful(hits, guessed, threshold, overlap)
        hits.doubt(len(doubtful), lambda: _hits(hits, doubtful, overlap, score(doubtful), guessed))
    hits.statistics = approximate.explained(hits.statistics, guessed)
    hits.seconds += time.perf_counter() - started
    return hits


def refined(answer: Callable[[bool], Hits], exact: bool, sample: Callable[[], Hits] | None = None) -> Iterator[Hits]:
    """The answer from sketches first, then the exact one, where it is asked for and the first was not exact already.

    answer: of whether to be exact, a new search; sample: one from a sample of the query, where that comes first.
    """
    first = answer(False) if sample is None or not exact else sample()
    yield first
    if exact and first.estimated:
        yield answer(True)


def _overlaps(hits: Hits, k: int | None, skip: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The exact overlaps, of the best k columns alone if that is enough, and the columns that hold each token."""
    query, snapshot = hits.query, hits.snapshot
    if k is None:
        started = time.perf_counter()
        overlap, frequency = snapshot.overlaps(query.tokens)
        hits.statistics = snapshot.merged(query.tokens)
        hits.statistics.seconds = time.perf_counter() - started
        return overlap, frequency
    numbers, overlaps, hits.statistics = snapshot.top_k(query.tokens, k, skip)
    overlap = np.zeros(len(snapshot), np.int64)
    overlap[numbers] = overlaps
    return overlap, snapshot.frequency(query.tokens)


def _estimates(query: Query, snapshot: Snapshot, hidden: np.ndarray, exact: bool, threshold: float | None) -> Estimates:
    """What has to be estimated: columns without tokens, all of a query without, and large ones where `exact` is not
    asked for."""
    if query.sketch is not None:
        columns = snapshot.alive.copy()
    else:
        columns = (snapshot.sketched if exact else snapshot.large) & snapshot.alive
    return approximate.estimates(query, snapshot, columns & ~hidden, threshold is not None, threshold or 0.0)


def _doubtful(hits: Hits, guessed: Estimates, threshold: float, overlap: np.ndarray) -> np.ndarray:
    """Columns that are no hits, but whose intervals reach the threshold; the likeliest first."""
    said, rank = {hit.number for hit in hits}, hits.snapshot.rank
    likely = (n for n in guessed.reaching(threshold).tolist() if n not in said)
    high = {n: high for n in likely if (high := guessed.of[n].containment.high) >= threshold}
    return np.array(sorted(high, key=lambda n: (-overlap[n], -high[n], rank[n])), int)


def _top(numbers: np.ndarray, keys: Sequence[np.ndarray], k: int | None) -> np.ndarray:
    """The first k numbers in the order of the keys, the last key first (as `np.lexsort`)."""
    if k is not None and len(numbers) > 10 * k:  # most of them need no order
        near = np.flatnonzero(keys[-1] <= np.partition(keys[-1], k - 1)[k - 1])
        numbers, keys = numbers[near], [key[near] for key in keys]
    return numbers[np.lexsort(keys)[:k]]


def _hits(hits: Hits, places: np.ndarray, overlap: np.ndarray, scores: chance.Scores, guessed: Estimates) -> list[Hit]:
    made = []
    for i, c in enumerate(places.tolist()):
        estimate = guessed.of.get(c)
        why = reason(hits.query, hits.snapshot, c, int(overlap[c]), scores, i, estimate)
        method = "exact" if estimate is None else guessed.method(c)
        score, accidental = float(scores.score[i]), bool(scores.accidental[i])
        made.append(Hit(hits, c, int(overlap[c]), score, accidental, why, estimate, method))
    return made


def check_arguments(k: int | None, threshold: float | None, rank: str) -> int | None:
    """Raise InputError on what makes no sense; returns k, 10 where neither k nor a threshold is given."""
    if k is not None and (isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1):
        raise InputError(f"k is how many hits to return, a whole number from 1, not {k!r}")
    if threshold is not None and not (isinstance(threshold, int | float | np.number) and 0 < threshold <= 1):
        raise InputError(f"threshold is a containment over 0 and up to 1, not {threshold!r}")
    if rank not in ("overlap", "join"):
        raise InputError(f'rank is "overlap" or "join", not {rank!r}')
    return 10 if k is None and threshold is None else k
