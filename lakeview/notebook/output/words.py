"""What a hit says, in words: shared by the HTML, the plain text and the JSON of a result."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, TypedDict

from lakeview.notebook.output.html import clip, number, plural

_RANGE = re.compile(r" from -?[\d.,e+-]*\d to -?[\d.,e+-]*\d")
FAN_OUT = 2.0  # rows out a row in, from which on a join is warned of


def share(value: float, digits: int = 2) -> str:
    """A share of 1. What is not quite 0 or 1 never reads as if it were: `<0.01`, `>0.99`."""
    least = 10.0**-digits
    text = f"{value:.{digits}f}"
    if 0 < value < 1 and float(text) in (0.0, 1.0):
        return f"<{least:.{digits}f}" if value < 0.5 else f">{1 - least:.{digits}f}"
    return text


def is_exact(hit: Any) -> bool:
    """Whether the hit's numbers are counted, not estimated."""
    return hit.method in ("exact", "transformation", "bridge")


class Matched(TypedDict):
    """How many of the asking rows find a partner: the share with its interval, and in words. Where the rows are not
    counted it is the share of their values."""

    share: float
    low: float
    high: float
    percent: str
    without: str
    spoken: str


def matched(hit: Any) -> Matched:
    """Of rows where they are counted, else of values, with an interval."""
    counts = hit.counts
    if counts is not None and is_exact(hit):
        part = counts.left_matched / counts.left_rows if counts.left_rows else 0.0
        alone = counts.left_rows - counts.left_matched
        without = f"{number(alone)} without" if alone else "none without"
        shown = percent(part, not alone and bool(counts.left_rows))
        spoken = f"{_spoken(shown)} of your rows matched, {without}"
        return {"share": part, "low": part, "high": part, "percent": shown, "without": without, "spoken": spoken}
    part, low, high = hit.containment, hit.containment_low, hit.containment_high
    shown = percent(part, part == 1)
    interval = f"{100 * low:.0f} to {100 * high:.0f}"
    spoken = f"about {_spoken(shown)} of your values matched, 95 percent interval {interval}, estimate"
    without = f"{interval} % of the values"
    return {"share": part, "low": low, "high": high, "percent": f"≈ {shown}", "without": without, "spoken": spoken}


def percent(part: float, whole: bool) -> str:
    """`98 %`, `99.5 %`; 100 % only where nothing is left, 0 % only where nothing is there."""
    value = 100 * part
    if whole or value <= 0:
        return "100 %" if whole else "0 %"
    if value < 1:
        return "< 1 %"
    if value < 98.95:
        return f"{value:.0f} %"
    return f"{value:.1f} %" if value < 99.95 else "> 99.9 %"


def _spoken(shown: str) -> str:
    return shown.replace("< ", "less than ").replace("> ", "more than ").replace("%", "percent")


def possible(hits: Any, most: int = 3) -> str:
    """The columns that sketches neither find nor exclude, the likeliest with their intervals; empty where there are
    none."""
    if not hits.doubtful:
        return ""
    named = [f"{clip(hit.table)}.{clip(hit.column)} ({share(hit.containment_low)} to {share(hit.containment_high)})"
             for hit in hits.possible[:most]]  # fmt: skip
    more = f" and {number(hits.doubtful - most)} more" if hits.doubtful > most else ""
    columns = "1 column is" if hits.doubtful == 1 else f"{number(hits.doubtful)} columns are"
    return f"{columns} possible: {', '.join(named)}{more}"


