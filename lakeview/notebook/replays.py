"""`lv.replay()`: a table made again from its recipe, elsewhere or later, and what changed since.

A recipe may be a stranger's: each value in it is looked at, none becomes code, and SQL runs only where that was asked
for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lakeview.errors import InputError, NotFound
from lakeview.guards import checks
from lakeview.guards.frames import is_pandas
from lakeview.join.naming import one_line
from lakeview.join.recipe import steps
from lakeview.join.recipe.drift import Drift, drift
from lakeview.join.recipe.inputs import checksum, digest
from lakeview.join.side import Side
from lakeview.join.variable import variables
from lakeview.notebook import state
from lakeview.notebook.sql import is_hers, make_view

MOST = 64 << 20  # bytes of a recipe
_VIEW = re.compile(r"`(?:[^`]|``){1,500}`")
# What a SELECT of Spark can do beyond its views: run Java, read files.
_BEYOND = re.compile(r"\b(?:try_)?reflect\s*\(|\bjava_method\s*\(|\b\w+\s*\.\s*`[^`]*[/\\:]|\bread_files\s*\(", re.I)


class Replay:
    """A recipe that was replayed: what changed since, and the table.

    inputs: what became of the inputs, a sentence each. drifts: name of a step → what changed in its keys. changes: all
    that changed, a sentence each; empty where nothing did. frames: the result of each step.
    """

    def __init__(self) -> None:
        self.inputs: list[str] = []
        self.drifts: dict[str, Drift] = {}
        self.frames: dict[str, Any] = {}

    @property
    def changes(self) -> list[str]:
        return [*self.inputs, *(f"{name}: {found}" for name, found in self.drifts.items() if found)]

    def to_pandas(self) -> Any:
        """The table: the result of the last step."""
        return next(reversed(self.frames.values()))

    def __repr__(self) -> str:
        rows = ", ".join(f"{name} {len(frame):,} rows" for name, frame in self.frames.items())
        return "\n".join([f"Replay({rows})", *(self.changes or ["nothing changed since"])])


def replay(path: str | Path, lake: Any = None, frames: Mapping[str, Any] | None = None, sql: bool = False) -> Replay:
    """Make the table of a recipe again, on this lake, and say what changed since it was written.

    lake: a lake that has its tables; by default the one that is open. frames: the frames that it reads, by name. sql:
    run its SQL, which its author wrote: read it before. Nothing else in a recipe is code, and no path in it is read.
    Raises InputError for what is no recipe, NotFound for a table, a column or a frame that is not there, LakeChanged
    where the lake was not indexed since a table changed.
    """
    file = checks.folder("path", path)
    given = dict(checks.kind("frames", {} if frames is None else frames, Mapping, "a dict of names and frames"))
    sql = checks.flag("sql", sql)
    lake = lake if lake is not None else state.find_lake(variables())
    data = _read(file)
    made = Replay()
    sides: dict[str, tuple[Any, str]] = {}
    for name, entry in data["inputs"].items():
        sides[name] = _input(entry, lake, given, made)
    for step in data["steps"]:
        label = _field(step, "name", str)
        if "map" in step:  # what a bridge goes through
            sides[_field(step, "id", str)] = steps.made_map(step["map"], _side(step, "of", sides), label), label
            continue
        shown = label if label not in made.frames else f"{label} ({_field(step, 'id', str)})"
        if "sql" in step:
            frame = _run_sql(step, sides, sql)
        else:
            left, right = (_side(step, which, sides) for which in ("left", "right"))
            plan = steps.plan(_field(step, "join", dict), left, right)
            if "keys" in step:
                made.drifts[shown] = drift(_profile(step["keys"]), plan.keys_seen)
            kept = steps.kept(step.get("kept"), plan)
            frame = kept.of(plan.to_pandas())
        made.frames[shown] = frame
        sides[_field(step, "id", str)] = frame, label
    return made


def _read(file: Path) -> dict[str, Any]:
    """The file as JSON of the form of a recipe. Raises NotFound, InputError."""
    try:
        if file.stat().st_size > MOST:
            raise InputError(f"{file.name} is larger than a recipe is")
        data = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotFound(f"there is no recipe {file.name}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{file.name} is not a recipe: {error}") from None
    if not isinstance(data, dict) or data.get("recipe") != steps.VERSION:
        raise InputError(f"{file.name} is not a recipe of version {steps.VERSION}: write it again with lv.recipe()")
    inputs, listed = _field(data, "inputs", dict), _field(data, "steps", list)
    if not listed or not all(isinstance(entry, dict) for entry in (*inputs.values(), *listed)):
        raise InputError(
            f"{file.name} is not a recipe: its inputs and steps are objects, and there is one step at least"
        )
    if "map" in listed[-1]:
        raise InputError(f"{file.name} is not a recipe: its last step makes no table")
    return data


def _field(data: Any, name: str, kind: type) -> Any:
    if not isinstance(data, dict) or not isinstance(data.get(name), kind) or isinstance(data.get(name), bool):
        raise InputError(f"this is not a recipe: a part of it has no {name!r}, or another kind of one")
    return data[name]


def _input(entry: Any, lake: Any, given: Mapping[str, Any], made: Replay) -> tuple[Any, str]:
    """A side of the lake or a frame, and its name; what changed goes to `made`."""
    if "table" in entry:
        table = _field(entry, "table", str)
        if lake is None:
            raise NotFound("this recipe reads tables of a lake: open it, and give it as lake=…")
        side = lake.side(table)
        side.require_unchanged()
        if (said := _files_changed(entry, side)) is not None:
            made.inputs.append(one_line(f"{table}: {said}"))
        return side, table
    name = _field(entry, "frame", str)
    if name not in given:
        raise NotFound(f"this recipe reads the frame {name!r}: give it, as in frames={{{name!r}: …}}")
    frame = given[name]
    if is_pandas(frame) and "checksum" in entry and checksum(frame) != entry["checksum"]:
        made.inputs.append(one_line(f"{name}: {entry.get('rows')} rows then, {len(frame)} now"
                                    if entry.get("rows") != len(frame) else f"{name}: other values"))  # fmt: skip
    return frame, name


def _files_changed(entry: Any, side: Side) -> str | None:
    then, now = _field(entry, "files", list), side.table.files
    sizes = sum(_field(file, "size", int) for file in then), sum(file.size for file in now)
    if sizes[0] != sizes[1]:
        return f"{sizes[0]:,} bytes then, {sizes[1]:,} now"
    if len(then) != len(now) or [_field(f, "sha256", str) for f in then] != [digest(f.path) for f in now]:
        return "other content of the same size"
    return None


def _side(step: Any, which: str, sides: Mapping[str, tuple[Any, str]]) -> Side:
    ref = _field(step, which, list)
    if len(ref) != 2 or not all(isinstance(part, str) for part in ref) or ref[0] not in sides:
        raise InputError(f"this is not a recipe: a {which} side is an input or an earlier step, and its name")
    held, _ = sides[ref[0]]
    return held if isinstance(held, Side) else Side.frame(held, ref[1])


def _profile(keys: Any) -> dict[str, Any]:
    for name in ("left", "right", "met"):
        _field(keys, name, int)
    for name in ("met_sample", "alone_sample"):
        if not all(isinstance(key, str) for key in _field(keys, name, list)):
            raise InputError("this is not a recipe: samples of keys are texts")
    return keys  # type: ignore[no-any-return]


def _run_sql(step: Any, sides: Mapping[str, tuple[Any, str]], allowed: bool) -> Any:
    """The rows of a step of SQL. Raises InputError unless that is allowed, and for what is no SELECT of its views."""
    statements, reads = _field(step, "sql", list), _field(step, "reads", dict)
    if not statements:
        raise InputError("this is not a recipe: a step of SQL has one statement at least")
    for statement in statements:
        text = statement if isinstance(statement, str) else ""
        if not re.match(r"\s*(SELECT|WITH)\b", text, re.I) or _BEYOND.search(text):
            raise InputError("SQL of a recipe may SELECT from its inputs, and nothing else")
    if not allowed:
        raise InputError("this recipe runs SQL that its author wrote: read it, and replay it with sql=True")
    from lakeview.join.spark.sides import sent
    from lakeview.pipeline import session

    spark = session.get()
    for view, ref in reads.items():
        if not isinstance(ref, str) or ref not in sides or not _VIEW.fullmatch(view):
            raise InputError("this is not a recipe: SQL reads inputs and earlier steps by quoted names")
        if is_hers(spark, view):
            raise InputError(f"the recipe would replace {view}, which Spark has already: drop it or name it otherwise")
        held, name = sides[ref]
        side = held if isinstance(held, Side) else Side.frame(held, name)
        make_view(spark, view, sent(side, spark))
    with session.in_one_line(spark):
        return [spark.sql(statement) for statement in statements][-1].toPandas()
