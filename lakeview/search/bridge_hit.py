"""A bridge beside the hits of a search: a key of the lake that a column reaches through a table between."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from lakeview.errors import LakeviewError
from lakeview.join.bridge import BridgePlan
from lakeview.join.model import How, JoinCounts
from lakeview.join.naming import stem
from lakeview.join.plan import JoinPlan
from lakeview.search.confidence import SURE, Confidence, Weighed, kind, matched, missing
from lakeview.search.hit import Hit, standing
from lakeview.search.hits import Hits

COUNTED = 1_000_000  # rows of both sides up to which a bridge's join is counted unasked


class BridgeHit(Hit):
    """The key that a bridge arrives at; `plan` is its left join."""

    kind = "bridge"
    nearly = None  # what lies between is what finds them

    def __init__(self, hits: Hits, plan: BridgePlan) -> None:
        self._of_column(hits, hits.snapshot.by_table[plan.right.name][str(plan.right_on)])
        self.plan = plan
        self._measure(round(plan.coverage * hits.query.distinct), plan.score, False, plan.reason)
        self.method = "bridge"

    def _weighed_plainly(self) -> Weighed:
        query = self._hits.query
        confidence: Confidence = "sure" if self.score >= SURE else "possible"
        of = (query.distinct, self.overlap, kind(query.shape))
        maps = ", ".join(f"{stem(m.table)}: {m.source} → {m.target}" for m in self.plan.maps)
        return Weighed(confidence, matched(*of), (f"through {maps}",), tuple(missing(*of)))

    def examples(self, n: int = 4) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
        """None: the way is shown, not the values that take it."""
        return [], []

    def join_counts(self, how: How) -> JoinCounts | None:
        """Counted where both sides are small; the tables between are read for it."""
        if self._hits.query.rows + self.rows > COUNTED:
            return None
        try:
            return (self.plan if how == self.plan.how else self.plan.again(how)).counts()
        except LakeviewError:  # a table that changed since: the join will say so
            return None

    def join(self, how: How = "left", left: Any = None, many: str | Mapping[Hashable, str] = "all",
             when: Hashable = None, all_alike: bool = False) -> JoinPlan:  # fmt: skip
        """The plan of the bridge, for any kind of join; `left` stands for the table of the query. many, when: as for
        any hit. all_alike: there is no family."""
        made = self.plan if left is None and how == self.plan.how else self.plan.again(how, standing(left))
        return made.with_many(many, when)