def why_nothing(hits: Any) -> list[str]:
    """Why an answer may be empty, a sentence or two each."""
    if not hits.columns:
        return ["Nothing is indexed yet."]
    how = "from sketches where they are large" if hits.estimated else "all exactly"
    why = [f"{plural(hits.columns, 'column')} in {plural(hits.tables, 'table')} compared, {how}."]
    if not hits.query.distinct:
        why.append("The column has no values: all are null marks." if hits.query.rows else "It has no rows.")
    elif _are_zoned(hits.query):
        why.append(
            "Its values are times with a zone, which equal none without one: .dt.tz_localize(None) takes it off, "
            'in Spark .cast("timestamp_ntz").'
        )
    if hits.problems:
        why.append(f"{plural(hits.problems, 'problem')} met while reading the lake: some values may be missing.")
    return why + left_out(hits)


def left_out(hits: Any, most: int = 5) -> list[str]:
    """The tables that were not looked at, as they changed since they were indexed, a sentence each."""
    more = len(hits.left_out) - most
    return [f"{clip(why)}." for why in hits.left_out[:most]] + (
        [f"And {number(more)} more tables."] if more > 0 else []
    )


def _are_zoned(query: Any) -> bool:
    """Whether a query's first values are times in UTC, as zoned times print."""
    texts = [] if query.texts is None else query.texts[:20].to_pylist()
    return bool(texts) and all(re.fullmatch(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*Z", text) for text in texts)


@dataclass(frozen=True)
class Effect:
    """What a left join does to the row count: `rows` out, by which `factor` they grow, a short `note`, and whether it
    fans out badly."""

    rows: str
    factor: str
    note: str
    warn: bool


def effect(hit: Any) -> Effect:
    """From the hit's JoinCounts; dashes where they are not known."""
    counts = hit.counts
    if counts is None:
        return Effect("–", "", "", False)
    about = "" if is_exact(hit) else "≈ "
    grown = counts.rows_out - counts.left_rows
    if grown <= 0:
        return Effect(about + number(counts.rows_out), "", "same as before", False)
    factor = counts.rows_out / counts.left_rows  # a left join makes none of no rows
    more = f"× {factor:,.0f}" if factor >= 9.95 else f"× {factor:.1f}" if factor >= 1.05 else f"+ {number(grown)}"
    most = number(counts.max_fanout)
    grows = about + more
    note = grows if more == f"× {most}" else f"{grows}, up to {most}"
    return Effect(about + number(counts.rows_out), grows, note, factor >= FAN_OUT)


def plain(value: Any) -> Any:
    """A numpy scalar as its Python value; NaN, NaT, NA as None."""
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()
    if type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and math.isnan(value)):
        return None
    return value


def reason(hit: Any, save_values: bool = True) -> str:
    """Why the hit ranks there; without the least and greatest value of its column unless `save_values`."""
    return hit.reason if save_values else _RANGE.sub("", hit.reason)


def alike(hit: Any) -> str:
    """`+21 alike`, where a hit stands for a family; else empty."""
    return f"+{number(len(hit.alike))} alike" if hit.alike else ""


def query_facts(hits: Any) -> list[str]:
    """`105 distinct values`, `no nulls`, `lake of 43 tables`, of transformations `12 of 30 likely tables were tried`,
    with a target `by what tells of delay`, `answered in 12 ms`."""
    query = hits.query
    return [
        plural(query.distinct, "distinct value"),
        plural(query.nulls, "null") if query.nulls else "no nulls",
        f"lake of {plural(hits.tables, 'table')}",
        *[hits.tried] * bool(hits.tried),
        *([] if hits.target is None else [f"by what tells of {clip(hits.target)}"]),
        f"answered in {duration(hits.seconds)}",
    ]


def duration(seconds: float) -> str:
    """`12 ms`, `1.4 s`, `2 min 5 s`, `1 h 2 min`."""
    if seconds < 0.9995:
        return f"{max(seconds * 1000, 1):.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def status(hits: Any) -> tuple[str, bool]:
    """`exact`, or how many of the hits are; and whether all are."""
    exact = sum(is_exact(hit) for hit in hits)
    if exact == len(hits):
        return "exact", True
    return (f"{exact} of {len(hits)} exact" if exact else "≈ approximate"), False
