"""The right side of a join brought to one row a key, in this process: which row stays, or what the rows become."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lakeview.join.grain import Made
from lakeview.join.matching import Matching
from lakeview.join.model import How, Join, JoinCounts

if TYPE_CHECKING:
    import pandas as pd

OF_OBJECTS = {"min": "lambda values: values.dropna().min()", "max": "lambda values: values.dropna().max()"}
"""What pandas code says where the values are objects, among which pandas bears no gaps."""
CALLED = {"distinct": "nunique", "rows": "size"}
"""What pandas calls otherwise."""


def counted(counts: JoinCounts, how: How) -> JoinCounts:
    """The counts of a join whose right side is brought to one row a key, from those of the join without that."""
    out = counts.left_rows if how == "left" else counts.left_matched
    return replace(counts, rows_out=out, max_fanout=min(counts.max_fanout, 1))


def picked(join: Join, matching: Matching) -> Matching:
    """The pairs in which each left row meets one right row: of each key the one that stays, or the first of those that
    are aggregated."""
    codes, grain = matching.right_codes, join.grain
    order = np.arange(len(codes))
    if grain is not None and grain.many == "latest":
        when = join.right.to_pandas(join.right_on)[grain.when].reset_index(drop=True)
        order = when.sort_values(kind="stable", na_position="first").index.to_numpy()
    if grain is None or grain.many not in ("last", "latest"):
        order = order[::-1]
    order = order[codes[order] >= 0]
    stays = np.zeros(int(codes.max(initial=-1)) + 1, np.int64)
    stays[codes[order]] = order  # the last one that is written stays
    return matching.only(stays)


def aggregated(join: Join, codes: np.ndarray) -> pd.DataFrame:
    """The columns that are made of the right side, a row for each key's number. codes: int64[right rows], -1: no key"""
    frame, there = join.right.to_pandas(join.right_on), codes >= 0
    groups = frame[there].groupby(codes[there])
    return groups.agg(**{made.name: _aggregation(join, frame, made) for made in join.made})


def _aggregation(join: Join, frame: pd.DataFrame, made: Made) -> tuple[Any, Any]:
    if made.how == "rows":
        return join.right_on[0], "size"
    if made.how == "list":
        return made.column, list
    if of_objects(frame, made):
        return made.column, _of_objects(made.how)
    return made.column, CALLED.get(made.how, made.how)


def of_objects(frame: pd.DataFrame, made: Made) -> bool:
    """Whether pandas takes the least and the greatest of a column by OF_OBJECTS alone."""
    return made.how in OF_OBJECTS and frame[made.column].dtype == object


def _of_objects(how: str) -> Callable[[pd.Series], Any]:
    return lambda values: getattr(values.dropna(), how)()
