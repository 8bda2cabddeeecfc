"""Code for a cell: the only door by which names of frames, columns, tables and files come into it, on this side.

Names are a stranger's. IPython cuts a cell as `str.splitlines` does, at eleven characters, and a line that begins with
`!` or `%` is a command. So a name is written as it is only where it is a plain word; anything else is a literal, as
`join.naming.literal` writes it, with all but printable ASCII and letters escaped. `namespace.find_query` reads what is
written here for `%lakeview`. The page's own door is labextension/src/code.ts.
"""

from __future__ import annotations

import ast
import builtins
import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from lakeview.errors import InputError
from lakeview.join import variable
from lakeview.join.export.fitted import renamed
from lakeview.join.export.pandas_read import read_lines
from lakeview.join.export.spark_read import quoted
from lakeview.join.naming import comment, free, identifier, literal, stem
from lakeview.join.recipe import clicked
from lakeview.join.recipe.kept import Kept, result_columns, telling
from lakeview.notebook import state
from lakeview.notebook.output.html import clip

_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp", "Zs")  # controls, formats, halves of characters, separators
_TABLE = re.compile(r"\w[\w-]*(?:/\w[\w-]*)*(?:\.\w[\w-]*)+")  # with an extension: no variable is called so


def is_variable(name: object) -> bool:
    """Whether code can mean a variable by this name: globals() may hold others."""
    return isinstance(name, str) and variable.is_variable(name) and unicodedata.normalize("NFKC", name) == name


def column(frame: str, label: Any, brackets: bool = False) -> str | None:
    """A column of a variable as `%lakeview` reads it: `df.dest`, `df["a b"]`; None for a label without a literal.

    brackets: also where a point would do.
    """
    if not brackets and isinstance(label, str) and label.isidentifier() and is_plain(label):
        return f"{frame}.{label}"
    if type(label) in (str, int, bool) or (type(label) is float and math.isfinite(label)):
        return f"{frame}[{literal(label)}]"
    return None


def frame(name: str) -> str:
    """A variable that holds a frame. Raises InputError where code cannot name it."""
    if not is_variable(name):
        raise InputError(f"no code can name {clip(name)}")
    return name


def reading(side: Any, names: Iterable[str]) -> str:
    """A cell that reads a table of the lake into a variable of its own, as the lake does, and shows its first rows.
    The code is found by reading the table; of one that is too large for that it is a query. Raises InputError."""
    if not side.lake_table.is_small:
        return checked(f"%%lakeview sql\nSELECT * FROM {quoted(side.name)} LIMIT 20")
    variable_ = free(identifier(stem(side.name)), names)
    return checked("\n".join(["import pandas as pd", "", *read_lines(side, (), variable_), f"{variable_}.head()"]))


def lake_column(table: str, name: str) -> str:
    """A column of the lake as `%lakeview` reads it: `airports.csv.faa`, `"a b.csv"["x y"]`."""
    if _TABLE.fullmatch(table) and name.isidentifier() and is_plain(table) and is_plain(name):
        return f"{table}.{name}"
    return f"{literal(table)}[{literal(name)}]"


def word(text: str) -> str:
    """Any text as one word of a `%lakeview` line."""
    return text if re.fullmatch(r"[\w~./][\w~./-]*", text) and is_plain(text) else literal(text)


def problems(lake: Any) -> str:
    """A cell that lists what of a lake could not be read."""
    return f"{_holding(lake, 'the lake')}.problems"


def comparison(lake: Any, frame: Any, labels: list[Any], place: int, hits: list[Any]) -> str:
    """A cell that shows a frame's column, at a place among its labels, beside those of some hits of a lake."""
    own = _holding(lake, "the lake")
    levels = len(labels) - len(list(frame.columns))  # of its index, which come first
    held = _holding(frame, "the DataFrame") + (".reset_index()" if place < levels else "")
    call = f"{own}.compare({_of_frame(held, labels[place], place - levels)}"
    theirs = [_of_lake(lake, own, hit.table, hit.column) for hit in hits]
    if len(theirs) == 1:
        return f"{call}, {theirs[0]})"
    return "display(\n" + "".join(f"    {call}, {other}),\n" for other in theirs) + ")"


def editor(hit: Any, left: Any, label: Any) -> str:
    """A cell that shows the editor of a hit that joins after a step; left: the side of the column that asked."""
    command = {"transform": "auto_join", "fuzzy": "fuzzy_join"}[hit.kind]
    return _editing(command, left, label, lake_column(hit.table, str(hit.column)))


def transformation(plan: Any) -> str:
    """A cell that looks for programs that join the sides of a plan, and shows their editor. Raises InputError."""
    left, right = plan.left, plan.right
    if right.kind == "lake":
        return _editing("auto_join", left, plan.left_on, lake_column(right.name, str(plan.right_on)))
    if not left.is_frame:
        raise InputError(f"put {clip(left.name)} into a DataFrame first: it is a table of the lake")
    held = [frame(_holding(side.held, "the DataFrame")) for side in (left, right)]
    made = [side.made(name) if side.made else name for side, name in zip((left, right), held, strict=True)]
    pandas = "import pandas as pd\n" if any("pd." in each for each in made) else ""
    return checked(f"import lakeview\n{pandas}\nlakeview.auto_join({made[0]}, {made[1]})")


