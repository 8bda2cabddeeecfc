"""`lv.recipe()`: what was done to make tables, as a small file that `lv.replay()` makes them of again.

It names tables of the lake and frames, never paths; the lake that it is replayed on says where they lie.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from lakeview.errors import InputError, NotFound
from lakeview.guards import checks
from lakeview.join.naming import one_line
from lakeview.join.recipe import clicked, journal, steps
from lakeview.join.variable import is_variable, variables
from lakeview.notebook import cells, state
from lakeview.notebook.recipe_writer import Writer

_HEAD = "What was done, as plain code; the recipe beside it is what lv.replay() makes again."
_NOTHING = "nothing was joined here yet: press Join in the grid of %lakeview explore df, or take plan.to_pandas()"


class Recipe:
    """A recipe that was written.

    path: its file; script: the plain code beside it. steps: a line each; has_sql: some are SQL. tables, frames: what it
    reads, by name. left_out: variables whose making it does not hold, and why. Anything that takes a path takes it.
    """

    def __init__(self, path: Path, script: Path, writer: Writer, left_out: dict[str, str]) -> None:
        self.path, self.script, self.left_out = path, script, left_out
        self.steps = list(writer.said)
        self.has_sql = any("sql" in step for step in writer.steps)
        self.tables = [entry["table"] for entry in writer.inputs.values() if "table" in entry]
        self.frames = [entry["frame"] for entry in writer.inputs.values() if "frame" in entry]

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        lines = [f"Recipe of {len(self.steps)} {'step' if len(self.steps) == 1 else 'steps'}: {self.path.name}, and "
                 f"{self.script.name} as plain code"]  # fmt: skip
        lines += [f"  {number}. {said}" for number, said in enumerate(self.steps, 1)]
        lines += [f"  reads of the lake: {', '.join(self.tables)}"] if self.tables else []
        lines += [f"  reads your frames: {', '.join(self.frames)}"] if self.frames else []
        lines += [f"  left out: {name}: {why}" for name, why in self.left_out.items()]
        return "\n".join(map(one_line, lines))


def recipe(path: Any = "recipe.json", of: Any = None, lake: Any = None) -> Recipe:
    """Write down what was done here: joins, programs, thresholds and SQL, as JSON, and beside it a plain script.

    of: the frame whose making is written; by default all results of joins, of cells that Join inserted, and of
    `%%lakeview sql` that variables hold. lake: by default the one that is open. Inputs stand there with size and
    checksum: tables by their names in the lake, frames that no table is by the names of their variables. Returns what
    was written, and what was left out. Raises NotFound where nothing was done, InputError for what a recipe cannot
    hold, and where a file of another kind stands in its place.
    """
    target = checks.folder("path", path)
    if target.suffix != ".json":
        raise InputError(f"a recipe is a .json file, beside which a script of its name goes, not {target.name!r}")
    here = variables()
    refused = clicked.settle(here)
    left_out = _left_out(here, refused) if of is None else {}
    writer = Writer(lake if lake is not None else state.find_lake(here), here)
    found = [frame for frame in here.values() if journal.made_by(frame) is not None] if of is None else [of]
    for frame in found:
        if journal.made_by(frame) is None:
            raise NotFound("no join and no SQL of this session made this frame as it is")
        writer.frame(frame, "result")
    if not writer.steps:
        raise NotFound("; ".join(f"{name} is left out: {why}" for name, why in left_out.items()) or _NOTHING)
    script = target.with_suffix(".py")
    data = {"recipe": steps.VERSION, "inputs": writer.inputs, "steps": writer.steps}
    _put(target, json.dumps(data, indent=1, ensure_ascii=False) + "\n", '{\n "recipe"')
    _put(script, writer.script.code([_HEAD]), f"# {_HEAD}")
    return Recipe(target, script, writer, left_out)


def _put(path: Path, text: str, begins: str) -> None:
    """Write a file, also over one that begins as such files do. Raises InputError for any other."""
    try:
        if path.exists() and path.read_bytes()[: len(begins)] != begins.encode():
            raise InputError(f"{path.name} is there and was not written by lv.recipe(): take another name")
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path.name} cannot be written: {error.strerror or error}") from None


def _left_out(here: Mapping[str, Any], refused: Mapping[str, str]) -> dict[str, str]:
    """The variables whose frames were joined here and are not what was joined, and why."""
    found = {name: f"{why}: its cell was changed, or what it reads" for name, why in refused.items()}
    for name, frame in here.items():
        if is_variable(name) and journal.has_changed(frame):
            found.setdefault(name, "its rows or columns were changed since it was joined")
    for name in _of_cells(here.get("In", ())):
        if hasattr(here.get(name), "columns") and journal.made_by(here[name]) is None:
            found.setdefault(name, "its cell was written before this kernel began, or by hand: Join once more")
    return found


def _of_cells(sources: Any) -> list[str]:
    """The variables that cells of joined code leave, of those that ran here."""
    found = []
    for source in sources:
        if isinstance(source, str) and source.startswith("# lakeview: "):
            with suppress(SyntaxError, ValueError):
                found += cells.bound(source)[-1:]
    return found
