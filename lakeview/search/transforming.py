"""Search by transformation: columns of the lake that a learned program joins with a column (thesis section 5.3.1).

Each column of text is known by the least hashes of its 3-grams, an equal share of all 3-grams in every column. Those
that the query shares weigh more the fewer columns have them; the heaviest tables are then verified: a program is
learned on samples, and what it joins is counted.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview import values
from lakeview.catalog.model import ReadError
from lakeview.errors import InputError, LakeChanged, LakeviewError, StoreError
from lakeview.join.model import How, JoinCounts
from lakeview.join.plan import JoinPlan
from lakeview.join.side import Side
from lakeview.join.transform.auto_join import plan_join
from lakeview.join.transform.columns import Column, Columns
from lakeview.join.transform.plan import TransformPlan
from lakeview.join.transform.search import some_rows
from lakeview.join.variable import variable_name
from lakeview.search.hits import Hit, Hits
from lakeview.store.session_segment import SessionSegment
from lakeview.store.snapshot import Snapshot
from lakeview.values import Normalize

GRAMS = 512  # hashes kept of a column
VALUES = 5_000  # values of a column that are looked at
TABLES = 12  # tables that are verified
COLUMNS = 8  # columns of each
ROWS = 20_000  # rows of each side that a program is learned on
FETCHED = 60_000  # rows of a Spark frame that a program is tried on
FILE = "transform.npz"  # in the folder of a segment, made at the first search
LEAST = 3  # 3-grams that a column must share
JOINED = 0.5  # containment from which on a column needs no program to be joined

Sides = Callable[[str], Side]


class TransformHit(Hit):
    """A column of the lake that a program joins with the query: `plan` is its left join. Of a Spark frame it is that of
    the rows that were fetched, and what is joined is the frame `right`."""

    kind = "transform"

    def __init__(self, hits: Hits, number: int, plan: TransformPlan, right: Side) -> None:
        snapshot = hits.snapshot
        self.number, self.plan, self.key_like = number, plan, bool(snapshot.key_like[number])
        self._right = right
        rows, distinct = int(snapshot.rows[number]), int(snapshot.distinct[number])
        self._describe(hits, snapshot.tables[number], snapshot.names[number], distinct, rows)
        self._joining = _values_of(plan, hits.query.column)
        met = len(self._joining[0])
        key = f"{plan.keyed.stem}.{plan.key_program}"
        some = "" if plan.right.rows >= right.rows else f" among {plan.right.rows:,} of the {right.rows:,} rows there"
        why = f"{met:,} of {hits.query.distinct:,} values join{some} by {key} = " + plan.program.replace("\n", " ")
        # A program says less than equality: each operator costs a key.
        worth = max(0.0, met - sum(program.cost for program in plan.programs))
        self._measure(met, worth / max(1, hits.query.distinct), False, why)
        self.method = "transformation"

    def examples(self, n: int = 4) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
        """Query values whose rows join and values whose rows do not, with their rows, most frequent first."""
        joining, alone = self._joining
        return joining[:n], alone[:n]

    def join_counts(self, how: How) -> JoinCounts | None:
        if self.plan.right.rows < self._right.rows:  # a part of a Spark frame; a display must not start a job
            return None
        try:
            return (self.plan if how == self.plan.how else self.plan.again(how)).counts()
        except LakeChanged:  # since the search: the join will say so
            return None

    def join(self, how: How = "left", left: Any = None) -> JoinPlan:
        """The plan of the program, for any kind of join; `left` stands for the table of the query."""
        if left is None and how == self.plan.how and self.plan.right is self._right:
            return self.plan
        left = left if left is None or isinstance(left, Side) else Side.frame(left, variable_name(left) or "left")
        return self.plan.again(how, left, self._right)


def search(
    hits: Hits, data: Any, sides: Sides, signatures: Signatures, hidden: np.ndarray, k: int | None,
    threshold: float | None,
) -> Hits:  # fmt: skip
    """Fill `hits` with the columns that programs join with the query, the most values met first.

    data: the side of the query's column, or its values alone. hidden: bool[n], columns never to be suggested.
    k, threshold: as in an exact search. Raises InputError for a frame of Spark."""
    start = data if isinstance(data, Side) else _alone(data, hits.query.column)
    if start.kind == "spark":
        raise InputError("search by transformation reads the column here: take a sample, df.limit(20_000).toPandas()")
    started = time.perf_counter()
    snapshot, normalize = hits.snapshot, signatures.normalize
    place = next(i for i, label in enumerate(start.columns) if str(label) == hits.query.column)
    own = _some_columns(start, normalize, [place], 0)
    found: list[Hit] = []
    for table, numbers in signatures.likely(list(own.columns[place].first_row), snapshot, sides, hidden):
        if hits.query.number is not None and start.name == table:
            continue
        try:
            right = sides(table)
            plan = _verify(start, own, right, [snapshot.names[n] for n in numbers], normalize)
        except (LakeChanged, ReadError, StoreError) as error:
            hits.leave_out(str(error))
            continue
        if plan is not None:
            label = str(plan.right.columns[plan.key_program.reads[0]] if not plan.reverse else plan.derived_columns[0])
            found.append(TransformHit(hits, snapshot.by_table[table][label], plan, right))
    least = threshold or 0.0
    found = [hit for hit in found if hit.containment >= least - 1e-9]
    found.sort(key=lambda hit: (-hit.overlap, -hit.score, hit.table, str(hit.column)))
    hits.fill(found[:k])
    hits.seconds += time.perf_counter() - started
    return hits


def is_joined(hit: Hit) -> bool:
    """Whether a column joins well enough as it is, so that no program is looked for."""
    return hit.containment >= JOINED and not hit.accidental


def _alone(data: Any, column: str) -> Side:
    """Values without a frame as a side of one column."""
    return Side.column(data, column, column)


def _verify(start: Side, own: Columns, side: Side, labels: list[str], normalize: Normalize) -> TransformPlan | None:
    """The best program between the query's column and some columns of a table, or None."""
    try:
        reads = [place for place, label in enumerate(side.columns) if str(label) in labels]
        held = side.here(FETCHED)
        there = _some_columns(held, normalize, reads, 1)
        rates = [table.rows / max(1, one.rows) for table, one in ((own, start), (there, side))]
        plans = plan_join((start, held), [own, there], "left", normalize, True, 0, rates)
    except (LakeChanged, ReadError):
        raise
    except (LakeviewError, OSError):  # a table that no program can be learned on is no hit
        return None
    return next((plan for plan in plans if not plan.doubtful), None)


