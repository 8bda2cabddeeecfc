"""What a program and its key leave out of both sides, where it tells the rows apart that they join.

"Taylor County, IA" and "Taylor (KY)" join by "taylor". Both sides say a state besides, of the same states, and not the
same one: the rows are of different counties. What one side says of years and the other of towns contradicts nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lakeview.join.transform.columns import Column, Columns
from lakeview.join.transform.program import Program

SOME = 300  # joined rows that are looked at
LEAST = 3  # different words on either side that say something
BOTH = 0.8  # of the rows, those that say something besides on both sides
COMMON = 0.5  # of the fewer words, those that both sides have
AGREE = 0.5  # of the rows, those that must agree
_WORD = re.compile(r"[0-9]+|[^\W\d_]+")


def left_out(
    programs: Sequence[Program], source: Columns, joined: Sequence[str | None], key: Program, keyed: Columns
) -> str:  # fmt: skip
    """Why what is left out speaks against the rows that are joined, or "".

    joined: the key that each source row joins. key: the program of the key over `keyed`."""
    if key.is_identity:
        return ""
    rows: dict[str, int] = {}
    for row, text in enumerate(key.apply(keyed)):
        if text is not None:
            rows.setdefault(text, row)
    reads = sorted({place for program in programs for place in program.reads})
    pairs = list(_besides([source.columns[p] for p in reads], joined, [keyed.columns[p] for p in key.reads], rows))
    told = [(own, its) for own, its in pairs if own and its]
    if len(told) < max(LEAST, BOTH * len(pairs)):
        return ""
    ours, theirs = (set().union(*sides) for sides in zip(*told, strict=True))
    if min(len(ours), len(theirs)) < LEAST or len(ours & theirs) < COMMON * min(len(ours), len(theirs)):
        return ""
    apart = [(own & theirs, its & ours) for own, its in told if own & theirs and its & ours]
    wrong = [pair for pair in apart if not pair[0] & pair[1]]
    if len(apart) < BOTH * len(told) or len(wrong) <= (1 - AGREE) * len(apart):
        return ""
    own, its = (min(side) for side in wrong[0])
    return f'what is left out differs in {len(wrong):,} of {len(apart):,} rows, such as "{own}" and "{its}"'


def _besides(
    own: Sequence[Column], joined: Sequence[str | None], there: Sequence[Column], rows: dict[str, int]
) -> Iterator[tuple[set[str], set[str]]]:
    """For some joined rows the words that either side says beside the key."""
    met = [row for row, key in enumerate(joined) if key is not None and key in rows]
    for row in met[:: max(1, -(-len(met) // SOME))]:
        key = joined[row] or ""
        said = set(_WORD.findall(key))
        yield _words(own, row) - said, _words(there, rows[key]) - said


def _words(columns: Sequence[Column], row: int) -> set[str]:
    return {word for column in columns for word in _WORD.findall(column.values[row] or "")}
