"""How well columns of a snapshot join with a query: what `evidence.evidence` weighs, gathered."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lakeview.evidence import chance, evidence, standins
from lakeview.evidence.evidence import Evidence
from lakeview.evidence.key_names import Asked
from lakeview.search import roles
from lakeview.search.approximate import Estimates
from lakeview.search.query import Query
from lakeview.store.snapshot import Snapshot

BACK = 0.95  # probability that who asks about a key means the rows that refer to it, which multiply hers


@dataclass(frozen=True)
class Scores:
    """By column: the score, 0 to 1, what speaks for the query's referring to it, whether the overlap is an accident.

    score: the probability that a person would make this join: one side refers to the other, or the values alone show
    that both are of one thing. refers: that of the query's referring to the column. back: bool[n], whether rather the
    column refers to the query, as orders do to the customers that are asked about. role: str[n], what the values are,
    and common: bool[n], whether they join whatever has such values (`roles`). inside: bool[n], whether the column is of
    the query's own table.
    """

    score: np.ndarray
    refers: np.ndarray
    evidence: Evidence
    back: np.ndarray
    accidental: np.ndarray
    role: np.ndarray
    common: np.ndarray
    inside: np.ndarray

    @property
    def section(self) -> np.ndarray:
        """Where a match stands whatever its score, int64[n]: keys; common values above the line; below it; chance."""
        return 2 * self.accidental + np.where(self.accidental, ~self.common, self.common)

    def take(self, chosen: np.ndarray) -> Scores:
        """Those of some of the columns, in another order."""
        arrays = (self.score, self.refers, self.back, self.accidental, self.role, self.common, self.inside)
        score, refers, *others = (array[chosen] for array in arrays)
        return Scores(score, refers, self.evidence.take(chosen), *others)


def scores(
    query: Query,
    snapshot: Snapshot,
    columns: np.ndarray,
    overlap: np.ndarray,
    frequency: np.ndarray,
    guessed: Estimates,
) -> Scores:
    """Score some columns of the snapshot, which are rivals of each other."""
    found = _gathered(query, snapshot, columns, overlap, frequency, guessed)
    score, alone = evidence.among_rivals(found.odds), evidence.probability(found.odds)
    back = np.zeros(len(columns))
    if _is_unique(query) and query.distinct > evidence.FEW:
        turned = _turned(found, query, snapshot, columns)
        numbered = turned.own & snapshot.schema.numbered[snapshot.places[columns]]
        back = np.where(turned.few | numbered, 0.0, evidence.probability(turned.odds))
    # Two columns of one table may well be of one thing, which tells nothing of how its rows belong together: they refer
    # to its key, or to no other row.
    inside = _of_its_table(query, snapshot, columns)
    unlikely = np.maximum(alone, back) < evidence.LINE
    accidental = np.where(inside, unlikely | ~found.key, unlikely & ~found.tells)
    role = roles.roles(query, _asked(query, snapshot), snapshot, columns, found)
    joined = 1 - (1 - np.maximum(score, BACK * back)) * (1 - found.by_values * ~inside)
    return Scores(joined, score, found, back > score, accidental, role, roles.common(role, found) & ~inside, inside)


def _gathered(
    query: Query,
    snapshot: Snapshot,
    columns: np.ndarray,
    overlap: np.ndarray,
    frequency: np.ndarray,
    guessed: Estimates,
) -> Evidence:
    schema, place, asked = snapshot.schema, snapshot.places[columns], _asked(query, snapshot)
    distinct, of_lake = np.maximum(snapshot.distinct[columns], 1), float(max(len(schema.columns), 1))
    agreement, about = schema.names.agreements(asked, place)
    own = -1 if query.number is None else int(snapshot.places[query.number])
    if own >= 0 and schema.is_key[own]:
        named = np.array([not schema.names.is_own(own, share) for share in about.tolist()], bool)
        agreement, about = agreement * named, about * named
    folder = int(schema.folders[snapshot.places[query.number]]) if query.number is not None else -1
    size, cohesion = (schema.sizes[folder], schema.cohesion[folder]) if folder >= 0 else (0, 0.0)
    together = schema.folders[place] == folder
    everywhere = np.ones(len(columns))
    return Evidence(
        overlap=overlap[columns],
        contained=overlap[columns] / max(query.distinct, 1),
        distinct=distinct,
        chance=chances(query, snapshot, columns),
        rare=_rarity(query, snapshot, columns, overlap, frequency, guessed),
        unique=schema.unique[place],
        key=schema.is_key[place],
        first=schema.leftmost[place],
        agreement=agreement,
        about=about,
        place=np.where(together, np.log(of_lake / max(size, 1)), 0.0),
        cohesion=cohesion * everywhere,
        elsewhere=~together & (0 < size < of_lake),
        repeats=np.log2(np.maximum((snapshot.rows[columns] - snapshot.nulls[columns]) / distinct, 1.0)),
        own=_is_unique(query) * everywhere,
        time=asked.time * everywhere,
        measure=asked.measure * everywhere,
        numeric=np.full(len(columns), query.shape.type in ("integer", "number")),
        decimal=np.full(len(columns), query.shape.type == "number"),
        asked=max(query.distinct, 1) * everywhere,
        columns=of_lake * everywhere,
    )


def _turned(found: Evidence, query: Query, snapshot: Snapshot, columns: np.ndarray) -> Evidence:
    """What speaks for each column's referring to the query, whose values do not repeat."""
    schema, place, asked = snapshot.schema, snapshot.places[columns], _asked(query, snapshot)
    number = -1 if query.number is None else int(snapshot.places[query.number])
    everywhere = np.ones(len(columns))
    shape, distinct = query.shape, max(query.distinct, 1)
    dense = chance.evenly(np.array([shape.integers * distinct / max(shape.values, 1)]), shape.low, shape.high)
    whole = snapshot.array("integers")[columns] / np.maximum(snapshot.array("values")[columns], 1)
    agreement = schema.names.agreements_of(place, asked)
    for at in np.flatnonzero(agreement).tolist():
        one = int(place[at])
        share = 0.0 if asked.table is None else schema.names.about(one, asked.table)
        agreement[at] *= not (schema.is_key[one] and schema.names.is_own(one, share))
    return replace(
        found,
        contained=found.overlap / found.distinct,
        distinct=found.asked,
        asked=found.distinct.astype(float),
        chance=dense * whole,
        unique=everywhere > 0,
        key=(schema.is_key[number] if number >= 0 else asked.keyed) * everywhere,
        first=(schema.leftmost[number] if number >= 0 else False) * everywhere,
        agreement=agreement,
        about=np.zeros(len(columns)),
        repeats=np.zeros(len(columns)),
        own=schema.unique[place],
    )


