"""The canonical steps as Spark writes them, in SQL and in the DataFrame API, and what each does to a value.

No JVM runs to find out: every step is told in Python. Where Python and Spark may disagree (letters that this Python
does not know), the step is refused rather than guessed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from typing import Any

import pyarrow as pa

from lakeview import values
from lakeview.join.export.needed import KeyValues
from lakeview.join.naming import literal, sql_string
from lakeview.values import times

Key = Any
NFKC = 'nfkc = F.udf(lambda text: text and unicodedata.normalize("NFKC", text))'
"""The line that a PySpark key with `nfkc(…)` needs."""


@dataclass(frozen=True)
class Function:
    """A function of one column; `{}` stands for what it is applied to."""

    sql: str
    pyspark: str
    change: Callable[[Key], Key]

    def apply(self, keys: list[Key]) -> list[Key]:
        return [None if key is None else self.change(key) for key in keys]


@dataclass(frozen=True)
class Dialect:
    """Spark, as "PySpark" or "Spark SQL"; the second has no function for NFKC."""

    name: str

    def native(self, left: KeyValues, right: KeyValues) -> bool:
        """Spark compares text with text, numbers with numbers, times with times; NaN would equal NaN."""
        if left.family in ("integer", "float") and right.family in ("integer", "float"):
            return not (left.family == right.family == "float" and left.missing and right.missing)
        same = left.family == right.family
        return same and left.family in ("text", "boolean", "date", "timestamp", "zoned")

    def raw(self, side: KeyValues) -> list[Key]:
        if side.family in ("integer", "float"):
            return side.column.to_pylist()
        return values.text(side.column).to_pylist()

    def keys(self, made: list[Key]) -> pa.Array | list[Key]:
        if all(key is None or isinstance(key, str) for key in made):
            return pa.array(made, pa.large_string())
        return made

    def variants(self, step: str, side: KeyValues) -> Sequence[Function]:
        if step == "text":
            return _text(side)
        return [] if step == "nfkc" and self.name == "Spark SQL" else _STEPS[step]


def _replace(pattern: str, replacement: str) -> Function:
    """regexp_replace; the pattern means the same in Java and, but for the end of the text, in Python."""
    compiled = re.compile(pattern.replace(r"\z", r"\Z"))
    python = re.sub(r"\$(\d)", r"\\\1", replacement)
    raw = f'r"{pattern}"' if "\\" in pattern else literal(pattern)
    return Function(
        f"regexp_replace({{}}, {sql_string(pattern)}, {sql_string(replacement)})",
        f"F.regexp_replace({{}}, {raw}, {literal(replacement)})",
        lambda text: compiled.sub(python, text),
    )


def _then(*functions: Function) -> Function:
    sql, pyspark = "{}", "{}"
    for function in functions:
        sql, pyspark = function.sql.replace("{}", sql), function.pyspark.replace("{}", pyspark)

    def change(key: Key) -> Key:
        for function in functions:
            key = function.change(key)
        return key

    return Function(sql, pyspark, change)


def _lower(text: str) -> str:
    if any(unicodedata.category(letter) == "Cn" for letter in text):
        raise ValueError("letters of a later Unicode")
    return text.lower()


_TRIM = Function("trim({})", "F.trim({})", lambda text: text.strip(" "))
_CASE = Function("lower({})", "F.lower({})", _lower)
_NFKC = Function("", "nfkc({})", lambda text: unicodedata.normalize("NFKC", text))
_NUMBER = _replace(r"^(?:[+]|(-))?(0|[1-9][0-9]*)(?:([.][0-9]*[1-9])0*|[.]0*)?\z", "$1$2$3")

_STEPS: dict[str, list[Function]] = {
    "nfkc": [_NFKC],
    "zero_width": [_replace(ascii(values.ZERO_WIDTH)[1:-1], "")],
    "blanks": [
        _TRIM,
        _then(_replace(r"[ \t-\r]+", " "), _TRIM),
        _then(_replace(ascii(values.BLANKS)[1:-1], " "), _TRIM),
    ],
    "case": [_CASE],
    "numbers": [_replace(r"[.]0+\z", ""), _NUMBER, _then(_NUMBER, _replace(r"^-0\z", "0"))],
    "times": [
        _replace("T", " "),
        _replace(r" 00:00:00\z", ""),
        *(
            _then(*(_replace(rf"{pattern}\z", by) for pattern, by in some))
            for number in (1, 2, len(times.WRITTEN))
            for some in combinations(times.WRITTEN, number)
        ),
    ],
}

_PLAIN = Function("CAST({} AS STRING)", '{}.cast("string")', str)
_WHOLE = Function(
    "CAST(try_cast({} AS BIGINT) AS STRING)", '{}.try_cast("bigint").cast("string")', lambda x: str(int(x))
)
_DATE = Function("CAST(CAST({} AS DATE) AS STRING)", '{}.cast("date").cast("string")', lambda text: text[:10])


def _moment(text: str) -> str:
    if len(text) > len("2024-03-01 12:30:00.123456"):
        raise ValueError("Spark has no nanoseconds")
    return text if " " in text else f"{text} 00:00:00"


def _text(side: KeyValues) -> list[Function]:
    """How typed values print as the canonical rule prints them; none where Spark has no such type."""
    if side.family in ("integer", "date", "decimal", "text", "boolean"):
        return [_PLAIN]
    if side.family == "float":
        numbers = [Decimal(text) for text in values.text(side.column).to_pylist() if text]
        places = max((-int(number.as_tuple().exponent) for number in numbers if number.is_finite()), default=0)
        digits = max((len(str(abs(int(number)))) for number in numbers if number.is_finite()), default=1)
        if not 0 < places <= 38 - digits:
            return [_WHOLE]
        return [_then(_fixed(places), _replace(r"[.]?0+\z", ""))]
    if side.family == "timestamp":
        stamp = Function(_PLAIN.sql, _PLAIN.pyspark, _moment)
        return [_DATE, stamp, _then(stamp, _replace(r" 00:00:00\z", ""))]
    return []


def _fixed(places: int) -> Function:
    """A double with as many digits as the longest of the column has, whatever Java would print."""
    step = Decimal(1).scaleb(-places)
    return Function(
        f"CAST(try_cast({{}} AS DECIMAL(38, {places})) AS STRING)",
        f'{{}}.try_cast("decimal(38, {places})").cast("string")',
        lambda x: format(Decimal(repr(x)).quantize(step), "f"),
    )
