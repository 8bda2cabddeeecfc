"""A pandas frame as lakeview reads it: its index levels are columns, as in a merge, and numbers lie as the machine has
them. Nothing is imported for it: who has a frame has pandas.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np

from lakeview.guards.checks import label


def is_spark(frame: Any) -> bool:
    """Whether it is a DataFrame of Spark, which may have any attribute: Connect's takes one for a column."""
    return type(frame).__module__.startswith("pyspark.sql.") and type(frame).__name__ == "DataFrame"


def is_pandas(frame: Any) -> bool:
    """Whether it is a DataFrame of pandas, or what behaves as one."""
    return not isinstance(frame, type) and not is_spark(frame) and hasattr(frame, "iloc") and hasattr(frame, "columns")


def labels(frame: Any) -> list[Any]:
    """The columns of a pandas or Spark frame, index levels first."""
    columns = list(frame.columns)
    return [*(name for _, name in _levels(frame, columns)), *columns]


def types(frame: Any) -> list[tuple[Any, Any]]:
    """The columns of a pandas frame and their types, index levels first."""
    columns = list(frame.columns)
    return [*((name, _level_type(frame.index, level)) for level, name in _levels(frame, columns)),
            *zip(columns, frame.dtypes, strict=True)]  # fmt: skip


def column(frame: Any, name: Any) -> Any:
    """A column of a pandas or Spark frame, or a level of its index."""
    if label(name, list(frame.columns)):
        return frame[name]
    return frame.index.get_level_values(name)


def flat(frame: Any) -> Any:
    """The frame with its index levels as columns and native numbers; itself where it is like that. Not to be written
    to, as it shares its values with the frame."""
    columns = list(frame.columns)
    levels, foreign = _levels(frame, columns), _foreign(frame.dtypes.tolist())
    if not (levels or foreign):
        return frame
    made = frame.copy(deep=False)
    for place, dtype in foreign.items():
        made.isetitem(place, frame.iloc[:, place].astype(dtype))
    for place, (level, name) in enumerate(levels):
        values = frame.index.get_level_values(level)
        native = _foreign([values.dtype])
        made.insert(place, name, values.astype(native[0]) if native else values)
    return made.reset_index(drop=True)


class Changes(NamedTuple):
    """What `flat` does to a frame: the levels that become columns, whether these are all there are, and the columns
    that get another type."""

    levels: list[Hashable]
    all_levels: bool
    types: dict[Hashable, str]


def changes(frame: Any) -> Changes:
    """What code has to do for the same."""
    columns = list(frame.columns)
    levels = _levels(frame, columns)
    named = types(frame)
    foreign = _foreign([dtype for _, dtype in named])
    return Changes([name for _, name in levels], len(levels) == frame.index.nlevels,
                   {named[place][0]: dtype.name for place, dtype in foreign.items()})  # fmt: skip


def _level_type(index: Any, level: int) -> Any:
    return index.levels[level].dtype if index.nlevels > 1 else index.dtype


def _levels(frame: Any, columns: list[Hashable]) -> list[tuple[int, Hashable]]:
    """The index levels that a name tells from each other and from the columns: number and name."""
    if is_spark(frame):
        return []
    names = list(frame.index.names)
    return [(level, name) for level, name in enumerate(names)
            if name is not None and not label(name, columns) and names.count(name) == 1]  # fmt: skip


def _foreign(dtypes: list[Any]) -> dict[int, np.dtype]:
    """The columns that pandas cannot join as they are: by place, the type that they can be joined in. Numbers may lie
    in the other byte order, as FITS files have them, and raw bytes in a type of numpy's alone."""
    return {place: np.dtype(object) if dtype.kind == "V" else dtype.newbyteorder("=")
            for place, dtype in enumerate(dtypes)
            if isinstance(dtype, np.dtype) and not (dtype.isnative and dtype.kind != "V")}  # fmt: skip
