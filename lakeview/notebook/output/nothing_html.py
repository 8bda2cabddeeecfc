"""Nothing found is an answer too."""

from __future__ import annotations

from typing import Any

from lakeview.notebook.output import words
from lakeview.notebook.output.hit_detail import hit_examples
from lakeview.notebook.output.html import Html, code, el, facts_table, heading, join, name_html, number


def nothing_html(hits: Any, save_values: bool = True) -> Html:
    """What was closest, why there is nothing, what to try."""
    query = hits.query
    title = heading(join(["Nothing in this lake joins with ", code(query.name)]))
    closest = list(hits.closest)[:5]
    if closest:
        facts = [
            (name_html(hit.table, hit.column), f"{number(hit.overlap)} of {number(query.distinct)}") for hit in closest
        ]
        least = "No column holds 10 % of its values. " if len(hits) else ""
        near = join([el("p", f"{least}The closest:"), facts_table(facts)])
    else:
        near = el("p", "No column shares a single value with it.")
    why: list[Html | str] = [*words.why_nothing(hits)]
    missing = _missing(closest[0]) if closest and save_values else []
    if missing:
        why.append(join(["Not found there, for example: ", join(map(code, missing), ", ")]))
    tries = [("lake.index()", "takes in new and changed files")]
    if closest:
        tries.append(('lake.search(…, rank="overlap")', "shows every overlap, however small"))
    if hits.problems:
        tries.append(("lake.problems", "names the files that could not be read in full"))
    tries.append(("lake.columns", "lists what is there; is it named differently?"))
    return el(
        "div",
        el("section", title, near),
        el("section", heading("Why"), el("ul", *(el("li", line) for line in why))),
        el("section", heading("What to try"), el("ul", *(el("li", code(c), f" {t}") for c, t in tries))),
        class_="lv-Empty",
    )


def _missing(hit: Any) -> list[object]:
    return [value for value, _ in hit_examples(hit)[1]]