def _some_columns(side: Side, normalize: Normalize, places: list[int], seed: int) -> Columns:
    """A sample of some columns of a side; the others hold nothing."""
    table = Columns.of(side, normalize, places, some_rows(side.rows, ROWS, seed))
    table.columns = [c if c.values else Column(c.name, c.place, [None] * table.rows) for c in table.columns]
    return table


def _values_of(plan: TransformPlan, column: Any) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """The values of the query's column in rows that join, and the other values: (one spelling, rows), most first."""
    label = next(c for c in plan.left.columns if str(c) == str(column))
    key = plan.left.key(label)
    rows = {"value": values.canonical(key, plan.normalize), "text": values.text(key), "joins": plan.left_joins()}
    spelled = [("text", "min"), ("joins", "any"), ([], "count_all")]
    found = pa.table(rows).filter(pc.field("value").is_valid()).group_by("value").aggregate(spelled)
    found = found.sort_by([("count_all", "descending"), ("text_min", "ascending")])

    def listed(mask: Any) -> list[tuple[str, int]]:
        some = found.filter(mask)
        return list(zip(some["text_min"].to_pylist(), some["count_all"].to_pylist(), strict=True))

    return listed(found["joins_any"]), listed(pc.invert(found["joins_any"]))


class Signatures:
    """The 3-grams of the lake's columns, read from the tables at the first search and kept beside their segment."""

    def __init__(self, normalize: Normalize) -> None:
        self.normalize: Normalize = normalize
        self._of: dict[Path, dict[int, np.ndarray]] = {}  # by a segment's file, by column in it
        self._reading = threading.Lock()  # what one thread reads, another that asks waits for

    def likely(
        self, texts: list[str], snapshot: Snapshot, sides: Sides, hidden: np.ndarray
    ) -> list[tuple[str, list[int]]]:
        """The tables that share most rare 3-grams with some texts, and their columns that do, at most COLUMNS."""
        wanted = snapshot.alive & (snapshot.distinct >= 3) & ~hidden
        texts_there = [int(n) for n in np.flatnonzero(wanted) if snapshot.types[n] == "text"]
        with self._reading:
            found = self._signatures(snapshot, sides, texts_there)
        if not found:
            return []
        grams, columns_with = np.unique(np.concatenate(list(found.values())), return_counts=True)
        weight = 1.0 / columns_with
        asked = np.isin(grams, gram_hashes(texts), assume_unique=True)
        worth: dict[str, list[tuple[float, int]]] = defaultdict(list)
        for number, signature in found.items():
            places = np.searchsorted(grams, signature)
            shared = places[asked[places]]
            if len(shared) >= LEAST:
                worth[snapshot.tables[number]].append((float(weight[shared].sum()) / len(signature) ** 0.5, number))
        ranked = sorted(worth.items(), key=lambda item: (-max(item[1])[0], item[0]))
        return [(table, [n for _, n in sorted(shared, reverse=True)[:COLUMNS]]) for table, shared in ranked[:TABLES]]

    def _signatures(self, snapshot: Snapshot, sides: Sides, numbers: list[int]) -> dict[int, np.ndarray]:
        """The signatures of some columns; those of new segments are read and kept."""
        found: dict[int, np.ndarray] = {}
        base = 0
        for segment in snapshot.segments:
            file: Path | None = None
            if isinstance(segment, SessionSegment):  # nothing of it is written
                held = segment.signatures
            else:
                file = segment.folder / FILE
                if file not in self._of:
                    self._of[file] = _load(file)
                held = self._of[file]
            here = [n for n in numbers if base <= n < base + len(segment)]
            unread: dict[str, list[int]] = defaultdict(list)
            for number in here:
                if number - base not in held:
                    unread[snapshot.tables[number]].append(number)
            known = len(held)
            for table, columns in unread.items():
                read = self._read(sides, table, [snapshot.names[n] for n in columns])
                held.update(zip((n - base for n in columns), read, strict=False))
            if len(held) > known and file is not None:
                _save(file, held)
            found |= {number: held[number - base] for number in here if number - base in held}
            base += len(segment)
        return found

    def _read(self, sides: Sides, table: str, names: list[str]) -> list[np.ndarray]:
        """The signatures of some columns of a table; none where it cannot be read, as its files changed."""
        try:
            side = sides(table).here(ROWS)
            texts = [values.canonical(side.key(name), self.normalize).unique().drop_null() for name in names]
        except (LakeviewError, OSError):
            return []
        return [gram_hashes(column.slice(0, VALUES).to_pylist())[:GRAMS] for column in texts]


