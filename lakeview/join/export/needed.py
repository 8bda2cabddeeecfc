"""Which canonical steps change a join, judged on the distinct values of both keys: exported code carries no more."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lakeview import values

if TYPE_CHECKING:
    import pandas as pd

Codes = tuple[np.ndarray, np.ndarray]
"""Keys as numbers, int64: equal where they are equal, -1 where there is none."""

# The least readable goes first where there is a choice.
_ORDER = ("nfkc", "zero_width", "times", "numbers", "blanks", "case")


@dataclass(frozen=True)
class KeyValues:
    """The distinct values of a key column: a pandas Series, the rows that each has, and how many rows have none."""

    name: str
    series: pd.Series
    rows: np.ndarray
    missing: int
    normalize: values.Normalize

    @cached_property
    def column(self) -> pa.Array | pa.ChunkedArray:
        return values.as_arrow(self.series)

    @cached_property
    def canonical(self) -> pa.Array:
        return values.canonical(self.column, self.normalize)

    @cached_property
    def family(self) -> str:
        return family_of(self.series)


_FAMILIES: dict[str, Callable[[pa.DataType], bool]] = {
    "integer": pa.types.is_integer,
    "float": pa.types.is_floating,
    "boolean": pa.types.is_boolean,
    "date": pa.types.is_date,
    "decimal": pa.types.is_decimal,
    "text": pa.types.is_string,
}


def family_of(series: pd.Series) -> str:
    """What kind of values a column has: "text", "integer", "float", "boolean", "date", "timestamp", "zoned", "decimal"
    or "other"."""
    import pandas as pd

    if isinstance(series.dtype, pd.CategoricalDtype):
        series = series.astype(object)
    if _inferred(series) in ("string", "empty"):
        return "text"
    if series.dtype == object and len({type(value) for value in series[_known(series)]}) > 1:
        return "other"
    kind = values.as_arrow(series).type
    if pa.types.is_timestamp(kind):
        return "zoned" if kind.tz else "timestamp"
    found = next((name for name, holds in _FAMILIES.items() if holds(kind)), "other")
    # What is no text to pandas and has no Arrow type was printed: periods, intervals, UUIDs.
    return "other" if found == "text" and not isinstance(series.dtype, pd.ArrowDtype) else found


def _inferred(series: pd.Series) -> str:
    """What pandas takes values for; "mixed" also where it cannot tell, as of a signalling NaN."""
    import pandas as pd

    try:
        return str(pd.api.types.infer_dtype(series, skipna=True))
    except Exception:
        return "mixed"


def _known(series: pd.Series) -> np.ndarray:
    """Which values are there, bool[n]; as lakeview reads them where pandas cannot tell, as of a signalling NaN."""
    try:
        return series.notna().to_numpy()
    except Exception:
        return np.asarray(values.as_arrow(series).is_valid())


def share_a_column(left: str, right: str) -> bool:
    """Whether values of two families can stand in one column as they are."""
    return left == right or {left, right} == {"integer", "float"}


def key_values(series: pd.Series, name: str, normalize: values.Normalize) -> KeyValues:
    """The distinct values of a column. Objects of mixed types stay one by one: True equals 1, yet prints otherwise."""
    import pandas as pd

    series = series.reset_index(drop=True)
    present = series[_known(series)]
    missing = len(series) - len(present)
    if series.dtype == object and _inferred(present) not in ("string", "empty"):
        return KeyValues(name, present, np.ones(len(present), np.int64), missing, normalize)
    try:
        codes, _ = pd.factorize(present)
        first = ~present.duplicated()
    except Exception:  # values that pandas cannot tell apart: lists, structs, bytes of a type of their own
        return KeyValues(name, present, np.ones(len(present), np.int64), missing, normalize)
    return KeyValues(name, present[first.to_numpy()].reset_index(drop=True), np.bincount(codes), missing, normalize)


def codes(left: Any, right: Any) -> Codes:
    """Keys of both sides as numbers, equal where they are equal, -1 where there is none."""
    left, right = _plain(left, right), _plain(right, left)
    if isinstance(left, pa.Array | pa.ChunkedArray):
        both = pa.chunked_array([_large(left), _large(right)]).combine_chunks().dictionary_encode()
        numbers = both.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    else:
        known: dict[Hashable, int] = {}
        both = [*left, *right]
        numbers = np.array([-1 if key is None else known.setdefault(key, len(known)) for key in both], np.int64)
    return numbers[: len(left)], numbers[len(left) :]


def _plain(keys: Any, others: Any) -> Any:
    """Text beside Python objects as Python objects."""
    return keys.to_pylist() if isinstance(others, list) and not isinstance(keys, list) else keys


def _large(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    return array.cast(pa.large_string())


def differs(left: Codes, right: Codes) -> np.ndarray:
    """Of each left value, whether two ways to make keys (as codes) let it meet different right values."""
    width = max((int(numbers.max(initial=-1)) for pair in (left, right) for numbers in pair), default=-1) + 2
    by_both = [np.where((a >= 0) & (b >= 0), a * width + b, -1) for a, b in (left, right)]
    meets = [_meets(a, b) for a, b in (*zip(left, right, strict=True), by_both)]
    return (meets[0] != meets[2]) | (meets[1] != meets[2])


def _meets(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """How many right values each left value meets."""
    keys, sizes = np.unique(right[right >= 0], return_counts=True)
    if len(keys) == 0:
        return np.zeros(len(left), np.int64)
    place = np.minimum(np.searchsorted(keys, left), len(keys) - 1)
    return np.where((left >= 0) & (keys[place] == left), sizes[place], 0)


@dataclass
class Needed:
    """The steps, in the rule's order, that each key needs beyond being printed as text."""

    left: tuple[str, ...]
    right: tuple[str, ...]


def needed_steps(left: KeyValues, right: KeyValues) -> Needed:
    """The fewest steps that a greedy elimination finds. Without null marks: the code lists those it meets."""
    steps = [step for step in values.STEPS_OF[left.normalize] if step not in ("text", "null_marks")]
    truth = codes(left.canonical, right.canonical)
    made: dict[tuple[int, frozenset[str]], pa.Array] = {}

    def keys(side: int, chosen: frozenset[str]) -> pa.Array:
        if (side, chosen) not in made:
            made[side, chosen] = values.canonical((left, right)[side].column, steps={"text", *chosen})
        return made[side, chosen]

    def holds(of_left: frozenset[str], of_right: frozenset[str]) -> bool:
        found = codes(keys(0, of_left), keys(1, of_right))
        masked = [np.where(true < 0, -1, numbers) for true, numbers in zip(truth, found, strict=True)]
        return not differs((truth[0], masked[0]), (truth[1], masked[1])).any()

    none: frozenset[str] = frozenset()
    if holds(none, none):
        return Needed((), ())
    now = (frozenset(steps), frozenset(steps))
    for step in (step for step in _ORDER if step in steps):
        without = {step}
        for trial in ((now[0] - without, now[1] - without), (now[0] - without, now[1]), (now[0], now[1] - without)):
            if trial != now and holds(*trial):
                now = trial
                break
    ordered = [tuple(step for step in values.STEPS if step in chosen) for chosen in now]
    return Needed(*ordered)
