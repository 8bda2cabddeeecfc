"""`lv.recipe()` and `lv.replay()`: what was done to make a table, as a small file; made again elsewhere or later.

A recipe names tables of the lake and frames, never paths; the lake that it is replayed on says where they lie. It may
be a stranger's: each value in it is looked at, none becomes code, and SQL runs only where that was asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lakeview.errors import InputError, LakeviewError, NotFound
from lakeview.guards import checks
from lakeview.join.export.chain_code import Script
from lakeview.join.naming import one_line
from lakeview.join.plan import CompositePlan, JoinPlan
from lakeview.join.recipe import journal, steps
from lakeview.join.recipe.drift import Drift, drift
from lakeview.join.recipe.inputs import checksum, digest
from lakeview.join.side import Side
from lakeview.join.variable import held_as, variables
from lakeview.notebook import state
from lakeview.options import options

VERSION = 1
MOST = 64 << 20  # bytes of a recipe
_VIEW = re.compile(r"`(?:[^`]|``){1,500}`")
# What a SELECT of Spark can do beyond its views: run Java, read files.
_BEYOND = re.compile(r"\b(?:try_)?reflect\s*\(|\bjava_method\s*\(|\b\w+\s*\.\s*`[^`]*[/\\:]|\bread_files\s*\(", re.I)


def recipe(path: str | Path = "recipe.json", of: Any = None, lake: Any = None) -> Path:
    """Write down what was done here: joins, programs, thresholds and SQL, as JSON, and beside it a plain script.

    of: the frame whose making is written; by default all results of joins and of `%%lakeview sql` that variables hold.
    lake: by default the one that is open. Inputs stand there with size and checksum: tables by their names in the lake,
    frames that no table is by the names of their variables. Returns the path. Raises NotFound where nothing was done,
    InputError for what a recipe cannot hold.
    """
    target = checks.folder("path", path)
    if target.suffix != ".json":
        raise InputError(f"a recipe is a .json file, beside which a script of its name goes, not {target.name!r}")
    here = variables()
    writer = _Writer(lake if lake is not None else state.find_lake(here), here)
    found = [frame for frame in here.values() if journal.made_by(frame) is not None] if of is None else [of]
    for frame in found:
        if journal.made_by(frame) is None:
            raise NotFound("no join and no SQL of this session made this frame")
        writer.frame(frame, "result")
    if not writer.steps:
        raise NotFound("nothing was joined yet: a recipe is of results, as plan.to_pandas() gives them")
    data = {"recipe": VERSION, "inputs": writer.inputs, "steps": writer.steps}
    target.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    head = "What was done, as plain code; the recipe beside it is what lv.replay() makes again."
    target.with_suffix(".py").write_text(writer.script.code([head]), encoding="utf-8")
    return target


class _Writer:
    """Inputs and steps in the order in which they are needed, each under a short name."""

    def __init__(self, lake: Any, here: dict[str, Any]) -> None:
        self.lake, self.here = lake, here
        self.inputs: dict[str, Any] = {}
        self.steps: list[dict[str, Any]] = []
        self.script = Script()
        self._variables: dict[str, str] = {}  # of the script, by the name of an input or a step
        self._known: dict[Any, str] = {}
        self._held: list[Any] = []  # so that no id is given twice

    def frame(self, frame: Any, name: str) -> str:
        """The name of what a frame is: a step, or an input."""
        if id(frame) not in self._known:
            self._held.append(frame)
            by = journal.made_by(frame)
            name = held_as(frame, self.here) or name
            if isinstance(by, journal.Sql):
                made = self._sql(by, name)
            else:
                made = self._input(frame, name) if by is None else self._join(by, name)
            self._known[id(frame)] = made
        return self._known[id(frame)]

    def _side(self, side: Side) -> str:
        if side.kind == "lake":
            return self._table(side)
        if side.in_catalog:
            raise InputError(f"{side.name} is a table of a catalog: a recipe keeps tables of files, and frames")
        made = getattr(side, "_plan", None)  # the rows of a step of a bridge
        if made is not None:
            if id(made) not in self._known:
                self._held.append(made)
                self._known[id(made)] = self._join(made.join, side.name)
            return self._known[id(made)]
        return self.frame(side.held if hasattr(side.held, "columns") else side._frame, side.name)

    def _table(self, side: Side) -> str:
        if ("table", side.name) not in self._known:
            files = [{"place": file.place or Path(file.path).name, "size": file.size, "sha256": digest(file.path)}
                     for file in side.table.files]  # fmt: skip
            self._known["table", side.name] = self._add({"table": side.name, "files": files})
        return self._known["table", side.name]

    def _add(self, data: dict[str, Any]) -> str:
        name = f"input{len(self.inputs) + 1}"
        self.inputs[name] = data
        return name

    def _input(self, frame: Any, name: str) -> str:
        if hasattr(frame, "iloc"):
            if (side := self._same_table(frame)) is not None:
                known = self._table(side)
                if known not in self._variables:
                    self._variables[known] = self._read(side, name)
                return known
            columns = list(map(str, frame.columns))
            known = self._add({"frame": name, "rows": len(frame), "columns": columns, "checksum": checksum(frame)})
        else:
            known = self._add({"frame": name, "columns": list(map(str, frame.columns))})
        self._variables[known] = self.script.frame(name)
        return known

    def _read(self, side: Side, name: str) -> str:
        """The variable of a frame that is a table of the lake."""
        try:
            return self.script.table(side, name)
        except LakeviewError:  # pandas reads it otherwise: then it is hers
            return self.script.frame(name)

    def _same_table(self, frame: Any) -> Side | None:
        """The table of the lake that a frame is, to the value."""
        if self.lake is None or not self.lake.roots:
            return None
        listed = self.lake.tables
        for table in listed[(listed["rows"] == len(frame)) & (listed["columns"] == frame.shape[1])]["table"]:
            try:
                side = self.lake.side(table)
                if side.columns == list(frame.columns) and side.to_pandas().equals(frame.reset_index(drop=True)):
                    return side  # type: ignore[no-any-return]
            except LakeviewError:
                continue
        return None

    def _join(self, join: Any, name: str) -> str:
        left, right = self._side(join.left), self._side(join.right)
        step = {"name": name, "join": steps.written(join), "left": [left, join.left.name],
                "right": [right, join.right.name]}  # fmt: skip
        plan = _plan(join)
        if not join.in_spark:
            step["keys"] = plan.keys_seen.profile(bool(options.save_values))
        made = self._step(step)
        self._variables[made] = self._script(plan, left, right, name)
        return made

    def _sql(self, by: journal.Sql, name: str) -> str:
        reads = {}
        for view, held in by.reads.items():
            reads[view] = (
                self._table(self.lake.side(held)) if isinstance(held, str) else self.frame(held, view.strip("`"))
            )
        self.script.say([f"SQL: {line}" for statement in by.statements for line in statement.split("\n")])
        made = self._step({"name": name, "sql": list(by.statements), "reads": reads})
        self._variables[made] = self.script.frame(name)
        return made

    def _step(self, data: dict[str, Any]) -> str:
        name = f"step{len(self.steps) + 1}"
        self.steps.append({"id": name, **data})
        return name

    def _script(self, plan: JoinPlan, left: str, right: str, name: str) -> str:
        """The variable of what a plan makes, in the script."""
        ours, theirs = (self._variables[known] if side.is_frame else None
                        for side, known in ((plan.left, left), (plan.right, right)))  # fmt: skip
        try:
            return self.script.step(plan, ours, theirs, name)
        except LakeviewError as error:
            self.script.say([f"a step without code: {error}"])
            return self.script.frame(name)


def _plan(join: Any) -> JoinPlan:
    """The plan of what was joined."""
    return steps.plan(steps.written(join), join.left, join.right) if type(join).__name__ != "Join" else (
        JoinPlan if len(join.left_on) == 1 else CompositePlan).of(join)  # fmt: skip


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
        shown = label if label not in made.frames else f"{label} ({_field(step, 'id', str)})"
        if "sql" in step:
            frame = _run_sql(step, sides, sql)
        else:
            left, right = (_side(step, which, sides) for which in ("left", "right"))
            plan = steps.plan(_field(step, "join", dict), left, right)
            if "keys" in step:
                made.drifts[shown] = drift(_profile(step["keys"]), plan.keys_seen)
            frame = plan.to_pandas()
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
    if not isinstance(data, dict) or data.get("recipe") != VERSION:
        raise InputError(f"{file.name} is not a recipe of version {VERSION}: write it again with lv.recipe()")
    inputs, listed = _field(data, "inputs", dict), _field(data, "steps", list)
    if not listed or not all(isinstance(entry, dict) for entry in (*inputs.values(), *listed)):
        raise InputError(
            f"{file.name} is not a recipe: its inputs and steps are objects, and there is one step at least"
        )
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
    if hasattr(frame, "iloc") and "checksum" in entry and checksum(frame) != entry["checksum"]:
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
        if ref not in sides or not _VIEW.fullmatch(view):
            raise InputError("this is not a recipe: SQL reads inputs and earlier steps by quoted names")
        held, name = sides[ref]
        side = held if isinstance(held, Side) else Side.frame(held, name)
        sent(side, spark).createOrReplaceTempView(view)
    for statement in statements:
        found = spark.sql(statement)
    return found.toPandas()
