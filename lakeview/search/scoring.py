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


@dataclass(frozen=True)
class Scores:
    """By column: the score, 0 to 1, what speaks for the query's referring to it, whether the overlap is an accident.

    score: the probability that a person would make this join: one side refers to the other, or the values alone show
    that both are of one thing. refers: that of the query's referring to the column. back: bool[n], whether rather the
    column refers to the query, as orders do to the customers that are asked about. role: str[n], what the values are,
    and common: bool[n], whether they join whatever has such values (`roles`).
    """

    score: np.ndarray
    refers: np.ndarray
    evidence: Evidence
    back: np.ndarray
    accidental: np.ndarray
    role: np.ndarray
    common: np.ndarray

    @property
    def section(self) -> np.ndarray:
        """Where a match stands whatever its score, int64[n]: keys; common values above the line; below it; chance."""
        return 2 * self.accidental + np.where(self.accidental, ~self.common, self.common)

    def take(self, chosen: np.ndarray) -> Scores:
        """Those of some of the columns, in another order."""
        arrays = (self.score, self.refers, self.back, self.accidental, self.role, self.common)
        score, refers, back, accidental, role, common = (array[chosen] for array in arrays)
        return Scores(score, refers, self.evidence.take(chosen), back, accidental, role, common)


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
    accidental = (np.maximum(alone, back) < evidence.LINE) & ~found.tells
    role = roles.roles(query, _asked(query, snapshot), snapshot, columns, found)
    joined = 1 - (1 - np.maximum(score, back)) * (1 - found.by_values)
    return Scores(joined, score, found, back > score, accidental, role, roles.common(role, found))


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
    return replace(
        found,
        contained=found.overlap / found.distinct,
        distinct=found.asked,
        asked=found.distinct.astype(float),
        chance=dense * whole,
        unique=everywhere > 0,
        key=(schema.is_key[number] if number >= 0 else asked.keyed) * everywhere,
        first=(schema.leftmost[number] if number >= 0 else False) * everywhere,
        agreement=schema.names.agreements_of(place, asked),
        about=np.zeros(len(columns)),
        repeats=np.zeros(len(columns)),
        own=schema.unique[place],
    )


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
        held, _ = snapshot.overlaps(alike)
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
