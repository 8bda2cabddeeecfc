"""A transform plan as plain code: what the dialects share.

The code makes keys from columns that are prepared by those canonical steps alone that change this join's result.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lakeview import values
from lakeview.errors import InputError
from lakeview.join.export.common import key_values
from lakeview.join.export.draft import Names, finished, names
from lakeview.join.export.keys import NAMES
from lakeview.join.naming import comment, free
from lakeview.join.transform.assemble import derive
from lakeview.join.transform.columns import Column, Columns
from lakeview.join.transform.fuzzy_rest import Match, Rest

if TYPE_CHECKING:
    from lakeview.join.side import Side
    from lakeview.join.transform.plan import TransformPlan

# The least readable goes first where there is a choice.
_ORDER = ("nfkc", "zero_width", "times", "numbers", "null_marks", "blanks", "case")


def code(plan: TransformPlan, dialect: str) -> str:
    """The code of a plan; see TransformPlan.code."""
    if dialect == "pandas":
        from lakeview.join.transform import pandas_code

        return finished(plan, dialect, pandas_code.write(plan))
    if dialect == "pyspark":
        from lakeview.join.transform import spark_code

        return finished(plan, dialect, spark_code.write_pyspark(plan))
    return header(plan, "--") + "".join(f"{statement};\n" for statement in statements(plan, "sql"))


def statements(plan: TransformPlan, dialect: str) -> list[str]:
    """The single statements of a plan; only SQL has such."""
    from lakeview.join.transform import spark_code

    return spark_code.statements(plan)


def header(plan: TransformPlan, mark: str) -> str:
    """What is joined, and the program in words."""
    what = f"lakeview: {plan.keyed.stem}.{plan.key} is made from {plan.derived.stem}:"
    words = (f"  {line}" for line in plan.program.split("\n"))
    return "".join(f"{comment(line, mark)}\n" for line in (what, *words))


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
    """What a dialect needs to write a plan: prepared columns, the rest as they make it, free names."""

    def __init__(self, plan: TransformPlan, dialect: Any) -> None:
        self.plan, self.dialect = plan, dialect
        self.names: Names = names(plan)  # each dialect has its own
        self._given: set[str] = set()
        self.steps = _Steps(plan)
        self.columns = {place: self._prepare(plan.derived, place) for place in plan.reads}
        self.key_columns = {place: self._prepare(plan.keyed, place) for place in plan.keyed_reads}
        self.rest = self.steps.rest

    @property
    def derived_variable(self) -> str:
        return self.names.right if self.plan.reverse else self.names.left

    @property
    def keyed_variable(self) -> str:
        return self.names.left if self.plan.reverse else self.names.right

    @cached_property
    def single(self) -> bool:
        """Whether one program makes all keys."""
        return len(self.plan.programs) == 1 and not self.rest

    def helper(self, name: str) -> str:
        """A name for a column or variable that nothing else has; another one at each call."""
        plan = self.plan
        columns = (*plan.left.columns, *plan.right.columns, *plan.columns.names)
        views = (self.names.left, self.names.right)
        found = free(name, {str(one).lower() for one in (*columns, *views, *self._given)}, fold=True)
        self._given.add(found)
        return found

    def characters(self, place: int) -> str:
        """The characters of a prepared column; of a Spark frame those of Latin letters with marks."""
        derived = self.plan.derived
        if derived.kind == "spark":
            return "".join(map(chr, (*range(0xC0, 0x250), *range(0x300, 0x370), *range(0x1E00, 0x1F00))))
        column = values.canonical(derived.key(derived.columns[place]), steps={"text", *self.steps.needed})
        return "".join(sorted(set("".join(text for text in column.to_pylist() if text))))

    def _prepare(self, side: Side, place: int) -> Prepared:
        label = side.columns[place]
        if side.kind == "spark":
            return self._prepare_unseen(side, label, place)
        column = key_values(side.key_series(label), f"{side.stem}.{label}", self.plan.normalize)
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
        column = key_values(series, f"{side.stem}.{label}", self.plan.normalize)
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

    def __init__(self, plan: TransformPlan) -> None:
        self.plan = plan
        self.needed = [step for step in values.STEPS_OF[plan.normalize] if step != "text"]
        if plan.refused or plan.dialect == "pyspark":  # what the analyst refused is canonical text
            self.rest = {match.text: match.key for match in plan.rest.matches}
        else:
            self._leave_out(plan)

    def _leave_out(self, plan: TransformPlan) -> None:
        self._raw = {place: plan.derived.key(plan.derived.columns[place]) for place in plan.reads}
        self._raw_keyed = {place: plan.keyed.key(plan.keyed.columns[place]) for place in plan.keyed_reads}
        derived, keys = (side.whole.to_pylist() for side in plan._both_keys)
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
        plan = self.plan
        if not plan.rest.matches:
            return []
        derived, keyed = self._tables({"text", *values.STEPS_OF[plan.normalize]})
        there = plan.key_program.apply(keyed)
        rows: dict[str, list[int]] = {}
        for row, key in enumerate(there):
            if key is not None:
                rows.setdefault(key, []).append(row)
        by_program = derive(plan.programs, derived, rows.keys(), Rest())
        made = derive(plan.programs, derived, rows.keys(), plan.rest)
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

        return table(self.plan.derived, self._raw), table(self.plan.keyed, self._raw_keyed)

    def _made(self, steps: set[str]) -> tuple[list[str | None], list[str | None], dict[str, str] | None]:
        """With these steps: the keys made, the keys there, and the rest (None where it does not tell apart)."""
        plan = self.plan
        derived, keyed = self._tables({"text", *steps})
        keys = plan.key_program.apply(keyed)
        outputs = [program.apply(derived) for program in plan.programs]
        rest: dict[str, str] = {}
        for row, other in self._by_rest:
            text = next((out[row] for out in outputs if out[row] is not None), None)
            key = keys[other]
            if text is None or key is None or rest.setdefault(text, key) != key:
                return [], [], None
        matches = tuple(Match(text, key, 1.0) for text, key in rest.items())
        return *plan.row_keys(derived, keyed, Rest(matches)), rest


def _meets(derived: list[str | None], keys: list[str | None]) -> list[tuple[int, ...]]:
    """For each derived row, the rows whose key it meets."""
    rows: dict[str, list[int]] = {}
    for row, key in enumerate(keys):
        if key is not None:
            rows.setdefault(key, []).append(row)
    found = {key: tuple(places) for key, places in rows.items()}
    return [found.get(key, ()) if key is not None else () for key in derived]
