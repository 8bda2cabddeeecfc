"""Which inclusions are foreign keys.

An inclusion is cheap: row numbers 1..n lie in every longer run of row numbers. A foreign key is an inclusion in a
table's key, and something speaks for it: the names (as in Chen et al., PVLDB 2014), or how much of the key it covers
(Rostin et al., WebDB 2009). A column refers to one table, so its candidates compete and only those near the best stay;
a table's own key refers to another only where the names say so.

Scores are products and unions of shares in 0 to 1; nothing here is learned from data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from lakeview.index.names import COMMON_SHARE, COMMON_TABLES, words
from lakeview.index.tuples import tuple_tokens

DEFAULT_CUT = 0.3
_KEY_WORDS = frozenset({"id", "key", "code", "no", "number", "nr", "fk", "pk", "ref"})
_NEAR = 0.75  # candidates of a column that are this near to its best stay: they can't be told apart
_OTHER_KEY = 0.3  # weight of a unique column that is not its table's first


@dataclass(frozen=True)
class KeyColumn:
    """A column as this question needs it: table, name, rows, nulls, distinct values, and whether those are integers."""

    table: str
    name: str
    rows: int
    nulls: int
    distinct: int
    integer: bool

    @property
    def unique(self) -> bool:
        return self.nulls == 0 and self.distinct == self.rows > 1


@dataclass(frozen=True)
class ForeignKey:
    """columns[i] of the referring table meets references[i]: numbers of columns, one or two each."""

    columns: tuple[int, ...]
    references: tuple[int, ...]
    containment: float
    score: float


def foreign_keys(
    columns: Sequence[KeyColumn], inclusions: Iterable[tuple[int, int, float]], cut: float = DEFAULT_CUT
) -> list[ForeignKey]:
    """Single-column foreign keys of score `cut` and above, best first.

    inclusions: (column, column that holds it, containment) by number, as many as there are; those into columns that are
    not unique are passed over.
    """
    names = _bare_names(columns)
    keys = _first_keys(columns)
    # `rownames` is the key of half a lake's tables; `id` too, but there the referring name tells.
    named = Counter(words(names[key]) for key in keys.values())
    common = max(COMMON_TABLES, COMMON_SHARE * len(keys))
    scored: dict[int, list[ForeignKey]] = {}
    for i, j, containment in inclusions:
        source, target = columns[i], columns[j]
        if i == j or not target.unique or source.distinct < 1:
            continue
        said = name_agreement(names[i], names[j], "" if source.table == target.table else target.table)
        if named[words(names[j])] > common and words(names[j]) - _KEY_WORDS:
            continue
        own_key = keys.get(source.table) == i
        if own_key and (said < 0.9 or names_table(names[i], source.table)):
            continue  # Genre.GenreId lies in Artist.ArtistId by accident
        covered = _fit(source, target) if source.distinct > 1 else 0.0
        hint = 0.6 if words(names[i]) & _KEY_WORDS or source.table == target.table else 0.4
        score = containment * (1 - (1 - said) * (1 - hint * covered))
        if keys.get(target.table) != j:
            score *= _OTHER_KEY
        scored.setdefault(i, []).append(ForeignKey((i,), (j,), containment, score))
    found = []
    for candidates in scored.values():
        best = max(candidate.score for candidate in candidates)
        found += [c for c in candidates if c.score >= max(cut, _NEAR * best)]
    return sorted(found, key=lambda key: (-key.score, key.columns, key.references))


def composite_keys(
    columns: Sequence[KeyColumn],
    inclusions: Iterable[tuple[int, int, float]],
    pairs: Callable[[int, int], np.ndarray],
    least: float = 0.95,
    cut: float = 0.5,
) -> list[ForeignKey]:
    """Foreign keys of two columns, best first.

    pairs(a, b): the tokens of two columns of one table, a row each, uint64 and sorted, with repeats
    (`pair_tokens`); asked only for column pairs whose names and single inclusions agree, as it costs a scan.
    """
    names = _bare_names(columns)
    by_tables: dict[tuple[str, str], list[tuple[int, int, float]]] = {}
    for i, j, containment in inclusions:
        source, target = columns[i], columns[j]
        if source.table == target.table or containment < least or target.unique or target.distinct < 2:
            continue
        said = name_agreement(names[i], names[j], target.table)
        if said >= cut:
            by_tables.setdefault((source.table, target.table), []).append((i, j, said))
    found = []
    for matches in by_tables.values():
        for (i, j, one), (k, l, other) in combinations(sorted(matches), 2):  # noqa: E741
            if i == k or j == l or columns[j].nulls or columns[l].nulls:
                continue
            if columns[j].distinct * columns[l].distinct < columns[j].rows:
                continue  # too few combinations for a key
            keys = pairs(j, l)
            if len(keys) < 2 or (keys[1:] == keys[:-1]).any():
                continue
            used = np.unique(pairs(i, k))
            held = float(np.isin(used, keys).mean()) if len(used) else 0.0
            if held >= least:
                found.append(ForeignKey((i, k), (j, l), held, held * (one + other) / 2))
    return sorted(found, key=lambda key: (-key.score, key.columns, key.references))


def pair_tokens(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """One token of the pair for each row: uint64[n] tokens of two columns to uint64[n], sorted."""
    return np.sort(tuple_tokens((first, second)))


def name_agreement(source: str, target: str, table: str) -> float:
    """How far a column's name points to a key: 0 to 1. 1: the same name, unless it is a bare `id`."""
    asked, own, stem = words(source), words(target), _stem_words(table)
    subject = asked - _KEY_WORDS
    if not subject:
        return 0.0
    if asked == own:
        return 1.0
    about = (own | stem) - _KEY_WORDS
    if subject <= about and own - _KEY_WORDS <= subject | stem:
        return 0.9  # customer_id and customers.id
    return 0.8 * len(subject & about) / len(subject | about) if about else 0.0


def names_table(name: str, table: str) -> bool:
    """Whether a column is named after a table: GenreId of Genre."""
    subject = words(name) - _KEY_WORDS
    return not subject or bool(subject & _stem_words(table)) or "".join(sorted(subject)) in table.lower()


def _stem_words(table: str) -> frozenset[str]:
    return words(table.rsplit("/", 1)[-1].split(".", 1)[0])


def _fit(source: KeyColumn, target: KeyColumn) -> float:
    """How likely the inclusion is a reference by its extent: chance puts few integers in many, seldom many in few."""
    return float(np.sqrt(min(source.distinct / target.distinct, 1.0))) if source.integer else 1.0


def _first_keys(columns: Sequence[KeyColumn]) -> dict[str, int]:
    """The leftmost unique column of each table: people put the key first."""
    keys: dict[str, int] = {}
    for number, column in enumerate(columns):
        if column.unique:
            keys.setdefault(column.table, number)
    return keys


def _bare_names(columns: Sequence[KeyColumn]) -> list[str]:
    """Names without the prefix up to "_" that all columns of a table share: l_orderkey is orderkey."""
    prefixes: dict[str, set[str]] = {}
    for column in columns:
        head, bar, rest = column.name.partition("_")
        prefixes.setdefault(column.table, set()).add(head + bar if bar and rest else "")
    shared = {table: min(heads) if len(heads) == 1 else "" for table, heads in prefixes.items()}
    return [column.name.removeprefix(shared[column.table]) for column in columns]
