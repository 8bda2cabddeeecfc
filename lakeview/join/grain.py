"""One row for each left row: how the right side of a join is brought to one row a key before it is joined, as data.

Either one of a key's rows stays (the first, the last, the latest), or the rows become values: sums, counts, lists. The
names of what is made say what was done: `amount_sum`, `day_max`, `city_distinct`.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from lakeview import values
from lakeview.catalog.model import TYPED
from lakeview.errors import InputError
from lakeview.guards import checks
from lakeview.join.naming import free, word
from lakeview.join.side import Side

Kind = Literal["number", "decimal", "time", "flag", "text", "other"]
PICKS = ("first", "last", "latest")
MANY = ("all", *PICKS, "aggregate", "list")
HOWS = ("sum", "mean", "min", "max", "count", "distinct", "first", "last", "list")
"""What the values of a key become. sum: 0 where there are none. count: of values that are there; distinct: of different
ones; first, last: of those that are there, in the order of the rows; list: all, gaps too."""

_BEARS: dict[str, tuple[Kind, ...]] = {
    "sum": ("number", "decimal"), "mean": ("number",), "min": ("number", "decimal", "time", "flag", "text"),
    "max": ("number", "decimal", "time", "flag", "text"), "distinct": ("number", "decimal", "time", "flag", "text"),
}  # fmt: skip
_DEFAULT: dict[Kind, tuple[str, ...]] = {
    "number": ("sum",), "decimal": ("sum",), "time": ("min", "max"), "flag": ("max",), "text": ("distinct",),
    "other": ("count",),
}  # fmt: skip
# Numbers that are no amounts: they name something, stand on a scale, or are a share of something.
_NAMES = ("id key code no nr num number sk fk pk zip postcode postal phone isbn ean rownames version "
          "month day weekday week quarter hour minute")  # fmt: skip
_SCALES = ("rate ratio percent percentage pct share avg average mean median price score rating age temperature temp "
           "lat latitude lon lng longitude speed height density grade gpa probability margin factor index level "
           "rank")  # fmt: skip
_YEARS = frozenset(("year", "yr"))
_CHANGED = frozenset(("updated", "modified", "changed", "latest", "effective"))
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_TIME = r"^\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?Z?)?$"


@dataclass(frozen=True)
class Made:
    """A column that is made of the right side: of `column` by one of HOWS, or how many rows there are ("rows")."""

    column: Hashable
    how: str
    name: str


@dataclass(frozen=True)
class Grain:
    """How the right side is brought to one row a key.

    many  "first", "last", "latest", "aggregate", "list", or "columns": by `hows`
    when  the column that says which row is the latest
    hows  pairs (column, one of HOWS)
    """

    many: str
    when: Hashable = None
    hows: tuple[tuple[Hashable, str], ...] = ()

    @property
    def picks(self) -> bool:
        """Whether one of a key's rows stays as it is."""
        return self.many in PICKS

    @property
    def said(self) -> str:
        """In words."""
        if self.many == "latest":
            return f"the latest row of each key, by {self.when}"
        said = {"first": "the first row of each key", "last": "the last row of each key", "list": "lists of each key"}
        return said.get(self.many, "the rows of each key aggregated")


def grain_of(many: Any, when: Hashable, right: Side, on: Sequence[Hashable]) -> Grain | None:
    """What was asked for; None for "all".

    Raises InputError for what is none of MANY and no dict of columns, where no column says when or several do, and for
    values that do not bear what is asked; NotFound for a column that is not there.
    """
    if isinstance(many, Mapping):
        if when is not None:
            raise InputError('when= goes with many="latest"')
        if not many:
            raise InputError('many is a dict of columns and what they become, such as {"amount": "sum"}, not {}')
        hows = tuple((right.check(column), checks.choice(f"what {checks.said(column)} becomes", how, *HOWS))
                     for column, how in many.items())  # fmt: skip
        held = kinds(right, on)
        for column, how in hows:
            if held[column] not in _BEARS.get(how, (held[column],)):
                raise InputError(f'{right.name}.{column} has values of the kind "{held[column]}", which have no {how}')
        return Grain("columns", None, hows)
    many = checks.choice("many", many, *MANY)
    if many != "latest":
        if when is not None:
            raise InputError('when= goes with many="latest"')
        return None if many == "all" else Grain(many)
    column = _says_when(right, on) if when is None else right.check(when)
    require_sorts(right, column, on)
    return Grain("latest", column)


def _says_when(right: Side, on: Sequence[Hashable]) -> Hashable:
    """The only column of times, or of several the only one that is called a change."""
    times = [column for column, kind in kinds(right, on).items() if kind == "time" and column not in on]
    if not times:
        raise InputError(f'{right.name} has no column of times: say which is the latest row, as in when="column"')
    changes = [column for column in times if _CHANGED & set(_words(column))]
    if len(times) > 1 and len(changes) != 1:
        listed = ", ".join(map(str, times[:8]))
        raise InputError(f'{right.name} has several columns of times: {listed}; say which, as in when="{times[0]}"')
    return (changes if len(times) > 1 else times)[0]


