"""`lv.explore(df)`: a frame's column, and the columns of the lake that join with it, to look through by mouse and keys.

The widget is one plain script (labextension/src/widgets/explore.ts) that draws what the traits say. Searches and
previews run in a thread, and the newest question wins: what an older one was doing is stopped. A search shows what
sketches say at once and the exact answer in its place; what joins after a step is looked for below it (`steps`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import Any

from lakeview.errors import InputError, LakeviewError
from lakeview.guards import checks
from lakeview.join.fuzzy import FuzzyPlan
from lakeview.join.transform import Plans, TransformPlan
from lakeview.join.variable import notebook, variable_name
from lakeview.notebook import cells, namespace, state
from lakeview.notebook.output.display import explored_bundle
from lakeview.notebook.output.hit_rows import MOST_HITS, HitRow, hit_id, hit_row
from lakeview.notebook.output.html import clip
from lakeview.notebook.output.lasting import Bundle, Lasting, look
from lakeview.notebook.scripts import built
from lakeview.notebook.widgets import overview
from lakeview.notebook.widgets.explore_rows import answer_facts, hit_details, joined_rows, members
from lakeview.notebook.widgets.fuzzy_widget import explore_fuzzy
from lakeview.notebook.widgets.in_turn import LOOK, SEARCH, WRITE, InTurn, Task
from lakeview.notebook.widgets.steps import NONE, StepSearch
from lakeview.notebook.widgets.synced import synced
from lakeview.notebook.widgets.targeted import Targeted
from lakeview.notebook.widgets.traits import Answer, ExploreTraits, Steps
from lakeview.notebook.widgets.transform_widget import explore_plans
from lakeview.pipeline import progress
from lakeview.search.asking import side_of

Ask = Callable[[list[Any]], Iterable[Any]]  # the answers to labels of columns, the exact one last
# An answer, its hits by id, their rows, the head.
Drawn = tuple[Any, dict[str, Any], list[HitRow], Answer]


def explore(df: Any, column: Any = None, lake: Any = None, target: Any = None) -> Any:
    """A widget over the lake's joins with a DataFrame, over the plans of `auto_join`, or over a fuzzy join's threshold.

    df: a pandas or Spark DataFrame; or such plans, or one of them; or the plan of `fuzzy_join`. column: the one to
    begin with, or a list of those to join on together (default: an overview, a line for each). lake: default, the one
    opened last. target: a column that those of the lake are to tell of, as `Lake.search` has it. Raises InputError
    where `df` is neither or has no such column, NotFound where no lake is open.
    """
    if isinstance(df, Plans | TransformPlan):
        return explore_plans(df)
    if isinstance(df, FuzzyPlan):
        return explore_fuzzy(df)
    if namespace.frame_columns(df) is None:
        raise InputError(f"explore a pandas or Spark DataFrame, not a {type(df).__name__}")
    side = side_of(df)
    columns = list(side.columns)
    if not columns:
        raise InputError("this DataFrame has no column to explore")
    chosen = column if isinstance(column, list) else [column]
    for label in [*(chosen if column is not None else ()), *([] if target is None else [target])]:
        if not checks.label(label, columns):
            raise InputError(f"the DataFrame has no column {checks.said(label)}")
    if not chosen or len(set(chosen)) < len(chosen):
        raise InputError(f"explore one column or several, each once, not {checks.said(column)}")
    lake = state.the_lake(notebook()) if lake is None else lake
    if not state.is_lake(lake):
        raise InputError(f"lake is a Lake, as lv.open() gives it, not {checks.said(lake)}")

    def ask(labels: list[Any]) -> Iterable[Any]:
        return lake.search(df, labels[0] if len(labels) == 1 else labels, k=MOST_HITS, rank="join", stream=True)

    if column is None:
        return overview.over(_widget_class())(side, lambda: lake.search(df, stream=True), ask, lake, target)
    return _widget_class()(side.name, columns, chosen, ask, df, lake, columns, target)


def explore_hits(hits: Any) -> Any:
    """The widget of an answer that is there: a `lakeview.search.hits.Hits`, or what a whole frame joins with."""
    left, lake = hits.left, state.find_lake(notebook())
    if hasattr(hits, "answers"):
        return overview.over(_widget_class())(left, lambda: [hits], hits.again, lake, hits.target)
    frame = left.held if left is not None and left.is_frame else None
    labels = [] if frame is None else list(left.columns)
    place = [i for i, label in enumerate(labels) if str(label) == hits.query.column]
    targets = [] if left is None else list(left.columns)
    return _widget_class()(hits.query.name, labels, place[:1], lambda chosen: [hits], frame, lake, targets,
                           hits.target, fixed=True)  # fmt: skip


@cache
def _widget_class() -> Any:
    """The widget; made at the first use, because its base class is Jupyter's."""
    traits: Any = synced(ExploreTraits)

    class Explore(Lasting, traits):
        """The script draws the traits, and sends an `ExploreAct` where somebody does something."""

        _esm = built("explore.js")
        _css = built("explore.css")

        def __init__(self, name: str, labels: list[Any], chosen: list[Any], ask: Ask, df: Any, lake: Any,
                     targets: list[Any], target: Any = None, fixed: bool = False) -> None:  # fmt: skip
            """fixed: there is one answer, no column is to be chosen; `chosen` are places then, else labels."""
            positions = chosen if fixed else [labels.index(label) for label in chosen]
            columns = [] if fixed else [clip(each) for each in labels]
            aim = -1 if target is None else targets.index(target)
            super().__init__(frame=name, columns=columns, chosen=positions, targets=[clip(each) for each in targets],
                             target=aim, look=look(), steps=NONE)  # fmt: skip
            self._ask, self._df, self._labels, self._lake = ask, df, labels, lake
            self._targets, self._targeted = targets, Targeted(target)
            self._lake_name = variable_name(lake) if lake is not None else None
            self._spark = type(df).__module__.startswith("pyspark")
            self._turn = InTurn(self)
            self._asked = 0  # questions so far: the script keeps what is open while one question's answer gets exact
            self._shown = 0
            self._settled = 0  # the question whose last answer `_answer` is
            self._forget()
            self._further: StepSearch | None = None
            self.on_msg(self._received)
            self.observe(lambda change: self.search(), "chosen")
            self.observe(lambda change: self._aim(), "target")
            self.observe(self.changed, ["answer", "busy", "error"])
            self.search()

        def _forget(self) -> None:
            """Begin with nothing."""
            self._answer: Any = None  # the Hits that answered last, without what joins after a step
            self._rows: list[HitRow] = []  # the answer's
            self._found: dict[str, Any] = {}  # the hits that are shown, by id

        def lasting(self) -> Bundle:
            with self._turn.lock:
                answer, found = self._answer, list(self._found.values())
            return explored_bundle(answer, found, self._named(), self.error)

        def _named(self) -> str:
            """What is asked for."""
            names = [self.columns[i] for i in self.chosen] if self.columns else []
            column = f"({', '.join(names)})" if len(names) > 1 else "".join(names)
            return f"{self.frame}.{column}" if column else self.frame

        def _label(self) -> Any:
            """The label of the one column that is asked for."""
            asked = self._answer
            return next(label for label in asked.left.columns if str(label) == asked.query.column)

        def is_settled(self) -> bool:
            return not self.busy

        def _aim(self) -> None:
            """Another target: hits are ranked anew."""
            self._targeted = Targeted(None if self.target < 0 else self._targets[self.target])
            self.search()

        def search(self) -> None:
            """Ask for the joins of the chosen columns, in a thread."""
            self._asked += 1
            self._look_no_further()
            labels, question = [self._labels[i] for i in self.chosen], self._asked
            self._do(f"looking for joins of {self._named()}", lambda: self._answers(labels, question), self._show,
                     "search", SEARCH, self._look_further)  # fmt: skip

        def _answers(self, labels: list[Any], question: int) -> Iterator[Drawn]:
            # stopped for what she asks of a hit, it begins anew; an answer that was exact by then stays
            for hits in self._targeted.answers(self._ask(labels)) if self._settled != question else ():
                if self.columns:  # the search ran in a thread, where no variable holds the frame
                    hits.query.name = f"{self.frame}.{hits.query.column}"
                answer = answer_facts(hits)
                answer["question"] = question
                answer["lake"] = self._lake_name or ""
                answer["compare"] = bool(self._lake_name and len(self.chosen) == 1) and not self._spark
                yield hits, {hit_id(hit): hit for hit in hits}, [hit_row(i, hit) for i, hit in enumerate(hits)], answer
            self._settled = question

        def _show(self, drawn: Drawn) -> None:
            self._answer, self._found, self._rows, answer = drawn
            self._shown += 1  # so that the script hears of every answer, also where it reads as the one before
            with self.hold_sync():
                self.hits, self.answer = self._rows, {**answer, "shown": self._shown}

        def _look_further(self) -> None:
            """The answer is exact: look for what joins after a step."""
            if self._answer.further is not None and self._further is None:
                self._further = StepSearch(self._answer, len(self._rows), self._show_steps)
                self._further.go_on()

        def _look_no_further(self) -> None:
            before, self._further = self._further, None
            if before is not None:
                before.end()
            self.steps = NONE

        def _show_steps(self, found: list[Any], rows: list[HitRow], steps: Steps) -> None:
            """What joins after a step stands below the answer, which stays as it is."""
            with self._turn.lock, self.hold_sync():
                if len(self.hits) != len(self._rows) + len(rows):
                    self._found = {**self._found, **{hit_id(hit): hit for hit in found}}
                    self._shown += 1
                    self.hits = [*self._rows, *rows]
                    self.answer = {**self.answer, "shown": self._shown}
                self.steps = steps

        def _do(self, busy: str, work: Callable[[], Any], show: Callable[[Any], None], kind: str, rank: int,
                after: Callable[[], None] | None = None) -> None:  # fmt: skip
            """Work in turn; a Spark frame's work is a job of its own, so that it stops there too."""

            def at_work() -> Any:
                return progress.Job(self._df.sparkSession, work, busy).wait() if self._spark else work()

            self._turn.ask(Task(busy, at_work, show, kind, rank, after))

        def _received(self, _: Any, content: dict[str, Any], buffers: Any) -> None:
            do, hit = content.get("do"), content.get("hit", "")
            if do == "cancel":
                self._turn.stop()
            elif do == "search":
                self.search()
            elif do in ("stop", "further"):
                if self._further is not None:
                    (self._further.stop if do == "stop" else self._further.go_on)()
            elif do == "compare":
                marked = [self._found[each] for each in content.get("hits", []) if each in self._found]
                self._say(lambda: cells.comparison(self._lake, self._df, self._labels, self.chosen[0], marked))
            elif do == "problems":
                self._say(lambda: cells.problems(self._lake))
            elif (found := self._hit(hit)) is not None:
                self._of_hit(do, hit, found, content)

        def _hit(self, name: str) -> Any:
            """A hit that is shown, or another of the family of one; None where there is none."""
            others = (one for hit in self._found.values() for one in hit.alike if hit_id(one) == name)
            return self._found[name] if name in self._found else next(others, None)

        def _say(self, write: Callable[[], str]) -> None:
            """Send the code of a cell, or say why there is none."""
            try:
                self.send({"code": write(), "then": "join"})
            except LakeviewError as error:
                self.error = str(error)

        def _of_hit(self, do: str | None, name: str, hit: Any, content: dict[str, Any]) -> None:
            if do == "details":
                self.send({"details": hit_details(hit, self._answer.query), "hit": name})
                return
            if do == "alike":
                self.send({"alike": members(hit), "hit": name})
                return
            if do == "editor":
                self._say(lambda: cells.editor(hit, self._answer.left, self._label()))
                return
            how = content.get("how", "left")
            alone = how == "unmatched"
            many = "first" if alone else content.get("many", "all")

            def plan() -> Any:
                made = hit.join(how="left" if alone else how, many=many)
                if self.columns:
                    made.left.name = self.frame  # the search ran in a thread, where no variable holds the frame
                return made

            asked = {"name": content.get("name"), "dropped": content.get("dropped", ()), "unmatched": alone}
            if do == "preview":
                told = partial(self._targeted.told, hit, many)
                self._do("looking at rows", lambda: [joined_rows(plan(), told)],
                         lambda rows: self.send({"joined": rows, "hit": name}), f"preview {name}", LOOK)  # fmt: skip
            elif do in ("join", "copy"):
                self._do("writing the code", lambda: [cells.result(plan(), **asked)],
                         lambda code: self.send({"code": code, "then": do, "hit": name}),
                         f"{do} {name}", WRITE)  # fmt: skip

    return Explore
