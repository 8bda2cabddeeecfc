"""What the columns that a hit's join brings tell of a column of the analyst's: her target.

Her rows are brought to one a key, once for each key that hits join on; each hit's table then joins these, one row each,
and every column that it brings is put into parts, whose means of the target are compared (`estimate.association`).
"""

from __future__ import annotations

import copy
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lakeview.errors import InputError, LakeviewError
from lakeview.estimate.association import KEYS, associate
from lakeview.join.side import Side
from lakeview.pipeline import progress
from lakeview.search import target_on_spark
from lakeview.search.column_parts import Parted, parted
from lakeview.search.hit import Hit
from lakeview.search.hits import Hits
from lakeview.search.target import Keyed, by_key
from lakeview.search.tells import Part, Tells
from lakeview.search.whole_frame import FrameHits

if TYPE_CHECKING:
    import pandas as pd

    from lakeview.join.plan import JoinPlan

LOOKED = 50  # joins of an answer that are looked at
LARGE = 5_000_000  # rows of a table that is not read for this
CHANCE = 0.01  # how often, at most, chance may say of some column of a table that it tells of the target
SAME = 0.9  # of a table's columns, that the frame has which it is a copy of; of values, that she has already
SOME = 1000  # keys by which that is told
LEAST = 0.001  # of the target's variance that is explained; less is little, however sure


class Teller:
    """Says what hits' columns tell of a target; her rows are brought to keys once for each key.

    Raises InputError where the target bears no comparing, NotFound where her frame has no such column.
    """

    def __init__(self, target: Hashable) -> None:
        self.target = target
        self._keyed: dict[tuple[Hashable, ...], Keyed] = {}

    def tells(self, hit: Hit, many: str | None = None) -> list[Tells]:
        """What each column tells that the join of a hit brings, those first that tell the most.

        many: what becomes of several rows of a key, as `Hit.join` has it; None: they are aggregated. Raises
        LakeviewError where the hit's table cannot be read.
        """
        return self._of(hit, self._keys(hit.join()), many)

    def _keys(self, start: JoinPlan) -> Keyed:
        """Her rows by the key that a plan starts from."""
        if start.starts_on not in self._keyed:
            brought = target_on_spark.by_key if start.left.kind == "spark" else by_key
            self._keyed[start.starts_on] = brought(start.left, start.starts_on, self.target)
        return self._keyed[start.starts_on]

    def _of(self, hit: Hit, keyed: Keyed, many: str | None = None) -> list[Tells]:
        plan = hit.join(left=keyed.frame, many=many or "all")
        if plan.counts().max_fanout > 1:
            plan = plan.with_many("aggregate")
        return _of_plan(plan, keyed)

    def look_at(self, hit: Hit, hits: Hits) -> list[Tells]:
        """The same of one of an answer; [] for a table that is too large, or cannot be read: `hits.left_out` has it."""
        if is_copy(hit, hits):
            hits.leave_out(f"{hit.table} has the columns of {hits.query.name} itself: they tell nothing new")
            return []
        if hit.rows > LARGE:
            hits.leave_out(f"{hit.table} has {hit.rows:,} rows: what its columns tell was not looked at")
            return []
        try:
            start = hit.join()
        except LakeviewError as error:
            hits.leave_out(str(error))
            return []
        if self.target in start.starts_on:  # of a whole frame: it is what joins
            return []
        keyed = self._keys(start)
        try:
            return self._of(hit, keyed)
        except LakeviewError as error:
            hits.leave_out(f"what {hit.table} tells of {self.target} is not known: {error}")
            return []


def require_target(side: Side, target: Hashable, asked: Sequence[Hashable]) -> None:
    """Raises NotFound where a frame has no such column, InputError where it is among those that are asked for."""
    if side.check(target) in asked:
        raise InputError(f"{target} is what is asked for: the target is another column of {side.name}")


def is_copy(hit: Hit, hits: Hits) -> bool:
    """Whether a hit's table has hardly a column that the frame lacks which was asked from."""
    hers = set(map(str, hits.left.columns)) if hits.left is not None else set()
    brought = [column in hers for column in map(str, hit.brings)]
    return len(brought) > 1 and sum(brought) >= SAME * len(brought)


