"""Which inclusions are foreign keys.

An inclusion is cheap: row numbers 1..n lie in every longer run of row numbers. A foreign key is an inclusion in a
unique column, and something must speak for it. What does is weighed as for the hits of a search (`evidence`), and
a column refers to one table: its candidates are rivals, so that a name or a list of countries that ten tables have as
their key points to none of them. What a search of one column cannot see comes on top:

- a column that is the key of its own table refers to another table's only where the names say so: of two tables whose
  rows are numbered alike neither refers to the other;
- within one table, a reference makes its rows a hierarchy;
- parts and copies of one table refer to each other by accident;
- a table is referred to by its key: tournament_name names the row again that tournament_id names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from lakeview.evidence import evidence
from lakeview.evidence.evidence import EACH, Evidence
from lakeview.evidence.key_names import ROLE, SAME
from lakeview.evidence.schema import Schema
from lakeview.relations.name_pairs import NamePairs

DEFAULT_CUT = 0.3
HIERARCHY = 6.0  # log-odds of a reference within a table whose rows are all below one another by it
AN_ID = 2.0  # log-odds for a column that is called an id, so of something, where no name says of what
COVERED = -0.5  # and for each halving of the share of the key that it covers
CALLED = -2.0  # and against a key that other columns call by its name
AT_ONCE = 1 << 18  # pairs that are weighed at a time
TOLD = 0.5  # agreement of names from which a reference within a table needs no hierarchy to show for it


@dataclass(frozen=True)
class ForeignKey:
    """columns[i] of the referring table meets references[i]: numbers of columns, one or two each."""

    columns: tuple[int, ...]
    references: tuple[int, ...]
    containment: float
    score: float


def foreign_keys(
    schema: Schema,
    names: NamePairs,
    chance: Callable[[np.ndarray, np.ndarray], np.ndarray],
    is_hierarchy: Callable[[int, int], bool],
    cut: float = DEFAULT_CUT,
) -> list[ForeignKey]:
    """Single-column foreign keys of score `cut` and above, best first.

    names: of the columns of the schema. chance(i, j): of pairs of columns, int64[p] each and i ascending, the share of
    the first's values that the second would hold by chance: float64[p]. is_hierarchy(i, j): whether the rows of a
    table, each below the row that its column i names by key j, make up trees; it costs a scan, and is asked last, and
    only where the names leave it open.
    """
    candidates = _candidates(schema, names)
    called = _called(schema, candidates)
    time, measure = _kinds(schema, candidates.source)
    found: list[ForeignKey] = []
    for some in candidates.by_source(AT_ONCE):
        weighed = _weighed(schema, some, chance(some.source, some.target), time, measure)
        odds = weighed.odds + _in_silence(schema, names, some, called)
        starts = np.flatnonzero(np.diff(some.source, prepend=-1))
        own = (schema.tables[some.source] == schema.tables[some.target]) & (some.agreement < TOLD)
        odds[own] += HIERARCHY * np.sqrt(schema.distinct[some.source[own]] / schema.distinct[some.target[own]])
        odds[own & ~schema.is_key[some.target]] = -np.inf
        for at in np.flatnonzero(own & (evidence.among_rivals(odds, starts) >= cut)).tolist():
            own[at] = not is_hierarchy(int(some.source[at]), int(some.target[at]))
        odds[own] = -np.inf
        scores = evidence.among_rivals(odds, starts)
        for at in np.flatnonzero(scores >= cut).tolist():
            held, score = float(some.containment[at]), float(scores[at])
            found.append(ForeignKey((int(some.source[at]),), (int(some.target[at]),), held, score))
    return sorted(_without_repeats(found, schema), key=lambda key: (-key.score, key.columns, key.references))


class Candidates(NamedTuple):
    """Pairs of columns, source ascending, and how far the source's name points to the target and to its table."""

    source: np.ndarray
    target: np.ndarray
    containment: np.ndarray
    agreement: np.ndarray
    about: np.ndarray

    def where(self, chosen: np.ndarray | slice) -> Candidates:
        return Candidates(*(part[chosen] for part in self))

    def by_source(self, most: int) -> Iterator[Candidates]:
        """All of them, about so many at a time, those of one source together."""
        starts = np.flatnonzero(np.diff(self.source, prepend=-1))
        ends = np.append(starts, len(self.source))
        cuts = ends[np.searchsorted(ends, np.arange(0, len(self.source) + most, most).clip(max=len(self.source)))]
        for start, stop in pairwise(np.unique(cuts).tolist()):
            yield self.where(slice(start, stop))


