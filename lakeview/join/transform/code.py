"""A transform plan as plain code: what the dialects share.

The code makes keys from columns that are prepared by those canonical steps alone that change this join's result.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from lakeview import values
from lakeview.errors import InputError
from lakeview.join.export.draft import Names, names
from lakeview.join.export.keys import NAMES
from lakeview.join.export.needed import key_values
from lakeview.join.naming import free
from lakeview.join.side import Side
from lakeview.join.transform.assemble import derive
from lakeview.join.transform.columns import Column, Columns
from lakeview.join.transform.fuzzy_rest import Match, Rest
from lakeview.join.transform.model import TransformJoin

# The least readable goes first where there is a choice.
_ORDER = ("nfkc", "zero_width", "times", "numbers", "null_marks", "blanks", "case")


@dataclass(frozen=True)
class Prepared:
    """A column that the code reads, and how the dialect prepares it: variants of the steps, then null marks."""

    place: int
    label: Hashable
    variants: tuple[Any, ...]
    marks: tuple[str, ...]

    @property
    def plain(self) -> bool:
        return not (self.variants or self.marks)


class Ingredients:
    """What a dialect needs to write a join: prepared columns, the rest as they make it, free names."""

    def __init__(self, join: TransformJoin, dialect: Any) -> None:
        self.join, self.dialect = join, dialect
        self.names: Names = names(join)  # each dialect has its own
        self._given: set[str] = set()
        self.steps = _Steps(join)
        self.columns = {place: self._prepare(join.derived, place) for place in join.reads}
        self.key_columns = {place: self._prepare(join.keyed, place) for place in join.keyed_reads}
        self.rest = self.steps.rest

    @property
    def derived_variable(self) -> str:
        return self.names.right if self.join.reverse else self.names.left

    @property
    def keyed_variable(self) -> str:
        return self.names.left if self.join.reverse else self.names.right

    @cached_property
    def single(self) -> bool:
        """Whether one program makes all keys."""
        return len(self.join.programs) == 1 and not self.rest

    def helper(self, name: str) -> str:
        """A name for a column or variable that nothing else has; another one at each call."""
        join = self.join
        columns = (*join.left.columns, *join.right.columns, *join.columns.names)
        views = (self.names.left, self.names.right)
        found = free(name, {str(one).lower() for one in (*columns, *views, *self._given)}, fold=True)
        self._given.add(found)
        return found

    def characters(self, place: int) -> str:
        """The characters of a prepared column; of a Spark frame those of Latin letters with marks."""
        derived = self.join.derived
        if derived.kind == "spark":
            return "".join(map(chr, (*range(0xC0, 0x250), *range(0x300, 0x370), *range(0x1E00, 0x1F00))))
        column = values.canonical(derived.key(derived.columns[place]), steps={"text", *self.steps.needed})
        return "".join(sorted(set("".join(text for text in column.to_pylist() if text))))

    def _prepare(self, side: Side, place: int) -> Prepared:
        label = side.columns[place]
        if side.kind == "spark":
            return self._prepare_unseen(side, label, place)
        column = key_values(side.key_series(label), f"{side.stem}.{label}", self.join.normalize)
        made = self.dialect.raw(column)
        variants: list[Any] = []
        marks: tuple[str, ...] = ()
        done: set[str] = {"text"}
        before = values.canonical(column.column, steps=done)
        if column.family != "text":
            variant = self._variant("text", column, made, before)
            variants.append(variant)
            made = variant.apply(made)
        for step in (step for step in values.STEPS if step in self.steps.needed):
            done.add(step)
            after = values.canonical(column.column, steps=done)
            if after.equals(before):
                continue
            if step == "null_marks":
                gone = {a for a, b in zip(before.to_pylist(), after.to_pylist(), strict=True) if b is None and a}
                empty = any(a == "" for a in before.to_pylist())
                marks = tuple(sorted(gone) + [""] * empty)
            else:
                variant = self._variant(step, column, made, after, marks)
                variants.append(variant)
                made = variant.apply(made)
            before = after
        return Prepared(place, label, tuple(variants), marks)

    def _prepare_unseen(self, side: Side, label: Hashable, place: int) -> Prepared:
        """Of a Spark frame, whose values stay where they are: every step, in its exact form."""
        some = side.numbered.select(f"c{side.columns.index(label)}").limit(1_000)
        series = side.ask(some.toPandas).iloc[:, 0]
        column = key_values(series, f"{side.stem}.{label}", self.join.normalize)
        steps = ([] if column.family == "text" else ["text"]) + [s for s in values.STEPS if s in self.steps.needed]
        variants = []
        for step in steps:
            if step != "null_marks":
                ways = self.dialect.variants(step, column)
                if not ways:
                    raise InputError(f"{self.dialect.name} has no {NAMES[step]}, which the key {column.name} may need; "
                                     "the PySpark code has it")  # fmt: skip
                variants.append(ways[-1])
        return Prepared(place, label, tuple(variants), values.NULL_MARKS)

    def _variant(self, step: str, column: Any, made: Any, wanted: pa.Array, marks: Sequence[str] = ()) -> Any:
        """The simplest way that makes of the column what the canonical step makes of it."""
        aim = wanted.to_pylist()
        for variant in self.dialect.variants(step, column):
            try:
                found = self.dialect.keys(variant.apply(made))
            except Exception:  # a variant that some value breaks is no way to write the step
                continue
            texts = found.to_pylist() if hasattr(found, "to_pylist") else found
            if all(a == b or (b is None and a in marks) for a, b in zip(texts, aim, strict=True)):
                return variant
        raise InputError(f"{self.dialect.name} has no {NAMES.get(step, step)} such as {column.name} needs; "
                         "the pandas code has it")  # fmt: skip


class _Steps:
    """The canonical steps that this join needs, found by leaving out one after the other."""

    def __init__(self, join: TransformJoin) -> None:
        self.join = join
        self.needed = [step for step in values.STEPS_OF[join.normalize] if step != "text"]
        if join.refused or join.in_spark:  # what the analyst refused is canonical text
            self.rest = {match.text: match.key for match in join.rest.matches}
        else:
            self._leave_out(join)

    def _leave_out(self, join: TransformJoin) -> None:
        self._raw = {place: join.derived.key(join.derived.columns[place]) for place in join.reads}
        self._raw_keyed = {place: join.keyed.key(join.keyed.columns[place]) for place in join.keyed_reads}
        derived, keys = (side.whole.to_pylist() for side in join.both_keys)
        self._truth = _meets(derived, keys)
        self._by_rest = self._rest_rows()
        self.rest = self._made(set(self.needed))[2] or {}
        for step in (step for step in _ORDER if step in self.needed):
            fewer = set(self.needed) - {step}
            derived, keys, rest = self._made(fewer)
            if rest is not None and _meets(derived, keys) == self._truth:
                self.needed = [s for s in self.needed if s != step]
                self.rest = rest

    def _rest_rows(self) -> list[tuple[int, int]]:
        """Rows whose first key is equal by the rest: (derived row, keyed row)."""
        join = self.join
        if not join.rest.matches:
            return []
        derived, keyed = self._tables({"text", *values.STEPS_OF[join.normalize]})
        there = join.key_program.apply(keyed)
        rows: dict[str, list[int]] = {}
        for row, key in enumerate(there):
            if key is not None:
                rows.setdefault(key, []).append(row)
        by_program = derive(join.programs, derived, rows.keys(), Rest())
        made = derive(join.programs, derived, rows.keys(), join.rest)
        return [
            (row, other)
            for row, (key, plain) in enumerate(zip(made, by_program, strict=True))
            if key is not None and plain is None
            for other in rows[key]
        ]

    def _tables(self, steps: set[str]) -> tuple[Columns, Columns]:
        """Both sides as far as they are read, prepared by these steps."""

        def table(side: Side, raw: dict[int, Any]) -> Columns:
            columns = [
                Column(str(label), place, values.canonical(raw[place], steps=steps).to_pylist() if place in raw else [])
                for place, label in enumerate(side.columns)
            ]
            return Columns(columns, len(columns[min(raw)].values))

        return table(self.join.derived, self._raw), table(self.join.keyed, self._raw_keyed)

    def _made(self, steps: set[str]) -> tuple[list[str | None], list[str | None], dict[str, str] | None]:
        """With these steps: the keys made, the keys there, and the rest (None where it does not tell apart)."""
        join = self.join
        derived, keyed = self._tables({"text", *steps})
        keys = join.key_program.apply(keyed)
        outputs = [program.apply(derived) for program in join.programs]
        rest: dict[str, str] = {}
        for row, other in self._by_rest:
            text = next((out[row] for out in outputs if out[row] is not None), None)
            key = keys[other]
            if text is None or key is None or rest.setdefault(text, key) != key:
                return [], [], None
        matches = tuple(Match(text, key, 1.0) for text, key in rest.items())
        return *join.row_keys(derived, keyed, Rest(matches)), rest


def _meets(derived: list[str | None], keys: list[str | None]) -> list[tuple[int, ...]]:
    """For each derived row, the rows whose key it meets."""
    rows: dict[str, list[int]] = {}
    for row, key in enumerate(keys):
        if key is not None:
            rows.setdefault(key, []).append(row)
    found = {key: tuple(places) for key, places in rows.items()}
    return [found.get(key, ()) if key is not None else () for key in derived]
