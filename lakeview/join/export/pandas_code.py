"""A join as pandas code."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING

from lakeview.errors import InputError
from lakeview.join.export import common, pandas_keys
from lakeview.join.export.draft import changeable, in_pandas
from lakeview.join.export.keys import KeyCode
from lakeview.join.export.pandas_read import read_lines
from lakeview.join.naming import literal, word

if TYPE_CHECKING:
    from lakeview.join.plan import JoinPlan
    from lakeview.join.transform.plan import TransformPlan

WIDTH = 120


def write(plan: JoinPlan) -> str:
    """The code; the result is in the last variable that it sets.

    Raises InputError for a Spark frame, for column labels without a literal, and where pandas reads a file otherwise.
    """
    exportable(plan)
    return "\n".join([common.header(plan, "#"), *_Writer(plan).lines()]) + "\n"


def exportable(plan: JoinPlan | TransformPlan) -> None:
    """Raises InputError for what pandas code cannot name: a Spark frame, a column label without a literal."""
    for side in (plan.left, plan.right):
        if side.kind == "spark":
            raise InputError(f'{side.name} is a Spark frame: ask for the "pyspark" or the "sql" code')
        for column in side.columns:
            if not isinstance(column, str | int | float | bool | None):
                raise InputError(f"{side.name} has a column {column!r} that code cannot name: give it a name of text")


def key_pieces(variable: str, column: Hashable, key: KeyCode[pandas_keys.Chain]) -> list[str]:
    """The key of a column, a call a piece."""
    calls = "".join(f"{variant.code}\n" for variant in key.variants).replace("regex=True).", "regex=True)\n.")
    pieces = [f"{variable}[{literal(column)}]", *calls.splitlines()]
    if key.marks:
        pieces.append(f".mask(lambda key: key.isin({literal(key.marks)}))")
    return pieces


class _Writer:
    def __init__(self, plan: JoinPlan) -> None:
        self.plan = plan
        self.names, self.before = in_pandas(plan)  # before: lines that make frames and keys
        self.left_key, self.right_key = common.keys(plan, pandas_keys)
        self.key = common.helper(plan, "key", "join_key")
        self.suffix = word(plan.right.stem) or "right"
        # merge() lets missing keys meet: where both sides have such, one side's go
        self.nulls = self.left_key.nulls and self.right_key.nulls

    def lines(self) -> list[str]:
        plan, names = self.plan, self.names
        lines = ["import pandas as pd"]
        for side, on, variable in ((plan.left, plan.left_on, names.left), (plan.right, plan.right_on, names.right)):
            if side.kind == "lake":
                lines += read_lines(side, on, variable)
        body = self._outer() if plan.how == "outer" else self._merged()
        body = [*self.before, *body]
        if any("np." in line for line in body):
            lines.insert(0, "import numpy as np")
        return [*lines, *body]

    def _merged(self) -> list[str]:
        plan, names = self.plan, self.names
        left, left_on, _ = self._with_key(self.left_key, names.left, plan.left_on, "left_key")
        right, right_on, _ = self._with_key(self.right_key, names.right, plan.right_on, "right_key")
        renamed, kept = dict(plan.columns.renamed), None
        if plan.columns.one_key and not (self.left_key.plain and self.right_key.plain):
            if plan.how == "right":  # the one key column holds the right's values
                kept = common.helper(plan, f"{plan.right_on}_{self.suffix}")
                renamed[plan.right_on] = kept
                right_on = kept if self.right_key.plain else right_on
            elif self.right_key.plain:
                renamed[plan.right_on] = right_on = self.key
            else:
                right += f".drop(columns={_label(plan.right_on)})"
        suffixes = renamed == plan.columns.renamed and self._suffix_does(renamed)
        if renamed and not suffixes:
            right += f".rename(columns={literal(renamed)})"
        if self.nulls and plan.how == "right":
            left += f".dropna(subset={_label(left_on)})"
        elif self.nulls:
            right += f".dropna(subset={_label(right_on)})"
        options = [f"how={literal(plan.how)}", *_on(left_on, right_on)]
        if suffixes:
            options.append(f"suffixes={literal((None, f'_{self.suffix}'))}")
        lines = _layout(f"{names.result} = ", [left, *self._merge(right, options), *self._drop(left_on, right_on)])
        if kept is not None:
            lines.append(f"{names.result}[{literal(plan.left_on)}] = {names.result}.pop({literal(kept)})")
        return lines

    def _outer(self) -> list[str]:
        """Left rows with what they meet, then the right rows that are left over: merge() would sort by the key."""
        plan, names = self.plan, self.names
        right_column = dict(plan.columns.right).get(plan.right_on, plan.right_on)
        if plan.columns.renamed:
            made = changeable(plan.right, names.right, names)
            self.before.append(f"{made} = {names.right}.rename(columns={literal(plan.columns.renamed)})")
            names = replace(names, right=made)
        print_left, print_right = common.printers(plan, pandas_keys)
        left, left_on, left_key = self._with_key(self.left_key, names.left, plan.left_on, "left_key")
        right, right_on, right_key = self._with_key(self.right_key, names.right, right_column, "right_key")
        rest = f"~{right_key}.isin({left_key})"
        if self.nulls:
            right += f".dropna(subset={_label(right_on)})"
            rest = f"{right_key}.isna() | {rest}"
        if plan.columns.one_key and right_on == self.key:
            right += f".drop(columns={_label(right_column)})"
        elif plan.columns.one_key and left_on == self.key:
            right, right_on = f"{right}.rename(columns={literal({right_column: self.key})})", self.key
        merged = [left, *self._merge(right, ['how="left"', *_on(left_on, right_on)]), *self._drop(left_on, right_on)]
        left_over = f"{names.right}[{rest}]"
        if print_left:
            merged.append(_printed(plan.left_on, print_left))
        if print_right:
            left_over += _printed(plan.right_on, print_right)
        matched = _layout("", merged)
        return [
            f"{names.result} = pd.concat([",
            *(f"    {line}" for line in matched[:-1]),
            f"    {matched[-1]},",
            f"    {left_over},",
            "], ignore_index=True)",
        ]

    def _with_key(
        self, key: KeyCode[pandas_keys.Chain], variable: str, column: Hashable, name: str
    ) -> tuple[str, Hashable, str]:
        """The frame with its key column, that column's name, and the key as a Series.

        A key that is long, or that an outer join needs twice, is made on lines of its own, in a variable `name`.
        """
        series = f"{variable}[{literal(column)}]"
        if key.plain:
            return variable, column, series
        pieces = key_pieces(variable, column, key)
        made = "".join(pieces)
        if self.plan.how == "outer" or len(made) > 60:
            self.before += _layout(f"{name} = ", pieces)
            made = name
        return f"{variable}.assign({self.key}={made})", self.key, made

    def _merge(self, right: str, options: list[str]) -> list[str]:
        if validate := self._validate():
            options = [*options, f'validate="{validate}"']
        line = f".merge({right}, {', '.join(options)})"
        return [line] if len(line) <= WIDTH - 8 else [".merge(", f"    {right},", f"    {', '.join(options)},", ")"]

    def _drop(self, *columns: Hashable) -> list[str]:
        return [f'.drop(columns="{self.key}")'] if self.key in columns else []

    def _suffix_does(self, renamed: dict) -> bool:
        """Whether merge() with a suffix gives the names that are wanted."""
        return bool(renamed) and all(isinstance(c, str) and n == f"{c}_{self.suffix}" for c, n in renamed.items())

    def _validate(self) -> str | None:
        """What merge() may check: that one side's keys are unique, which keeps rows from multiplying unseen."""
        left_nulls, right_nulls = self.left_key.null_rows, self.right_key.null_rows
        if self.nulls and self.plan.how == "right":
            left_nulls = 0
        elif self.nulls:
            right_nulls = 0
        if self.right_key.unique and right_nulls <= 1:
            return "many_to_one"
        return "one_to_many" if self.left_key.unique and left_nulls <= 1 else None


def _on(left_on: Hashable, right_on: Hashable) -> list[str]:
    if left_on == right_on:
        return [f"on={literal(left_on)}"]
    return [f"left_on={literal(left_on)}", f"right_on={literal(right_on)}"]


def _printed(column: Hashable, how: pandas_keys.Chain) -> str:
    """The call that turns a key column into text."""
    name = literal(column)
    return f".assign(**{{{name}: lambda frame: frame[{name}]{how.code}}})"


def _label(column: Hashable) -> str:
    return literal(column) if isinstance(column, str) else f"[{literal(column)}]"


def _layout(start: str, pieces: list[str]) -> list[str]:
    """A chain of calls on one line where that is short, else one call a line."""
    line = start + "".join(pieces)
    if len(line) <= WIDTH and not any(piece.endswith("(") for piece in pieces):
        return [line]
    return [f"{start}(", *(f"    {piece}" for piece in pieces), ")"]
