"""A transform plan as pandas code."""

from __future__ import annotations

from lakeview.errors import InputError
from lakeview.join.export import pandas_keys
from lakeview.join.export.draft import in_pandas
from lakeview.join.export.grain_code import counted_in_pandas, pandas_pieces
from lakeview.join.export.pandas_code import exportable
from lakeview.join.export.pandas_read import read_lines
from lakeview.join.naming import literal
from lakeview.join.transform.code import Ingredients, Prepared
from lakeview.join.transform.model import TransformJoin
from lakeview.join.transform.operators import Constant, Operator, Piece, Split
from lakeview.join.transform.pandas_shapes import shape_code
from lakeview.join.transform.program import Program
from lakeview.join.transform.second_key import BETWEEN
from lakeview.join.transform.shapes import without_diacritics

WIDTH = 120


def write(join: TransformJoin) -> str:
    """The code; the result is in the last variable that it sets.

    Raises InputError for a Spark frame and for column labels without a literal."""
    exportable(join)
    lines = _Writer(join).lines()
    if any("np." in line for line in lines):
        lines.insert(0, "import numpy as np")
    return "\n".join(lines) + "\n"


class _Writer:
    def __init__(self, join: TransformJoin) -> None:
        self.join = join
        self.parts = Ingredients(join, pandas_keys)

    def lines(self) -> list[str]:
        join, parts = self.join, self.parts
        parts.names, bound = in_pandas(join)
        names, lines = parts.names, ["import pandas as pd"]
        for side, on, variable in ((join.left, join.left_on, names.left), (join.right, join.right_on, names.right)):
            if side.kind == "lake":
                lines += read_lines(side, on, variable)
        lines += bound
        made, keys = parts.helper("key"), parts.helper("keys")
        second = join.second
        there = self._columns(lines, parts.key_columns, parts.keyed_variable, "there",
                              [join.key_program, *([second.keyed] if second else [])])  # fmt: skip
        lines.append(f"{keys} = {program_code(join.key_program, there, parts.characters)}")
        if join.refused:
            lines.append(f"{keys} = {keys}.mask({keys}.isin({literal(list(join.refused))}))")
        columns = self._columns(lines, parts.columns, parts.derived_variable, "text",
                                [*join.programs, *([second.derived] if second else [])])  # fmt: skip
        lines += self._key_lines(made, keys, columns)
        if second:  # behind a key that several rows hold
            twice = parts.helper("several")
            lines.append(f"{twice} = [*{made}[{made}.duplicated()].dropna(), *{keys}[{keys}.duplicated()].dropna()]")
            for name, program, held in ((made, second.derived, columns), (keys, second.keyed, there)):
                behind = program_code(program, held, parts.characters)
                lines.append(f"{name} = {name}.mask({name}.isin({twice}), {name} + {literal(BETWEEN)} + {behind})")
        left_key, right_key = (keys, made) if join.reverse else (made, keys)
        return [*lines, *self._merge(left_key, right_key)]

    def _columns(self, lines: list[str], prepared: dict[int, Prepared], variable: str, name: str,
                 programs: list[Program]) -> dict[int, str]:  # fmt: skip
        """The code of the columns that programs read; one that is prepared and read twice is put into a variable."""
        columns = {}
        for place, column in prepared.items():
            source = _prepared(column, variable)
            uses = sum(isinstance(op, Piece) and op.column == place for p in programs for op in p.operators)
            if column.plain or uses == 1:
                columns[place] = source
            else:
                columns[place] = self.parts.helper(f"{name}_{place + 1}")
                lines.append(f"{columns[place]} = {source}")
        return columns

    def _key_lines(self, made: str, keys: str, columns: dict[int, str]) -> list[str]:
        join, parts = self.join, self.parts
        lines = []
        texts = [program_code(program, columns, self.parts.characters) for program in join.programs]
        if parts.single:
            return [f"{made} = {texts[0]}"]
        programs = [parts.helper(f"{made}_{number}") for number in range(1, len(texts) + 1)]
        lines += [f"{name} = {text}" for name, text in zip(programs, texts, strict=True)]
        met = [f"{name}.where({name}.isin({keys}))" for name in programs]
        lines.append(f"{made} = " + met[0] + "".join(f".fillna({one})" for one in met[1:]))
        if parts.rest:
            near = parts.helper("near")
            lines += [
                f"{near} = {{  # near keys, frozen: pairs that were found once, and no rule",
                *(f"    {literal(a)}: {literal(b)}," for a, b in parts.rest.items()),
            ]
            looks = programs[0] + "".join(f".fillna({name})" for name in programs[1:])
            lines += ["}", f"{made} = {made}.fillna({looks}.map({near}))"]
        return lines

    def _merge(self, left_key: str, right_key: str) -> list[str]:
        join, names = self.join, self.parts.names
        column = self.parts.helper("key")
        right = names.right
        if join.columns.renamed:
            right += f".rename(columns={literal(join.columns.renamed)})"
        left = f"{names.left}.assign({column}={left_key})"
        keyed = f"{right}.assign({column}={right_key})"
        if join.how == "right":
            left += f'.dropna(subset="{column}")'
        else:
            keyed += f'.dropna(subset="{column}")'
        if join.grain is not None:  # of the columns as they are called before
            before = f'{names.right}.assign({column}={right_key}).dropna(subset="{column}")'
            keyed = before + "".join(pandas_pieces(join, [column]))
            keyed += f".rename(columns={literal(join.columns.renamed)})" * bool(join.columns.renamed)
            done = "".join(counted_in_pandas(join))
            options = f'on="{column}", how={literal(join.how)}, validate="many_to_one"'
            return [f'{names.result} = {left}.merge(\n    {keyed},\n    {options},\n).drop(columns="{column}"){done}']
        how = "left" if join.how == "outer" else join.how
        merged = f'{left}.merge(\n    {keyed},\n    on="{column}", how={literal(how)},\n).drop(columns="{column}")'
        if join.how != "outer":
            return [f"{names.result} = {merged}"]
        alone = f"{right}[{right_key}.isna() | ~{right_key}.isin({left_key})]"
        both = f"pd.concat([{names.result}, {alone}], ignore_index=True)"
        return [f"{names.result} = {merged}", f"{names.result} = {both}"]


