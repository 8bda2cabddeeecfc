"""Lists of plans, bridges and tables with more rows, and a stack of tables: as html, plain text and a saved table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lakeview.errors import LakeviewError
from lakeview.notebook.output import words
from lakeview.notebook.output.frame_html import frame_html
from lakeview.notebook.output.html import MAX_ROWS, Html, clip, code, el, heading, join, listing, number, plural, widget
from lakeview.notebook.output.saved import MIME, saved_frame
from lakeview.notebook.output.text import frame_text

_NAMES = 3  # names that a cell shows


def bridges_bundle(bridges: Any) -> dict[str, Any]:
    """`lakeview.search.bridging.Bridges`."""
    frame = _bridges(bridges)
    facts = [plural(len(bridges), "bridge"), f"answered in {words.duration(bridges.seconds)}"]
    return _bundle(f"Bridges from {bridges.name}", facts, frame, bridges.explain(), "bridges[0].to_pandas()")


def beyond_hits(hits: Any) -> tuple[Html, list[str]]:
    """What bridges reach beyond an answer, as html and as lines of text; nothing where they reach nothing."""
    if not hits.bridges:
        return join([]), []
    head, label = "Through tables between", "Bridges"
    keys = el("p", code("hits.bridges[0].to_pandas()"), " runs the first", class_="lv-Keys")
    table = frame_html(_bridges(hits.bridges), MAX_ROWS, label)
    html = el("section", heading(head), table, keys, class_="lv", aria_label=label)
    lines = [f"  {clip(plan.right.name)}.{clip(plan.right_on)} through {clip(plan.through)}" for plan in hits.bridges]
    return html, [f"{head}:", *lines]


def _bridges(plans: Iterable[Any]) -> Any:
    import pandas as pd

    rows = [
        (f"{plan.right.name}.{plan.right_on}", plan.through, words.share(plan.coverage), plan.reason.replace("`", ""))
        for plan in plans
    ]
    return pd.DataFrame(rows, columns=["Reaches", "Through", "Coverage", "Why"])


def more_rows_bundle(rows: Any) -> dict[str, Any]:
    """`lakeview.search.more_rows.MoreRows`."""
    import pandas as pd

    shown = [
        (plan.what, words.share(plan.score), plan.rows, _pairs(plan.drifted.items()), _some(plan.missing),
         _some(plan.extra))
        for plan in rows
    ]  # fmt: skip
    frame = pd.DataFrame(shown, columns=["Table", "Score", "Rows", "Other names", "Missing", "Left out"])
    facts = [plural(len(rows), "answer"), f"answered in {words.duration(rows.seconds)}"]
    nothing = "No table of this lake lists the same kind of thing."
    return _bundle(f"More rows for {rows.name}", facts, frame, nothing, "more_rows[0].to_pandas()")


def stack_bundle(plan: Any) -> dict[str, Any]:
    """`lakeview.join.stack.StackPlan`: what goes together, and the code; no table is read for that but the first."""
    title = f"{plan.what} under {plan.left.name}"
    facts = [f"{number(plan.rows)} rows more", f"score {words.share(plan.score)}"]
    frame = plan.columns.rename(columns={"column": "Column", "theirs": "Theirs", "drifted": "Other name"})
    text = "\n".join([f"{clip(title)}: {', '.join(facts)}", *frame_text(frame)])
    body = [frame_html(frame, MAX_ROWS, "Columns", ["Column", "Theirs"])]
    if plan.extra:
        body.append(el("p", f"Left out: {_some(plan.extra)}", class_="lv-More"))
    if all(_is_small(piece.side) for piece in plan.pieces):
        body.append(heading("pandas code"))
        try:
            body.append(listing(plan.code()))
        except (LakeviewError, OSError) as error:
            body.append(el("p", str(error), class_="lv-More"))
    html = widget(join([code(title)]), facts, None, *body, label=clip(title))
    return {"text/plain": text, "text/html": str(html), MIME: saved_frame(title, facts, frame)}


def _is_small(side: Any) -> bool:
    return side.kind != "lake" or bool(side.lake_table.is_small)


def _bundle(title: str, facts: Sequence[str], frame: Any, nothing: str, call: str) -> dict[str, Any]:
    head = f"{clip(title)}: {', '.join(facts)}"
    if not len(frame):
        html = widget(clip(title), facts, None, el("p", nothing, class_="lv-More"), label=clip(title))
        return {
            "text/plain": f"{head}\n{clip(nothing)}",
            "text/html": str(html),
            MIME: saved_frame(title, facts, frame),
        }
    keys = el("p", code(call), " runs the first", class_="lv-Keys")
    html = widget(clip(title), facts, None, frame_html(frame, MAX_ROWS, clip(title)), keys, label=clip(title))
    return {
        "text/plain": "\n".join([head, *frame_text(frame)]),
        "text/html": str(html),
        MIME: saved_frame(title, facts, frame),
    }


def _some(names: Sequence[object]) -> str:
    more = f" and {number(len(names) - _NAMES)} more" if len(names) > _NAMES else ""
    return ", ".join(clip(name, 40) for name in names[:_NAMES]) + more


def _pairs(items: Iterable[tuple[object, object]]) -> str:
    return _some([f"{clip(mine, 20)}: {clip(theirs, 20)}" for mine, theirs in items])
