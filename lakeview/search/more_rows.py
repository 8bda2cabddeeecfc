"""The body of `Lake.more_rows`: tables that could be stacked under a frame, as plans."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lakeview.errors import InputError
from lakeview.guards import checks
from lakeview.guards.ranked import Ranked
from lakeview.join.stack import StackPlan
from lakeview.join.stacked import Piece
from lakeview.search.asking import ask_all, is_frame, side_of
from lakeview.search.unions import Union, called, unions
from lakeview.search.view import View

if TYPE_CHECKING:
    import pandas as pd


class MoreRows(Ranked[StackPlan]):
    """Tables that could be stacked under a frame, best first: each plan is of one table, or of a family together."""

    _called = "more_rows"

    def __init__(self, plans: Sequence[StackPlan], name: str, seconds: float) -> None:
        self._ranked, self.name, self.seconds = list(plans), name, seconds

    def to_pandas(self) -> pd.DataFrame:
        """One row an answer: table, tables, score, rows, drifted, missing, extra, reason. Rows that are there already
        are counted when they are asked for: `rows[0].there`."""
        import pandas as pd

        fields = ("table", "tables", "score", "rows", "drifted", "missing", "extra", "reason")
        return pd.DataFrame({name: [getattr(plan, name) for plan in self] for name in fields}, columns=list(fields))

    def __repr__(self) -> str:
        lines = [f"{len(self)} answers: tables that could be stacked under {self.name}"]
        return "\n".join([*lines, *(f"{i:3d}  {plan.what}  {plan.score:.2f}" for i, plan in enumerate(self))])


def more_rows(view: View, frame: Any, k: Any) -> MoreRows:
    """The answer to `Lake.more_rows`."""
    started = time.perf_counter()
    k = checks.whole("k is how many answers to return", k, 1)
    view.require_index()
    if not is_frame(frame):
        raise InputError(f"more rows are for a DataFrame, not a {type(frame).__name__}")
    side = side_of(frame)
    asked = ask_all(view, side)
    plans = []
    for family in unions(asked, view.snapshot, view.hidden())[:k]:
        pieces = [_piece(view, one) for one in family]
        plans.append(StackPlan(side, pieces, family[0].score, view.normalize))
    return MoreRows(plans, side.name, time.perf_counter() - started)


def _piece(view: View, one: Union) -> Piece:
    s = view.snapshot
    columns = {pair.label: s.names[pair.number] for pair in one.pairs}
    drifted = {label: name for label, name in columns.items() if called(str(label)) != called(name)}
    rows = int(s.rows[one.pairs[0].number])
    return Piece(view.live_side(one.table), columns, drifted, rows, one.score, list(s.by_table[one.table]))
