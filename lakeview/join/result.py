"""The rows of a join's result, from the positions of its rows on both sides."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

import numpy as np

from lakeview import values
from lakeview.errors import InputError
from lakeview.join.export.needed import family_of, share_a_column
from lakeview.join.model import How, Join
from lakeview.join.side import Side

if TYPE_CHECKING:
    import pandas as pd


def result(join: Join, left: np.ndarray, right: np.ndarray, made: pd.DataFrame | None = None) -> pd.DataFrame:
    """The rows of the result, by position on each side (-1: no row there). made: stands for the right side."""
    import pandas as pd

    left_frame = join.left.to_pandas(join.left_on)
    right_frame = join.right.to_pandas(join.right_on) if made is None else made
    parts = _take(left_frame, left)
    if join.shared and join.how in ("right", "outer"):
        require_one_kind(join)
        parts = parts.copy(deep=False)
        for column in join.shared:
            parts[column] = _coalesced(left_frame[column], right_frame[column], left, right, join.how)
    others = _take(right_frame[[column for column, _ in join.columns.right]], right)
    others.columns = pd.Index([name for _, name in join.columns.right], dtype=object)
    whole = pd.concat([parts, others], axis=1)
    whole.columns = pd.Index(join.columns.names, dtype=object)
    for column in join.made:
        if column.how == "rows":  # no row is none, not nothing
            whole[column.name] = whole[column.name].fillna(0).astype("int64")
    return whole


def require_one_kind(join: Join) -> None:
    """Raise InputError where an outer join on several columns would put values of two kinds into one column."""
    if join.how != "outer" or len(join.left_on) == 1:
        return
    for column in join.shared:
        left, right = (_family(side, column) for side in (join.left, join.right))
        if not share_a_column(left, right):
            raise InputError(f"{column} is {left} on the left and {right} on the right, and an outer join has one "
                             "column for both: rename one of them first")  # fmt: skip


def _family(side: Side, column: Hashable) -> str:
    return family_of(side.counted(column).column(0).to_pandas() if side.kind == "spark" else side.key_series(column))


def _take(frame: pd.DataFrame, positions: np.ndarray) -> pd.DataFrame:
    if len(positions) == len(frame) and (positions == np.arange(len(frame))).all():
        return frame.reset_index(drop=True)
    if (positions >= 0).all():
        return frame.take(positions).reset_index(drop=True)
    # Position -1 is no label of the fresh index: pandas fills it as a merge would.
    return frame.reset_index(drop=True).reindex(positions).reset_index(drop=True)


def _coalesced(left_key: pd.Series, right_key: pd.Series, left: np.ndarray, right: np.ndarray, how: How) -> pd.Series:
    """The single key column of a right or outer join: the right's value, in an outer join the left's where it is."""
    if how == "right":
        return _take(right_key.to_frame(), right).iloc[:, 0]
    families = family_of(left_key), family_of(right_key)
    if not share_a_column(*families):
        left_key, right_key = _as_text(left_key), _as_text(right_key)
    elif families == ("integer", "float") and not isinstance(left_key.dtype, np.dtype):
        left_key = left_key.astype("Float64")  # nullable integers take no 2.5
    elif "category" in (left_key.dtype, right_key.dtype):  # as merge() does
        left_key, right_key = left_key.astype(object), right_key.astype(object)
    from_left = _take(left_key.to_frame(), left).iloc[:, 0]
    return from_left.where(left >= 0, _take(right_key.to_frame(), right).iloc[:, 0])


def _as_text(series: pd.Series) -> pd.Series:
    """The values printed as the canonical rule prints them; gaps are NaN."""
    import pandas as pd

    if family_of(series) == "text":
        return series.astype(object)
    printed = values.text(values.as_arrow(series)).to_pandas().astype(object)
    return pd.Series(printed.where(printed.notna()).to_numpy(), index=series.index, name=series.name)
