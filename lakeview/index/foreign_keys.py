"""Which inclusions are foreign keys.

An inclusion is cheap: row numbers 1..n lie in every longer run of row numbers. A foreign key is an inclusion in the key
of a table, and something must speak for it:

- names, as in Chen et al. (PVLDB 2014): customer_id and customers.id. Numbers are measured everywhere, so of them the
  name has to be that of a key, by its words, its table or its place;
- that it is no chance, which is the randomness of Zhang et al. (PVLDB 2010) the other way round: of the numbers
  between a column's bounds the key holds only a share, but all that the column has; or the texts are rare in the lake.
  Where no word of the names agrees, both tables have to lie in one folder as well, as those of one schema do;
- where nothing else does, how much of the key the column covers (Rostin et al., WebDB 2009), if it is called a key, or
  if it makes the rows of its own table a hierarchy.

A column refers to one table: its candidates compete, those far from the best go, and those alike share its score, so
that a name or a list of countries that ten tables have as their key points to none of them. Scores are products and
unions of shares in 0 to 1; nothing here is learned from data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lakeview.index.evidence import beyond_chance, told
from lakeview.index.key_names import ROLE, SAME
from lakeview.index.schema import Schema

DEFAULT_CUT = 0.3
NEAR = 0.75  # candidates of a column that are this near to its best stay: they can't be told apart
SURE = 0.5  # how far chance has to be ruled out where names agree
OTHER = 0.25  # weight of equal names of numbers that nothing says are keys
SECOND = 0.5  # weight of a unique column that is not its table's key
SILENT = 0.6  # weight of an inclusion that names don't support
TOLD = 0.5  # agreement of names from which a reference within a table needs no hierarchy to show for it
CALLED = 0.5  # a key that columns call by its name is seldom referred to under another


@dataclass(frozen=True)
class ForeignKey:
    """columns[i] of the referring table meets references[i]: numbers of columns, one or two each."""

    columns: tuple[int, ...]
    references: tuple[int, ...]
    containment: float
    score: float


def foreign_keys(
    schema: Schema,
    chance: Callable[[int, int], float],
    is_hierarchy: Callable[[int, int], bool],
    cut: float = DEFAULT_CUT,
) -> list[ForeignKey]:
    """Single-column foreign keys of score `cut` and above, best first.

    chance(i, j): share of column i's values, whole numbers, that column j would hold by chance. is_hierarchy(i,
    j): whether the rows of a table, each below the row that its column i names by key j, make up trees; it costs a
    scan, and is asked last, and only where the names leave it open.
    """
    candidates = _candidates(schema)
    called = {j for i, j, _ in candidates if schema.is_key[j] and schema.names.agreement(i, j) >= SAME}
    by_column: dict[int, list[ForeignKey]] = {}
    for i, j, containment in candidates:
        if (int(schema.tables[i]), int(schema.tables[j])) in schema.copies:
            continue
        score = containment * _score(schema, i, j, containment, chance, j in called)
        told = schema.tables[i] != schema.tables[j] or schema.names.agreement(i, j) >= TOLD
        if score >= cut and (told or is_hierarchy(i, j)):
            by_column.setdefault(i, []).append(ForeignKey((i,), (j,), containment, score))
    found = [key for rivals in by_column.values() for key in _shared_out(rivals, schema) if key.score >= cut]
    return sorted(_without_repeats(found, schema), key=lambda key: (-key.score, key.columns, key.references))


def _candidates(schema: Schema) -> list[tuple[int, int, float]]:
    """The inclusions into a key to which a name may point, or that lies in the same folder, and those into another
    unique column of the same name."""
    refers = np.array([column.refers for column in schema.columns], bool)
    found = schema.inclusions
    found = found.where(refers[found.source] & schema.unique[found.target])
    near = schema.names.may_agree(found.source, found.target)
    near |= schema.folders[found.source] == schema.folders[found.target]
    same = schema.names.alike[found.source] == schema.names.alike[found.target]
    found = found.where(np.where(schema.is_key[found.target], near, same))
    return list(zip(*(part.tolist() for part in found), strict=True))


def _score(
    schema: Schema, i: int, j: int, containment: float, chance: Callable[[int, int], float], called: bool
) -> float:
    """What speaks for column i, contained in column j, as a reference: 0 to 1."""
    names, source, target = schema.names, schema.columns[i], schema.columns[j]
    said = names.agreement(i, j)
    if source.unique and (
        said < (SAME if schema.is_key[i] else ROLE) or 0 < names.about_own(i) >= names.about(i, target.table)
    ):
        return 0.0  # Genre.GenreId lies in Artist.ArtistId by accident

    def ruled_out() -> float:
        if source.kind == "integer":
            return float(told(beyond_chance(containment, chance(i, j), source.distinct)))
        return float(told(source.bits))

    if said >= SAME:
        return said * _weight(schema, i, j, said, ruled_out)
    within, linked = source.table == target.table, names.linked(i, j)
    if not schema.is_key[j] or (not said and schema.folders[i] != schema.folders[j]):
        return 0.0
    if source.kind == "integer" and not linked and not within:
        return 0.0
    # SupportRepId: an id, so of something, and of a table that no column calls by its name.
    called_key = linked and bool(names.subjects[i]) and not names.unnamed[i]
    role = _covered(schema, i, j) * (CALLED if called and not within else 1.0) if within or called_key else 0.0
    return 1 - (1 - said) * (1 - SILENT * max(role, ruled_out()))


def _weight(schema: Schema, i: int, j: int, said: float, ruled_out: Callable[[], float]) -> float:
    """How much agreement of two names counts: less if nothing says that they are names of keys, as year and row are
    not; and less for what is not the key of its table."""
    names, source = schema.names, schema.columns[i]
    if source.kind == "integer" and source.unique:
        sure = names.linked(i, j)  # else both tables have their rows numbered
    elif source.kind == "integer":
        sure = schema.looks_like_key(j) and (said == 1.0 or names.linked(i, j))
        sure = sure or ruled_out() >= SURE
    else:
        sure = names.keyed(i) or ruled_out() >= SURE
    return (1.0 if sure else OTHER) * (1.0 if schema.is_key[j] else SECOND)


def _covered(schema: Schema, i: int, j: int) -> float:
    """How much of key j the values of column i make up, 0 to 1; the root of the share, as some keys are long."""
    source, target = schema.columns[i], schema.columns[j]
    return float(np.sqrt(min(source.distinct / target.distinct, 1.0))) if source.distinct > 1 else 0.0


def _shared_out(rivals: list[ForeignKey], schema: Schema) -> list[ForeignKey]:
    """The candidates of one column near the best, each with its share of the one reference that the column is."""
    best = max(rival.score for rival in rivals)
    near = [key for key in rivals if key.score >= NEAR * best]
    tables = len({int(schema.tables[key.references[0]]) for key in near})
    return [ForeignKey(key.columns, key.references, key.containment, key.score / tables) for key in near]


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
