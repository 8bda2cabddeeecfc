"""Why a hit ranks where it does: what was matched, what speaks for a join, what against it."""

from __future__ import annotations

from typing import Any

from lakeview.estimate.coupled import Comparison
from lakeview.evidence.evidence import NAMED, probability
from lakeview.search.roles import COMMON, FLAG, TIME
from lakeview.search.scoring import Scores

RIVALLED = 0.5  # share of its own probability that a hit keeps, under which its rivals are spoken of


def reason(
    query: Any, snapshot: Any, column: int, overlap: int, scores: Scores, at: int, estimate: Comparison | None = None
) -> str:
    """The reason for one hit: `at` is its place in `scores`. Names stand in backticks. estimate: of sketches."""
    if estimate is not None and not overlap:
        return _possible(query, snapshot, column, estimate)
    if scores.accidental[at]:
        if scores.common[at] and scores.role[at] != FLAG:
            return f"{_met(query.distinct, overlap, estimate)}. {_common(scores, at)}"
        return _accident(query, snapshot, column, overlap, scores, at)
    name = f"`{snapshot.names[column]}`"
    head = _met(query.distinct, overlap, estimate)
    if snapshot.key_like[column]:
        head += f"; {name} {'may be' if snapshot.sketched[column] else 'is'} a key"
    else:
        rows, distinct = int(snapshot.rows[column] - snapshot.nulls[column]), int(snapshot.distinct[column])
        head += f", but {name} is not a key: {_each(rows / max(distinct, 1))}"
    return " ".join([f"{head}.", *_for(scores, at), *_against(query, scores, at, overlap)])


def _for(scores: Scores, at: int) -> list[str]:
    found, said = scores.evidence, []
    if scores.back[at]:
        said.append("Its rows refer to yours.")
    elif found.agreement[at] >= NAMED or found.about[at] >= 0.5:
        said.append("The names agree.")
    if found.place[at] > 0 and found.cohesion[at] >= 0.5:
        said.append("Both tables lie in one folder.")
    return said


def _against(query: Any, scores: Scores, at: int, overlap: int) -> list[str]:
    found, said = scores.evidence, []
    expected = _expected(query, scores, at)
    if scores.role[at] in COMMON or found.time[at]:
        said.append(_common(scores, at))
    elif expected >= 0.5 * overlap:
        said.append("Such values meet by chance too" + (", but the names agree." if _vouched(scores, at) else "."))
    elif expected >= max(0.1 * overlap, 1):
        said.append(f"About {expected:,.0f} of them would match any list of this length by chance.")
    if not scores.back[at] and scores.refers[at] < RIVALLED * probability(found.odds[at]):
        said.append("Other columns fit as well.")
    return said


def _common(scores: Scores, at: int) -> str:
    return f"It joins whatever has such {COMMON.get(scores.role[at], COMMON[TIME])}."


def _vouched(scores: Scores, at: int) -> bool:
    """Whether the names speak for the hit."""
    return bool(scores.evidence.agreement[at] >= NAMED or scores.evidence.about[at] >= 0.5 or scores.back[at])


def _met(distinct: int, overlap: int, estimate: Comparison | None) -> str:
    return _matches(distinct, overlap) if estimate is None else _about(distinct, overlap, estimate)


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
    found, distinct = scores.evidence, int(snapshot.distinct[column])
    if scores.inside[at] and not found.few[at] and not found.stray[at]:
        return f"{_matches(query.distinct, overlap)}, in another column of the same table: no row refers to another so."
    if found.few[at]:
        least = min(distinct, query.distinct)
        return f"{'One value' if least == 1 else 'Two values'} alone: any two such columns may share them."
    if found.stray[at]:
        return f"Hardly anything is shared: {overlap:,} of {query.distinct:,} values, of {distinct:,} in the column."
    expected = min(round(_expected(query, scores, at)), query.distinct)
    if 2 * expected < overlap:
        return (
            f"{_matches(query.distinct, overlap)}, too few to tell a join from chance, and nothing else speaks for it."
        )
    some = f"{expected:,} of {query.distinct:,}"
    if snapshot.array("numbers")[column]:
        low, high = snapshot.array("low")[column], snapshot.array("high")[column]
        return f"Numbers match by chance: any {distinct:,} from {low:,.12g} to {high:,.12g} would hold about {some}."
    if snapshot.array("dates")[column]:
        return f"Dates match by chance: any list of such days would hold about {some}."
    return f"Codes match by chance: any {distinct:,} such short ones would hold about {some}."


def _expected(query: Any, scores: Scores, at: int) -> float:
    """Values that chance would meet."""
    return float(min(scores.evidence.chance[at], 1.0)) * query.distinct
