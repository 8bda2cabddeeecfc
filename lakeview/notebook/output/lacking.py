"""What speaks against a hit, with the values that it lacks named where they are few enough to be read."""

from __future__ import annotations

from typing import Any

from lakeview.notebook.output.hit_detail import hit_examples
from lakeview.notebook.output.html import clip, number
from lakeview.search.confidence import Missing

_FEW = 12  # unmet values, up to which a row names some; more are counted
_NAMED = 4  # values that are named
_LONG = 24  # characters of each


def against(hit: Any, values: bool = True) -> list[str]:
    """For a row: "no SJU, BQN, STT, PSE" in the place of "4 codes missing"."""
    few = values and getattr(hit, "kind", "equi") == "equi" and hit.asked_distinct - hit.overlap <= _FEW
    if not few or not any(isinstance(said, Missing) for said in hit.con):
        return list(hit.con)
    return _named(hit, "no", [value for value, _ in hit_examples(hit)[1]])


def against_open(hit: Any, missing: list[Any]) -> list[str]:
    """For the open row: "not in `faa`: SJU, BQN, STT and 8 more". missing: some of the values, the most frequent."""
    return _named(hit, f"not in `{clip(hit.column)}`:", missing)


def _named(hit: Any, lead: str, missing: list[Any]) -> list[str]:
    left = hit.asked_distinct - hit.overlap
    shown = missing[: _NAMED if left <= _NAMED else _NAMED - 1]
    rest = f" and {number(left - len(shown))} more" if left > len(shown) else ""
    words = [clip(value, _LONG).replace("`", "'") for value in shown]
    names = ("; " if any("," in word for word in words) else ", ").join(words)
    return [f"{lead} {names}{rest}" if shown and isinstance(said, Missing) else said for said in hit.con]