def made_of(grain: Grain, right: Side, on: Sequence[Hashable], taken: Sequence[Hashable]) -> tuple[Made, ...]:
    """The columns that are made of the right side; () where one of its rows stays. taken: the names of the left."""
    if grain.picks:
        return ()
    hows: list[tuple[Hashable, str]] = list(grain.hows)
    suffix, made = word(right.stem) or "right", []
    used = {str(name).lower() for name in taken}
    if grain.many == "aggregate":
        hows = [(column, how) for column, kind in kinds(right, on).items() if column not in on
                for how in _by_default(column, kind)]  # fmt: skip
        hows.insert(0, (None, "rows"))
    elif grain.many == "list":
        hows = [(column, "list") for column in right.columns if column not in on]
    for column, how in hows:
        name = f"{suffix}_rows" if how == "rows" else f"{column}_{how}"
        if name.lower() in used:
            name = free(f"{name}_{suffix}", used, fold=True)
        used.add(name.lower())
        made.append(Made(column, how, name))
    return tuple(made)


def _by_default(column: Hashable, kind: Kind) -> tuple[str, ...]:
    found = set(_words(column))
    if kind in ("number", "decimal"):
        if _YEARS & found:
            return ("min", "max")
        if found & set(_NAMES.split()):
            return ("distinct",)
        if found & set(_SCALES.split()):
            return ("mean",) if kind == "number" else ("max",)
    return _DEFAULT[kind]


def _words(column: Hashable) -> list[str]:
    return [found.lower() for found in _WORD.findall(str(column))]


def kinds(side: Side, on: Sequence[Hashable]) -> dict[Hashable, Kind]:
    """What kind of values each column has, in the types that it has in a join by `on`."""
    if side.kind == "spark":
        return {column: _of_spark(kind) for column, (_, kind) in zip(side.columns, side.numbered.dtypes, strict=True)}
    if side.kind == "pandas":
        return {column: _of_arrow(side.key(column)) for column in side.columns}
    table = side.lake_table
    if side.table.kind in TYPED:
        return {name: _of_type(table.head.schema.field(name).type) for name in table.columns}
    numbers = table.numbers(tuple(on))
    profiled: dict[str, Kind] = {"date": "time", "timestamp": "time", "boolean": "flag"}
    return {name: "number" if name in numbers else profiled.get(table.types.get(name, ""), "text")
            for name in table.columns}  # fmt: skip


def _of_arrow(column: pa.Array | pa.ChunkedArray) -> Kind:
    kind = _of_type(column.type)
    return "time" if kind == "text" and len(column) > column.null_count and _are_times(column) else kind


def _are_times(texts: pa.Array | pa.ChunkedArray) -> bool:
    """Whether all are ISO times, which sort as text."""
    for some in (texts[:100], texts):
        if not pc.all(pc.match_substring_regex(some, _TIME), min_count=0).as_py():
            return False
    written = [pc.any(pc.match_substring(texts, mark)).as_py() for mark in ("T", " ")]
    zoned = pc.ends_with(texts.drop_null(), "Z")
    return not all(written) and (not pc.any(zoned).as_py() or bool(pc.all(zoned).as_py()))


def _of_type(kind: pa.DataType) -> Kind:
    if pa.types.is_dictionary(kind):
        return _of_type(kind.value_type)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return "number"
    if pa.types.is_decimal(kind):
        return "decimal"
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return "time"
    if pa.types.is_boolean(kind):
        return "flag"
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    return "text" if is_text or pa.types.is_null(kind) else "other"


def _of_spark(kind: str) -> Kind:
    if kind in ("tinyint", "smallint", "int", "bigint", "float", "double"):
        return "number"
    if kind.startswith("decimal"):
        return "decimal"
    if kind in ("date", "timestamp", "timestamp_ntz"):
        return "time"
    known: dict[str, Kind] = {"boolean": "flag", "string": "text"}
    return known.get(kind, "other")


def require_sorts(side: Side, column: Hashable, on: Sequence[Hashable]) -> None:
    """Raise InputError unless the order of a column's values is that of time: times, numbers, ISO times as text."""
    kind = kinds(side, on)[column]
    if kind in ("number", "decimal") or (kind == "time" and side.kind != "lake"):
        return
    texts = None if side.kind == "spark" else side.key(column)
    if texts is not None and (_of_type(texts.type) != "text" or _are_times(values.as_arrow(texts))):
        return
    raise InputError(f"{side.name}.{column} does not sort by time as it is written: make times of it first, "
                     "as pd.to_datetime or to_timestamp do")  # fmt: skip
