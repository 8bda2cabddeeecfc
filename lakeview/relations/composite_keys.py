"""Foreign keys of two columns: lineitem (partkey, suppkey) refers to partsupp (partkey, suppkey).

Two columns of a table lie, each by itself and under an agreeing name, in two columns of another table that are unique
together. One of them at least has to be text or called a key, as the rows and columns of all plots of land are numbered
alike. Of two tables the best pair stays, and none where one column refers to the other table already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations

import numpy as np

from lakeview.evidence.key_names import SAME
from lakeview.evidence.schema import Schema
from lakeview.relations.foreign_keys import ForeignKey
from lakeview.search.tuples import tuple_tokens

NAMED = 0.5  # agreement of names from which a pair is looked at
CUT = 0.5
MOST = 16  # pairs of columns of two tables that are looked at, each at the cost of reading both

Match = tuple[int, int, float]  # a column, the one that holds it, and how far their names agree


def composite_keys(
    schema: Schema,
    pairs: Callable[[int, int], np.ndarray],
    single: Iterable[ForeignKey] = (),
    least: float = 0.95,
) -> list[ForeignKey]:
    """Foreign keys of two columns, best first.

    pairs(a, b): the tokens of two columns of one table, a row each, uint64 and sorted, with repeats
    (`pair_tokens`); asked only for column pairs whose names and single inclusions agree, as it costs a scan.
    single: the keys of one column. least: containment of each column and of their pairs.
    """
    columns, tables = schema.columns, schema.tables
    passed = set(schema.copies)
    passed |= {(int(tables[key.columns[0]]), int(tables[key.references[0]])) for key in single}
    passed |= _of_one_name(schema)
    refers = np.array([column.kind not in ("number", "boolean") for column in columns], bool)
    part = np.array([not c.unique and not c.nulls and c.distinct > 1 for c in columns], bool) & refers
    found = schema.inclusions
    found = found.where(refers[found.source] & part[found.target] & (found.containment >= least))
    found = found.where(tables[found.source] != tables[found.target])
    found = found.where(schema.names.may_agree(found.source, found.target))
    matches: dict[tuple[int, int], list[Match]] = {}
    for i, j in zip(found.source.tolist(), found.target.tolist(), strict=True):
        both = int(tables[i]), int(tables[j])
        if both not in passed and (said := schema.names.agreement(i, j)) >= NAMED:
            matches.setdefault(both, []).append((i, j, said))
    best = [max(_of_tables(schema, m, pairs, least), key=lambda key: key.score, default=None) for m in matches.values()]
    keys = [key for key in best if key is not None and key.score >= CUT]
    return sorted(keys, key=lambda key: (-key.score, key.columns, key.references))


def _of_tables(
    schema: Schema, matches: list[Match], pairs: Callable[[int, int], np.ndarray], least: float
) -> Iterable[ForeignKey]:
    """The pairs of two tables that hold, keys by their names first, and then as they lie in the table."""
    columns = schema.columns

    def weight(a: Match, b: Match) -> int:
        return sum(schema.names.keyed(i) + (columns[i].kind == "text") for i, _, _ in (a, b))

    found = [
        (a, b)
        for a, b in combinations(sorted(matches), 2)
        if a[0] != b[0] and a[1] != b[1] and weight(a, b)
        and columns[a[1]].distinct * columns[b[1]].distinct >= columns[a[1]].rows  # else too few for a key
    ]  # fmt: skip
    found.sort(key=lambda pair: -weight(*pair))
    for (i, j, one), (k, l, other) in found[:MOST]:  # noqa: E741
        keys = pairs(j, l)
        if len(keys) < 2 or (keys[1:] == keys[:-1]).any():
            continue
        rows = pairs(i, k)
        used = np.unique(rows)
        held = float(np.isin(used, keys).mean()) if len(used) else 0.0
        alike = len(used) == len(rows) == len(keys)  # both unique, and as many: two halves of one table
        if held >= least and not alike:
            yield ForeignKey((i, k), (j, l), held, held * (one + other) / 2)


def _of_one_name(schema: Schema) -> set[tuple[int, int]]:
    """Pairs of tables that one column joins, in a unique one of its name."""
    found, alike = schema.inclusions, schema.names.alike
    found = found.where(schema.unique[found.target] & (alike[found.source] == alike[found.target]))
    return {
        (int(schema.tables[i]), int(schema.tables[j]))
        for i, j in zip(found.source.tolist(), found.target.tolist(), strict=True)
        if schema.names.agreement(i, j) >= SAME
    }


def pair_tokens(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """One token of the pair for each row: uint64[n] tokens of two columns to uint64[n], sorted."""
    return np.sort(tuple_tokens((first, second)))
