"""`lv.explore(plan)` of a fuzzy join: the curve, the threshold as a handle on it, the doubtful pairs, judgements.

The script (labextension/src/widgets/fuzzy.ts) holds what the plan is at every threshold, so that the handle moves
without the kernel; the plan follows when it rests.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from lakeview.errors import InputError, LakeviewError
from lakeview.join.fuzzy.joined import CARDINALITIES
from lakeview.notebook import cells
from lakeview.notebook.output.display import fuzzy_bundle
from lakeview.notebook.output.first_rows import first_rows
from lakeview.notebook.output.html import clip
from lakeview.notebook.output.lasting import Bundle, Lasting, look
from lakeview.notebook.scripts import built
from lakeview.notebook.widgets.fuzzy_states import Numbers, States
from lakeview.notebook.widgets.resulting import name_for, resulting
from lakeview.notebook.widgets.synced import synced
from lakeview.notebook.widgets.traits import HOWS, Choice, FuzzyTraits

_TOKENISERS = ("words", "both", "2-grams", "3-grams", "4-grams")
_MEASURES = ("jaccard", "cosine", "dice", "containment", "inclusion", "edit", "jaro_winkler")


def explore_fuzzy(plan: Any) -> Any:
    """The widget of a fuzzy plan; `widget.plan` is the plan as it is left there."""
    return _widget_class()(plan)


def _choice(value: str, options: Sequence[str]) -> Choice:
    """What is chosen among what there is; a plan may have what is not offered."""
    return {"value": value, "options": [*options] if value in options else [value, *options]}


@cache
def _widget_class() -> Any:
    """The widget; made at the first use, because its base class is Jupyter's."""
    traits: Any = synced(FuzzyTraits)

    class ExploreFuzzy(Lasting, traits):
        """The script draws the traits, and sends a `FuzzyAct` where somebody does something."""

        _esm = built("fuzzy.js")
        _css = built("fuzzy.css")

        def __init__(self, plan: Any) -> None:
            names = [f"{side.name}.{on}" for side, on in ((plan.left, plan.left_on), (plan.right, plan.right_on))]
            super().__init__(names=[clip(name) for name in names], look=look())
            self.plan = plan
            self._following = False
            self._numbers = Numbers()
            self._said: list[tuple[str, str]] = []
            self._moved_by: tuple[float, str] | None = None
            self.result = name_for(plan)
            self._draw()
            self.observe(self._moved, "threshold")
            self.observe(self.changed, ["facts", "threshold", "joins", "how"])
            self.on_msg(self._received)

        def lasting(self) -> Bundle:
            return fuzzy_bundle(self.plan)

        def _draw(self) -> None:
            """Tell the script what the plan is now."""
            plan = self.plan
            how, advice = plan.configuration, plan.advice
            said = plan.judgements
            self._following = True
            with self.hold_sync():
                leads = how.lead and plan.cardinality != "N:M"
                self.ahead = f"{how.lead:.2f} ahead of the next best" if leads else ""
                self.facts = States(plan, self._numbers).facts()
                self.threshold, self.how, self.joins = how.threshold, plan.how, plan.threshold is not None
                self.choices = {
                    "tokeniser": _choice(how.tokeniser, _TOKENISERS), "measure": _choice(how.measure, _MEASURES),
                    "cardinality": _choice(plan.cardinality, CARDINALITIES),
                }  # fmt: skip
                self.judged = [len(said.accepted), len(said.rejected)]
                self.evidence = plan.explain().split("\n")
                self.advice = {} if advice is None else {
                    "threshold": round(advice.configuration.threshold, 6), "target": advice.target,
                    "reached": advice.reached, "text": str(advice), "precision": advice.precision,
                    **({"before": self._moved_by[0], "by": self._moved_by[1]} if self._moved_by else {}),
                }  # fmt: skip
            self._following = False

        def _judged(self, judged: Any, by: str) -> None:
            """A plan that stood where it was advised to goes with the advice that a judgement moves."""
            was, advice = self.plan.threshold, self.plan.advice
            if advice is not None and advice.reached and self.plan.configuration == advice.configuration:
                advised = judged.advised()
                judged = advised if advised.advice.reached else judged
            moved = was is not None and judged.threshold is not None and abs(judged.threshold - was) > 1e-9
            self._moved_by = (round(was, 6), by) if moved else None
            self.plan = judged
            self._draw()

        def _moved(self, change: Any) -> None:
            if self._following:
                return
            self.plan = self.plan.at(change["new"])
            self.joins = True
            self.evidence = self.plan.explain().split("\n")

        def _received(self, _: Any, content: dict[str, Any], buffers: Any) -> None:
            self.error = ""
            try:
                self._do(content)
            except LakeviewError as problem:
                self.error = str(problem)

        def _do(self, content: dict[str, Any]) -> None:
            do, plan = content.get("do"), self.plan
            if do == "judge":
                pair = self._numbers.pair(int(content["pair"]))
                verdict = content["verdict"]
                say = {"yes": plan.accept, "no": plan.reject}.get(verdict, plan.unjudge)
                self._said.append(pair)
                self._judged(say(*pair), {"yes": "Yes", "no": "No"}.get(verdict, "change of mind"))
            elif do == "undo" and self._said:
                self._judged(plan.unjudge(*self._said.pop()), "change of mind")
            elif do == "advise":
                self._moved_by = None
                self.plan = plan.advised(content.get("precision"))
                self._draw()
            elif do == "how" and content["how"] in HOWS:
                self.plan = plan.with_how(content["how"])
                self.how = content["how"]
            elif do == "compare":
                self.plan = plan.compared_by(content.get("tokeniser"), content.get("measure"))
                self._draw()
            elif do == "keep":
                self.plan = plan.with_cardinality(content["cardinality"])
                self._draw()
            elif do == "preview":
                self.send({"preview": first_rows(plan)})
            elif do == "transform":
                code = cells.transformation(plan)
                self.send({"code": code, "then": "join"})
            elif do == "name":
                self.result = name_for(plan)
            elif do in ("join", "copy"):
                self.send(resulting(plan.with_how("left") if content.get("unmatched") else plan, content))
            else:
                raise InputError(f"unknown action {do!r}")

    return ExploreFuzzy
