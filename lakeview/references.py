"""The foreign keys of a lake: which inclusions its columns show, and what speaks for them (`index.foreign_keys`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from lakeview.approximate import estimates
from lakeview.catalog.snapshot import Snapshot
from lakeview.errors import InputError
from lakeview.index import foreign_keys as keys
from lakeview.join.side import Side
from lakeview.query import Query
from lakeview.tuples import fetched, part_tokens
from lakeview.values import Normalize

if TYPE_CHECKING:
    import pandas as pd

FIELDS = ["table", "column", "references_table", "references_column", "containment", "score"]
PAIRS_HELD = 1 << 25  # pairs of values, of eight bytes, that are held for further candidates
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
    references_column are names, or pairs of names. Raises InputError where `least` is no containment.
    """
    import pandas as pd

    if isinstance(least, bool) or not isinstance(least, int | float | np.number) or not 0 < least <= 1:
        raise InputError(f"min_containment is a share over 0 and up to 1, not {least!r}")
    numbers = [n for columns in snapshot.by_table.values() for n in columns.values() if not hidden[n]]
    columns = key_columns(snapshot, numbers)
    found = inclusions(snapshot, numbers, least)
    table = lru_cache(maxsize=8)(side)  # what was read stays at hand while its candidates are looked at
    known: dict[tuple[int, int], np.ndarray] = {}

    def pairs(a: int, b: int) -> np.ndarray:
        if (a, b) in known:
            return known[a, b]
        made = row_pairs(table(columns[a].table), columns[a].name, columns[b].name, normalize)
        if sum(map(len, known.values())) + len(made) <= PAIRS_HELD:
            known[a, b] = made
        return made

    single = keys.foreign_keys(columns, found)
    both = keys.composite_keys(columns, found, pairs, least)
    rows = [_row(columns, key) for key in sorted([*single, *both], key=lambda key: -key.score)]
    return pd.DataFrame(rows, columns=FIELDS)


def _row(columns: Sequence[keys.KeyColumn], key: keys.ForeignKey) -> tuple[Any, ...]:
    def names(numbers: tuple[int, ...]) -> Any:
        found = tuple(columns[n].name for n in numbers)
        return found if len(found) > 1 else found[0]

    tables = columns[key.columns[0]].table, columns[key.references[0]].table
    return tables[0], names(key.columns), tables[1], names(key.references), key.containment, key.score


def key_columns(snapshot: Snapshot, numbers: Sequence[int]) -> list[keys.KeyColumn]:
    """What the question of foreign keys needs of some columns of a snapshot."""
    whole = snapshot.array("integers") == snapshot.array("values")
    return [
        keys.KeyColumn(
            snapshot.tables[n],
            snapshot.names[n],
            int(snapshot.rows[n]),
            int(snapshot.nulls[n]),
            int(snapshot.rows[n] if snapshot.sketched[n] and snapshot.key_like[n] else snapshot.distinct[n]),
            bool(whole[n]),
        )
        for n in numbers
    ]


def inclusions(snapshot: Snapshot, numbers: Sequence[int], least: float) -> list[tuple[int, int, float]]:
    """(i, j, containment of i in j), at least `least`, over the columns `numbers[i]`: one query of the posting lists
    a column. Where a sketch alone is kept the estimate counts, if it is near `least` and its interval reaches it."""
    place = np.full(len(snapshot), -1)
    place[numbers] = np.arange(len(numbers))
    found = []
    for i, number in enumerate(numbers):
        query = Query.of_lake(snapshot, number)
        overlap, _ = snapshot.overlaps(query.tokens)
        if len(query.tokens):
            held = np.flatnonzero((overlap >= least * query.distinct - 1e-9) & (place >= 0))
            found += [(i, int(place[j]), float(overlap[j]) / query.distinct) for j in held if j != number]
        asked = (place >= 0) & (snapshot.sketched | (query.sketch is not None))
        for j, comparison in estimates(query, snapshot, asked, least=least).of.items():
            held_about = comparison.containment
            if j != number and held_about.value >= least - NEAR and held_about.high >= least:
                found.append((i, int(place[j]), held_about.value))
    return found


def row_pairs(side: Side, first: str, second: str, normalize: Normalize) -> np.ndarray:
    """A token for the pair of values in each row of a table, uint64, sorted; rows with a null among the two are left
    out."""
    parts, _ = part_tokens(fetched(side, (first, second)), normalize)
    return keys.pair_tokens(*parts)
