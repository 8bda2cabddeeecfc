"""The open row of a hit: values that match and that don't, and what the join does. The cost before the click."""

from __future__ import annotations

from typing import Any

from lakeview.errors import LakeviewError
from lakeview.notebook.output import words
from lakeview.notebook.output.html import Html, code, el, facts_table, heading, icon, join, number, plural, prose

_EXAMPLES = 4  # values a side


def hit_detail(i: int, hit: Any, query: Any, save_values: bool, full: bool, result: str | None = None) -> Html:
    """Three columns for the hit at position `i`; example values only where `save_values` and `full`.

    result: its name among those on display, for the buttons.
    """
    found, lacking = hit_examples(hit) if full and save_values else ([], [])
    hidden = None
    if not save_values:
        hidden = el("p", "Values are not saved: ", code("lv.options.save_values"), " is False.", class_="lv-sub")
    matching = [
        heading(f"Matching: {plural(hit.overlap, 'value')}{_rows(hit, _matched)}", "check", "lv-ok"),
        hidden or _values(found, hit.overlap),
    ]
    missing = query.distinct - hit.overlap
    if missing > 0:
        title = join(["Not in ", code(hit.column), f": {plural(missing, 'value')}{_rows(hit, _unmatched(query))}"])
        not_found = [heading(title, "x", "lv-bad"), hidden or _values(lacking, missing)]
    else:
        not_found = [heading("Every value is found", "check", "lv-ok")]
    if query.nulls:
        not_found.append(el("p", f"{plural(query.nulls, 'row')} without a value: nulls never match", class_="lv-sub"))
    # A column that was passed alone needs its frame to be joined.
    frame = ", left=df" if getattr(query, "column", None) == query.name else ""
    recipe = el("p", code(f'hits[{i}].join(how="left"{frame})'), class_="lv-Recipe")
    does = [heading("What the join does", "join"), facts_table(join_facts(hit)), recipe]
    if result and not frame:
        does.append(buttons(result, i))
    sections = (el("section", *part) for part in (matching, not_found, does))
    return join([_evidence(hit, query), el("div", *sections, class_="lv-Detail")])


def _evidence(hit: Any, query: Any) -> Html:
    """All that speaks for a hit and against it, and what was measured."""
    said = [el("li", el("b", "+"), " ", prose(each), class_="lv-pro") for each in hit.pro]
    said += [el("li", el("b", "−"), " ", prose(each), class_="lv-con") for each in hit.con]
    return el("ul", *said, el("li", measured(hit, query), class_="lv-muted"), class_="lv-Evidence",
              aria_label="Evidence")  # fmt: skip


def measured(hit: Any, query: Any) -> str:
    """`101 of 105 values · containment 0.96 · Jaccard 0.069`."""
    about = "" if words.is_exact(hit) else "≈ "
    interval = (
        "" if words.is_exact(hit) else f" ({words.share(hit.containment_low)}–{words.share(hit.containment_high)})"
    )
    return (
        f"{about}{number(hit.overlap)} of {plural(query.distinct, 'value')} · containment {about}"
        f"{words.share(hit.containment)}{interval} · Jaccard {about}{words.share(hit.jaccard, 3)}"
    )


def buttons(result: str, i: int) -> Html:
    """Hidden unless lakeview's extension is there to answer them: its style sheet shows what `lv-Button` is."""
    parts = [("preview", "Preview", "eye", "lv-Button"), ("join", "Join", "join", "lv-Button lv-mod-accept")]
    made = (
        el("button", icon(picture), word, type="button", class_=f"{cls} lv-Act", hidden=True,
           data_lakeview=f"{act} {result} {i}")
        for act, word, picture, cls in parts
    )  # fmt: skip
    return el("p", *made, class_="lv-Acts")


def join_facts(hit: Any) -> list[tuple[str, Html | str]]:
    """What a left join does to the rows of both sides."""
    counts = hit.counts
    if counts is None:
        return [("Rows", "not counted yet")]
    about = "" if words.is_exact(hit) else "≈ "
    rows: Html | str = f"{number(counts.left_rows)} → {about}{number(counts.rows_out)}"
    if words.effect(hit).warn:
        rows = el("b", icon("warn", "warning: fan-out"), " ", rows, class_="lv-warn")
    unused = counts.right_rows - counts.right_matched
    return [
        ("Rows", rows),
        ("Most matches per row", about + number(counts.max_fanout)),
        ("Rows kept without a match", about + number(counts.left_rows - counts.left_matched)),
        ("Rows of the other table left out", f"{about}{number(unused)} of {number(counts.right_rows)}"),
    ]


def hit_examples(hit: Any) -> tuple[list[Any], list[Any]]:
    """The hit's examples; none where the lake's files can no longer be read."""
    try:
        return hit.examples(_EXAMPLES)
    except (LakeviewError, OSError):
        return [], []


def _rows(hit: Any, count: Any) -> str:
    return f", {plural(count(hit.counts), 'row')}" if hit.counts else ""


def _matched(counts: Any) -> int:
    return counts.left_matched


def _unmatched(query: Any) -> Any:
    """Rows whose value is not found; those without a value are told apart."""
    return lambda counts: counts.left_rows - counts.left_matched - query.nulls


def _values(examples: list[tuple[object, int]], total: int) -> Html | None:
    shown = examples[:_EXAMPLES]
    if not shown:
        return None
    counts = [plural(shown[0][1], "row"), *(number(rows) for _, rows in shown[1:])]
    rest = total - len(shown)
    more = el("p", f"… {number(rest)} more", class_="lv-sub") if rest > 0 else None
    return join([facts_table([(code(value), count) for (value, _), count in zip(shown, counts, strict=True)]), more])
