"""`lv.explore(df)` without a browser: a line for each column from the start, filled in place; in, and back."""

from __future__ import annotations

import time
from typing import Any

import pandas as pd
import pytest
from waiting import settled

import lakeview as lv
from lakeview.notebook.output import saved

TOWNS = ["Bonn", "Rome", "Oslo", "Lima", "Kiel", "Pisa", "Lyon", "Bern", "Cork", "Graz", "Metz", "Nice"]
DAYS = [f"day {i}" for i in range(12)]
visits = pd.DataFrame(
    {
        "note": [f"n{i} of mine" for i in range(36)],
        "town": TOWNS * 3,
        "day": [DAYS[(5 * i + i // 12) % 12] for i in range(36)],
        "when": "always",
    }
)


@pytest.fixture(scope="module")
def lake() -> lv.Lake:
    rows = [(t, d, i + 0.5) for i, t in enumerate(TOWNS) for d in DAYS]
    weather = pd.DataFrame(rows, columns=["place", "sky", "rain"])
    lake = lv.open({"weather": weather, "towns": pd.DataFrame({"name": TOWNS[:11], "people": range(11)})})
    lake.index(engine="local")
    return lake


def test_a_line_for_each_column_in_the_frames_order(lake: lv.Lake) -> None:
    widget = settled(lv.explore(visits, lake=lake))
    assert widget.whole and widget.error == "" and widget.chosen == []
    assert [line["name"] for line in widget.overview] == ["note", "town", "day", "when", "town, day"]
    note, town, day, when, both = widget.overview
    assert (note["why"], when["why"]) == ("no column of the lake has its values", "one value")
    assert "hit" not in note and (note["values"], when["values"]) == ("36", "1")
    for line, label in ((town, "town"), (day, "day")):
        hits = lake.search(visits, label, rank="join")
        assert (line["hit"]["full"], line["values"]) == (hits[0].name, str(visits[label].nunique()))
        assert line["hit"]["confidence"] == hits[0].confidence
    assert (both["chosen"], both["hit"]["kind"], both["hit"]["percent"]) == ([1, 2], "composite", "100 %")
    assert widget.facts == ["36 rows", "4 columns", "lake of 2 tables"]


def test_lines_are_there_before_anything_is_answered_and_stay_when_somebody_goes_in(lake: lv.Lake) -> None:
    class Slow:
        """A lake whose answer grows once a step is allowed."""

        steps = 0
        asked = 0
        given = 0

        def search(self, data: Any, *column: Any, **options: Any) -> Any:
            if column:
                yield from lake.search(data, *column, **options)
                return
            self.asked += 1
            for n, hits in enumerate(lake.search(data, **options)):
                self.given = n + 1
                yield hits
                while self.steps <= n:
                    time.sleep(0.001)

    slow = Slow()
    widget = overview_of(slow)
    assert [line["name"] for line in widget.overview] == ["note", "town", "day", "when"]
    assert not any(line["asked"] for line in widget.overview) and widget.busy
    wait(lambda: slow.given)
    time.sleep(0.15)  # then what has come is shown
    slow.steps = 2
    wait(lambda: [line["asked"] for line in widget.overview] == [True, True, False, False])
    widget.chosen = [1]
    settled(widget)
    assert widget.hits[0]["full"] == "towns.name" and not widget.whole
    slow.steps = 9
    widget.chosen = []
    assert widget.hits == [] and [line["asked"] for line in widget.overview][:2] == [True, True]
    assert settled(widget).whole and slow.asked == 2 and len(widget.overview) == 5
    widget.chosen = [2]
    settled(widget)
    widget.chosen = []
    assert widget.busy == "" and slow.asked == 2, "a whole overview asks nothing anew"


def overview_of(lake: Any) -> Any:
    from lakeview.notebook.widgets import explore, overview
    from lakeview.search.asking import side_of

    def ask(labels: list[Any]) -> Any:
        return lake.search(visits, labels[0], rank="join", stream=True)

    make = overview.over(explore._widget_class())
    return make(side_of(visits), lambda: lake.search(visits, stream=True), ask, None)


def wait(until: Any) -> None:
    end = time.monotonic() + 20
    while not until():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_what_lasts_is_the_saved_table_of_the_whole_or_of_the_column(lake: lv.Lake) -> None:
    widget = settled(lv.explore(visits, lake=lake))
    said = str(widget.lasting()[saved.MIME])
    assert "weather.(place, sky)" in said and "towns.name" in said
    widget.chosen = [1]
    assert "Joins for visits.town" in str(settled(widget).lasting()[saved.MIME])


def test_an_answer_that_is_there_is_gone_into_by_its_own_lake(lake: lv.Lake) -> None:
    """No other lake is asked, whichever was opened since."""
    from lakeview.notebook.widgets.explore import explore_hits

    hits = lake.search(visits)
    lv.open({"other": pd.DataFrame({"x": TOWNS})}).index(engine="local")
    widget = settled(explore_hits(hits))
    assert widget.whole and len(widget.overview) == 5
    widget.chosen = [1, 2]
    (best, *_) = settled(widget).hits
    assert (best["kind"], best["table"], widget.error) == ("composite", "weather", "")


def test_an_error_is_shown(lake: lv.Lake) -> None:
    class Broken:
        def search(self, *_: Any, **__: Any) -> Any:
            raise ZeroDivisionError("division by zero")

    widget = overview_of(Broken())
    assert "division by zero" in settled(widget).error and not widget.whole
