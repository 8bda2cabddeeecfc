"""A join as pandas code."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

from lakeview.errors import InputError
from lakeview.join.export import common, pandas_keys
from lakeview.join.export.draft import changeable, in_pandas
from lakeview.join.export.grain_code import counted_in_pandas, pandas_pieces
from lakeview.join.export.keys import KeyCode
from lakeview.join.export.pandas_read import read_lines
from lakeview.join.model import Join
from lakeview.join.naming import literal, word

WIDTH = 120


def write(join: Join) -> str:
    """The code; the result is in the last variable that it sets.

    Raises InputError for a Spark frame, for column labels without a literal, and where pandas reads a file otherwise.
    """
    exportable(join)
    return "\n".join(_Writer(join).lines()) + "\n"


def exportable(join: Join) -> None:
    """Raises InputError for what pandas code cannot name: a Spark frame, a column label without a literal."""
    for side in (join.left, join.right):
        if side.kind == "spark":
            raise InputError(f'{side.name} is a Spark frame: ask for the "pyspark" or the "sql" code')
        for column in side.columns:
            if not isinstance(column, str | int | float | bool | None):
                raise InputError(f"{side.name} has a column {column!r} that code cannot name: give it a name of text")


def key_code(variable: str, column: Hashable, key: KeyCode[pandas_keys.Chain]) -> str:
    """The key of a column, as one expression."""
    return "".join(_key_pieces(variable, column, key))


def _key_pieces(variable: str, column: Hashable, key: KeyCode[pandas_keys.Chain]) -> list[str]:
    """The key of a column, a call a piece."""
    calls = "".join(f"{variant.code}\n" for variant in key.variants).replace("regex=True).", "regex=True)\n.")
    pieces = [f"{variable}[{literal(column)}]", *calls.splitlines()]
    if key.marks:
        pieces.append(f".mask(lambda key: key.isin({literal(key.marks)}))")
    return pieces


class _Writer:
    def __init__(self, join: Join) -> None:
        self.join = join
        self.names, self.before = in_pandas(join)  # before: lines that make frames and keys
        self.pairs = common.keys(join, pandas_keys)
        several = len(self.pairs) > 1
        self.nth = [f"_{number}" if several else "" for number in range(1, len(self.pairs) + 1)]
        self.keys: list[Hashable] = [common.helper(join, f"key{nth}", f"join_key{nth}") for nth in self.nth]
        self.suffix = word(join.right.stem) or "right"
        # merge() lets missing keys meet: where both sides have such, one side's go
        self.nulls = [left.nulls and right.nulls for left, right in self.pairs]

    def lines(self) -> list[str]:
        join, names = self.join, self.names
        lines = ["import pandas as pd"]
        for side, on, variable in ((join.left, join.left_on, names.left), (join.right, join.right_on, names.right)):
            if side.kind == "lake":
                lines += read_lines(side, on, variable)
        body = self._outer() if join.how == "outer" else self._merged()
        body = [*self.before, *body]
        if any("np." in line for line in body):
            lines.insert(0, "import numpy as np")
        return [*lines, *body]

    def _merged(self) -> list[str]:
        join, names = self.join, self.names
        left, left_on, _ = self._with_keys(0, names.left, join.left_on)
        right, right_on, _ = self._with_keys(1, names.right, join.right_on)
        if join.made:
            return self._aggregated(left, left_on, right, right_on)
        if join.grain is not None:  # what has no key goes, as None and NaN are two keys
            nulls = [column for column, (_, right_key) in zip(right_on, self.pairs, strict=True) if right_key.nulls]
            right += f".dropna(subset={_labels(nulls)})" * bool(nulls) + "".join(pandas_pieces(join, right_on))
            self.nulls = [False] * len(self.pairs)
        renamed, kept, gone = dict(join.columns.renamed), {}, []
        for column, key, (left_key, right_key) in zip(join.right_on, self.keys, self.pairs, strict=True):
            if column not in join.shared or (left_key.plain and right_key.plain):
                continue
            if join.how == "right":  # the one key column holds the right's values
                renamed[column] = kept[column] = common.helper(join, f"{column}_{self.suffix}")
            elif right_key.plain:
                renamed[column] = key
            else:
                gone.append(column)
        if gone:
            right += f".drop(columns={_labels(gone)})"
        suffixes = renamed == join.columns.renamed and self._suffix_does(renamed)
        if renamed and not suffixes:
            right += f".rename(columns={literal(renamed)})"
            right_on = [renamed.get(column, column) for column in right_on]
        left, right = self._dropped(left, left_on, right, right_on)
        options = [f"how={literal(join.how)}", *_on(left_on, right_on)]
        if suffixes:
            options.append(f"suffixes={literal((None, f'_{self.suffix}'))}")
        lines = _layout(f"{names.result} = ", [left, *self._merge(right, options), *self._drop(left_on, right_on)])
        return [*lines, *(f"{names.result}[{literal(column)}] = {names.result}.pop({literal(name)})"
                          for column, name in kept.items())]  # fmt: skip

    def _aggregated(self, left: str, left_on: list[Hashable], right: str, right_on: list[Hashable]) -> list[str]:
        """What is made of the right side, in a variable, and the left rows with that; groupby() drops missing keys."""
        join, names = self.join, self.names
        each = names.another(names.right, "by_key")
        made = _layout(f"{each} = ", [right, *pandas_pieces(join, right_on)])
        merge = self._merge(each, [f"how={literal(join.how)}", *_on(left_on, right_on)])
        gone = [key for key in dict.fromkeys((*left_on, *right_on)) if key not in join.left.columns]
        drop = [f".drop(columns={_labels(gone)})"] if gone else []
        return [*made, *_layout(f"{names.result} = ", [left, *merge, *drop, *counted_in_pandas(join)])]

    def _outer(self) -> list[str]:
        """Left rows with what they meet, then the right rows that are left over: merge() would sort by the key."""
        join, names = self.join, self.names
        shown = dict(join.columns.right)
        right_columns = [shown.get(column, column) for column in join.right_on]
        if join.columns.renamed:
            made = changeable(join.right, names.right, names)
            self.before.append(f"{made} = {names.right}.rename(columns={literal(join.columns.renamed)})")
            names = replace(names, right=made)
        printers = common.printers(join, pandas_keys)
        left, left_on, left_keys = self._with_keys(0, names.left, join.left_on)
        right, right_on, right_keys = self._with_keys(1, names.right, right_columns)
        rest = self._left_over(left_keys, right_keys)
        _, right = self._dropped(left, left_on, right, right_on)
        shared = [number for number, column in enumerate(join.left_on) if column in join.shared]
        gone = [right_columns[n] for n in shared if right_on[n] == self.keys[n]]
        again = {right_on[n]: self.keys[n] for n in shared if left_on[n] == self.keys[n] != right_on[n]}
        if gone:
            right += f".drop(columns={_labels(gone)})"
        if again:
            right += f".rename(columns={literal(again)})"
            right_on = [again.get(column, column) for column in right_on]
        merged = [left, *self._merge(right, ['how="left"', *_on(left_on, right_on)]), *self._drop(left_on, right_on)]
        left_over = f"{names.right}[{rest}]"
        for column, (print_left, print_right) in zip(join.left_on, printers, strict=True):
            if print_left:
                merged.append(_printed(column, print_left))
            if print_right:
                left_over += _printed(column, print_right)
        matched = _layout("", merged)
        return [
            f"{names.result} = pd.concat([",
            *(f"    {line}" for line in matched[:-1]),
            f"    {matched[-1]},",
            f"    {left_over},",
            "], ignore_index=True)",
        ]

    def _left_over(self, left_keys: list[str], right_keys: list[str]) -> str:
        """The condition on right rows that meet none."""
        if len(right_keys) == 1:
            rest = f"~{right_keys[0]}.isin({left_keys[0]})"
            return f"{right_keys[0]}.isna() | {rest}" if self.nulls[0] else rest
        left, right = (f"pd.MultiIndex.from_arrays([{', '.join(keys)}])" for keys in (left_keys, right_keys))
        self.before += [f"met = {right}.isin(", f"    {left}", ")"]
        return "".join(f"{key}.isna() | " for key, nulls in zip(right_keys, self.nulls, strict=True) if nulls) + "~met"

    def _with_keys(self, side: int, variable: str, on: Sequence[Hashable]) -> tuple[str, list[Hashable], list[str]]:
        """The frame with its key columns, their names, and the keys as Series.

        A key that is long, or that an outer join needs twice, is made on lines of its own, in a variable.
        """
        columns, series, made = [], [], []
        for column, pair, key, nth in zip(on, self.pairs, self.keys, self.nth, strict=True):
            # what is made of the right side has its own key unless that is the left's, too: the left's column stays
            apart = side and self.join.made and not (column in self.join.shared and pair[0].plain)
            if pair[side].plain and not apart:
                columns.append(column)
                series.append(f"{variable}[{literal(column)}]")
                continue
            pieces = _key_pieces(variable, column, pair[side])
            text = "".join(pieces)
            if self.join.how == "outer" or len(text) > 60:
                name = f"{('left', 'right')[side]}_key{nth}"
                self.before += _layout(f"{name} = ", pieces)
                text = name
            columns.append(key)
            series.append(text)
            made.append(f"{key}={text}")
        return f"{variable}.assign({', '.join(made)})" if made else variable, columns, series

    def _dropped(self, left: str, left_on: list[Hashable], right: str, right_on: list[Hashable]) -> tuple[str, str]:
        """Both frames, one of them without the rows whose missing key would meet a missing one."""
        on = left_on if self.join.how == "right" else right_on
        columns = [column for column, nulls in zip(on, self.nulls, strict=True) if nulls]
        call = f".dropna(subset={_labels(columns)})" if columns else ""
        return (left + call, right) if self.join.how == "right" else (left, right + call)

    def _merge(self, right: str, options: list[str]) -> list[str]:
        if validate := self._validate():
            options = [*options, f'validate="{validate}"']
        line = f".merge({right}, {', '.join(options)})"
        return [line] if len(line) <= WIDTH - 8 else [".merge(", f"    {right},", f"    {', '.join(options)},", ")"]

    def _drop(self, left_on: list[Hashable], right_on: list[Hashable]) -> list[str]:
        made = [key for key in self.keys if key in (*left_on, *right_on)]
        return [f".drop(columns={_labels(made)})"] if made else []

    def _suffix_does(self, renamed: dict) -> bool:
        """Whether merge() with a suffix gives the names that are wanted."""
        return bool(renamed) and all(isinstance(c, str) and n == f"{c}_{self.suffix}" for c, n in renamed.items())

    def _validate(self) -> str | None:
        """What merge() may check: that one side's keys are unique, which keeps rows from multiplying unseen. They are
        where one column of them is."""
        if self.join.grain is not None:
            return "many_to_one"
        dropped = 0 if self.join.how == "right" else 1
        for side, check in ((1, "many_to_one"), (0, "one_to_many")):
            for pair, nulls in zip(self.pairs, self.nulls, strict=True):
                if pair[side].unique and (pair[side].null_rows <= 1 or (nulls and side == dropped)):
                    return check
        return None


def _on(left_on: list[Hashable], right_on: list[Hashable]) -> list[str]:
    if left_on == right_on:
        return [f"on={_names(left_on)}"]
    return [f"left_on={_names(left_on)}", f"right_on={_names(right_on)}"]


def _names(columns: list[Hashable]) -> str:
    return literal(columns[0] if len(columns) == 1 else columns)


def _printed(column: Hashable, how: pandas_keys.Chain) -> str:
    """The call that turns a key column into text."""
    name = literal(column)
    return f".assign(**{{{name}: lambda frame: frame[{name}]{how.code}}})"


def _labels(columns: list[Hashable]) -> str:
    return literal(columns[0] if len(columns) == 1 and isinstance(columns[0], str) else columns)


def _layout(start: str, pieces: list[str]) -> list[str]:
    """A chain of calls on one line where that is short, else one call a line."""
    line = start + "".join(pieces)
    if len(line) <= WIDTH and not any(piece.endswith("(") for piece in pieces):
        return [line]
    return [f"{start}(", *(f"    {piece}" for piece in pieces), ")"]
