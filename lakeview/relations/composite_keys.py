"""Foreign keys of two to four columns: lineitem (partkey, suppkey) refers to partsupp (partkey, suppkey).

Columns of a table lie, each by itself and under an agreeing name, in columns of another table that are unique together.
One of them at least has to be text or called a key, as the rows and columns of all plots of land are numbered alike. A
third and a fourth column are looked at where fewer are not unique, and all names agree. Of two tables the best key
stays, and none where one column refers to the other table already. A copy of a table refers to nothing in it; but of a
table that is nothing but its key whoever has all of its columns, and others, is no copy: no row says anything else.

Whether rows are unique together shows in the rows alone. What can be told without them comes first: no value may come
more often than the others have combinations, and what speaks for the key (`composite_evidence`) has to do even if all
rows turn out well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, groupby
from math import prod

import numpy as np

from lakeview.evidence import evidence
from lakeview.evidence.key_names import SAME
from lakeview.evidence.schema import Schema
from lakeview.relations import composite_evidence
from lakeview.relations.composite_evidence import Match, Way
from lakeview.relations.foreign_keys import ForeignKey
from lakeview.relations.name_pairs import NamePairs
from lakeview.relations.wanted import keyed, parts
from lakeview.search.tuples import tuple_tokens

NAMED = 0.5  # agreement of names from which a pair is looked at
CUT = 0.5
MOST = 16  # sets of columns of two tables that are looked at, of each width
WIDEST = 4
WIDE = 8  # columns of two tables of which sets of more than two are looked at
NULL = np.uint64(2**64 - 1)  # the token of no value, which no value has

Rows = Callable[[Sequence[int]], Sequence[np.ndarray]]


def composite_keys(
    schema: Schema,
    names: NamePairs,
    rows: Rows,
    single: Iterable[ForeignKey] = (),
    least: float = 0.95,
    repeats: Callable[[np.ndarray], np.ndarray] | None = None,
) -> list[ForeignKey]:
    """Foreign keys of several columns, best first.

    rows(numbers): the tokens of columns of one table, a row each, uint64[rows], `NULL` where there is no value; asked
    only where names, single inclusions and numbers of rows leave it open, as it costs a scan. single: the keys of one
    column. least: containment of each column and of their tuples. repeats(numbers): how many rows the commonest value
    of columns has: int64[n].
    """
    found: list[tuple[_Pair, _Found]] = []
    open_ = _likely(schema, names, list(_by_tables(schema, names, single, least, repeats)))
    open_.sort(key=lambda pair: (pair.target, pair.source))
    for _, several in groupby(open_, key=lambda pair: pair.target):
        pairs = list(several)
        held = _Tuples(rows, {j for pair in pairs for j in pair.targets})
        for pair in pairs:
            found += ((pair, key) for key in pair.keys(held, rows, least))
    shares, own = np.array([key.share for _, key in found]), np.array([key.own for _, key in found], bool)
    odds = composite_evidence.odds(schema, names, [key.way for _, key in found], shares, own)
    best: dict[tuple[int, int], int] = {}
    for at, (pair, _) in enumerate(found):
        of = pair.source, pair.target
        if of not in best or odds[at] > odds[best[of]]:
            best[of] = at
    kept = list(best.values())
    columns = [tuple(i for i, _, _ in found[at][1].way) for at in kept]
    scores = composite_evidence.scores(columns, odds[kept])
    keys = [
        ForeignKey(of, tuple(j for _, j, _ in found[at][1].way), found[at][1].share, float(score))
        for at, of, score in zip(kept, columns, scores, strict=True)
        if score >= CUT
    ]
    return sorted(keys, key=lambda key: (-key.score, key.columns, key.references))


def _likely(schema: Schema, names: NamePairs, pairs: list[_Pair]) -> list[_Pair]:
    """Those for which enough speaks, whatever their rows hold, and the ways of each that may be a key."""
    flat = [way for pair in pairs for ways in pair.ways for way in ways]
    may_be = iter((evidence.probability(composite_evidence.odds(schema, names, flat)) >= CUT).tolist())
    left = (replace(pair, ways=[[way for way in ways if next(may_be)] for ways in pair.ways]) for pair in pairs)
    return [pair for pair in left if any(pair.ways)]


@dataclass(frozen=True)
class _Found:
    """A way that is a key: share of the tuples that are found, and whether none comes twice in the referring table."""

    way: Way
    share: float
    own: bool


@dataclass(frozen=True)
class _Pair:
    """Two tables by their numbers, and the sets of matching columns that may be a key, by width, likeliest first."""

    source: int
    target: int
    ways: list[list[Way]]

    @property
    def targets(self) -> set[int]:
        return {match[1] for ways in self.ways for way in ways for match in way}

    def keys(self, held: _Tuples, rows: Rows, least: float) -> Iterator[_Found]:
        """The keys of the smallest width that has any."""
        passed: list[set[int]] = []  # what is unique, and refers to nothing: with further columns it does no more
        mine = _Tuples(rows, {match[0] for ways in self.ways for way in ways for match in way})
        for ways in self.ways:
            some = False
            for way in ways:
                columns, references = tuple(i for i, _, _ in way), tuple(j for _, j, _ in way)
                keys = held.unique(references)
                if keys is None or any(known <= {*references} for known in passed):
                    continue
                passed.append({*references})
                found = mine.of(columns)
                used = np.unique(found)
                share = float(np.isin(used, keys).mean()) if len(used) else 0.0
                own = len(used) == len(found)
                alike = own and len(used) == len(keys)  # both unique, and as many: two halves of one table
                if share >= least and not alike:
                    some = True
                    yield _Found(way, share, own)
            if some:
                return


class _Tuples:
    """Tuples of some columns of one table, whose rows are read when they are first needed."""

    def __init__(self, rows: Rows, numbers: Iterable[int]) -> None:
        self._rows, self._numbers = rows, sorted(numbers)
        self._unique: dict[tuple[int, ...], np.ndarray | None] = {}

    @cached_property
    def _tokens(self) -> dict[int, np.ndarray]:
        return dict(zip(self._numbers, self._rows(self._numbers), strict=True))

    def of(self, numbers: Sequence[int]) -> np.ndarray:
        """A token for each row that has all the values: uint64, sorted."""
        tokens = [self._tokens[number] for number in numbers]
        whole = np.logical_and.reduce([part != NULL for part in tokens])
        return np.sort(tuple_tokens([part[whole] for part in tokens]))

    def unique(self, numbers: tuple[int, ...]) -> np.ndarray | None:
        """The same if no two rows agree, and there are two, else None."""
        if numbers not in self._unique:
            found = self.of(numbers)
            once = len(found) > 1 and not (found[1:] == found[:-1]).any()
            self._unique[numbers] = found if once else None
        return self._unique[numbers]


def _by_tables(
    schema: Schema,
    names: NamePairs,
    single: Iterable[ForeignKey],
    least: float,
    repeats: Callable[[np.ndarray], np.ndarray] | None,
) -> Iterator[_Pair]:
    """The pairs of tables that may have a key of several columns."""
    tables = schema.tables
    found = schema.inclusions
    found = found.where(keyed(schema)[found.source] & parts(schema)[found.target] & (found.containment >= least))
    found = found.where(tables[found.source] != tables[found.target])
    joined = np.array([(key.columns[0], key.references[0]) for key in single], np.int64).reshape(-1, 2)
    passed = [schema.pairs_of(*tables[joined.T]), _of_one_name(schema, names)]
    both = schema.pairs_of(tables[found.source], tables[found.target])
    copied, width = np.isin(both, schema.copies), schema.width[tables]
    bare = (width[found.target] <= WIDEST) & (width[found.source] > width[found.target])
    found = found.where(~np.isin(both, np.concatenate(passed)) & (bare | ~copied))
    said = names.agreements(found.source, found.target)[0]
    source, target, _ = found.where(said >= NAMED)
    said, both = said[said >= NAMED], schema.pairs_of(tables[source], tables[target])
    order = np.lexsort((target, source, both))
    source, target, said, both = source[order], target[order], said[order], both[order]
    starts = np.flatnonzero(np.diff(both, prepend=-1))
    several = np.zeros(len(starts), bool)  # tables of which two columns lie in two others
    if len(starts):
        several = (np.minimum.reduceat(source, starts) < np.maximum.reduceat(source, starts)) & (
            np.minimum.reduceat(target, starts) < np.maximum.reduceat(target, starts)
        )
    most = np.zeros(len(schema.columns), np.int64)
    if repeats is not None and len(target):
        most[np.unique(target)] = repeats(np.unique(target))
    ends, copies = np.append(starts[1:], len(source)), set(schema.copies.tolist())
    for start, end in zip(starts[several].tolist(), ends[several].tolist(), strict=True):
        columns = (source[start:end].tolist(), target[start:end].tolist(), said[start:end].tolist())
        whole = int(width[target[start]]) if both[start] in copies else 0
        ways = [_ways(schema, list(zip(*columns, strict=True)), n, most)
                for n in range(2, WIDEST + 1) if whole in (0, n)]  # fmt: skip
        if any(ways):
            yield _Pair(int(tables[source[start]]), int(tables[target[start]]), ways)


def _ways(schema: Schema, matches: list[Match], width: int, most: np.ndarray) -> list[Way]:
    """Sets of so many columns that may be a key, those of keys by their names first, and then as they lie."""
    columns = schema.columns

    def weight(way: Sequence[Match]) -> int:
        return sum(schema.names.keyed(i) + (columns[i].kind == "text") for i, _, _ in way)

    def may_be(way: Sequence[Match]) -> bool:
        targets = [j for _, j, _ in way]
        if len({i for i, _, _ in way}) < width or len({*targets}) < width:
            return False
        together = prod(columns[j].distinct for j in targets)
        rows = columns[targets[0]].rows
        return together >= rows and all(most[j] * columns[j].distinct <= together for j in targets)

    if width > 2:  # of many columns there are too many sets
        matches = sorted((m for m in matches if m[2] >= SAME), key=lambda match: -weight([match]))[:WIDE]
    found = [way for way in combinations(matches, width) if may_be(way) and weight(way)]
    return sorted(found, key=lambda way: -weight(way))[:MOST]


def _of_one_name(schema: Schema, names: NamePairs) -> np.ndarray:
    """Pairs of tables that one column joins, in a unique one of its name."""
    found, alike = schema.inclusions, schema.names.alike
    found = found.where(schema.unique[found.target] & (alike[found.source] == alike[found.target]))
    found = found.where(names.agreements(found.source, found.target)[0] >= SAME)
    return schema.pairs_of(schema.tables[found.source], schema.tables[found.target])
