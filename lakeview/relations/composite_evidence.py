"""What speaks for several columns' referring to others together: as for one column (`evidence`), of their tuples.

What is known before rows are read bounds it from above: all tuples are there, and those of the referring table repeat.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from lakeview.evidence import evidence
from lakeview.evidence.evidence import EACH, NAMED, Evidence
from lakeview.evidence.schema import Schema
from lakeview.relations.name_pairs import NamePairs

Match = tuple[int, int, float]  # a column, the one that holds it, and how far their names agree
Way = tuple[Match, ...]


def odds(
    schema: Schema,
    names: NamePairs,
    ways: Sequence[Way],
    contained: np.ndarray | None = None,
    own: np.ndarray | None = None,
) -> np.ndarray:
    """Log-odds of each way to match columns, float64[n]. contained: share of the tuples that are found; own: bool[n],
    whether no tuple of the referring table comes twice. Where these are not known yet, the most that it may come to."""
    n, columns = len(ways), len(schema.columns)
    if not n:
        return np.zeros(0)
    firsts = np.array([[way[0][0], way[0][1]] for way in ways])
    source, target = firsts.T
    keyed = np.zeros(len(schema.width), bool)
    keyed[schema.tables[schema.is_key]] = True
    held = np.ones(n) if contained is None else contained
    rows = np.array([schema.columns[j].rows for j in target], float)
    asked = np.array([schema.columns[i].rows for i in source], float)
    agreement = np.array([sum(match[2] for match in way) / len(way) for way in ways])
    # Of values put together blindly, the share that are rows; columns that are called alike are not put together so.
    blind = rows / np.array([prod(float(max(schema.distinct[j], 1)) for _, j, _ in way) for way in ways])
    folder = schema.folders[source]
    together = schema.folders[target] == folder
    flat = np.array([[i, j] for way in ways for i, j, _ in way])
    starts = np.cumsum([0, *map(len, ways)])[:-1]
    every = np.ones(n)
    return Evidence(
        overlap=held * asked,
        contained=held,
        distinct=rows,
        chance=np.where(agreement >= NAMED, 0.0, np.minimum(blind, 1.0)),
        rare=EACH * asked * held,
        unique=every > 0,
        key=~keyed[schema.tables[target]],
        first=np.logical_or.reduceat(schema.leftmost[flat[:, 1]], starts),
        agreement=agreement,
        about=np.maximum.reduceat(names.agreements(flat[:, 0], flat[:, 1])[1], starts),
        place=np.where(together, np.log(columns / schema.sizes[folder]), 0.0),
        cohesion=schema.cohesion[folder],
        elsewhere=~together & (schema.sizes[folder] < columns),
        repeats=0.0 * every,
        own=0.0 * every if own is None else own * every,
        time=np.logical_and.reduceat(schema.names.times[flat[:, 0]], starts) * every,
        measure=0.0 * every,
        numeric=np.logical_and.reduceat(schema.whole[flat[:, 0]], starts),
        decimal=np.zeros(n, bool),
        asked=asked,
        columns=columns * every,
    ).odds


def scores(columns: Sequence[tuple[int, ...]], odds: np.ndarray) -> np.ndarray:
    """The probability of each key of several columns: those of one set of columns are rivals."""
    groups: dict[frozenset[int], list[int]] = {}
    for at, some in enumerate(columns):
        groups.setdefault(frozenset(some), []).append(at)
    found = np.zeros(len(columns))
    for places in groups.values():
        found[places] = evidence.among_rivals(odds[places])
    return found
