"""A JoinPlan before it runs: what it does to the rows, the first of them, and the code that makes it.

Showing it never starts Spark, nor reads a big file: what is not known then is left out, with the call that finds it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lakeview.errors import LakeChanged, LakeviewError
from lakeview.notebook.output import fuzzy_words, words
from lakeview.notebook.output.first_rows import preview
from lakeview.notebook.output.frame_html import frame_html
from lakeview.notebook.output.html import (
    Html,
    clip,
    code,
    el,
    facts_table,
    heading,
    icon,
    join,
    listing,
    number,
    plural,
    widget,
)
from lakeview.notebook.output.saved import saved_frame, saved_table

CHEAP_BYTES = 32 << 20  # of lake files that a display may read
CHEAP_ROWS = 5_000_000  # of pandas frames that it may go through
_PREVIEW = 5
_DIALECTS = {"pandas": "pandas", "pyspark": "PySpark", "sql": "SQL"}


@dataclass
class Look:
    """What is known of a plan without much work: counts, first rows, code by dialect (or why there is none).

    changed: what became of a table since it was indexed, so that nothing can be known.
    """

    changed: str = ""
    counts: Any = None
    preview: Any = None
    note: str = ""
    codes: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


def is_cheap(plan: Any) -> bool:
    """Whether counting and previewing stay in this process and read little."""
    return all(_is_cheap(side) for side in (plan.left, plan.right))


def _is_cheap(side: Any) -> bool:
    if side.kind == "lake":
        return sum(file.size for file in side.table.files) <= CHEAP_BYTES
    return side.kind == "pandas" and len(side.to_pandas()) <= CHEAP_ROWS


def look(plan: Any, save_values: bool = True) -> Look:
    """Counts, a preview of five rows, the code in three dialects. `save_values=False` leaves the preview out."""
    shown = Look()
    try:
        plan.require_unchanged()
    except LakeChanged as error:
        shown.changed = str(error)
        return shown
    if not is_cheap(plan):
        return shown
    try:
        shown.counts = plan.counts()
        if save_values:
            shown.preview, shown.note = preview(plan, _PREVIEW)
    except (LakeviewError, OSError):  # a file that is gone: the plan's own calls will say so
        return shown
    for dialect in _DIALECTS:
        try:
            shown.codes[dialect] = plan.code(dialect)
        except LakeviewError as error:
            shown.refused[dialect] = str(error)
    return shown


def plan_html(plan: Any, shown: Look, save_values: bool = True) -> Html:
    """All of it."""
    left, right = _sides(plan)
    title = join([code(left), f" {fuzzy_words.sign(plan)} ", code(right)])
    alike = fuzzy_words.facts(plan)
    if shown.counts is None:
        facts = [f"{plan.how} join", *alike, "not counted yet"]
        status = el("p", icon("half"), "not run", class_="lv-Status")
    else:
        counts = shown.counts
        facts = [f"{plan.how} join", *alike, f"{number(counts.left_rows)} → {plural(counts.rows_out, 'row')}"]
        status = el("p", icon("check"), "counted, not run", class_="lv-Status lv-ok")
    if shown.changed:
        said = el("p", icon("warn", "warning: "), " ", shown.changed, class_="lv-warn")
        return widget(title, facts, status, said, label=f"Join of {clip(left)} and {clip(right)}")
    body = [el("div", *_facts(plan, shown), class_="lv-Plan")]
    if shown.preview is not None:
        body.append(_preview(plan, shown))
    elif not save_values:
        body.append(el("p", "Values are not saved: ", code("plan.preview()"), " shows them.", class_="lv-More"))
    body += _codes(shown)
    body.append(_keys())
    return widget(title, facts, status, *body, label=f"Join of {clip(left)} and {clip(right)}")


def plan_text(plan: Any, shown: Look) -> str:
    """The same as text, without the rows and the code."""
    left, right = _sides(plan)
    head = ", ".join(
        [f"{clip(left)} {fuzzy_words.sign(plan)} {clip(right)}", f"{plan.how} join", *fuzzy_words.facts(plan)]
    )
    if shown.changed:
        return f"{head}, not counted: {shown.changed}"
    if shown.counts is None:
        return f"{head}, not counted yet: plan.counts()"
    lines = [f"  {name}: {value}" for name, value in count_facts(shown.counts, plan.how)]
    return "\n".join([head, *lines, "plan.preview() shows rows, plan.to_pandas() runs it, plan.code() is the code"])


def plan_saved(plan: Any, shown: Look) -> dict[str, Any]:
    """For lakeview's own renderer: the rows of the preview, or else what the join does to the rows of both sides."""
    title = f" {fuzzy_words.sign(plan)} ".join(_sides(plan))
    facts = [f"{plan.how} join", *fuzzy_words.facts(plan)]
    if shown.counts is None:
        return saved_table(title, [*facts, shown.changed or "not counted yet: plan.counts()"], [], [], 0)
    if shown.preview is None:
        columns = [("What the join does", "text"), ("", "text")]
        return saved_table(title, facts, columns, count_facts(shown.counts, plan.how), 4)
    counts = count_facts(shown.counts, plan.how)
    facts += [f"{name}: {value}" for name, value in counts]
    return {**saved_frame(title, facts, shown.preview), "total": shown.counts.rows_out}


