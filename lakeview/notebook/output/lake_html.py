"""A Lake and what indexing it did: tables, columns, state, problems. Showing them reads the index alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lakeview.notebook.output import words
from lakeview.notebook.output.frame_html import frame_html
from lakeview.notebook.output.html import MAX_ROWS, Html, clip, code, el, icon, join, number, plural, widget
from lakeview.notebook.output.text import frame_text

_FEW = 12  # tables that are shown unasked
_CHANGES = ("added", "changed", "removed", "skipped")


def lake_html(lake: Any) -> Html:
    """Which tables there are, how many columns are indexed and when, and which problems were met."""
    tables, columns, problems = lake.tables, lake.columns, lake.problems
    facts = []
    if lake.indexed_at:
        facts = [plural(len(tables), "table"), plural(len(columns), "column"), plural(int(tables["rows"].sum()), "row")]
        status = el("p", icon("check"), f"indexed {_minute(lake.indexed_at)}", class_="lv-Status lv-ok")
        body = [_fold(plural(len(tables), "table"), tables, open_=len(tables) <= _FEW)]
    else:
        status = el("p", icon("half"), "not indexed yet", class_="lv-Status")
        body = [
            el(
                "p",
                code("%lakeview index"),
                " or ",
                code("lake.index()"),
                ": index this lake to search it",
                class_="lv-More",
            )
        ]
    if len(problems):
        body.append(_fold(join([icon("warn"), " ", plural(len(problems), "problem")]), problems))
    title = join(["Lake ", code(lake_name(lake))])
    return widget(title, facts, status, *body, _keys(), label=f"Lake {clip(lake_name(lake))}")


def lake_text(lake: Any) -> str:
    """The same as text."""
    tables, columns, problems = lake.tables, lake.columns, lake.problems
    if not lake.indexed_at:
        return f"Lake {clip(lake_name(lake))}: not indexed yet: lake.index()"
    head = f"Lake {clip(lake_name(lake))}: {plural(len(tables), 'table')}, {plural(len(columns), 'column')}"
    if len(problems):
        head += f", {plural(len(problems), 'problem')} (lake.problems)"
    return "\n".join([head, *(frame_text(tables, 20, grouped=True) if len(tables) else [])])


def report_html(report: Any) -> Html:
    """What `index` did, in one line of facts."""
    changes = join((_count(number(getattr(report, name)), name) for name in _CHANGES), " · ")
    status = el("p", icon("check"), f"in {words.duration(report.seconds)}", class_="lv-Status lv-ok")
    facts = [plural(report.tables, "table"), plural(report.columns, "column"), plural(report.rows, "row")]
    body = [el("p", changes, class_="lv-More")]
    if report.problems:
        text = [icon("warn", "warning: "), f" {plural(report.problems, 'problem')} met: ", code("lake.problems")]
        body.append(el("p", *text, class_="lv-More lv-warn"))
    return widget("Indexed", facts, status, *body, label="Indexed")


def report_text(report: Any) -> str:
    """The same as one line."""
    facts = [plural(report.tables, "table"), plural(report.columns, "column"), plural(report.rows, "row")]
    changes = [f"{number(getattr(report, name))} {name}" for name in _CHANGES]
    problems = [f"{plural(report.problems, 'problem')} (lake.problems)"] if report.problems else []
    return f"Indexed {', '.join(facts)} in {words.duration(report.seconds)}: {', '.join(changes + problems)}"


def _count(value: str, name: str) -> Html:
    return el("span", el("b", value), f" {name}", " unchanged" if name == "skipped" else None)


def _fold(title: str | Html, frame: Any, open_: bool = False) -> Html:
    table = frame_html(frame, MAX_ROWS, "List", names=("table",), grouped=True)
    return el("details", el("summary", title), table, class_="lv-Fold", open=open_)


def _minute(moment: str) -> str:
    """`2026-11-27 23:40 UTC` of an ISO 8601 moment in UTC."""
    return f"{moment[:16].replace('T', ' ')} UTC"


def _keys() -> Html:
    lines = (
        (code('lake.search(df, "column")'), " or ", code("%lakeview search df.column"), " finds joins"),
        (code("lake.columns"), " lists what is indexed"),
    )
    return el("p", join((el("span", *line) for line in lines), " · "), class_="lv-Keys")


def lake_name(lake: Any) -> str:
    """What the analyst opened, without the machine's path: it would be saved with the notebook."""
    return ", ".join(Path(root).name or root for root in lake.roots) or "of DataFrames"
