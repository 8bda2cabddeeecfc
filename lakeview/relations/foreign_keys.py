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

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lakeview.evidence import evidence
from lakeview.evidence.evidence import EACH, Evidence
from lakeview.evidence.key_names import ROLE, SAME
from lakeview.evidence.schema import Inclusions, Schema

DEFAULT_CUT = 0.3
HIERARCHY = 6.0  # log-odds of a reference within a table whose rows are all below one another by it
AN_ID = 2.0  # log-odds for a column that is called an id, so of something, where no name says of what
COVERED = -0.5  # and for each halving of the share of the key that it covers
CALLED = -2.0  # and against a key that other columns call by its name
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
    chance: Callable[[int, np.ndarray], np.ndarray],
    is_hierarchy: Callable[[int, int], bool],
    cut: float = DEFAULT_CUT,
) -> list[ForeignKey]:
    """Single-column foreign keys of score `cut` and above, best first.

    chance(i, j): share of column i's values that each of the columns j, int64[m], would hold by chance: float64[m].
    is_hierarchy(i, j): whether the rows of a table, each below the row that its column i names by key j, make up trees;
    it costs a scan, and is asked last, and only where the names leave it open.
    """
    candidates = _candidates(schema)
    order = np.argsort(candidates.source, kind="stable")
    candidates = candidates.where(order)
    starts = np.flatnonzero(np.diff(candidates.source, prepend=-1))
    called = _called(schema, candidates)
    found: list[ForeignKey] = []
    for rivals in np.split(np.arange(len(order)), starts[1:]) if len(order) else ():
        i, targets = int(candidates.source[rivals[0]]), candidates.target[rivals]
        weighed = _weighed(schema, i, targets, candidates.containment[rivals], chance)
        odds = weighed.odds + _in_silence(schema, i, targets, weighed, called)
        for at in np.flatnonzero((schema.tables[targets] == schema.tables[i]) & (weighed.agreement < TOLD)).tolist():
            odds[at] += HIERARCHY * float(np.sqrt(schema.columns[i].distinct / schema.columns[targets[at]].distinct))
            asked = evidence.among_rivals(odds)[at] >= cut and schema.is_key[targets[at]]
            if not asked or not is_hierarchy(i, int(targets[at])):
                odds[at] = -np.inf
        scores = evidence.among_rivals(odds)
        for at in np.flatnonzero(scores >= cut).tolist():
            held = float(candidates.containment[rivals[at]])
            found.append(ForeignKey((i,), (int(targets[at]),), held, float(scores[at])))
    return sorted(_without_repeats(found, schema), key=lambda key: (-key.score, key.columns, key.references))


def _candidates(schema: Schema) -> Inclusions:
    """The inclusions in unique columns that nothing rules out: copies, other folders of which no name speaks, and keys
    in other keys that their names do not point to."""
    refers = np.array([column.refers for column in schema.columns], bool)
    found = schema.inclusions
    found = found.where(refers[found.source] & schema.unique[found.target])
    near = schema.folders[found.source] == schema.folders[found.target]
    found = found.where(near | schema.names.may_agree(found.source, found.target))
    copied = np.array([pair in schema.copies for pair in zip(*_tables(schema, found), strict=True)], bool)
    keys = schema.unique[found.source]
    named = np.array([_points(schema, i, j) for i, j in zip(found.source[keys], found.target[keys], strict=True)], bool)
    keep = ~copied
    keep[keys] &= named
    return found.where(keep)


def _points(schema: Schema, i: int, j: int) -> bool:
    """Whether the name of a unique column points to another one. Else both tables have their rows numbered alike."""
    names, own = schema.names, schema.names.about_own(i)
    about = names.about(i, names.tables[j])
    if schema.numbered[i] and not about:
        return False
    enough = names.agreement(i, j) >= (SAME if schema.is_key[i] else ROLE)
    return enough and not 0 < own >= about


def _in_silence(schema: Schema, i: int, targets: np.ndarray, weighed: Evidence, called: np.ndarray) -> np.ndarray:
    """Log-odds where the names do not agree: SupportRepId is an id of something that no other column calls by its
    name, and of few rows rather than of many."""
    names = schema.names
    if schema.columns[i].kind != "integer" or schema.columns[i].unique or not names.subjects[i]:
        return np.zeros(len(targets))
    silent = (weighed.agreement < ROLE) & (weighed.about == 0)
    linked = np.array([names.linked(i, j) for j in targets.tolist()], bool)
    covered = np.log2(np.maximum(weighed.distinct / weighed.asked, 1.0))
    return np.where(silent & linked, AN_ID + COVERED * covered + CALLED * called[targets], 0.0)


def _called(schema: Schema, candidates: Inclusions) -> np.ndarray:
    """Which keys are called by their names in some column that they hold: bool[n]."""
    called = np.zeros(len(schema.columns), bool)
    found = candidates.where(schema.is_key[candidates.target] & (candidates.source != candidates.target))
    for i, j in zip(found.source.tolist(), found.target.tolist(), strict=True):
        called[j] = called[j] or schema.names.agreement(i, j) >= SAME
    return called


def _tables(schema: Schema, found: Inclusions) -> tuple[list[int], list[int]]:
    return schema.tables[found.source].tolist(), schema.tables[found.target].tolist()


def _weighed(
    schema: Schema, i: int, targets: np.ndarray, contained: np.ndarray, chance: Callable[[int, np.ndarray], np.ndarray]
) -> Evidence:
    """What speaks for column i's referring to each of some unique columns."""
    source, folder, everywhere = schema.columns[i], schema.folders[i], np.ones(len(targets))
    asked = schema.names.asked(i)
    agreement, about = schema.names.agreements(asked, targets)
    together, columns = schema.folders[targets] == folder, len(schema.columns)
    return Evidence(
        overlap=contained * source.distinct,
        contained=contained,
        distinct=np.array([schema.columns[j].distinct for j in targets.tolist()]),
        chance=chance(i, targets),
        rare=np.minimum(source.bits, EACH * source.distinct) * contained,
        unique=everywhere > 0,
        key=schema.is_key[targets],
        first=schema.leftmost[targets],
        agreement=agreement,
        about=about,
        place=np.where(together, np.log(columns / schema.sizes[folder]), 0.0),
        cohesion=schema.cohesion[folder] * everywhere,
        elsewhere=~together & bool(schema.sizes[folder] < columns),
        repeats=0.0 * everywhere,
        own=source.unique * everywhere,
        time=asked.time * everywhere,
        measure=asked.measure * everywhere,
        numeric=np.full(len(targets), source.kind == "integer"),
        decimal=np.zeros(len(targets), bool),
        asked=source.distinct * everywhere,
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