def count_facts(counts: Any, how: str) -> list[tuple[str, str]]:
    """What the join does to the rows of both sides."""
    lost = "kept without a match" if how in ("left", "outer") else "left out, without a match"
    other = "kept without a match" if how in ("right", "outer") else "left out"
    return [
        ("Rows", f"{number(counts.left_rows)} → {number(counts.rows_out)}"),
        ("Most matches per row", number(counts.max_fanout)),
        (f"Rows {lost}", number(counts.left_rows - counts.left_matched)),
        (f"Rows of the other table {other}",
         f"{number(counts.right_rows - counts.right_matched)} of {number(counts.right_rows)}"),
    ]  # fmt: skip


def _facts(plan: Any, shown: Look) -> list[Html]:
    if shown.counts is None:
        text = join(["Counting reads the tables, or starts Spark: ", code("plan.counts()")])
        rows = [heading("What the join does", "join"), el("p", text)]
    else:
        facts: list[tuple[str, str | Html]] = [*count_facts(shown.counts, plan.how)]
        if shown.counts.rows_out >= words.FAN_OUT * max(shown.counts.left_rows, 1):
            facts[0] = ("Rows", el("b", icon("warn", "warning: fan-out"), " ", facts[0][1], class_="lv-warn"))
        rows = [heading("What the join does", "join"), facts_table(facts)]
    added = [name for _, name in plan.columns.right]
    names = join((code(name) for name in added[:12]), ", ")
    if len(added) > 12:
        names = join([names, f" and {len(added) - 12} more"])
    clashes = [join([code(old), " → ", code(new)]) for old, new in list(plan.columns.renamed.items())[:6]]
    columns = [
        (f"Adds {plural(len(added), 'column')}", names),
        ("Name clashes", join(clashes, ", ") if clashes else "none"),
    ]
    return [el("section", *rows), el("section", heading("Columns", "table"), facts_table(columns))]


def _preview(plan: Any, shown: Look) -> Html:
    """The key and what is added beside it; the left side's other columns are known to the analyst."""
    added = [name for _, name in plan.columns.right]
    keys = plan.join.left_on
    table = frame_html(shown.preview[[*keys, *added]], _PREVIEW, "First rows")
    if shown.note:
        table = join([el("p", shown.note, class_="lv-More"), table])
    others = shown.preview.shape[1] - len(keys) - len(added)
    if not others:
        return table
    note = [f"and {plural(others, 'other column')} of ", code(plan.left.name), ": ", code("plan.preview()")]
    return join([table, el("p", *note, class_="lv-More")])


def _codes(shown: Look) -> list[Html]:
    parts = []
    for dialect, title in _DIALECTS.items():
        if dialect in shown.codes:
            body = listing(shown.codes[dialect])
        elif dialect in shown.refused:
            body = el("p", f"Not in {title}: {shown.refused[dialect]}", class_="lv-More")
        else:
            body = el("p", code(f'plan.code("{dialect}")'), class_="lv-More")
        summary = el("summary", f"{title} code")
        parts.append(el("details", summary, body, class_="lv-Fold", open=dialect == "pandas"))
    return parts


def _sides(plan: Any) -> tuple[str, str]:
    """What is equal: both keys, or a key and the program that makes it."""
    if hasattr(plan, "key_program"):
        return f"{plan.keyed.stem}.{plan.key_program}", str(plan.programs[0])
    return _side(plan.left, plan.left_on), _side(plan.right, plan.right_on)


def _side(side: Any, column: Any) -> str:
    return f"{side.name}.{column}"


def _keys() -> Html:
    lines = (
        (code("plan = _"), " keeps it"),
        (code("plan.preview(20)"), " shows rows"),
        (code("plan.to_pandas()"), " and ", code("plan.to_spark()"), " run it"),
    )
    return el("p", join((el("span", *line) for line in lines), " · "), class_="lv-Keys")
