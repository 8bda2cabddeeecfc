"""A recipe that was written: its steps, what it reads, what was left out and why, and the line that makes it again."""

from __future__ import annotations

from typing import Any

from lakeview.join.naming import literal
from lakeview.notebook.cells import is_variable
from lakeview.notebook.output.html import MAX_ROWS, Html, code, el, icon, join, plural, widget


def recipe_bundle(recipe: Any) -> dict[str, Any]:
    """`lakeview.notebook.recipes.Recipe`."""
    return {"text/plain": repr(recipe), "text/html": str(_html(recipe))}


def _html(recipe: Any) -> Html:
    facts = [plural(len(recipe.steps), "step")]
    facts += [plural(len(names), noun) for names, noun in ((recipe.tables, "table"), (recipe.frames, "frame")) if names]
    body = [_rows([step.partition(": ")[::2] for step in recipe.steps])]
    if recipe.tables:
        body.append(el("p", "Tables of the lake: ", join(map(code, recipe.tables[:MAX_ROWS]), ", "), class_="lv-More"))
    if recipe.frames:
        body.append(el("p", "Frames that it starts from: ", join(map(code, recipe.frames[:MAX_ROWS]), ", "),
                       class_="lv-More"))  # fmt: skip
    for name, why in list(recipe.left_out.items())[:MAX_ROWS]:
        body.append(el("p", icon("warn", "warning: "), " left out: ", code(name), ": ", why, class_="lv-More lv-warn"))
    keys = el("p", code(again(recipe)), " makes it again", class_="lv-Keys")
    status = el("p", icon("check"), "written, with ", code(recipe.script.name), class_="lv-Status lv-ok")
    title = join(["Recipe ", code(recipe.path.name)])
    return widget(title, facts, status, *body, keys, label="Recipe")


def _rows(steps: list[Any]) -> Html:
    rows = (el("tr", el("th", code(name), scope="row"), el("td", what)) for name, what in steps[:MAX_ROWS])
    return el("table", el("tbody", *rows), class_="lv-Compared")


def again(recipe: Any) -> str:
    """The line that makes it again."""
    given = [literal(recipe.path.name), "lake"]
    if recipe.frames:
        known = all(map(is_variable, recipe.frames))
        frames = ", ".join(f"{literal(name)}: {name}" for name in recipe.frames) if known else "…"
        given.append(f"frames={{{frames}}}")
    if recipe.has_sql:
        given.append("sql=True")
    return f"lv.replay({', '.join(given)})"
