"""`lv.explore(df)` without a column, and what a whole frame joins with: a line for each column, its best hit in it.

The lines are there from the start and are filled in place. Going into one asks for its column: the widget is the one
of `lv.explore(df, column)` then, until somebody comes back.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from lakeview.guards import frames
from lakeview.notebook.output.display import explored_bundle, frame_hits_bundle
from lakeview.notebook.output.frame_hits import apart
from lakeview.notebook.output.hit_rows import HitRow, hit_row
from lakeview.notebook.output.html import clip, number, plural
from lakeview.notebook.output.lasting import Bundle
from lakeview.notebook.output.words import percent
from lakeview.notebook.scripts import built
from lakeview.notebook.widgets.in_turn import SEARCH
from lakeview.notebook.widgets.synced import synced
from lakeview.notebook.widgets.traits import Answer, ColumnLine, OverviewTraits

REST = 0.1  # seconds between two sights of an answer that grows
Over = Callable[[], Iterable[Any]]  # a FrameHits, again as it grows, whole at the end


def lines(labels: list[Any], types: Mapping[Any, str], hits: Any = None) -> list[ColumnLine]:
    """A line for each column, in the frame's order; below, one for each set of columns that go together. types: by
    column; hits: the FrameHits as far as it is there."""
    answers = {} if hits is None else hits.answers
    several = [of for of in answers if len(of) > 1]
    return [_line(labels, of, types, answers, hits) for of in [*((label,) for label in labels), *several]]


def _line(
    labels: list[Any], of: tuple[Any, ...], types: Mapping[Any, str], answers: Mapping[Any, list[Any]], hits: Any
) -> ColumnLine:
    found = answers.get(of)
    distinct = hits.values.get(of[0]) if found is not None and len(of) == 1 else None
    line: ColumnLine = {
        "chosen": [labels.index(label) for label in of],
        "name": ", ".join(clip(label) for label in of),
        "type": types.get(of[0], "") if len(of) == 1 else "",
        "asked": found is not None,
        "values": "" if distinct is None else number(distinct),
        "why": "",
        "more": 0,
    }
    if found:
        line["hit"] = hit_row(0, found[0])
        if found[0].telling:
            best = found[0].telling[0]
            line["hit"]["line"] = f"{clip(best.column)} explains {percent(best.explained, False)} of {clip(best.of)}"
        line["more"] = sum(1 + len(hit.alike) for hit in found[1:] if not hit.accidental) + len(found[0].alike)
    elif found is not None:
        line["why"] = {0: "no values", 1: "one value"}.get(distinct or 0, "no column of the lake has its values")
    return line


def types_of(frame: Any) -> dict[Any, str]:
    """The types of a frame's columns, as pandas or Spark names them."""
    told = frame.dtypes if type(frame).__module__.startswith("pyspark") else frames.types(frame)
    return {label: str(kind) for label, kind in told}


@cache
def over(explore: Any) -> Any:
    """The widget of a column with an overview in front of it."""
    traits: Any = synced(OverviewTraits)

    class Overview(explore, traits):  # type: ignore[misc]
        """No column is chosen as long as it shows the lines."""

        overview: list[ColumnLine]
        hits: list[HitRow]
        answer: Answer
        whole: bool
        _esm = built("overview.js")
        _css = built("overview.css")

        def __init__(self, side: Any, whole: Over, ask: Callable[[list[Any]], Iterable[Any]], lake: Any,
                     target: Any = None) -> None:  # fmt: skip
            """side: the frame's. ask: as for the widget of a column."""
            self._over, self._hits = whole, None
            self._types = types_of(side.held)
            columns = list(side.columns)
            super().__init__(side.name, columns, [], ask, side.held, lake, columns, target)

        def search(self) -> None:
            if self.chosen:
                super().search()
                return
            self._look_no_further()
            with self.hold_sync():  # the next column begins with nothing
                self.hits, self.answer = [], {}
                self._forget()
                self.overview = self.overview or lines(self._labels, self._types)
            if self.whole:
                self._turn.stop(SEARCH)
                self.error = ""
            else:
                busy = f"looking for what joins with {self.frame}"
                self._do(
                    busy,
                    lambda: self._growing(self._targeted.answers(self._over(), grows=True)),
                    self._fill,
                    "search",
                    SEARCH,
                )

        def _aim(self) -> None:
            self.whole = False  # its lines are of the target before
            super()._aim()

        def _growing(self, answers: Iterable[Any]) -> Iterator[tuple[Any, bool]]:
            """The answer, now and then as it grows, and whether it is whole."""
            shown, hits = time.monotonic(), None
            for hits in answers:
                if time.monotonic() - shown > REST:
                    yield hits, False
                    shown = time.monotonic()
            yield hits, True

        def _fill(self, grown: tuple[Any, bool]) -> None:
            hits, whole = grown
            hits.query.name = self.frame  # the search ran in a thread, where no variable holds the frame
            self._hits = hits
            if whole:
                self._over = lambda: [hits]  # for another target
            fresh = lines(self._labels, self._types, hits)
            kept = {tuple(line["chosen"]): line for line in self.overview if line["asked"]}
            with self.hold_sync():  # what was filled before somebody went in stays
                self.overview = [line if line["asked"] else kept.get(tuple(line["chosen"]), line) for line in fresh]
                self.facts = [
                    plural(hits.query.rows, "row"),
                    plural(len(self._labels), "column"),
                    f"lake of {plural(hits.tables, 'table')}",
                ]
                self.notes = list(apart(hits)) if whole else []
                self.whole = whole

        def lasting(self) -> Bundle:
            if self.chosen:
                return super().lasting()  # type: ignore[no-any-return]
            hits = self._hits if self.whole else None
            return explored_bundle(None, [], self.frame, self.error) if hits is None else frame_hits_bundle(hits)

    return Overview
