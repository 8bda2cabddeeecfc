"""The foreign keys of a lake: which inclusions its columns show, and what speaks for them (`foreign_keys`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from lakeview import values
from lakeview.evidence.chance import rarity
from lakeview.evidence.evidence import EACH
from lakeview.evidence.schema import Inclusions, KeyColumn, Schema
from lakeview.join.side import Side
from lakeview.relations import composite_keys
from lakeview.relations import foreign_keys as keys
from lakeview.search import scoring
from lakeview.search.approximate import estimates
from lakeview.search.query import Query
from lakeview.search.tuples import fetched, part_tokens
from lakeview.store.snapshot import Snapshot
from lakeview.values import Normalize

if TYPE_CHECKING:
    import pandas as pd

FIELDS = ["table", "column", "references_table", "references_column", "containment", "score"]
PAIRS_HELD = 1 << 25  # pairs of values, of eight bytes, that are held for further candidates
ORDERED = 0.8  # share of the rows of a hierarchy that come after those above them
NULL = np.uint64(2**64 - 1)
NEAR = 0.1  # an estimated containment may fall this far short of what is asked


def foreign_keys(
    snapshot: Snapshot,
    hidden: np.ndarray,
    side: Callable[[str], Side],
    normalize: Normalize,
    least: float,
) -> pd.DataFrame:
    """Foreign keys of one and of two columns, best first: a row each, with `FIELDS`.

    hidden: bool[n], columns to leave out; side: a table's values, read only for keys of two columns. column and
    references_column are names, or pairs of names.
    """
    import pandas as pd

    numbers = [n for columns in snapshot.by_table.values() for n in columns.values() if not hidden[n]]
    found, bits = inclusions(snapshot, numbers, least)
    columns = key_columns(snapshot, numbers, bits)
    table = lru_cache(maxsize=8)(side)  # what was read stays at hand while its candidates are looked at
    known: dict[tuple[int, int], np.ndarray] = {}

    def pairs(a: int, b: int) -> np.ndarray:
        if (a, b) in known:
            return known[a, b]
        made = row_pairs(table(columns[a].table), columns[a].name, columns[b].name, normalize)
        if sum(map(len, known.values())) + len(made) <= PAIRS_HELD:
            known[a, b] = made
        return made

    schema = Schema(columns, found)
    single = keys.foreign_keys(
        schema,
        lambda i, j: scoring.chances(Query.of_lake(snapshot, numbers[i]), snapshot, np.array(numbers)[j]),
        lambda i, j: is_hierarchy(*row_tokens(table(columns[i].table), columns[i].name, columns[j].name, normalize)),
    )
    both = composite_keys.composite_keys(schema, pairs, single, least)
    rows = [_row(columns, key) for key in sorted([*single, *both], key=lambda key: -key.score)]
    return pd.DataFrame(rows, columns=FIELDS)


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


def inclusions(snapshot: Snapshot, numbers: Sequence[int], least: float) -> tuple[Inclusions, np.ndarray]:
    """The inclusions, at least `least`, among the columns `numbers[i]`, which go by i: one query of the posting lists
    a column. Where a sketch alone is kept the estimate counts, if it is near `least` and its interval reaches it.

    Also returns the bits that the values of each column tell, float64[n]: how rare they are in the lake.
    """
    place = np.full(len(snapshot), -1)
    place[numbers] = np.arange(len(numbers))
    alive = int(snapshot.alive.sum())
    bits = np.array([EACH * int(snapshot.distinct[number]) for number in numbers])
    found: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for i, number in enumerate(numbers):
        query = Query.of_lake(snapshot, number)
        overlap, frequency = snapshot.overlaps(query.tokens)
        if len(query.tokens):
            bits[i] = np.minimum(rarity(frequency, alive), EACH).sum()
            held = np.flatnonzero((overlap >= least * query.distinct - 1e-9) & (place >= 0))
            held = held[held != number]
            found.append((np.full(len(held), i), place[held], overlap[held] / query.distinct))
        asked = (place >= 0) & (snapshot.sketched | (query.sketch is not None))
        guessed = estimates(query, snapshot, asked, least=least)
        for j in guessed.reaching(least).tolist():
            held_about = guessed.of[j].containment
            if j != number and held_about.value >= least - NEAR and held_about.high >= least:
                found.append((np.array([i]), place[[j]], np.array([held_about.value])))
    if not found:
        return Inclusions(np.zeros(0, int), np.zeros(0, int), np.zeros(0)), bits
    return Inclusions(*map(np.concatenate, zip(*found, strict=True))), bits


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


def row_pairs(side: Side, first: str, second: str, normalize: Normalize) -> np.ndarray:
    """A token for the pair of values in each row of a table, uint64, sorted; rows with a null among the two are left
    out."""
    parts, _ = part_tokens(fetched(side, (first, second)), normalize)
    return composite_keys.pair_tokens(*parts)


def row_tokens(side: Side, first: str, second: str, normalize: Normalize) -> list[np.ndarray]:
    """The tokens of two columns of a table: uint64, a row each, `NULL` where there is none."""
    found = []
    for column in fetched(side, (first, second)):
        texts = values.canonical(column, normalize)
        tokens = np.full(len(texts), NULL)
        tokens[np.asarray(texts.is_valid())] = values.hash_strings(texts.drop_null())
        found.append(tokens)
    return found
