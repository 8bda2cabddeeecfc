"""The simplest way that a dialect has to make the keys of a join.

Every choice is checked against the canonical rule: each distinct left value must meet exactly the right values that it
meets by the rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import pyarrow as pa

from lakeview import values
from lakeview.errors import InputError
from lakeview.join.export.needed import Codes, KeyValues, codes, differs, needed_steps

NAMES = {
    "text": "way to print values",
    "nfkc": "Unicode normalisation (NFKC)",
    "zero_width": "step that drops zero-width characters",
    "blanks": "folding of blanks",
    "case": "lower case for some letters",
    "numbers": "one form for every number",
    "times": "one form for every time",
}


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
        hard = next((step for step in ("times", "case", "text", "nfkc", "blanks", "numbers") if step in taken), "text")
        raise _refusal(
            left, right, truth, dialect, hard, left, [_made(left, chosen[0], dialect), _made(right, chosen[1], dialect)]
        )
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
            truth: Codes, dialect: Dialect[V],
            ) -> tuple[KeyCode[V], KeyCode[V]] | None:  # fmt: skip
    """The keys' code with the null marks that it has to take out, or None where the wrong values would meet."""
    made = [_made(left, of_left, dialect), _made(right, of_right, dialect)]
    if made[0] is None or made[1] is None:
        return None
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


def _made(side: KeyValues, variants: list[V], dialect: Dialect[V]) -> Any:
    """The keys that the variants make; None where one of them breaks on some value."""
    keys = dialect.raw(side)
    try:
        for variant in variants:
            keys = variant.apply(keys)
        made = dialect.keys(keys)
        if isinstance(made, list):
            set(made)  # raises where a value is none that could be looked up, as a list is
    except Exception:
        return None
    return made


def _item(keys: Any, place: int) -> Any:
    item = keys[place]
    return item.as_py() if isinstance(item, pa.Scalar) else item


def _refusal(left: KeyValues, right: KeyValues, truth: Codes, dialect: Dialect[V], step: str, side: KeyValues,
             made: Sequence[Any] = (None,)) -> InputError:  # fmt: skip
    """The error that says what the dialect lacks and how many rows of the left side it concerns.

    made: the keys that the dialect makes nevertheless, where it makes any.
    """
    concerned = truth[0] >= 0
    if all(keys is not None for keys in made):
        concerned = differs(*zip(truth, codes(*made), strict=True))
    elif step != "text":
        steps = {"text", *values.STEPS_OF[left.normalize]} - {step}
        concerned = differs(
            *zip(truth, codes(*(values.canonical(s.column, steps=steps) for s in (left, right))), strict=True)
        )
    rows = int(left.rows[concerned].sum()) or int(left.rows.sum())
    way_out = "use to_pandas()" if dialect.name == "pandas" else "the pandas code has it"
    return InputError(
        f"{dialect.name} has no {NAMES[step]} as the key {side.name} needs it: this concerns "
        f"{rows:,} {'row' if rows == 1 else 'rows'} of the left side; {way_out}"
    )
