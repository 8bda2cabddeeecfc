"""Why a hit ranks where it does, in a sentence or two."""

from __future__ import annotations

from typing import Any

from lakeview.estimate.coupled import Comparison
from lakeview.index.chance import Scores


def reason(
    query: Any, snapshot: Any, column: int, overlap: int, scores: Scores, at: int, estimate: Comparison | None = None
) -> str:
    """The reason for one hit: `at` is its place in `scores`. Names stand in backticks. estimate: of sketches."""
    if estimate is not None and not overlap:
        return _possible(query, snapshot, column, estimate)
    name = f"`{snapshot.names[column]}`"
    said = [_matches(query.distinct, overlap) if estimate is None else _about(query.distinct, overlap, estimate)]
    if scores.accidental[at]:
        said = [_accident(query, snapshot, column, overlap, scores, at)]
    elif (by_chance := _by_chance(scores, at)) >= 0.5 * overlap:
        said.append("Such values meet by chance too, but the names agree.")
    elif by_chance >= max(0.1 * overlap, 1):
        said.append(f"About {by_chance:,.0f} of them would meet by chance, in any list as long.")
    if scores.accidental[at]:
        return said[0]
    if snapshot.key_like[column]:
        said[0] += f"; {name} {'may be' if snapshot.sketched[column] else 'is'} a key"
    else:
        rows, distinct = int(snapshot.rows[column] - snapshot.nulls[column]), int(snapshot.distinct[column])
        said[0] += f", but {name} is no key: {_each(rows / max(distinct, 1))}"
    return f"{said[0]}. {' '.join(said[1:])}".strip()


def _matches(distinct: int, overlap: int) -> str:
    if overlap == distinct:
        return f"All {distinct:,} values match" if distinct > 1 else "Its one value matches"
    return f"{overlap:,} of {distinct:,} values match"


def _about(distinct: int, overlap: int, estimate: Comparison) -> str:
    low, high = round(estimate.overlap.low), min(round(estimate.overlap.high), distinct)
    return f"About {overlap:,} of {distinct:,} values match ({low:,} to {high:,})"


def _possible(query: Any, snapshot: Any, column: int, estimate: Comparison) -> str:
    most = min(round(estimate.overlap.high), query.distinct)
    return (
        f"Nothing seen, but up to {most:,} of {query.distinct:,} values may be among its "
        f"{int(snapshot.distinct[column]):,}: a sketch cannot tell."
    )


def _each(rows: float) -> str:
    return f"a value is in {rows:,.0f} rows on average" if rows >= 1.5 else "some values repeat"


def _accident(query: Any, snapshot: Any, column: int, overlap: int, scores: Scores, at: int) -> str:
    distinct = int(snapshot.distinct[column])
    if scores.few[at]:
        least = min(distinct, query.distinct)
        return f"{'One value' if least == 1 else 'Two values'} alone: any two such columns may share them."
    if scores.stray[at]:
        return f"Hardly anything is shared: {overlap:,} of {query.distinct:,} values, of {distinct:,} in the column."
    expected = min(round(_by_chance(scores, at)), query.distinct)
    if scores.chance_numbers[at] >= scores.chance_letters[at]:
        low, high = snapshot.array("low")[column], snapshot.array("high")[column]
        what = f"{distinct:,} numbers from {low:,.12g} to {high:,.12g}"
        return f"Numbers meet by chance: about {expected:,} of {query.distinct:,} expected in any list of {what}."
    among = f"{expected:,} of {query.distinct:,} expected in any list of {distinct:,} such short codes"
    return f"Codes meet by chance: about {among}."


def _by_chance(scores: Scores, at: int) -> float:
    return float(scores.chance_numbers[at] + scores.chance_letters[at])
