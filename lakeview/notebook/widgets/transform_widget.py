"""`lv.explore(plans)`: a learned join to look through: its program, rows before and after, coverage, corrections.

The script (labextension/src/widgets/transform.ts) draws what the traits say. Corrections make the kernel learn again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from lakeview.errors import InputError, LakeviewError
from lakeview.notebook.output.display import plan_bundle
from lakeview.notebook.output.first_rows import first_rows
from lakeview.notebook.output.html import clip, number, plural
from lakeview.notebook.output.lasting import Bundle, Lasting, look
from lakeview.notebook.scripts import built
from lakeview.notebook.widgets.in_turn import InTurn, Task
from lakeview.notebook.widgets.resulting import name_for, resulting
from lakeview.notebook.widgets.synced import synced
from lakeview.notebook.widgets.traits import HOWS, Alternative, TransformTraits
from lakeview.notebook.widgets.transform_rows import Rows, plan_facts, steps

_DIALECTS = ("pandas", "pyspark", "sql")


def explore_plans(plans: Any) -> Any:
    """The widget of a plan, or of the list that auto_join returned. Raises InputError where there is none to show."""
    listed = list(plans) if isinstance(plans, Sequence) else [plans]
    if not listed:
        raise InputError("no program joins these tables, so there is no plan to explore: plans.explain() says why")
    if any(plan.dialect == "pyspark" for plan in listed):
        raise InputError("the rows of a Spark frame stay in Spark: explore the plan of a sample of it")
    return _widget_class()(listed)


def alternative(plan: Any) -> Alternative:
    """A plan in the list of programs: what it does and how many rows it joins."""
    counts = plan.counts()
    matched, rows = (counts.right_matched, counts.right_rows) if plan.reverse else (
        counts.left_matched, counts.left_rows)  # fmt: skip
    more = len(plan.program.split("\n")) - 1
    return {
        "title": clip(str(plan.programs[0]), 160),
        "rows": number(matched),
        "note": f"{plural(len(steps(plan)), 'step')}; rows of {plan.derived.name} covered: {number(matched)} of "
        f"{number(rows)}" + (f"; {plural(more, 'rule')} more" if more else ""),
    }


def rows_sentence(plan: Any) -> list[str]:
    """Rows out, what they are made of, and rows out where only those without a match are kept."""
    counts = plan.counts()
    alone = counts.left_rows - counts.left_matched
    kept = "kept" if plan.how == "left" else "dropped"
    return [
        f"{plural(counts.rows_out, 'row')} out",
        f"{number(counts.left_matched)} of {number(counts.left_rows)} rows matched, at most "
        f"{number(counts.max_fanout)} times; {number(alone)} unmatched {kept}",
        f"{plural(alone, 'row')} out",
    ]


def codes(plan: Any) -> list[tuple[str, str]]:
    """The code in each dialect, or why there is none."""
    found = []
    for dialect in _DIALECTS:
        try:
            found.append((dialect, plan.code(dialect)))
        except LakeviewError as error:
            found.append((dialect, f"# {error}"))
    return found


@cache
def _widget_class() -> Any:
    """The widget; made at the first use, because its base class is Jupyter's."""
    traits: Any = synced(TransformTraits)

    class ExploreTransform(Lasting, traits):
        """The script draws the traits, and sends a `TransformAct` where somebody does something."""

        _esm = built("transform.js")
        _css = built("transform.css")

        def __init__(self, plans: list[Any]) -> None:
            super().__init__(names=[plans[0].left.name, plans[0].right.name], look=look())
            self.plans = plans
            self._right: dict[int, str] = {}
            self._wrong: set[int] = set()
            self.result = name_for(plans[0])
            self.how = plans[0].how if plans[0].how in HOWS else "left"
            self._turn = InTurn(self)
            self.on_msg(self._received)
            self._show(self._look(0, self.how))
            self.observe(self.changed, ["facts", "how", "chosen", "busy"])

        @property
        def plan(self) -> Any:
            """The plan that is shown, with all corrections."""
            return self._plan()

        def _plan(self, how: str | None = None) -> Any:
            return self.plans[self.chosen].again(how or self.how)

        def lasting(self) -> Bundle:
            return plan_bundle(self.plan)

        def is_settled(self) -> bool:
            return not self.busy

        def _look(self, chosen: int, how: str) -> dict[str, Any]:
            plan = self.plans[chosen].again(how)
            return {
                "chosen": chosen, "how": how, "facts": plan_facts(Rows(plan)), "sentence": rows_sentence(plan),
                "codes": codes(plan), "alternatives": [alternative(each) for each in self.plans],
            }  # fmt: skip

        def _show(self, found: dict[str, Any]) -> None:
            with self.hold_sync():
                for name, value in found.items():
                    setattr(self, name, value)

        def _received(self, _: Any, content: dict[str, Any], buffers: Any) -> None:
            do = content.get("do")
            if do == "choose" and 0 <= content["plan"] < len(self.plans):
                other = int(content["plan"])
                self._do("looking at another program", do, lambda: self._look(other, self.how), self._show_other)
            elif do == "how" and content["how"] in HOWS:
                self._do("counting", do, lambda: self._look(self.chosen, content["how"]), self._show)
            elif do in ("correct", "wrong"):
                row, key = int(content["row"]), str(content["key"]) if do == "correct" else None
                self._do("learning again", f"row {row}", lambda: self._learn(row, key), self._show)
            elif do == "preview":
                self._do("previewing", do, lambda: {"preview": first_rows(self.plan)}, self.send)
            elif do in ("join", "copy"):
                how = "left" if content.get("unmatched") else None  # as it is chosen by then
                self._do("writing the code", do, lambda: resulting(self._plan(how), content), self.send)
            elif do == "name":
                self.result = name_for(self.plan)

        def _do(self, busy: str, kind: str, work: Callable[[], Any], show: Callable[[Any], None]) -> None:
            """Work in turn: a join is of what was chosen before it."""
            self._turn.ask(Task(busy, lambda: [work()], show, kind))

        def _show_other(self, found: dict[str, Any]) -> None:
            self._right, self._wrong = {}, set()
            self._show(found)

        def _learn(self, row: int, key: str | None) -> Any:
            """The chosen program learned again from what a row's key is, or that it is wrong; the corrected plan comes
            before those there are."""
            right = {each: of for each, of in self._right.items() if each != row}
            wrong = self._wrong - {row}
            if key is None:
                wrong |= {row}
            else:
                right[row] = key
            plan = self.plans[self.chosen]
            again = plan.learn_again(right, wrong)
            self.plans = [again, *(each for each in self.plans if each is not plan)]
            self._right, self._wrong = right, wrong
            return self._look(0, self.how)

    return ExploreTransform
