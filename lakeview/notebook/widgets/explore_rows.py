"""What the widget of `lv.explore` shows of hits and answers: plain data for its script."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lakeview.errors import LakeviewError
from lakeview.join.variable import variables
from lakeview.notebook.cells import is_variable
from lakeview.notebook.output import words
from lakeview.notebook.output.hit_detail import hit_examples, measured
from lakeview.notebook.output.hit_rows import HitRow, chance_line, common_line, hit_row
from lakeview.notebook.output.html import clip, number, plural
from lakeview.notebook.output.lacking import against_open
from lakeview.notebook.output.text import cell_text
from lakeview.notebook.widgets.resulting import result_name
from lakeview.notebook.widgets.traits import Answer, Details, Get, Joined, Told

_MEMBERS = 50  # of a family that are told
_ROWS = 5  # joined ones
_TAKEN = 1000  # names of variables that are told
_CHEAP = 1_000_000  # rows of a table that is read unasked


def members(hit: Any) -> list[HitRow]:
    """The others of a hit's family."""
    return [hit_row(n, one) for n, one in enumerate(hit.alike[:_MEMBERS])]


def hit_details(hit: Any, query: Any) -> Details:
    """The open row, from the index."""
    _, missing = hit_examples(hit)
    about = "" if words.is_exact(hit) else "≈ "
    counts, unfound = hit.counts, query.distinct - hit.overlap
    rows: dict[str, int] = {how: out.rows_out if (out := hit.join_counts(how)) else -1 for how in hit.hows}
    if counts and _tells_apart(hit):
        rows["unmatched"] = counts.left_rows - counts.left_matched
    multiplies = bool(counts and counts.max_fanout > 1)
    if multiplies:
        key = f"up to {number(counts.max_fanout)} matches"
    else:
        key = f"one match: {clip(hit.column)} is a key" if hit.key_like else "one match" if counts else "not counted"
    return {
        "missing": [[clip(value), plural(count, "row")] for value, count in missing],
        "missing_title": f"{about}{plural(unfound, 'value')} not in {clip(hit.column)}",
        "pro": [clip(said) for said in hit.pro],
        "con": [clip(said) for said in against_open(hit, [value for value, _ in missing])],
        "measured": measured(hit, query),
        "matched": counts.left_matched if counts else -1,
        "without": counts.left_rows - counts.left_matched if counts else -1,
        "rows": {**rows},
        "about": about,
        "multiplies": multiplies,
        "key": key,
        "name": result_name(query.name.rpartition(".")[0], hit.table),
        "taken": [name for name in list(variables())[:_TAKEN] if is_variable(name)],
        "cheap": not isinstance(hit.rows, int) or hit.rows <= _CHEAP,
    }


def _tells_apart(hit: Any) -> bool:
    """Whether the rows that meet none can be had alone: those of pandas, which alone have similar text."""
    try:
        return hit.kind == "fuzzy" or hit.join().dialect == "pandas"
    except LakeviewError:  # it cannot be joined as it is: the join will say so
        return False


def joined_rows(plan: Any, tell: Callable[[], dict[str, Told]] = dict) -> Joined:
    """The first rows that match, and what the join adds; tell: says what its columns tell of a target, by name."""
    frame = plan.preview(_ROWS) if plan.how in ("right", "outer") else _matched(plan)
    names = dict(plan.columns.left)
    mine = [names[column] for column in plan.starts_on]
    right = [(column, name) for column, name in plan.columns.right if name in frame.columns]
    keys = [name for column, name in right if column in plan.join.right_on]
    keys = keys or [name for column in plan.join.left_on if (name := names[column]) not in mine]  # in the middle
    made = [(column, name) for column, name in right if name not in keys]
    new = [name for _, name in made]
    columns = {str(name): frame[name] for name in (*mine, *keys, *new)}
    rows = [[clip(cell_text(value), 60) for value in row]
            for row in zip(*(frame[name] for name in (*mine, *keys, *new)), strict=True)]  # fmt: skip
    gets: list[Get] = [{"name": clip(name), "column": clip(column), "type": _type(columns[str(name)]),
                        "samples": _samples(columns[str(name)])} for column, name in made]  # fmt: skip
    told, untold = _told(tell)
    for get, (_, name) in zip(gets, made, strict=True):
        if str(name) in told:
            get["told"] = told[str(name)]
    return {
        "gets": gets,
        "mine": [clip(name) for name in mine],
        "theirs": [clip(name) for name in keys],
        "new": [clip(name) for name in new],
        "numbers": [columns[str(name)].dtype.kind in "iuf" for name in new],
        "rows": rows,
        "untold": untold,
    }


def _told(tell: Callable[[], dict[str, Told]]) -> tuple[dict[str, Told], str]:
    """What columns tell, or why that is not known."""
    try:
        return tell(), ""
    except LakeviewError as error:
        return {}, str(error)


def _matched(plan: Any) -> Any:
    return plan.preview(_ROWS, matched=True) if plan.dialect == "pandas" else plan.preview(_ROWS)


def _type(column: Any) -> str:
    """`abc`, `123`, `1.2`, `day` or `yes`, as the side panel has it."""
    kind = column.dtype.kind
    return {"i": "123", "u": "123", "f": "1.2", "M": "day", "b": "yes"}.get(kind, "abc")


def _samples(column: Any) -> str:
    """Two of its values."""
    shown = list(dict.fromkeys(cell_text(value) for value in column if cell_text(value)))
    return ", ".join(clip(value, 30) for value in shown[:2])


def answer_facts(hits: Any) -> Answer:
    """The head of an answer, and why there is nothing where there is nothing."""
    closest = [
        [f"{clip(hit.table)}.{clip(hit.column)}", f"{number(hit.overlap)} of {number(hits.query.distinct)}"]
        for hit in list(hits.closest)[:5]
    ]
    return {
        "facts": words.query_facts(hits),
        "closest": closest,
        "possible": words.possible(hits),
        "lines": [list(said(_below(hits, common))) for common, said in ((True, common_line), (False, chance_line))],
        "why": words.why_nothing(hits),
        "problems": hits.problems,
    }


def _below(hits: Any, common: bool) -> list[Any]:
    return [hit for hit in hits if hit.accidental and bool(hit.common) == common]
