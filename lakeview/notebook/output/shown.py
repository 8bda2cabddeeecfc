"""Results on display: what the Join and Preview buttons of an output refer to, while the kernel lives."""

from __future__ import annotations

import uuid
from collections import OrderedDict
from typing import Any

from lakeview.errors import InputError, NotFound
from lakeview.notebook import cells
from lakeview.notebook.output import first_rows
from lakeview.notebook.output.plan_html import is_cheap
from lakeview.notebook.output.saved import saved_frame

KEPT = 30  # results

_shown: OrderedDict[str, Any] = OrderedDict()  # by a name that no other kernel gives


def keep(hits: Any) -> str:
    """The name by which a `Hits`, or a list of what else has a `join()`, is known to its buttons; the oldest are
    forgotten."""
    name = uuid.uuid4().hex
    _shown[name] = hits
    while len(_shown) > KEPT:
        _shown.popitem(last=False)
    return name


def code(name: str, place: int) -> str:
    """Plain code of a left join with the hit at a place. Raises NotFound for a result of an earlier kernel."""
    return cells.join(_plan(name, place))


def preview(name: str, place: int) -> dict[str, Any]:
    """Its first rows, as `saved.saved_frame`. Raises InputError where that would start Spark or read much."""
    plan = _plan(name, place)
    if not is_cheap(plan):
        raise InputError(f"a preview here would start Spark or read much: run hits[{place}].join().preview()")
    frame, note = first_rows.preview(plan, first_rows.ROWS)
    facts = [f"{plan.how} join", *filter(None, [note])]
    return saved_frame(f"Preview: {plan.left.name} and {plan.right.name}", facts, frame)


def _plan(name: str, place: int) -> Any:
    hits = _shown.get(name)
    if hits is None or not 0 <= place < len(hits):
        raise NotFound("the kernel no longer holds this result: run its cell again")
    return hits[place].join()
