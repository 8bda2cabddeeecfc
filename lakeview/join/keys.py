"""Which canonical steps change a join, judged on the distinct values of both keys.

Exported code carries no more than these. Every choice is checked against the canonical rule: each distinct left value
must meet exactly the right values that it meets by the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np
import pyarrow as pa

from lakeview import values
from lakeview.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

# The least readable goes first where there is a choice.
_ORDER = ("nfkc", "zero_width", "numbers", "blanks", "case")

NAMES = {
    "text": "way to print values",
    "nfkc": "Unicode normalisation (NFKC)",
    "zero_width": "step that drops zero-width characters",
    "blanks": "folding of blanks",
    "case": "lower case for some letters",
    "numbers": "one form for every number",
}


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
        """What kind of values these are: "text", "integer", "float", "boolean", "date", "timestamp", "zoned",
        "decimal" or "other"."""
        import pandas as pd

        series = self.series
        if isinstance(series.dtype, pd.CategoricalDtype):
            series = series.astype(object)
        if pd.api.types.infer_dtype(series, skipna=True) in ("string", "empty"):
            return "text"
        if series.dtype == object and len({type(value) for value in series}) > 1:
            return "other"
        kind = self.column.type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if pa.types.is_timestamp(kind):
            return "zoned" if kind.tz else "timestamp"
        checks: dict[str, Callable[[pa.DataType], bool]] = {
            "integer": pa.types.is_integer, "float": pa.types.is_floating, "boolean": pa.types.is_boolean,
            "date": pa.types.is_date, "decimal": pa.types.is_decimal, "text": pa.types.is_string,
        }  # fmt: skip
        return next((name for name, holds in checks.items() if holds(kind)), "other")


def key_values(series: pd.Series, name: str, normalize: values.Normalize) -> KeyValues:
    """The distinct values of a column. Objects of mixed types stay one by one: True equals 1, yet prints otherwise."""
    import pandas as pd

    series = series.reset_index(drop=True)
    present = series[series.notna()]
    missing = len(series) - len(present)
    if series.dtype == object and pd.api.types.infer_dtype(present) not in ("string", "empty"):
        return KeyValues(name, present, np.ones(len(present), np.int64), missing, normalize)
    codes, _ = pd.factorize(present)
    first = ~present.duplicated()
    return KeyValues(name, present[first.to_numpy()].reset_index(drop=True), np.bincount(codes), missing, normalize)


def codes(left: Any, right: Any) -> tuple[np.ndarray, np.ndarray]:
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


def differs(left: tuple[np.ndarray, np.ndarray], right: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
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


class Variant(Protocol):
    """One way to write a step in a dialect; `apply` does to keys what the code will do."""

    def apply(self, keys: Any) -> Any: ...


V = TypeVar("V", bound=Variant)
V_co = TypeVar("V_co", bound=Variant, covariant=True)


class Dialect(Protocol[V_co]):
    """A language of exported code."""

    @property
    def name(self) -> str: ...

    def native(self, left: KeyValues, right: KeyValues) -> bool:
        """Whether the columns can be compared as they are, without printing either."""

    def raw(self, side: KeyValues) -> Any:
        """The values as `Variant.apply` takes them."""

    def keys(self, made: Any) -> Any:
        """What `apply` made, for `codes`: an Arrow array or a list, None where there is no key."""

    def variants(self, step: str, side: KeyValues) -> Sequence[V_co]:
        """Ways to write a step, the simplest first, the exact one last; empty where the dialect lacks the step."""


@dataclass
class KeyCode(Generic[V]):
    """How a dialect makes one side's keys: the variants in order, and the null marks to take out at the end."""

    variants: list[V] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    unique: bool = False
    null_rows: int = 0

    @property
    def nulls(self) -> bool:
        """Whether some rows have no key."""
        return self.null_rows > 0

    @property
    def plain(self) -> bool:
        """Whether the column is its own key."""
        return not (self.variants or self.marks)