def _prepared(column: Prepared, variable: str) -> str:
    code = f"{variable}[{literal(column.label)}]" + "".join(variant.code for variant in column.variants)
    code += '.astype("object")'
    if column.marks:
        code += f".mask(lambda text: text.isin({literal(list(column.marks))}))"
    return code


def program_code(program: Program, columns: dict[int, str], characters) -> str:  # type: ignore[no-untyped-def]
    """The program over Series; `columns` holds the code of each that it reads."""
    parts = [_operator(op, columns, characters) for op in program.operators]
    if all(isinstance(op, Constant) for op in program.operators):
        raise InputError("a program that reads no column makes no key")
    line = " + ".join(parts)
    return line if len(line) < WIDTH - 20 else "(\n    " + "\n    + ".join(parts) + "\n)"


def _operator(operator: Operator, columns: dict[int, str], characters) -> str:  # type: ignore[no-untyped-def]
    if isinstance(operator, Constant):
        return literal(operator.text)
    code = columns[operator.column]
    for split in operator.splits:
        code += _split(split) + '.str.strip(" ")'
    if operator.shape == "plain":
        changed = {c: without_diacritics(c) for c in characters(operator.column) if without_diacritics(c) != c}
        code += f".str.translate(str.maketrans({literal(changed)}))"
    elif operator.shape:
        code += shape_code(operator.shape)
    if operator.start is not None or operator.stop is not None:
        start, stop = ("" if end is None else end for end in (operator.start, operator.stop))
        code += f".str[{start}:{stop}]"
    return code if code == columns[operator.column] else code + '.mask(lambda text: text == "")'


def _split(split: Split) -> str:
    sep = literal(split.sep)
    if split.take == "part":
        return f".str.split({sep}, regex=False).str[{split.index}]"
    if split.take == "before":
        return f".str.rpartition({sep})[0]" * -split.index
    return f".str.partition({sep})[2]" * split.index