def _candidates(schema: Schema, names: NamePairs) -> Candidates:
    """The inclusions in unique columns that nothing rules out: copies, other folders of which no name speaks, and keys
    in other keys that their names do not point to."""
    found = schema.inclusions
    found = found.where(schema.refers[found.source] & schema.unique[found.target])
    near = schema.folders[found.source] == schema.folders[found.target]
    found = found.where(near | schema.names.may_agree(found.source, found.target))
    found = found.where(~schema.copied(found.source, found.target))
    found = found.where(np.argsort(found.source, kind="stable"))
    candidates = Candidates(*found, *names.agreements(found.source, found.target))
    return candidates.where(~schema.unique[found.source] | _point(schema, names, candidates))


def _point(schema: Schema, names: NamePairs, pairs: Candidates) -> np.ndarray:
    """Whether the name of a unique column points to another one: bool[p]. Else both tables have their rows numbered
    alike."""
    own = names.about_own[pairs.source]
    enough = pairs.agreement >= np.where(schema.is_key[pairs.source], SAME, ROLE)
    numbered = schema.numbered[pairs.source] & (pairs.about == 0)
    return np.asarray(enough & ~numbered & ~((own > 0) & (own >= pairs.about)))


def _in_silence(schema: Schema, names: NamePairs, pairs: Candidates, called: np.ndarray) -> np.ndarray:
    """Log-odds where the names do not agree: SupportRepId is an id of something that no other column calls by its
    name, and of few rows rather than of many."""
    silent = (pairs.agreement < ROLE) & (pairs.about == 0)
    silent &= schema.whole[pairs.source] & ~schema.unique[pairs.source] & names.subject[pairs.source]
    silent[silent] = names.linked(pairs.source[silent], pairs.target[silent])
    covered = np.log2(np.maximum(schema.distinct[pairs.target] / schema.distinct[pairs.source], 1.0))
    return np.where(silent, AN_ID + COVERED * covered + CALLED * called[pairs.target], 0.0)


def _called(schema: Schema, pairs: Candidates) -> np.ndarray:
    """Which keys are called by their names in some column that they hold: bool[n]."""
    called = np.zeros(len(schema.columns), bool)
    called[pairs.target[schema.is_key[pairs.target] & (pairs.agreement >= SAME)]] = True
    return called


def _kinds(schema: Schema, sources: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whether columns are called times, or quantities: bool[n] each, of the sources."""
    time, measure = np.zeros(len(schema.columns), bool), np.zeros(len(schema.columns), bool)
    for i in np.unique(sources).tolist():
        asked = schema.names.asked(i)
        time[i], measure[i] = asked.time, asked.measure
    return time, measure


def _weighed(schema: Schema, pairs: Candidates, chance: np.ndarray, time: np.ndarray, measure: np.ndarray) -> Evidence:
    """What speaks for the sources' referring to the targets."""
    source, target, contained = pairs.source, pairs.target, pairs.containment
    distinct, bits, folder = schema.distinct[source], schema.bits[source], schema.folders[source]
    together, columns = schema.folders[target] == folder, len(schema.columns)
    everywhere = np.ones(len(source))
    return Evidence(
        overlap=contained * distinct,
        contained=contained,
        distinct=schema.distinct[target],
        chance=chance,
        rare=np.minimum(bits, EACH * distinct) * contained,
        unique=everywhere > 0,
        key=schema.is_key[target],
        first=schema.leftmost[target],
        agreement=pairs.agreement,
        about=pairs.about,
        place=np.where(together, np.log(columns / schema.sizes[folder]), 0.0),
        cohesion=schema.cohesion[folder],
        elsewhere=~together & (schema.sizes[folder] < columns),
        repeats=0.0 * everywhere,
        own=schema.unique[source] * everywhere,
        time=time[source] * everywhere,
        measure=measure[source] * everywhere,
        numeric=schema.whole[source],
        decimal=np.zeros(len(source), bool),
        asked=distinct * everywhere,
        columns=columns * everywhere,
    )


def _without_repeats(keys: list[ForeignKey], schema: Schema) -> list[ForeignKey]:
    """Without references to a second unique column of a table whose key is referred to as well: tournament_name names
    the row again that tournament_id names."""

    def tables(key: ForeignKey) -> tuple[int, int]:
        return int(schema.tables[key.columns[0]]), int(schema.tables[key.references[0]])

    found = []
    named: set[tuple[int, int]] = set()
    for key in sorted(keys, key=lambda key: (not schema.is_key[key.references[0]], -key.score)):
        if schema.is_key[key.references[0]] or tables(key) not in named:
            found.append(key)
        named.add(tables(key))
    return found
