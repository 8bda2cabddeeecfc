"""What an editor answers to a click on Join: the code of a cell, under a name that takes none of the analyst's."""

from __future__ import annotations

from typing import Any

from lakeview.join.naming import free, identifier, stem
from lakeview.join.variable import variables
from lakeview.notebook import cells


def result_name(left: str, right: str) -> str:
    """A free variable for what two sides give."""
    return free(identifier(f"{left}_{stem(right)}", "result"), variables())


def name_for(plan: Any) -> str:
    """A free variable for what a plan gives."""
    return result_name(plan.left.name, plan.right.name)


def resulting(plan: Any, asked: dict[str, Any]) -> dict[str, Any]:
    """The answer to "join" or "copy": code; or the name that is taken, where nobody has said that it may be.

    plan: a left one where only unmatched rows are asked for. Raises InputError as `cells.result` does.
    """
    name = str(asked.get("name") or name_for(plan))
    if asked["do"] == "join" and not asked.get("replaces") and name in variables():
        return {"taken": name}
    return {"code": cells.result(plan, name, unmatched=bool(asked.get("unmatched"))), "then": asked["do"]}