def _of_its_table(query: Query, snapshot: Snapshot, columns: np.ndarray) -> np.ndarray:
    """Which columns are of the query's own table: bool[n]."""
    own = -1 if query.number is None else int(snapshot.places[query.number])
    tables = snapshot.schema.tables
    return tables[snapshot.places[columns]] == tables[own] if own >= 0 else np.zeros(len(columns), bool)


def _is_unique(query: Query) -> bool:
    return query.sketch is None and query.distinct == query.rows > 1


def _asked(query: Query, snapshot: Snapshot) -> Asked:
    names = snapshot.schema.names
    return names.outside(query.column) if query.number is None else names.asked(int(snapshot.places[query.number]))


def chances(query: Query, snapshot: Snapshot, columns: np.ndarray) -> np.ndarray:
    """Share of the query's values that each column would hold by chance: float64[n]."""
    shape, of = query.shape, max(query.shape.values, 1)
    alike, share = standins.standins(query.tokens, shape.low, shape.high, shape.integers * query.distinct / of)
    found = np.zeros(len(columns))
    distinct = snapshot.distinct[columns]
    scale = distinct / np.maximum(snapshot.array("values")[columns], 1)  # shapes are counted by batches
    if len(alike):
        held = snapshot.held(alike)
        low, high = snapshot.array("low")[columns], snapshot.array("high")[columns]
        even = chance.evenly(snapshot.array("integers")[columns] * scale, low, high)
        found = np.where(snapshot.sketched[columns], even, held[columns] / len(alike)) * share
    return found + chance.of_letters(np.array(shape.letters) / of, snapshot.letters[:, columns] * scale)


def _rarity(
    query: Query,
    snapshot: Snapshot,
    columns: np.ndarray,
    overlap: np.ndarray,
    frequency: np.ndarray,
    guessed: Estimates,
) -> np.ndarray:
    """Bits that the shared values tell by their rarity, at most `evidence.EACH` a value: float64[n]."""
    each = np.minimum(chance.rarity(frequency, int(snapshot.alive.sum())), evidence.EACH)
    # Of an estimate it is not known which tokens are shared: they count as the query's do on average.
    bits = (float(each.mean()) if len(each) else evidence.EACH) * overlap[columns]
    known = ~guessed.columns[columns]
    if known.any():
        bits[known] = snapshot.weighted(query.tokens, each, columns[known])
    return bits
