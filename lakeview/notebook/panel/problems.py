"""A problem of the lake in one sentence, and how grave it is: what is written twice is said once."""

from __future__ import annotations

import re

from lakeview.notebook.output.html import clip
from lakeview.notebook.panel import messages

_LEFT_OUT = ("not read", "could not be read", "not readable", "damaged", "members not read")
_FOR_THE_RECORD = re.compile(r"read as .*|empty|no header|one document|records below.*|rows above the table|sep line")
_ORDER: dict[str, int] = {"error": 0, "warning": 1, "note": 2}


def told(table: str, problem: str, detail: str, count: int) -> messages.Problem:
    """One problem as the panel shows it. count: how often it was met."""
    return {
        "table": clip(table, 500),
        "says": _sentence(problem, clip(detail, 500), count),
        "gravity": gravity(problem),
    }


def gravity(problem: str) -> messages.Gravity:
    """error: a file is left out; warning: some of it is; note: nothing is, but it is no plain text with a header."""
    if problem in _LEFT_OUT:
        return "error"
    return "note" if _FOR_THE_RECORD.fullmatch(problem) else "warning"


def worst_first(problems: list[messages.Problem]) -> list[messages.Problem]:
    """By how grave they are, then as they come."""
    return sorted(problems, key=lambda each: _ORDER[each["gravity"]])


def _sentence(problem: str, detail: str, count: int) -> str:
    """`problem` leads only where `detail` does not say it; so does the count."""
    said = detail.strip()
    if not said:
        said = problem
    elif problem.lower() not in said.lower() and not _says(said, problem):
        said = f"{problem}: {said}"
    if count > 1 and not re.search(r"\d", said):
        said = f"{said} ({count:,} times)"
    said = said[0].upper() + said[1:]
    return said if said[-1] in ".!?…" else f"{said}."


def _says(detail: str, problem: str) -> bool:
    """Whether every word of a problem comes in its detail, in whatever form: "empty" in "the file is empty"."""
    words = {word[:4] for word in re.findall(r"\w+", detail.lower())}
    return all(word[:4] in words for word in re.findall(r"\w+", problem.lower()))
