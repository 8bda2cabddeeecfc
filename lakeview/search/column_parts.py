"""The values of a joined column, one a key, put into parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from lakeview.estimate.association import parts_of_categories, parts_of_numbers

if TYPE_CHECKING:
    import pandas as pd

_SAMPLE = 100  # values that say whether a text is a time
_DAY = re.compile(r"\d{4}-\d\d-\d\d\b")


@dataclass(frozen=True)
class Parted:
    """codes: int64[keys], the part of each key, -1 where it has no value. bounds: the least and the greatest value of
    each part, of a category it twice, None for all others. distinct: how many values there are."""

    codes: np.ndarray
    bounds: Sequence[tuple[Any, Any]]
    distinct: int


def parted(column: pd.Series, used: np.ndarray) -> Parted | None:
    """A column in parts; None where it has values that cannot be told apart, such as lists.

    used: bool[keys]; the others are in no part.
    """
    numbers = _numbers(column)
    if numbers is not None:
        return _ordered(*numbers, used)
    try:
        codes, found = column.factorize()
    except TypeError:
        return None
    part, own = parts_of_categories(codes, used)
    bounds = [(value := _plain(found[code]), value) for code in own] + [(None, None)]
    return Parted(part, bounds[: int(part.max(initial=-1)) + 1], len(np.unique(codes[used & (codes >= 0)])))


def _ordered(numbers: np.ndarray, values: Any, used: np.ndarray) -> Parted:
    part = parts_of_numbers(numbers, used)
    bounds = []
    for i in range(int(part.max(initial=-1)) + 1):
        inside = np.flatnonzero(part == i)
        ends = inside[numbers[inside].argmin()], inside[numbers[inside].argmax()]
        bounds.append((_plain(values.iloc[ends[0]]), _plain(values.iloc[ends[1]])))
    known = numbers[~np.isnan(numbers) & used]
    return Parted(part, bounds, len(np.unique(known)))


def _numbers(column: pd.Series) -> tuple[np.ndarray, pd.Series] | None:
    """A column of numbers or times as float64, NaN where there is none, and its values; None where it is neither."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(column.cat.categories.dtype)
    if pd.api.types.is_bool_dtype(column.dtype):
        return None
    if pd.api.types.is_numeric_dtype(column.dtype):
        if pd.api.types.is_complex_dtype(column.dtype):
            return None
        numbers = column.to_numpy(float, na_value=np.nan)
        return np.where(np.isfinite(numbers), numbers, np.nan), column
    if column.dtype == object or pd.api.types.is_string_dtype(column.dtype):
        column = _of_objects(column)
        if pd.api.types.is_float_dtype(column.dtype):
            return column.to_numpy(float), column
    if column.dtype.kind not in "mM" and not isinstance(column.dtype, pd.DatetimeTZDtype):
        return None
    numbers = column.astype("int64").to_numpy().astype(float)
    numbers[column.isna().to_numpy()] = np.nan
    return numbers, column


def _of_objects(column: pd.Series) -> pd.Series:
    """Decimals and dates among objects, and times that are written as text; else the column as it is."""
    import datetime

    import pandas as pd

    known = column.dropna()
    some = known.iloc[:_SAMPLE].tolist()
    if not some:
        return column
    if all(isinstance(value, Decimal) for value in some):
        return pd.to_numeric(column, errors="coerce").astype(float)
    are_texts = all(isinstance(value, str) and _DAY.match(value) for value in some)
    if are_texts or all(isinstance(value, datetime.date) for value in some):
        times = pd.to_datetime(column, errors="coerce", utc=True, format="ISO8601" if are_texts else None)
        return times if times.notna().sum() == len(known) else column
    return column


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
