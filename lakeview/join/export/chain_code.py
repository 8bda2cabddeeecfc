"""Several joins as one plain script: each step makes what the next one reads, and LAKE says where the files lie."""

from __future__ import annotations

import ast
import io
import os
import tokenize
from collections.abc import Sequence
from pathlib import Path

from lakeview.join.export.bridge_code import map_in_pandas
from lakeview.join.export.draft import names
from lakeview.join.export.fitted import MARK, bare, fitted, imports_first, marked, renamed
from lakeview.join.export.pandas_read import folder_of, path_of, read_lines
from lakeview.join.lookup import MapSide
from lakeview.join.naming import comment, free, identifier, literal
from lakeview.join.plan import JoinPlan
from lakeview.join.recipe.kept import Kept
from lakeview.join.side import Side

LAKE = "LAKE"


class Script:
    """The lines so far, as a draft (`fitted`) in which no two steps have a variable in common but frames.

    given: the analyst's frames that it reads and no step makes."""

    def __init__(self) -> None:
        self.given: list[str] = []
        self._imports: dict[str, None] = {}
        self._parts: list[str] = []
        self._tables: list[Side] = []
        self._taken = {LAKE}

    def variable(self, name: str) -> str:
        """A variable of that name, or of one like it, which no other frame has."""
        self._taken.add(variable := free(name, self._taken))
        return variable

    def say(self, lines: Sequence[str]) -> None:
        """Lines to read."""
        self._parts.append("\n".join(map(comment, lines)))

    def frame(self, name: str) -> str:
        """The variable of a frame of hers."""
        self.given.append(variable := self.variable(name))
        return variable

    def table(self, side: Side, name: str) -> str:
        """The variable of a frame that is a table of the lake, which the script reads. Raises InputError where pandas
        reads it otherwise."""
        variable = self.variable(name)
        self._write("\n".join(["import pandas as pd", *read_lines(side, (), marked(variable))]))
        self._tables.append(side)
        return variable

    def map(self, side: MapSide, table: str | None, name: str) -> str:
        """The variable of a map. table: that of the frame it is made of, None of a table of the lake, which is read.
        Raises InputError where code cannot make it."""
        own = table or self.variable(identifier(side.lookup.side.stem))
        variable = self.variable(name)
        self._write(map_in_pandas(side, marked(own), marked(variable)))
        if table is None:
            self._tables.append(side.lookup.side)
        return variable

    def step(self, plan: JoinPlan, left: str | None, right: str | None, name: str, kept: Kept | None = None) -> str:
        """The variable of what a plan makes, or of what is kept of that. left, right: those of its sides, None of a
        table of the lake, which its code reads. Raises InputError where its dialect lacks a step."""
        draft, own = plan.draft(plan.dialect), names(plan.join)
        result = self.variable(name)
        new = {own.result: marked(result)}
        for given, variable, side in zip(own.given, (left, right), (plan.left, plan.right), strict=True):
            if variable is not None:
                new[given] = marked(variable)
            elif not side.is_frame:
                self._tables.append(side)
        for variable in _marked(draft):
            if variable not in new:
                new[variable] = marked(self.variable(bare(variable)))
        less = "" if kept is None else kept.line(marked(result), plan.dialect != "pandas")
        self._write(renamed(draft, new).rstrip("\n") + f"\n{less}", plan.heading())
        return result

    def _write(self, draft: str, head: Sequence[str] = ()) -> None:
        imports, rest = _imports(imports_first(draft))
        self._imports |= dict.fromkeys(imports)
        self._parts.append("\n".join([*map(comment, head), rest.strip("\n")]))

    def code(self, head: Sequence[str] = ()) -> str:
        """The script: imports, LAKE, and the steps."""
        draft = "\n".join(self._imports) + "\n\n" + "\n\n".join(self._parts) + "\n"
        written = fitted(draft, list(map(marked, self.given)), {})
        top = [*head, f"reads {', '.join(self.given)}"] if self.given else head
        root = _root(self._tables)
        if root is not None:
            imports, rest = _imports(_below(written, root, self._tables))
            where = f"{LAKE} = {literal(path_of(str(root)))}"
            written = "\n".join([*imports, "", where, rest])
        return "".join(f"{comment(line)}\n" for line in top) + written


def _imports(code: str) -> tuple[list[str], str]:
    """The imports at the top of some code, and the rest."""
    lines = code.splitlines()
    first = next((i for i, line in enumerate(lines) if not line.startswith(("import ", "from "))), len(lines))
    return lines[:first], "\n".join(lines[first:]) + "\n"


def _marked(draft: str) -> list[str]:
    """The variables of tables in a draft, in its order."""
    tokens = tokenize.generate_tokens(io.StringIO(draft).readline)
    return list(dict.fromkeys(token.string for token in tokens if token.string.endswith(MARK)))


def _root(tables: Sequence[Side]) -> Path | None:
    """The folder that the names of all tables are below, or else the one that all their files are in."""
    found, folders = set(), []
    for side in tables:
        for file in side.table.files:
            path = Path(file.path).resolve()
            folders.append(str(path.parent))
            before, name, _ = path.as_posix().partition(f"/{side.name}")
            found.add(before if name else str(path.parent))
    if not folders:
        return None
    return Path(found.pop() if len(found) == 1 else os.path.commonpath(folders))


def _below(code: str, root: Path, tables: Sequence[Side]) -> str:
    """The code with the paths of the tables below LAKE."""
    real = {str(Path(path).resolve()) for side in tables for path in
            (folder_of(side.table), *(file.path for file in side.table.files))}  # fmt: skip
    shown = {form: path for path in real for form in (path, path_of(path))}
    lines = code.splitlines(keepends=True)
    for token in reversed(list(tokenize.generate_tokens(io.StringIO(code).readline))):
        if token.type != tokenize.STRING or token.start[0] != token.end[0] or token.string[0] not in "\"'":
            continue
        path = shown.get(ast.literal_eval(token.string))
        if path is None or not Path(path).is_relative_to(root):
            continue
        (row, start), (_, stop) = token.start, token.end
        rest = Path(path).relative_to(root).as_posix()
        below = literal("/" + rest.replace("{", "{{").replace("}", "}}"))
        new = f"f{below[0]}{{{LAKE}}}{below[1:]}" if rest != "." else LAKE
        lines[row - 1] = lines[row - 1][:start] + new + lines[row - 1][stop:]
    return "".join(lines)
