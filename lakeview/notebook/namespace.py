"""What the kernel's variables offer to a search: frames, their columns, and what `df.col` means among them.

Only names and labels are read here, never a value: nothing counts, shows or runs a Spark frame.
"""

from __future__ import annotations

import ast
import difflib
import re
import warnings
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from lakeview.errors import InputError, NotFound
from lakeview.guards.frames import labels
from lakeview.notebook import cells
from lakeview.notebook.output.html import clip

_LIBRARIES = frozenset({"pandas", "pyspark"})
_BRACKETS = re.compile(r"(\w+)\s*\[(.+)\]", re.DOTALL)
_STRING = r"""(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
_OF_LAKE = re.compile(rf"({_STRING})\s*\[\s*({_STRING})\s*\]")


@dataclass(frozen=True)
class Query:
    """What a search is for. data: a frame, a column of values, or text that names a lake column; column: a label or
    labels of the frame, else None; name: how the analyst wrote it; exact: data is a table of the lake, and column one
    of it."""

    data: Any
    column: Any
    name: str
    exact: bool = False


def frame_columns(value: Any) -> list[Any] | None:
    """The column labels of a pandas or Spark DataFrame, index levels among them; None for anything else."""
    return labels(value) if _is(value, "DataFrame") else None


def frames(namespace: dict[str, Any]) -> dict[str, Any]:
    """The DataFrames that the analyst holds: name -> frame. IPython's own variables (`_`, `_3`, `In`) are left out,
    and what code cannot name."""
    return {
        name: value
        for name, value in namespace.items()
        if name[:1] != "_" and _is(value, "DataFrame") and cells.is_variable(name)
    }


def unquote(text: str) -> str:
    """A word of a `%lakeview` line: what stands in its quotes, as Python reads it, or as it is where Python does not (a
    folder of Windows)."""
    if re.fullmatch(_STRING, text, re.DOTALL) is None:
        return text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of backslashes that escape nothing
            return str(ast.literal_eval(text))
    except (ValueError, SyntaxError):
        return text[1:-1]


def find_query(text: str, namespace: dict[str, Any]) -> Query:
    """What the analyst means by `df.col`, `df["col"]`, `df[["a", "b"]]`, `series`, or a lake column by its name:
    `table.column`, `"table"["column"]`. Quotes around all of it are left out.

    A variable wins over a lake table of the same name, unless it has no such column.
    """
    if exact := _OF_LAKE.fullmatch(text):
        table, column = map(unquote, exact.groups())
        return Query(table, column, f"{table}.{column}", exact=True)
    text = unquote(text)
    brackets = _BRACKETS.fullmatch(text)
    if brackets and brackets[1] in namespace:
        return _by_label(brackets[1], namespace[brackets[1]], brackets[2], text)
    name, _, column = text.partition(".")
    columns = frame_columns(namespace.get(name))
    if columns is not None:
        if not column:
            raise InputError(f"which column of {name}? It has {_some(columns)}")
        by_name: dict[str, Any] = {}
        for label in columns:
            with suppress(Exception):  # one that cannot be printed is not meant
                by_name[str(label)] = label
        if column in by_name:
            return Query(namespace[name], by_name[column], text)
        return Query(text, None, text)
    if not column and _is(namespace.get(name), "Series", "Index", "ndarray", "list", "Array", "ChunkedArray"):
        return Query(namespace[name], None, name)
    return Query(text, None, text)


def explain_missing(query: Query, namespace: dict[str, Any], error: NotFound) -> NotFound:
    """A better word for a lake column that is not there: what the analyst's own variables have."""
    name, _, column = query.name.partition(".")
    columns = frame_columns(namespace.get(name))
    if columns is not None:
        near = difflib.get_close_matches(column, [str(label) for label in columns], n=3)
        if near:
            return NotFound(f"{name} has no column {column!r}. Did you mean {' or '.join(near)}?")
        return NotFound(f"{name} has no column {column!r}. It has {_some(columns)}")
    near = difflib.get_close_matches(name, frames(namespace), n=1)
    if near:
        return NotFound(f"neither a DataFrame nor a lake table is named {name!r}. Did you mean {near[0]}?")
    return error


def _by_label(name: str, frame: Any, inside: str, text: str) -> Query:
    try:
        label = ast.literal_eval(inside)
    except (ValueError, SyntaxError):
        raise InputError(f'cannot read {clip(text)}: write {name}["column"] or {name}.column') from None
    columns = frame_columns(frame)
    if columns is None:
        raise InputError(f"{name} is not a pandas or Spark DataFrame")
    wanted = [label] if not isinstance(label, list | tuple) else list(label)
    for each in wanted:
        if each not in columns:
            near = difflib.get_close_matches(str(each), [str(c) for c in columns], n=3)
            hint = f"Did you mean {' or '.join(near)}?" if near else f"It has {_some(columns)}"
            raise NotFound(f"{name} has no column {each!r}. {hint}")
    return Query(frame, wanted if isinstance(label, list | tuple) else label, f"{name}.{','.join(map(str, wanted))}")


def _some(columns: list[Any], limit: int = 12) -> str:
    shown = ", ".join(clip(str(label), 40) for label in columns[:limit])
    return shown + (f" and {len(columns) - limit} more" if len(columns) > limit else "") if columns else "none"


def _is(value: Any, *names: str) -> bool:
    """Whether a value is of such a class of a data library, or a subclass of one, without importing any."""
    libraries = {*_LIBRARIES, "numpy", "pyarrow", "builtins"} if names != ("DataFrame",) else _LIBRARIES
    return any(kind.__name__ in names and kind.__module__.split(".")[0] in libraries for kind in type(value).__mro__)
