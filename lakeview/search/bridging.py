"""The body of `Lake.bridge`: bridges as plans, and those that an answer of a search has beside its hits."""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lakeview.errors import InputError, LakeviewError
from lakeview.guards import checks
from lakeview.guards.ranked import Ranked
from lakeview.join.bridge import BridgePlan, Map
from lakeview.join.lookup import Lookup
from lakeview.join.side import Side
from lakeview.join.variable import variable_name
from lakeview.search.asking import ask, sought
from lakeview.search.bridges import Bridge, across, anywhere
from lakeview.search.bridges_by_program import End, by_program
from lakeview.search.maps import Search
from lakeview.search.query import Query
from lakeview.search.view import View

if TYPE_CHECKING:
    import pandas as pd

BEYOND = 5  # bridges beside an answer


class Bridges(Ranked[BridgePlan]):
    """Plans through maps of the lake, best first; `explain()` says what was looked for, and why there are none."""

    _called = "bridges"

    def __init__(self, plans: Sequence[BridgePlan], name: str, why: str, seconds: float) -> None:
        self._ranked, self.name, self._why, self.seconds = list(plans), name, why, seconds

    def explain(self) -> str:
        """What was looked for, and what came of it."""
        return self._why

    def to_pandas(self) -> pd.DataFrame:
        """One row a bridge: table, column, through, coverage, score, reason."""
        import pandas as pd

        rows = [(p.right.name, p.right_on, p.through, p.coverage, p.score, p.reason) for p in self]
        return pd.DataFrame(rows, columns=["table", "column", "through", "coverage", "score", "reason"])

    def __repr__(self) -> str:
        lines = [f"{len(self)} bridges from {self.name}", *([self._why] if not self else [])]
        lines += [
            f"{i:3d}  {p.right.name}.{p.right_on} through {p.through}  {p.coverage:.2f}" for i, p in enumerate(self)
        ]
        return "\n".join(lines)


def bridge(view: View, data: Any, column: Any, to: Any, k: Any) -> Bridges:
    """The answer to `Lake.bridge`."""
    started = time.perf_counter()
    k = checks.whole("k is how many bridges to return", k, 1)
    view.require_index()
    what = sought(data, column)
    if what.together is not None:
        raise InputError("a bridge starts from one column: name one")
    if what.whole:
        raise InputError("name the column that the bridge starts from: lake.bridge(df, 'state')")
    query, start = ask(view, what)
    left, on = _start(what.data, query, start)
    query = _whole(view, query, left, on)
    search = Search(view.snapshot, view.side, view.hidden(), view.normalize)
    target: Query | None = None
    if to is None:
        own = "" if query.number is None else view.snapshot.tables[query.number]
        found = anywhere(search.without(own), query, k)
    else:
        target, right, right_on = _target(view, to)
        found = across(search, query, target)[:k]
    plans = []
    for one in found:
        if one.target is not None:
            right, right_on = view.live_side(view.snapshot.tables[one.target]), view.snapshot.names[one.target]
        plans.append(_plan(view, left, on, right, right_on, one))
    if target is not None and not plans:
        plans = by_program(search, End(query, left, on), End(target, right, right_on), view.live_side)[:k]
    return Bridges(plans, query.name, _why(query, target, plans, search), time.perf_counter() - started)


def beyond(view: View, data: Any, query: Query, start: Side | None, hits: Any) -> list[BridgePlan]:
    """Bridges to tables that no hit of an answer joins, accidents aside."""
    try:
        left, on = _start(data, query, start)
        query = _whole(view, query, left, on)
        own = "" if query.number is None else view.snapshot.tables[query.number]
        search = Search(view.snapshot, view.side, view.hidden(), view.normalize).without(own)
        joined = {hit.table for hit in hits.unfolded if not hit.accidental}
        return [
            _plan(
                view, left, on, view.live_side(view.snapshot.tables[one.target]), view.snapshot.names[one.target], one
            )
            for one in anywhere(search, query, BEYOND, joined)
            if one.target is not None
        ]
    except (LakeviewError, OSError):  # a table that is gone is none to go through; the search's answer stands
        return []


def _start(data: Any, query: Query, side: Side | None) -> tuple[Side, Hashable]:
    """The side of a column that is asked about, and its label there."""
    side = side or Side.column(data, query.column, variable_name(data) or query.name)
    if query.number is not None:
        return side, query.column
    return side, next(label for label in side.columns if str(label) == query.column)


def _whole(view: View, query: Query, side: Side, on: Hashable) -> Query:
    """The query with its tokens, read where the store has but a sketch of the column."""
    if query.sketch is None:
        return query
    return replace(Query.of(side.key(on), query.name, query.column, view.normalize), number=query.number)


def _target(view: View, to: Any) -> tuple[Query, Side, Hashable]:
    what = sought(to, None)
    if what.whole:
        raise InputError('to is a column: "table.column" of the lake, or df["column"]')
    query, side = ask(view, what)
    side, on = _start(to, query, side)
    return _whole(view, query, side, on), side, on


def _plan(view: View, left: Side, on: Hashable, right: Side, right_on: Hashable, found: Bridge) -> BridgePlan:
    s = view.snapshot
    lookups, maps = [], []
    for leg in found.legs:
        table, source, target = s.tables[leg.source], s.names[leg.source], s.names[leg.target]
        lookups.append(Lookup(view.live_side(table), source, target, view.normalize))
        maps.append(Map(table, source, target, leg.coverage, leg.pairs.functional))
    reason = _reason(found, maps)
    return BridgePlan(left, right, on, right_on, lookups, "left", view.normalize, maps=maps, hops=found.hops,
                      coverage=found.coverage, score=found.score, reason=reason)  # fmt: skip


def _reason(found: Bridge, maps: Sequence[Map]) -> str:
    steps = [f"`{one.table}` knows {_share(one.coverage)} of the values that come in" for one in maps]
    said = f"{'; '.join(steps)}. {_share(found.coverage)} of all values get across."
    loose = [one for one in maps if one.functional < 1]
    if loose:
        said += f" `{loose[0].table}` has values with several meanings: what most rows say counts."
    return said


def _share(share: float) -> str:
    return "all" if share == 1 else f"{share:.0%}" if 0.005 <= share < 0.995 else "nearly all" if share > 0.5 else "few"


def _why(query: Query, target: Query | None, plans: Sequence[BridgePlan], search: Search) -> str:
    if plans:
        return f"{len(plans)} bridge{'s' * (len(plans) != 1)} found."
    held = search.hops_of(query)
    if not held:
        return f"No table of the lake is sure to know the values of {query.name}: nothing to start from."
    if target is not None and not search.hops_of(target):
        return f"No table of the lake is sure to know the values of {target.name}: nothing to arrive at."
    there = ", ".join(dict.fromkeys(search.snapshot.tables[hop.number] for hop in held[:3]))
    other = "the target's" if target is not None else "a key of another table"
    return f"Values of {query.name} are known ({there} …), but no map leads from there to {other}."
