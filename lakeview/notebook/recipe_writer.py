"""A recipe being written: the inputs and the steps that frames are made of, and the same as a plain script."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lakeview.errors import InputError, LakeviewError
from lakeview.guards.frames import is_pandas
from lakeview.join.export.chain_code import Script
from lakeview.join.lookup import MapSide
from lakeview.join.model import Join
from lakeview.join.naming import one_line
from lakeview.join.plan import JoinPlan
from lakeview.join.recipe import journal, steps
from lakeview.join.recipe.inputs import checksum, digest
from lakeview.join.recipe.kept import Kept
from lakeview.join.side import Side
from lakeview.join.variable import held_as
from lakeview.options import options


class Writer:
    """Inputs and steps in the order in which they are needed, each under a short name."""

    def __init__(self, lake: Any, here: dict[str, Any]) -> None:
        self.lake, self.here = lake, here
        self.said: list[str] = []  # of each step, a line
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
            if by is None:
                made = self._input(frame, name)
            elif (made := self._known.get(id(by), "")) == "":  # else it was made twice
                made = self._sql(by, name) if isinstance(by, journal.Sql) else self._join(by, name)
                self._known[id(by)] = made
            self._known[id(frame)] = made
        return self._known[id(frame)]

    def _side(self, side: Side) -> str:
        if side.kind == "lake":
            return self._table(side)
        if side.in_catalog:
            raise InputError(f"{side.name} is a table of a catalog: a recipe keeps tables of files, and frames")
        if isinstance(side, MapSide):
            return self._map(side)
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
        if is_pandas(frame):
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

    def _join(self, by: Join | Kept, name: str) -> str:
        kept = by if isinstance(by, Kept) else Kept(by)
        join = kept.join
        left, right = self._side(join.left), self._side(join.right)
        step = {"name": name, "join": steps.written(join), "left": [left, join.left.name],
                "right": [right, join.right.name]}  # fmt: skip
        if kept.dropped:
            step["kept"] = steps.written_kept(kept)
        plan = steps.plan_of(join)
        if not join.in_spark:
            step["keys"] = plan.keys_seen.profile(bool(options.save_values))
        made = self._step(step, f"{join.what}{kept.said}")
        self._variables[made] = self._script(plan, kept, left, right, name)
        return made

    def _map(self, side: MapSide) -> str:
        """The two columns of a table that a step of a bridge goes through."""
        key = id(side.lookup), *side.columns
        if key not in self._known:
            self._held.append(side)
            of = side.lookup.side
            table = self._side(of)
            own = self._variables[table] if of.is_frame else None
            data = {"name": side.name, "map": steps.written_map(side), "of": [table, of.name]}
            self._known[key] = made = self._step(data, side.lookup.what)
            try:
                self._variables[made] = self.script.map(side, own, side.name)
            except LakeviewError:  # too much for code: then it is hers
                self._variables[made] = self.script.frame(side.name)
        return self._known[key]

    def _sql(self, by: journal.Sql, name: str) -> str:
        reads = {}
        for view, held in by.reads.items():
            reads[view] = (
                self._table(self.lake.side(held)) if isinstance(held, str) else self.frame(held, view.strip("`"))
            )
        self.script.say([f"SQL: {line}" for statement in by.statements for line in statement.split("\n")])
        made = self._step({"name": name, "sql": list(by.statements), "reads": reads}, "SQL")
        self._variables[made] = self.script.frame(name)
        return made

    def _step(self, data: dict[str, Any], said: str) -> str:
        name = f"step{len(self.steps) + 1}"
        self.steps.append({"id": name, **data})
        self.said.append(one_line(f"{data['name']}: {said}"))
        return name

    def _script(self, plan: JoinPlan, kept: Kept, left: str, right: str, name: str) -> str:
        """The variable of what a plan makes, in the script."""
        ours, theirs = (self._variables[known] if side.is_frame else None
                        for side, known in ((plan.left, left), (plan.right, right)))  # fmt: skip
        try:
            return self.script.step(plan, ours, theirs, name, kept)
        except LakeviewError as error:
            self.script.say([f"a step without code: {error}"])
            return self.script.frame(name)
