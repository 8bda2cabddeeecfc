"""The foreign keys of a lake: which inclusions its columns show, and what speaks for them (`foreign_keys`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lakeview import values
from lakeview.evidence.evidence import EACH
from lakeview.evidence.schema import Inclusions, KeyColumn, Schema
from lakeview.index.inclusions import Wanted
from lakeview.join.side import Side
from lakeview.relations import composite_keys
from lakeview.relations import foreign_keys as keys
from lakeview.relations.chances import chances
from lakeview.relations.composite_keys import NULL
from lakeview.relations.name_pairs import NamePairs
from lakeview.relations.wanted import wanted
from lakeview.search.approximate import estimates
from lakeview.search.query import Query
from lakeview.search.tuples import fetched
from lakeview.store.all_pairs import AllPairs
from lakeview.store.snapshot import Snapshot
from lakeview.values import Normalize

if TYPE_CHECKING:
    import pandas as pd

FIELDS = ["table", "column", "references_table", "references_column", "containment", "score"]
ROWS_HELD = 1 << 25  # values, of eight bytes, that are held for further candidates
ORDERED = 0.8  # share of the rows of a hierarchy that come after those above them
_STEPS = 5
NEAR = 0.1  # an estimated containment may fall this far short of what is asked


def foreign_keys(
    snapshot: Snapshot,
    hidden: np.ndarray,
    side: Callable[[str], Side],
    normalize: Normalize,
    least: float,
    pairs: Callable[[Any, np.ndarray], AllPairs] = AllPairs,
    tell: Callable[[int, int, str], None] = lambda done, total, doing: None,
) -> pd.DataFrame:
    """Foreign keys of one column and of up to four, best first: a row each, with `FIELDS`.

    hidden: bool[n], columns to leave out; side: a table's values, read only for keys of several columns and for rows
    that may be below one another. column and references_column are names, or tuples of names. pairs: made of the
    snapshot and numbers of columns, answers what is asked of all pairs of these. tell: called before each step, and
    often within the long ones, with how many of all are done and what is next; what it raises ends the work.
    """
    import pandas as pd

    numbers = np.array([n for columns in snapshot.by_table.values() for n in columns.values() if not hidden[n]], int)
    tell(0, _STEPS, "comparing columns")
    every = pairs(snapshot, numbers)
    columns = key_columns(snapshot, numbers.tolist(), every.bits(EACH))
    schema = Schema(columns)
    tell(1, _STEPS, "which columns lie in which")
    schema.inclusions = inclusions(every, wanted(schema, snapshot.distinct[numbers]), least)
    tell(2, _STEPS, "comparing names")
    names = NamePairs(schema.names)
    rows = _Rows(columns, side, normalize)

    def chance(i: np.ndarray, j: np.ndarray) -> np.ndarray:
        tell(3, _STEPS, "which of them are keys")
        return chances(snapshot, every, numbers[i], numbers[j])

    def below(i: int, j: int) -> bool:
        tell(3, _STEPS, "which of them are keys")
        return is_hierarchy(*rows([i, j]))

    single = keys.foreign_keys(schema, names, chance, below)
    tell(4, _STEPS, "keys of several columns")
    both = composite_keys.composite_keys(schema, names, rows, single, least, lambda i: every.repeats(numbers[i]))
    found = [_row(columns, key) for key in sorted([*single, *both], key=lambda key: -key.score)]
    return pd.DataFrame(found, columns=FIELDS)


class _Rows:
    """The tokens of columns, by their numbers, a row each; what was read stays at hand for further candidates."""

    def __init__(self, columns: Sequence[KeyColumn], side: Callable[[str], Side], normalize: Normalize) -> None:
        self._columns, self._side, self._normalize = columns, side, normalize
        self._known: dict[int, np.ndarray] = {}

    def __call__(self, numbers: Sequence[int]) -> list[np.ndarray]:
        """Of columns of one table: uint64[rows] each."""
        if sum(map(len, self._known.values())) > ROWS_HELD:
            self._known.clear()
        missing = [n for n in dict.fromkeys(numbers) if n not in self._known]
        if missing:
            table, names = self._side(self._columns[missing[0]].table), [self._columns[n].name for n in missing]
            self._known.update(zip(missing, row_tokens(table, names, self._normalize), strict=True))
        return [self._known[n] for n in numbers]


def _row(columns: Sequence[KeyColumn], key: keys.ForeignKey) -> tuple[Any, ...]:
    def names(numbers: tuple[int, ...]) -> Any:
        found = tuple(columns[n].name for n in numbers)
        return found if len(found) > 1 else found[0]

    tables = columns[key.columns[0]].table, columns[key.references[0]].table
    return tables[0], names(key.columns), tables[1], names(key.references), key.containment, key.score


def key_columns(snapshot: Snapshot, numbers: Sequence[int], bits: np.ndarray) -> list[KeyColumn]:
    """What the question of foreign keys needs of some columns of a snapshot; bits: of each, what its values tell."""
    whole = snapshot.array("integers") == snapshot.array("values")
    return [
        KeyColumn(
            snapshot.tables[n],
            snapshot.names[n],
            int(snapshot.rows[n]),
            int(snapshot.nulls[n]),
            int(snapshot.rows[n] if snapshot.sketched[n] and snapshot.key_like[n] else snapshot.distinct[n]),
            "integer" if whole[n] else snapshot.types[n],
            float(told),
        )
        for n, told in zip(numbers, bits, strict=True)
    ]


def inclusions(every: AllPairs, wanted: Wanted, least: float) -> Inclusions:
    """The wanted inclusions among some columns, at least `least`. Where a sketch alone is kept the estimate counts, if
    it is near `least` and its interval reaches it."""
    needed = np.maximum(np.ceil(least * wanted.sizes - 1e-9), 1).astype(np.int64)
    found = [Inclusions()]
    for source, target, overlap in every.inclusions(wanted, needed):
        found.append(Inclusions(source, target, overlap / wanted.sizes[source]))
    found += _by_sketches(every, wanted, least)
    return Inclusions(*map(np.concatenate, zip(*found, strict=True)))


def _by_sketches(every: AllPairs, wanted: Wanted, least: float) -> Iterator[Inclusions]:
    snapshot, numbers = every.snapshot, every.numbers
    sketched, everything = snapshot.sketched[numbers], np.arange(len(numbers))
    for i in everything.tolist() if sketched.any() else ():
        among = everything if sketched[i] else np.flatnonzero(sketched)
        among = among[wanted.of(i, among)]
        if not len(among):
            continue
        asked = np.zeros(len(snapshot), bool)
        asked[numbers[among]] = True
        guessed = estimates(Query.of_lake(snapshot, int(numbers[i])), snapshot, asked, least=least)
        for j in guessed.reaching(least).tolist():
            held = guessed.of[j].containment
            if held.value >= least - NEAR and held.high >= least:
                yield Inclusions(np.array([i]), every.places[[j]], np.array([held.value]))


def is_hierarchy(child: np.ndarray, key: np.ndarray) -> bool:
    """Whether rows hang in trees: row r is below the row whose key is child[r]. Rows below none have no key there, or
    one row is its own root; none is below itself by way of others; and of the rows that others are below, those above
    come before those below, or all the other way round, as rows are numbered when they come.

    Few columns that lie in a key by accident pass: where every row points somewhere, some go round in a circle.
    """
    rows = np.arange(len(key))
    order = np.argsort(key)
    at = np.minimum(np.searchsorted(key, child, sorter=order), len(key) - 1)
    known = key[order[at]] == child
    above = np.where(known, order[at], rows)  # a root is above itself
    moves = above != rows
    if (known & ~moves).sum() != int(known.all()):
        return False
    inner = np.unique(above[moves])
    inner = inner[moves[inner]]
    before = float((above[inner] < inner).mean()) if len(inner) else 0.5
    if not max(before, 1 - before) >= ORDERED:
        return False
    for _ in range(len(key).bit_length()):
        above = above[above]
    return not moves[above].any()


def row_tokens(side: Side, names: Sequence[str], normalize: Normalize) -> list[np.ndarray]:
    """The tokens of columns of a table, which is read once: uint64[rows] each, `NULL` where there is no value."""
    found = []
    for column in fetched(side, names) if side.kind == "spark" else side.keys(names):
        texts = values.canonical(column, normalize)
        tokens = np.full(len(texts), NULL)
        tokens[np.asarray(texts.is_valid())] = values.hash_strings(texts.drop_null())
        found.append(tokens)
    return found