def _editing(command: str, left: Any, label: Any, other: str) -> str:
    """A line that shows an editor of a column, of a frame or of the lake, and another one of the lake."""
    if left.is_frame:
        own = column(frame(_holding(left.held, "the DataFrame")), label)
        if own is None:
            raise InputError(f"no code can name the column {clip(label)}")
    else:
        own = lake_column(left.name, str(label))
    load = "" if state.has_magics() else "%load_ext lakeview\n"
    return checked(f"{load}%lakeview {command} {own} --with {other}")


def join(plan: Any) -> str:
    """A cell that joins as a plan does, in the dialect that runs here; it overwrites no variable of the analyst's.

    Raises InputError where a frame of the plan is in no variable any more.
    """
    code = _joining(plan)
    clicked.wrote(plan, bound(code)[-1])
    return code


def _joining(plan: Any) -> str:
    here = variable.notebook()
    for side in (plan.left, plan.right):
        if here and side.is_frame and variable.held_as(side.held, here) is None:
            raise InputError(f"no variable holds {clip(side.name)} as it was: put it in one, or run its cell again")
    return checked(plan.code(plan.dialect))


def bound(code: str) -> list[str]:
    """The variables that code binds, in its order."""
    return [target.id for node in ast.parse(code).body if isinstance(node, ast.Assign)
            for target in node.targets if isinstance(target, ast.Name)]  # fmt: skip


def result(plan: Any, name: str | None = None, dropped: Sequence[str] = (), unmatched: bool = False) -> str:
    """A cell that joins as a plan does and ends in the first rows of the result: the one new variable that it leaves.

    name: of that variable, by default one that is free. dropped: columns of the result that are left out, by their
    names. unmatched: the left rows alone that meet none, of a left join. Raises InputError as `join`, and for a name
    that is none.
    """
    if unmatched:
        plan = counting(plan)
    code, held = _joining(plan), variable.variables()
    made = bound(code)
    old, spark = made[-1], plan.dialect != "pandas"
    if name is not None and name != old:
        if not is_variable(name) or hasattr(builtins, name):
            raise InputError(f"a variable cannot be called {clip(name)}: take letters, digits and _")
        if name in made or name == plan.left.name:
            raise InputError(f"{name} is what is joined here: take another name for the result")
        code = renamed(code, {old: name})
    new = name or old
    if unmatched:
        mine = {name for column, name in plan.columns.left if column in plan.left.columns}
        gone = [name for name in result_columns(plan.join) if name not in mine]
    else:
        gone = [label for _, label in plan.columns.right if str(label) in set(dropped)]
    code += Kept(plan.join, tuple(gone), unmatched).line(new, spark)
    if between := [each for each in dict.fromkeys(made) if each != old and each not in held]:
        code += f"del {', '.join(between)}\n"
    first, _, rest = code.partition("\n")
    said = comment(f"{_counted(plan)}{datetime.now():%Y-%m-%d %H:%M}")
    cell = checked(f"{first}\n{said}\n{rest}{new}{'' if spark else '.head()'}")
    clicked.wrote(plan, new, gone, unmatched)
    return cell


def counting(plan: Any) -> Any:
    """A left join from whose result the rows that met none can be had: as it is, or with the keys that each row meets
    counted. Raises InputError for a Spark frame."""
    if plan.dialect != "pandas":
        raise InputError("the rows without a match cannot be told apart here: join with how='left' and look at them")
    return plan if telling(plan.join) is not None else plan.with_many({plan.join.right_on[0]: "count"})


def _counted(plan: Any) -> str:
    counts = plan.counts()
    alone = counts.left_rows - counts.left_matched
    return f"{counts.left_matched:,} of {counts.left_rows:,} rows matched, {alone:,} without; "


def checked(code: str) -> str:
    """The code, if what is seen of it is what runs: lines end where they seem to. Raises InputError otherwise."""
    if unseen := next((c for c in code if c not in " \n" and unicodedata.category(c) in _UNSEEN), None):
        raise InputError(f"this code cannot go into a cell: it holds the character {unseen!r}")
    return code


def _of_frame(held: str, label: Any, place: int) -> str:
    """A column of a variable in Python; by its place where its label has no literal."""
    try:
        return f"{held}[{literal(label)}]"
    except InputError:
        return f"{held}[{held}.columns[{place:d}]]"


def _of_lake(lake: Any, held: str, table: str, name: str) -> str:
    """A column of the lake in Python: the text that means it, or a query where that means another one."""
    text = f"{table}.{name}"
    try:
        if lake.resolve(text) == (table, name):
            return literal(text)
    except InputError:  # it may mean several
        pass
    return f"{held}.query_of({literal(table)}, {literal(name)})"


def _holding(value: Any, what: str) -> str:
    """The variable that holds a thing."""
    name = variable.variable_name(value)
    if name is None or not is_variable(name):
        raise InputError(f"no variable holds {what} any more: run its cell again")
    return name


def is_plain(text: str) -> bool:
    """Whether a literal holds the text as it is."""
    return literal(text)[1:-1] == text