def key_code(left: KeyValues, right: KeyValues, dialect: Dialect[V]) -> tuple[KeyCode[V], KeyCode[V]]:
    """The simplest way that a dialect has to let the right values meet.

    Raises InputError, with the number of left rows it concerns, where the dialect has none.
    """
    truth = codes(left.canonical, right.canonical)
    native = dialect.native(left, right)
    if native and (found := _finish(left, right, [], [], truth, dialect)):
        return found
    needed = needed_steps(left, right)
    ways = []
    for side, steps in ((left, needed.left), (right, needed.right)):
        printed = () if side.family == "text" else ("text",)
        ways.append([(step, list(dialect.variants(step, side))) for step in (*printed, *steps)])
    for side, way in zip((left, right), ways, strict=True):
        for step, variants in way:
            if not variants:
                raise _refusal(left, right, truth, dialect, step, side)
    best = None
    # Which way to print the values is the exact one depends on them: all are tried, with the exact ones of the rest.
    for starts in product(*(way[0][1][::-1] if way and way[0][0] == "text" else [None] for way in ways)):
        chosen = [[start or variants[-1] if step == "text" else variants[-1] for step, variants in way]
                  for way, start in zip(ways, starts, strict=True)]  # fmt: skip
        if best := _finish(left, right, chosen[0], chosen[1], truth, dialect):
            break
    else:
        taken = {step for way in ways for step, _ in way}
        hard = next((step for step in ("case", "text", "nfkc", "blanks", "numbers") if step in taken), "text")
        raise _refusal(left, right, truth, dialect, hard, left)
    for way, now in zip(ways, chosen, strict=True):
        for place, (_, variants) in enumerate(way):
            for simpler in variants[:-1]:
                exact, now[place] = now[place], simpler
                found = _finish(left, right, chosen[0], chosen[1], truth, dialect)
                if found:
                    best = found
                    break
                now[place] = exact
    return best


def _finish(left: KeyValues, right: KeyValues, of_left: list[V], of_right: list[V],
            truth: tuple[np.ndarray, np.ndarray], dialect: Dialect[V],
            ) -> tuple[KeyCode[V], KeyCode[V]] | None:  # fmt: skip
    """The keys' code with the null marks that it has to take out, or None where the wrong values would meet."""
    made = []
    for side, variants in ((left, of_left), (right, of_right)):
        keys = dialect.raw(side)
        try:
            for variant in variants:
                keys = variant.apply(keys)
        except Exception:  # a variant that some value breaks is no way to write the step
            return None
        made.append(dialect.keys(keys))
    found = list(codes(made[0], made[1]))
    # Marks that would meet go where they are no values: on the right, unless only the left has them as marks.
    marks: list[list[str]] = [[], []]
    for here in (1, 0):
        other = found[1 - here][found[1 - here] >= 0]
        hits = np.flatnonzero((truth[here] < 0) & np.isin(found[here], other) & (found[here] >= 0))
        gone = np.unique(found[here][hits])
        texts = {str(_item(made[here], int(place))) for place in hits}
        marks[here] = sorted(texts)
        found[here] = np.where(np.isin(found[here], gone), -1, found[here])
    if differs((truth[0], found[0]), (truth[1], found[1])).any():
        return None
    out = []
    for side, variants, numbers, taken in zip((left, right), (of_left, of_right), found, marks, strict=True):
        present = numbers >= 0
        repeats = np.bincount(numbers[present], weights=side.rows[present]) if present.any() else np.zeros(1)
        nulls = side.missing + int(side.rows[~present].sum())
        out.append(KeyCode(list(variants), taken, bool(repeats.max(initial=0) <= 1), nulls))
    return out[0], out[1]


def _item(keys: Any, place: int) -> Any:
    item = keys[place]
    return item.as_py() if isinstance(item, pa.Scalar) else item


def _refusal(left: KeyValues, right: KeyValues, truth: tuple[np.ndarray, np.ndarray], dialect: Dialect, step: str,
             side: KeyValues) -> InputError:  # fmt: skip
    """The error that says what the dialect lacks and how many rows of the left side it concerns."""
    steps = set(values.STEPS_OF[left.normalize]) - {step}
    if step == "text":
        rows = int(left.rows[truth[0] >= 0].sum()) or int(left.rows.sum())
    else:
        less = [values.canonical(s.column, steps=steps | {"text"}) for s in (left, right)]
        changed = differs(*zip(truth, codes(less[0], less[1]), strict=True))
        rows = int(left.rows[changed].sum())
    way_out = "use to_pandas()" if dialect.name == "pandas" else "the pandas code has it"
    return InputError(
        f"{dialect.name} has no {NAMES[step]} as the key {side.name} needs it: this concerns "
        f"{rows:,} {'row' if rows == 1 else 'rows'} of the left side; {way_out}"
    )
