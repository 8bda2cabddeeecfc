"""What a row of a result says: the same in the live grid, in html, in plain text and in the saved table.

How sure, before how much: a word with its reason, then how many of the analyst's rows find a partner, how many rows
come out, and what is added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, cast

from lakeview.notebook.output import words
from lakeview.notebook.output.html import MAX_ROWS, clip, number, plural, table_parts
from lakeview.notebook.output.lacking import against

MOST_HITS = 500  # that a grid lists
Kind = Literal["equi", "composite", "transform", "fuzzy", "bridge"]
KINDS: dict[str, tuple[str, str, str]] = {  # sign, word, what it means
    "equi": ("=", "equal", "the same values"),
    "bridge": ("→", "bridge", "through another table"),
    "composite": ("&", "together", "several columns together"),
    "transform": ("ƒ", "step", "after a step that changes the text"),
    "fuzzy": ("≈", "similar", "similar text"),
}
STEPS = ("bridge", "transform", "fuzzy")  # of a row's kinds, what meets after a step
CONFIDENCE = {"sure": "full", "possible": "half", "chance": "ring"}  # the picture of each word
HEADS = {
    "yours": ("Your column", "A column of yours, or several that go together."),
    "name": ("Column in the lake", "Table and column. Below: folder, rows, and others of the same family."),
    "why": (
        "How sure, and why",
        "Sure: these are the same things. Possible: some signs speak for it. Chance: short codes and whole numbers "
        "meet anywhere.",
    ),
    "match": (
        "Your rows matched",
        "How many of your rows find a partner. Values, containment and Jaccard are in the open row.",
    ),
    "rows": ("Rows after", "Rows of a left join with all matches kept."),
    "adds": ("Adds", "Columns that this table would bring."),
}
_NAMED = 3  # columns that a row names
_LIKE = 2  # columns by which a line of chance matches is named
_ALIKE = 3  # matches that make such a name


class HitRow(words.Matched):
    """A row of a result: numbers to sort by beside the words to show.

    id: the same in every answer to a question. stem: the table without folder and extension; full: table.column.
    pro, con: what speaks for it and against it. share: of the asking rows that match, of its values where rows are not
    counted; low, high: its interval. rows_out: -1 where it is not known. factor: by which rows grow, nothing where they
    do not; effect: the same in words. alike: how many others it stands for. below: kept out of the ranking; common: as
    a time, a flag or a category. step: joined after a step, not as it is."""

    id: str
    rank: int
    table: str
    column: str
    stem: str
    extension: str
    full: str
    kind: Kind
    note: str
    alike: int
    confidence: Literal["sure", "possible", "chance"]
    line: str
    pro: list[str]
    con: list[str]
    exact: bool
    rows_out: int
    rows_text: str
    factor: str
    effect: str
    warn: bool
    adds: int
    adds_text: str
    adds_names: str
    below: bool
    common: bool
    step: bool


def hit_id(hit: Any) -> str:
    """The same in every answer to a question."""
    return f"{getattr(hit, 'kind', 'equi')} {hit.table} {hit.column}"


def hit_row(i: int, hit: Any, values: bool = True) -> HitRow:
    """The hit at position `i` as it is shown; values: with one of hers as an example."""
    effect, kind = words.effect(hit), cast(Kind, getattr(hit, "kind", "equi"))
    brings = list(hit.brings)
    folder, stem, extension = _parts(clip(hit.table))
    return {
        **words.matched(hit),
        "id": hit_id(hit),
        "rank": i,
        "table": clip(hit.table),
        "column": clip(hit.column),
        "stem": stem,
        "extension": extension,
        "full": f"{clip(hit.table)}.{clip(hit.column)}",
        "kind": kind,
        "note": " · ".join(filter(None, [folder, plural(hit.rows, "row")])),
        "alike": len(hit.alike),
        "confidence": hit.confidence,
        "line": clip(hit.line),
        "pro": [_phrase(said) for said in (*(_example(hit, kind) if values else ()), *hit.pro)],
        "con": [_phrase(said) for said in against(hit, values)],
        "exact": words.is_exact(hit),
        "rows_out": hit.counts.rows_out if hit.counts else -1,
        "rows_text": effect.rows,
        "factor": effect.factor,
        "effect": effect.note,
        "warn": effect.warn,
        "adds": len(brings),
        "adds_text": plural(len(brings), "column") if brings else "nothing",
        "adds_names": _some([told.column for told in hit.telling] or brings),
        "below": bool(hit.accidental),
        "common": bool(hit.common),
        "step": kind in STEPS,
    }


def _example(hit: Any, kind: str) -> list[str]:
    """A value and what it meets after the step, both as they are spelled."""
    pair = getattr(hit, "example", None)
    return [f"{clip(pair[0], 40)} {'≈' if kind == 'fuzzy' else '→'} {clip(pair[1], 40)}"] if pair else []


def _parts(table: str) -> tuple[str, str, str]:
    """Folder, name and extension of a table."""
    stem, extension = table_parts(table)
    folder, slash, name = stem.rpartition("/")
    return folder + slash, name, extension


def _phrase(said: str) -> str:
    return clip(said.replace("`", ""))


def _some(names: list[str]) -> str:
    shown = ", ".join(clip(name, 40) for name in names[:_NAMED])
    return f"{shown} …" if len(names) > _NAMED else shown


def common_line(hits: Iterable[Any]) -> tuple[str, str]:
    """Title and note of the line that times, flags and categories are."""
    total = sum(1 + len(hit.alike) for hit in hits)
    return f"{number(total)} by times, flags or categories", "these join whatever has such values"


def chance_line(hits: Iterable[Any]) -> tuple[str, str]:
    """Title and note of the line that chance matches are: families are named by their commonest columns."""
    named: Counter[str] = Counter()
    for hit in hits:
        named[clip(hit.column, 40)] += 1 + len(hit.alike)
    total = sum(named.values())
    like = [(name, count) for name, count in named.most_common(_LIKE) if count >= _ALIKE]
    said = [f"{number(count)} like {name}" for name, count in like]
    if said and (others := total - sum(count for _, count in like)):
        said.append(f"{number(others)} others" if others > 1 else "1 other")
    return plural(total, "chance match", "chance matches"), " · ".join([*said, "never joined unasked"])


Placed = list[tuple[int, Any]]  # hits with their positions


@dataclass(frozen=True)
class Below:
    """Hits that are kept out of the ranking, as one line that opens."""

    title: str
    note: str
    hits: Placed


def ranked(hits: Any) -> tuple[Placed, list[Below], int]:
    """What to show of an answer: the ranked hits, the lines below them, and how many hits are left out."""
    above: Placed = []
    common: Placed = []
    chance: Placed = []
    for i, hit in enumerate(hits):
        (above if not hit.accidental else common if hit.common else chance).append((i, hit))
    lines, left = [], max(MAX_ROWS - len(above), 0)
    for group, said in ((common, common_line), (chance, chance_line)):
        if group:
            title, note = said(hit for _, hit in group)
            lines.append(Below(title, note, group[:left]))
            left -= len(lines[-1].hits)
    return above[:MAX_ROWS], lines, max(len(above) - MAX_ROWS, 0)
