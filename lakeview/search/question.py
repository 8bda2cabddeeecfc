"""What is asked of a search, checked: how many hits, ranked by what, how exact, and by which engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from lakeview.errors import InputError
from lakeview.guards import checks

Engine = Literal["local", "spark"]
ENGINES: tuple[Engine, ...] = ("local", "spark")
Rank = Literal["overlap", "join"]
RANKS: tuple[Rank, ...] = ("overlap", "join")


@dataclass(frozen=True)
class Question:
    """The arguments of `Lake.search` beside its data, which says what they mean; k is None for all that there are."""

    k: int | None
    threshold: float | None
    rank: Rank
    exact: bool
    transform: bool
    stream: bool
    engine: Engine
    fold: bool

    @staticmethod
    def of(
        *, k: Any, threshold: Any, rank: Any, exact: Any, transform: Any, stream: Any, engine: Any, fold: Any,
        several: bool, whole: bool,
    ) -> Question:  # fmt: skip
        """The arguments as they were passed. several: whether columns are asked for together; whole: whether all of a
        frame's are, each by itself. Raises InputError."""
        flags = (("exact", exact), ("transform", transform), ("stream", stream))
        exact, transform, stream = (checks.flag(what, value) for what, value in flags)
        checks.choice("engine", engine, *ENGINES)
        if k is not None:
            k = checks.whole("k is how many hits to return", k, 1)
        if threshold is not None:
            threshold = checks.share("threshold is a containment", threshold)
        elif k is None:
            k = 10
        if rank is None:
            rank = "join" if several or whole else "overlap"
        checks.choice("rank", rank, *RANKS)
        if whole and (rank == "overlap" or transform or engine == "spark"):
            raise InputError(
                'a whole frame is ranked by how well its columns join, here: name a column for rank="overlap", '
                "a transformation or Spark"
            )
        fold = rank == "join" if fold is None else checks.flag("fold", fold)
        if transform and several:
            raise InputError("a search by transformation is for one column: name one")
        if transform and engine == "spark":
            raise InputError('a search by transformation runs here: leave engine="spark" out')
        return Question(k, threshold, rank, exact, transform, stream, engine, fold)
