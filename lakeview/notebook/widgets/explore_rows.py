"""What the widget of `lv.explore` shows of hits and answers: plain data for its script."""

from __future__ import annotations

from typing import Any

from lakeview.notebook.output import words
from lakeview.notebook.output.hit_detail import hit_examples, measured
from lakeview.notebook.output.hit_rows import HitRow, chance_line, common_line, hit_row
from lakeview.notebook.output.html import clip, number, plural
from lakeview.notebook.widgets.traits import Answer, Details, How

_MEMBERS = 50  # of a family that are told


def members(hit: Any) -> list[HitRow]:
    """The others of a hit's family."""
    return [hit_row(n, one) for n, one in enumerate(hit.alike[:_MEMBERS])]


def hit_details(hit: Any, query: Any) -> Details:
    """The open row."""
    matching, missing = hit_examples(hit)
    about = "" if words.is_exact(hit) else "≈ "

    def values(examples: list[tuple[object, int]]) -> list[list[str]]:
        return [[clip(value), plural(rows, "row")] for value, rows in examples]

    joined = f", {plural(hit.counts.left_matched, 'row')}" if hit.counts else ""
    unfound = query.distinct - hit.overlap
    return {
        "matching": values(matching),
        "matching_title": f"Matching: {about}{plural(hit.overlap, 'value')}{joined}",
        "missing": values(missing),
        "missing_title": f"Not in {clip(hit.column)}: {about}{plural(unfound, 'value')}"
        if unfound or about
        else "Every value is found",
        "joins": {"left": _join_facts(hit, "left"), "inner": _join_facts(hit, "inner")},
        "pro": [clip(said) for said in hit.pro],
        "con": [clip(said) for said in hit.con],
        "measured": measured(hit, query),
    }


def _join_facts(hit: Any, how: How) -> list[list[str]]:
    """What one kind of join does to the rows, where that is known without running it."""
    out = hit.join_counts(how)
    if out is None:
        known = "the index keeps a sketch alone" if hit.estimated else "a part of its rows was read"
        return [["Rows", f"not counted: {known}"]]
    unmatched = out.left_rows - out.left_matched
    return [
        ["Rows", f"{number(out.left_rows)} → {number(out.rows_out)}"],
        ["Most matches per row", number(out.max_fanout)],
        ["Rows without a match", f"{number(unmatched)} {'kept' if how == 'left' else 'dropped'}"],
    ]


def answer_facts(hits: Any, more: Any = None) -> Answer:
    """The head of an answer, and why there is nothing where there is nothing. more: the Hits that programs add to it,
    None where none was looked for."""
    closest = [
        [f"{clip(hit.table)}.{clip(hit.column)}", f"{number(hit.overlap)} of {number(hits.query.distinct)}"]
        for hit in list(hits.closest)[:5]
    ]
    why = words.why_nothing(hits)
    facts = words.query_facts(hits)
    if more is not None:
        found = f"{number(len(more))} more" if more else "none"
        tried = more.tried.removesuffix(": more() goes on")
        facts.append(f"{found} by a transformation, after {words.duration(more.seconds)}" + (tried and f": {tried}"))
        why.append("No transformation was found that joins more.")
    return {
        "facts": facts,
        "closest": [] if more else closest,
        "possible": words.possible(hits),
        "lines": [list(said(_below(hits, common))) for common, said in ((True, common_line), (False, chance_line))],
        "why": why,
        "problems": hits.problems,
    }


def _below(hits: Any, common: bool) -> list[Any]:
    return [hit for hit in hits if hit.accidental and bool(hit.common) == common]
