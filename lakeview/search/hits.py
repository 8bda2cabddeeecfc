"""`Hits`: the answer to a search, best first."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING

from lakeview.guards import checks
from lakeview.guards.ranked import Ranked
from lakeview.index.josie import Statistics
from lakeview.join.side import Side
from lakeview.search.hit import Hit, Joiner
from lakeview.search.query import Query
from lakeview.store.snapshot import Snapshot

if TYPE_CHECKING:
    import pandas as pd

    from lakeview.join.bridge import BridgePlan


class Hits(Ranked[Hit]):
    """The answer to a search, best first. `closest` is what came nearest where nothing did well.

    Where families are folded, a hit is the best of its family and has the family's score; `len`, `k` and positions are
    of families, and `hit.alike` has the others.

    possible: of a search with a threshold or for what joins, the columns that sketches can neither find nor exclude,
    most likely first: those that are large beside the query.
    """

    _called = "hits"

    def __init__(
        self,
        query: Query,
        snapshot: Snapshot,
        problems: int,
        join: Joiner,
        change_of: Callable[[str], str] = lambda table: "",
    ) -> None:
        """change_of: says what became of a table since it was indexed, "" where nothing did; asked once a table."""
        self.query, self.snapshot, self.problems, self.join = query, snapshot, problems, join
        self.change_of: Callable[[str], str] = cache(change_of)
        self.left_out: list[str] = []  # why tables are no hits that could not be read as they were
        self.tried = ""  # how many of the likely tables a search by transformation looked into
        self.looking = ""  # what for: "transformations", then "similar text"
        self.looked = self.of = 0  # tables that were looked into for that, and are to be
        self._go_on: Callable[[int], None] | None = None
        self.tables, self.columns = len(snapshot.by_table), int(snapshot.alive.sum())
        self.seconds = 0.0
        self.closest: list[Hit] = []
        self._possible: Callable[[], list[Hit]] = list
        self._bridges: Callable[[], list[BridgePlan]] = list
        self.left: Side | None = None  # what was asked from, where that has rows to join
        self.target: Hashable = None  # the column of it that the hits are ranked by what their columns tell of
        self.by_join: Hits | None = None  # the same hits without it, where there is one
        self.further: Callable[[], Iterable[Hits]] | None = None  # what steps add; None where none are looked for
        self.doubtful = 0  # how many are possible
        self.estimated = False  # whether sketches answered for some column, found or not
        self._ranked: list[Hit] = []
        self.statistics = Statistics(why="nothing was read yet")

    @cached_property
    def bridges(self) -> list[BridgePlan]:
        """Of a search for what joins one column: plans to keys of the lake that it reaches through a table between
        (`Lake.bridge`), where no hit does, best first; looked for when they are asked for."""
        return self._bridges()

    def over(self, bridges: Callable[[], list[BridgePlan]]) -> None:
        """There may be bridges; `bridges` looks for them."""
        self._bridges = bridges

    @cached_property
    def possible(self) -> list[Hit]:
        return self._possible()

    def doubt(self, count: int, possible: Callable[[], list[Hit]]) -> None:
        """There are `count` possible columns; what they are is looked up when it is asked for."""
        self.doubtful, self._possible = count, possible
        self.__dict__.pop("possible", None)

    def fill(self, found: Sequence[Hit]) -> None:
        """The hits, best first."""
        self._ranked = list(found)

    @property
    def unfolded(self) -> list[Hit]:
        """The hits, and behind each the others of its family."""
        return [one for hit in self for one in (hit, *hit.alike)]

    @property
    def above(self) -> list[Hit]:
        """The hits above the line: what joins, and not by chance alone."""
        return [hit for hit in self if not hit.accidental]

    @property
    def below(self) -> list[Hit]:
        """Those below it: times, flags and categories that join whatever has such values, then chance."""
        return [hit for hit in self if hit.accidental]

    def go_on(self, tried: int, likely: int, more: Callable[[int], None] | None) -> None:
        """So many of the likely tables were looked into; `more` looks into up to so many of the others."""
        self.tried = f"{tried:,} of {likely:,} likely tables were tried" + (": more() goes on" if more else "")
        self.looked, self.of = tried, likely
        self._go_on = more

    @property
    def goes_on(self) -> bool:
        """Whether likely tables are left that a search by transformation did not look into: `more()` does."""
        return self._go_on is not None

    def go_no_further(self) -> None:
        """These are an answer on the way: another one goes on."""
        self._go_on, self.tried = None, self.tried.removesuffix(": more() goes on")

    def more(self, tables: int = 60) -> Hits:
        """Look into up to so many further tables of those that a search by transformation did not try, some seconds at
        most, and return these hits with what was found. Of other searches nothing is left: they looked into all."""
        tables = checks.whole("tables", tables)
        if self._go_on is not None:
            self._go_on(tables)
        return self

    def leave_out(self, why: str) -> None:
        """A table had to be read and could not be: it is no hit."""
        if why not in self.left_out:
            self.left_out.append(why)

    @property
    def changed(self) -> list[str]:
        """What became of tables since they were indexed, a sentence each: of the hits' tables by a stat of their files,
        and of tables that are no hits because they could not be read as they were."""
        tables = dict.fromkeys(hit.table for hit in self)
        return [*filter(None, map(self.change_of, tables)), *self.left_out]

    def __repr__(self) -> str:
        lines = [f"{len(self)} hits for {self.query.name} ({self.query.distinct:,} distinct values)", *self.left_out]
        lines += [self.tried] * bool(self.tried)
        lines += [f"{i:3d}  {h.name}{_alike(h)}  {h.containment:.2f}  {h.reason}" for i, h in enumerate(self[:20])]
        return "\n".join(lines)

    def explain(self) -> Statistics:
        """How the exact overlaps were found (`index.josie.Statistics`; shows as text): the plan and why it was chosen,
        the posting lists, sets and bytes that were read, and what that was expected to cost and did; where sketches
        answered, also which index served and why."""
        return self.statistics

    def to_pandas(self) -> pd.DataFrame:
        """All hits, one a row, in their order; with a target, how much of it the most telling column explains, and
        which columns tell of it."""
        import pandas as pd

        fields = (
            "table", "column", "overlap", "containment", "containment_low", "containment_high", "jaccard",
            "reverse_containment", "distinct", "rows", "score", "reason", "method",
        )  # fmt: skip
        found = pd.DataFrame({f: [getattr(hit, f) for hit in self] for f in fields}, columns=list(fields))
        if self.target is not None:
            found["explained"] = [hit.explained for hit in self]
            found["telling"] = [[told.column for told in hit.telling] for hit in self]
        return found


def _alike(hit: Hit) -> str:
    return f" (+{len(hit.alike):,} alike)" if hit.alike else ""