def _load(path: Path) -> dict[int, np.ndarray]:
    """Signatures by column in the segment; none where the file is not there or damaged."""
    try:
        with np.load(path) as file:
            columns, stops, grams = file["columns"], file["stops"], file["grams"]
        return dict(zip(columns.tolist(), np.split(grams, stops[:-1]), strict=True))
    except Exception:  # its parts have checksums, and a damaged archive raises what it likes: they are read once more
        return {}


def _save(path: Path, held: dict[int, np.ndarray]) -> None:
    """Write them at once; where that is not allowed, they are read again by the next process."""
    part = path.with_name(f"{path.stem}-{uuid.uuid4().hex[:8]}.tmp.npz")
    try:
        np.savez(part, columns=np.array(list(held)), stops=np.cumsum([len(g) for g in held.values()]),
                 grams=np.concatenate(list(held.values())))  # fmt: skip
        part.replace(path)
    except OSError:
        with suppress(OSError):
            part.unlink()


def gram_hashes(texts: list[str]) -> np.ndarray:
    """Hashes of the 3-grams of some texts: uint64, sorted, distinct; the same 3-gram has the same hash anywhere."""
    joined = "\0".join(texts[:VALUES]) + "\0\0"
    points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    a, b, c = points[:-2], points[1:-1], points[2:]
    gram = ((a << np.uint64(42)) | (b << np.uint64(21)) | c)[(a != 0) & (b != 0) & (c != 0)]
    mixed = (gram ^ (gram >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)  # spread, so that the least are a sample
    return np.unique(mixed ^ (mixed >> np.uint64(29)))
