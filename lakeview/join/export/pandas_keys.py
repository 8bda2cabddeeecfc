"""The canonical steps as pandas writes them. What a step does is found out by running it on the distinct values."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from lakeview import values
from lakeview.join.export.needed import KeyValues
from lakeview.values import times

if TYPE_CHECKING:
    import pandas as pd

name = "pandas"


@dataclass(frozen=True)
class Chain:
    """A piece of code that follows a Series: `.str.lower()`."""

    code: str

    def apply(self, keys: pd.Series) -> pd.Series:
        import numpy as np
        import pandas as pd

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # The text is one of those below, never an analyst's: what is exported is what is tried here.
            return eval(f"key{self.code}", {"key": keys, "np": np, "pd": pd})


_DAY, _SECOND = "%Y-%m-%d", "%Y-%m-%d %H:%M:%S"
_FRACTION = rf'.dt.strftime("{_SECOND}.%f").str.replace(r"\.?0+$", "", regex=True)'
_MIDNIGHT = '.str.replace(" 00:00:00", "")'

_TEXT = {
    "integer": ['.astype("string")'],
    # 5.0 prints "5.0", which the step for numbers then shortens; the last one has every digit and no exponent.
    "float": ['.astype("Int64").astype("string")', '.astype("string")',
              '.map(lambda x: np.format_float_positional(x + 0, trim="-"), na_action="ignore")'],
    "boolean": ['.astype("string").str.lower()'],
    "date": ['.astype("string")'],
    "timestamp": [f'.dt.strftime("{_DAY}")', f'.dt.strftime("{_SECOND}")',
                  f'.dt.strftime("{_SECOND}"){_MIDNIGHT}', f"{_FRACTION}{_MIDNIGHT}"],
    "zoned": [f'.dt.tz_convert("UTC").dt.strftime("{_SECOND}Z")', f'.dt.tz_convert("UTC"){_FRACTION}.add("Z")'],
    "decimal": ['.astype("string")', '.map("{:f}".format, na_action="ignore")'],
    "other": ['.astype("string")'],
    "text": ['.astype("string")'],
}  # fmt: skip

_NUMBER = r'.str.replace(r"^(?:\+|(-))?(0|[1-9][0-9]*)(?:(\.[0-9]*[1-9])0*|\.0*)?$", r"\1\2\3", regex=True)'


def _replaced(*pairs: tuple[str, str]) -> str:
    """Regular expressions of `values.times`, as pandas has them."""
    in_python = [(pattern, by.replace("$", "\\")) for pattern, by in pairs]
    return "".join(f'.str.replace(r"{pattern}$", r"{by}", regex=True)' for pattern, by in in_python)


# Where pandas has to put times in UTC. It takes them in the form that the expressions before it make.
_TO_UTC = (f'.pipe(lambda key: pd.to_datetime(key.where(key.str.fullmatch(r"{times.OFFSET}")), format="ISO8601", '
           f'utc=True).dt.strftime("{_SECOND}.%fZ").fillna(key))')  # fmt: skip

_STEPS = {
    "nfkc": ['.str.normalize("NFKC")'],
    "zero_width": [rf'.str.replace(r"{ascii(values.ZERO_WIDTH)[1:-1]}", "", regex=True)'],
    "blanks": [".str.strip()", '.str.split().str.join(" ")',
               rf'.str.replace(r"{ascii(values.BLANKS)[1:-1]}", " ", regex=True).str.strip(" ")'],
    # Python's lower() knows the final sigma and the dotted İ, Arrow's does not: only Arrow's equals the rule's.
    "case": [".str.lower()", '.astype("string[pyarrow]").str.lower()'],
    "numbers": [r'.str.replace(r"\.0+$", "", regex=True)', _NUMBER,
                _NUMBER + r'.str.replace(r"^-0$", "0", regex=True)'],
    "times": ['.str.replace("T", " ")', f'{_MIDNIGHT}', f'.str.replace("T", " "){_MIDNIGHT}',
              '.str.replace("+00:00", "Z")', '.str.replace("T", " ").str.replace("+00:00", "Z")',
              *(_replaced(*some) for number in (1, 2, len(times.WRITTEN))
                for some in combinations(times.WRITTEN, number)),
              _replaced(*times.SPELLED) + _TO_UTC + _replaced(*times.IN_UTC)],
}  # fmt: skip


def native(left: KeyValues, right: KeyValues) -> bool:
    """merge() compares text with text, numbers with numbers and dates with dates."""
    if left.family in ("integer", "float") and right.family in ("integer", "float"):
        return True
    same = left.family == right.family
    return same and left.family in ("text", "boolean", "date", "timestamp", "zoned")


def raw(side: KeyValues) -> pd.Series:
    return side.series


def keys(made: pd.Series) -> Any:
    """Text as Arrow, anything else as Python objects, whose equality is that of a merge."""
    import pandas as pd

    if isinstance(made.dtype, pd.CategoricalDtype):
        made = made.astype(object)
    if pd.api.types.infer_dtype(made, skipna=True) in ("string", "empty"):
        return values.as_arrow(made.astype(object))
    return [None if missing else value for value, missing in zip(made.tolist(), made.isna(), strict=True)]


def variants(step: str, side: KeyValues) -> Sequence[Chain]:
    found = _TEXT[side.family] if step == "text" else _STEPS[step]
    dtype = side.series.dtype
    # Arrow's regular expressions know no \u escapes, categories no conversion of their own.
    in_arrow = getattr(dtype, "storage", None) == "pyarrow" or "pyarrow" in str(dtype)
    if (in_arrow and step in ("zero_width", "blanks")) or (step == "text" and str(dtype) == "category"):
        found = [f".astype(object){code}" for code in found]
    return [Chain(code) for code in found]
