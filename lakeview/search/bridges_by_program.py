"""Bridges of which one hop is a learned program: where one end of a map is known as it is, and the other is written
otherwise there.

The tables that hold the known end's kind of values are tried, a program is learned between the other end and their
columns (`transforming`), and what it joins is counted. What may be chance is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial

from lakeview.errors import LakeviewError
from lakeview.join.bridge import BridgePlan, Map
from lakeview.join.lookup import Lookup
from lakeview.join.model import How
from lakeview.join.side import Side
from lakeview.join.transform.columns import Columns
from lakeview.join.transform.model import as_program
from lakeview.join.transform.plan import TransformPlan
from lakeview.search.bridges import lists_first, may_be_key
from lakeview.search.maps import FUNCTIONAL, Hop, Search
from lakeview.search.query import Query
from lakeview.search.transforming import programs_between, some_of

TRIED = 3  # tables that a program is tried with
REACHED = 0.3  # share of the rows that have to get across: a program says less than equality
SURE = 0.8  # what a hop by a program is worth beside one of equal values


@dataclass(frozen=True)
class End:
    """A column that a bridge starts from or arrives at."""

    query: Query
    side: Side
    on: Hashable

    @property
    def place(self) -> int:
        return self.side.columns.index(self.on)


def by_program(search: Search, start: End, end: End, lake_side: Callable[[str], Side]) -> list[BridgePlan]:
    """The bridges from one column to another where the values of one end alone are in the lake as they are, best first.
    Those of Spark frames are none: their values are not here."""
    if "spark" in (start.side.kind, end.side.kind):
        return []
    leaving, arriving = search.hops_of(start.query), search.hops_of(end.query)
    if bool(leaving) == bool(arriving):
        return []
    found: list[BridgePlan] = []
    unknown = end if leaving else start
    own = some_of(unknown.side, search.normalize, unknown.place)
    for hop in lists_first(search.snapshot, leaving or arriving)[:TRIED]:
        try:
            plan = _through(search, start, end, hop, own, bool(leaving), lake_side)
        except (LakeviewError, OSError):  # a table that is not as it was indexed is no map
            continue
        if plan is not None:
            found.append(plan)
    return sorted(found, key=lambda plan: -plan.score)


def _through(
    search: Search, start: End, end: End, hop: Hop, own: Columns, last: bool, lake_side: Callable[[str], Side]
) -> BridgePlan | None:
    """The bridge through a table that has the known end's values in a column. last: whether the other end is where it
    arrives. own: the values of that end."""
    s, unknown = search.snapshot, end if last else start
    table = s.tables[hop.number]
    columns = [n for n in search.columns(table, hop.number) if may_be_key(s, n)]
    pairs = [(hop.number, n) if last else (n, hop.number) for n in columns]
    search.maps.read(search.side, s, pairs, search.normalize)
    open_ = [
        n for n, pair in zip(columns, pairs, strict=True)
        if (known := search.maps.pairs[pair]) is not None and known.functional >= FUNCTIONAL
    ]  # fmt: skip
    side = lake_side(table)
    program = (
        programs_between(unknown.side, own, side, [s.names[n] for n in open_], search.normalize) if open_ else None
    )
    if program is None or program.doubtful or not _is_plain(program):
        return None
    label = str(program.derived_columns[0] if program.reverse else program.key)
    source, target = (s.names[hop.number], label) if last else (label, s.names[hop.number])
    lookup = Lookup(side, source, target, search.normalize)
    learned = partial(_again, program, last)
    bridge = BridgePlan(start.side, end.side, start.on, end.on, [lookup], "left", search.normalize,
                        learned={1 if last else 0: learned})  # fmt: skip
    counts, across = bridge.steps[0].counts(), int(bridge.left_joins().sum())
    rows, there = max(counts.left_rows, 1), max(counts.left_matched, 1)
    coverage, hops = across / rows, (counts.left_matched / rows, across / there)
    if coverage < REACHED:
        return None
    bridge.maps = [Map(table, source, target, hops[0], lookup.pairs.functional)]
    bridge.hops, bridge.coverage, bridge.score = list(hops), coverage, float(coverage * hop.sure * SURE)
    bridge.reason = f"`{table}` maps {coverage:.0%} of all rows across, by a program: {program.program}"
    return bridge


def _again(
    program: TransformPlan, last: bool, left: Side, right: Side, left_on: Hashable, right_on: Hashable, how: How
) -> TransformPlan:
    """The plan of a step by a program that was learned between a column outside the lake, as its source, and one of a
    map's table: the outer column is on the right of the last step, on the left of the first."""
    reads_left = program.reverse if last else not program.reverse
    derived, on = (left, left_on) if reads_left else (right, right_on)
    keyed, key = (right, right_on) if reads_left else (left, left_on)
    place, names = derived.columns.index(on), tuple(map(str, derived.columns))
    programs = tuple(one.moved(dict.fromkeys(one.reads, place), names) for one in program.programs)
    key_program = as_program(keyed, key)
    return TransformPlan(
        left, right, programs, key_program, reverse=not reads_left, how=how, normalize=program.normalize
    )


def _is_plain(program: TransformPlan) -> bool:
    """Whether a program is one between two columns as they are."""
    reads = {read for one in program.programs for read in one.reads}
    return len(reads) == 1 and program.key_program.is_identity and program.second is None and not program.rest.matches
