"""A whole frame asked about: which tables of the lake could add something to it, by which of its columns.

Each column is asked for what it joins, by the score alone; columns of the frame that the same table holds, none of them
as its key, are asked for together. Best first: what joins, then what joins whatever has such times or flags, then
accidents. A table that is the frame itself adds nothing and is named apart.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from lakeview.index.postings import intersect
from lakeview.search.hit import Hit
from lakeview.search.hits import Hits
from lakeview.search.query import Query
from lakeview.store.snapshot import Snapshot

if TYPE_CHECKING:
    import pandas as pd

ALONE = 500  # hits of a column that is asked for again, alone
EACH = 50  # hits of a column that are looked at
PAIRS = 4  # pairs of columns that are asked for together; their rows are read
WIDEST = 4  # columns of a key
MORE = 3  # columns that are tried beside a pair which is no key of a table
TABLES = 3  # tables that a pair is looked for in
SECONDS = 3.0  # after which no other pair is asked for
HELD = 0.5  # containment of each column of a pair
LARGE = 5_000_000  # rows of a table that is not read for a pair
SAME = 0.9  # of the frame's columns, and of the values of each, that its copy has


class FrameHits(Hits):
    """What a frame joins with, best first: each hit by one of its columns, or by two together (`hit.asked`).

    `copies` are the tables that hold the frame itself. The query stands for the frame and has no values of its own.
    `answers` has, by the columns asked for, their hits, best first, in the frame's order, columns together last;
    `values` the distinct values of each column; `again(columns)` asks for these alone, as a search with `stream` does.
    """

    copies: list[str]
    answers: dict[tuple[Hashable, ...], list[Hit]]
    values: dict[Hashable, int]
    again: Callable[[list[Hashable]], Iterable[Hits]]

    def to_pandas(self) -> pd.DataFrame:
        """All hits, one a row, in their order; `asked` is the column of the frame."""
        found = super().to_pandas()
        found.insert(0, "asked", [hit.asked for hit in self])
        return found

    def __repr__(self) -> str:
        lines = [f"{len(self)} joins for {self.query.name}"]
        lines += [f"the lake has it as {table}" for table in self.copies] + self.left_out
        lines += [f"{i:3d}  {h.asked} = {h.name}  {h.score:.2f}  {h.reason}" for i, h in enumerate(self[:20])]
        return "\n".join(lines)


def streamed(
    hits: FrameHits,
    asked: Sequence[tuple[Hashable, Query]],
    one: Callable[[Hashable, Query, np.ndarray], Hits],
    two: Callable[[list[Hashable], np.ndarray], Hits],
    hidden: np.ndarray,
    k: int | None,
) -> Iterator[FrameHits]:
    """Fill `hits` with the k best (default: all that were looked at) of all columns; it is yielded after each column,
    whose `answers` it has by then, and once more when it is whole.

    asked: the frame's columns; one, two: what answers for a column, and for two together, without the hidden columns
    bool[n] of the lake. Values that do not vary tell nothing: their columns are not asked for.
    """
    started = time.perf_counter()
    snapshot = hits.snapshot
    hits.copies = _copies([query for _, query in asked], snapshot)
    for table in hits.copies:
        hidden[list(snapshot.by_table[table].values())] = True
    hits.answers, hits.values = {}, {label: query.distinct for label, query in asked}
    found: dict[Hashable, Hits] = {}
    for label, query in asked:
        if query.distinct > 1:
            found[label] = one(label, query, hidden)
        hits.answers[label,] = list(found.get(label, ()))
        left = time.perf_counter()
        yield hits
        started += time.perf_counter() - left  # what others do meanwhile costs no pair
    pairs: dict[tuple[str, frozenset[str]], Hit] = {}
    held, keyed = _held(found)

    def together(labels: list[Hashable], tables: list[str]) -> None:
        """Keep the tables of which these columns are the key; where they are too few for one, ask for another, too."""
        others = np.ones(len(snapshot), bool)
        for table in tables:
            others[list(snapshot.by_table[table].values())] = False
        answer = two(labels, others | hidden)
        hits.left_out += [why for why in answer.left_out if why not in hits.left_out]
        for hit in answer:
            if hit.containment < HELD:
                continue
            if hit.key_like and not hit.accidental:
                if (hit.table, frozenset(hit.column)) not in pairs:
                    pairs[hit.table, frozenset(hit.column)] = hit
                    hits.answers.setdefault(tuple(labels), []).append(hit)
            elif not hit.key_like and len(labels) < WIDEST:
                more = sorted((label for label in held[hit.table] if label not in labels),
                              key=lambda label: -held[hit.table][label].score)  # fmt: skip
                for label in more[:MORE]:
                    if time.perf_counter() - started > SECONDS or any(table == hit.table for table, _ in pairs):
                        break
                    together([*labels, label], [hit.table])

    for labels, tables in _pairs(held, keyed):
        if time.perf_counter() - started > SECONDS:
            break
        together(labels, tables)

    def order(hit: Hit) -> tuple:
        return hit.accidental, hit.common, -hit.score, hit.table, str(hit.column), hit.asked

    hits.estimated = any(answer.estimated for answer in found.values())
    hits.fill(sorted([*pairs.values(), *(hit for answer in found.values() for hit in answer)], key=order)[:k])
    hits.seconds += time.perf_counter() - started
    yield hits


def _copies(queries: Sequence[Query], snapshot: Snapshot) -> list[str]:
    """The tables that hold nearly all of the columns, under their names, with nearly the same values, and hardly any
    others."""
    needed = max(SAME * len(queries), 2)
    found = []
    for table, columns in snapshot.by_table.items():
        both = [(query, columns[query.column]) for query in queries if query.column in columns]
        if (
            len(both) >= max(needed, SAME * len(columns))
            and sum(_same(query, snapshot, n) for query, n in both) >= needed
        ):
            found.append(table)
    return found


def _same(query: Query, snapshot: Snapshot, number: int) -> bool:
    size, distinct = int(snapshot.distinct[number]), query.distinct
    if min(size, distinct) < SAME * max(size, distinct):
        return False
    if query.sketch is not None or snapshot.sketched[number]:
        return bool((query.signature.minima == snapshot.sketch_of(number).minima).mean() >= SAME)
    shared = len(intersect(query.tokens, snapshot.tokens_of(number)[0])[0])
    return shared >= SAME * (size + distinct - shared)


def _held(found: dict[Hashable, Hits]) -> tuple[dict[str, dict[Hashable, Hit]], set[str]]:
    """Per table the frame's columns that it holds without being a key, and the tables that have a key of one column."""
    held: dict[str, dict[Hashable, Hit]] = defaultdict(dict)
    keyed: set[str] = set()
    for label, hits in found.items():
        for hit in hits.unfolded:
            if hit.key_like and not hit.accidental and not hit.common:
                keyed.add(hit.table)
            elif hit.containment >= HELD and hit.distinct > 2 and hit.rows <= LARGE:
                held[hit.table].setdefault(label, hit)
    return held, keyed


def _pairs(held: dict[str, dict[Hashable, Hit]], keyed: set[str]) -> list[tuple[list[Hashable], list[str]]]:
    """Pairs of the frame's columns that may go together, the most telling first, and the tables that may hold both."""
    worth: dict[tuple[Hashable, Hashable], list[tuple[float, str]]] = defaultdict(list)
    for table, of in held.items():
        for a, b in combinations(of, 2) if table not in keyed else ():
            telling = of[a].score + of[b].score
            if of[a].number != of[b].number and (telling > 0 or not (of[a].accidental and of[b].accidental)):
                worth[a, b].append((telling, table))
    best = sorted(worth.items(), key=lambda item: (-max(item[1])[0], *map(str, item[0])))
    return [
        (list(pair), [table for _, table in sorted(tables, reverse=True)[:TABLES]]) for pair, tables in best[:PAIRS]
    ]