def by_target(hits: Hits, teller: Teller) -> Hits:
    """The same answer, its hits in the order of how much their columns tell of a target; what joins by chance stays
    last. The hits are copies, with `tells`; the likeliest `LOOKED` joins are looked at."""
    target, made = teller.target, copy.copy(hits)
    made.left_out, made.target, made.by_join = list(hits.left_out), target, hits
    copies = {id(hit): copy.copy(hit) for hit in hits}
    looked = hits.above[:LOOKED]
    with progress.reporting() as reporter:
        for at, hit in enumerate(looked):
            reporter.update(at, len(looked), f"looking at what tells of {target}")
            copies[id(hit)].tells = teller.look_at(hit, made)
        reporter.close(f"{len(looked):,} joins looked at for what tells of {target}")
    made.fill(sorted(copies.values(), key=_order))
    if isinstance(made, FrameHits):
        made.answers = {of: sorted((copies.get(id(hit), hit) for hit in found), key=_order)
                        for of, found in made.answers.items()}  # fmt: skip
    return made


def streamed(answers: Iterator[Hits], teller: Teller) -> Iterator[Hits]:
    """Each answer as it comes, and the last one once more, by the target."""
    hits = None
    for hits in answers:
        yield hits
    if hits is not None:
        yield by_target(hits, teller)


def _order(hit: Hit) -> float:
    """What is not looked at, chance matches too, stays behind in its order."""
    return -hit.explained


def _of_plan(plan: JoinPlan, keyed: Keyed) -> list[Tells]:
    """What each column tells that a join of keys brings, those first that tell the most."""
    joined = plan.preview(len(keyed.frame))
    made_of: dict[Hashable, Hashable] = {made.name: made.column for made in plan.join.made}
    brought = {name: made_of.get(column, column) for column, name in plan.columns.right
               if column not in plan.join.right_on}  # fmt: skip
    found = [_of_column(column, name, joined, keyed, len(brought)) for name, column in brought.items()]
    return sorted(found, key=lambda told: -told.explained if told.is_telling else 0.0)


def _of_column(column: Hashable, name: Any, joined: pd.DataFrame, keyed: Keyed, tries: int) -> Tells:
    """column: what the table calls it, or what it is made of there. tries: how many columns the table has."""
    if str(column).lower() == str(keyed.label).lower():
        return Tells(str(name), "the target itself")
    if column in keyed.frame.columns and _are_alike(keyed.frame[column], joined[name]):
        return Tells(str(name), "you have it")
    target = keyed.target
    made = parted(joined[name], target.rows > 0)
    told = None if made is None else associate(target, made.codes)
    if made is None or told is None:
        return Tells(str(name), _why_not(made, target.rows))
    chance = min(1.0, told.chance * tries)
    little = "" if chance <= CHANCE and told.explained >= LEAST else "tells little"
    parts = (Part(low, high, int(rows), float(mean))
             for (low, high), rows, mean in zip(made.bounds, told.rows, told.means, strict=True))  # fmt: skip
    return Tells(str(name), little, told.explained, chance, keyed.of(told.number), keyed.classes is not None,
                 float(target.mean[told.number]), tuple(parts))  # fmt: skip


def _are_alike(mine: pd.Series, theirs: pd.Series) -> bool:
    """Whether a column of hers has the values of one that would be joined, as far as some keys tell: the same text, or
    the same number ("01" in a folder's name)."""
    known = np.flatnonzero(theirs.notna().to_numpy())[:SOME]
    pairs = zip(mine.iloc[known], theirs.iloc[known], strict=True)
    alike = sum(_plain(one) == _plain(other) for one, other in pairs)
    return alike >= SAME * max(1, len(known))


def _plain(value: Any) -> float | str:
    text = str(value)
    try:
        return float(text)
    except ValueError:
        return text


def _why_not(made: Parted | None, rows: np.ndarray) -> str:
    """Why a column's parts could not be compared."""
    if made is None:
        return "no values to compare"
    if made.distinct < 2:
        return "one value" if made.distinct else "no values"
    return "too few keys" if (rows > 0).sum() < 2 * KEYS else "tells little"
