"""What the values of a hit are, and where that puts it: keys, then what joins whatever has such values, then chance."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import lakeview as lv
from lakeview.notebook.output.hit_rows import hit_row
from lakeview.notebook.output.hits_html import hits_html
from lakeview.notebook.output.text import hits_text

STATES = ["open", "closed", "lost", "won", "held"]


@pytest.fixture(scope="module")
def lake() -> lv.Lake:
    rng = np.random.default_rng(0)
    days = pd.date_range("2020-01-01", periods=500).astype(str)
    found = lv.open({
        "harvests": pd.DataFrame({"year": np.repeat(np.arange(1990, 2021), 3), "tons": rng.random(93)}),
        "years": pd.DataFrame({"year": range(1980, 2024), "leap": rng.integers(0, 2, 44)}),
        "rainfall": pd.DataFrame({"station": rng.integers(1, 9, 200), "year": rng.integers(1985, 2024, 200)}),
        "deals": pd.DataFrame({"id": range(1, 3001), "active": rng.integers(0, 2, 3000),
                               "status": rng.choice(STATES, 3000)}),
        "visits": pd.DataFrame({"deal_id": rng.integers(1, 3000, 500), "status": rng.choice(STATES, 500),
                                "flag": rng.integers(0, 2, 500), "on": days}),
        "calendar": pd.DataFrame({"closing": pd.date_range("2019-01-01", periods=900).astype(str), "n": range(900)}),
        "stages": pd.DataFrame({"status": STATES, "order": range(5)}),
    })  # fmt: skip
    found.index()
    return found


def roles(lake: lv.Lake, column: str) -> dict[str, tuple[str, bool]]:
    return {hit.name: (hit.role, hit.common) for hit in lake.search(column, rank="join")}


def test_keys_times_flags_and_categories_are_told_apart(lake):
    assert roles(lake, "visits.deal_id")["deals.id"] == ("key", False)
    assert roles(lake, "visits.on")["calendar.closing"] == ("time", True)
    assert roles(lake, "visits.flag")["deals.active"] == ("flag", True)
    assert roles(lake, "visits.flag")["deals.id"][1] is False  # two of three thousand: chance, and no flag
    assert roles(lake, "visits.status")["deals.status"] == ("category", True)
    assert roles(lake, "visits.status")["stages.status"] == ("key", False)  # the table of all of them
    years = roles(lake, "harvests.year")
    assert years["years.year"] == ("key", False) and years["rainfall.year"] == ("time", True)
    assert years["deals.id"][1] is False and years["visits.deal_id"] == ("values", False)


@pytest.mark.parametrize("column", ["harvests.year", "visits.status", "visits.flag", "visits.on", "visits.deal_id"])
def test_they_stand_below_keys_and_above_accidents(lake, column):
    hits = lake.search(column, rank="join", k=50)
    places = [(hit.accidental, hit.common != hit.accidental) for hit in hits]
    assert places == sorted(places) and places
    for one, other in pairwise(hits):
        if (one.accidental, one.common) == (other.accidental, other.common):
            assert one.score >= other.score


def test_a_word_says_so_wherever_hits_are_shown(lake):
    hits = lake.search("visits.status", rank="join")
    deals = next(hit for hit in hits if hit.table == "deals")
    assert deals.reason == "All 5 values match. It joins whatever has such categories."
    text, page = hits_text(hits), str(hits_html(hits))
    assert "1 by times, flags or categories, these join whatever has such values:" in text
    (line,) = (line for line in text.splitlines() if "deals.status" in line)
    assert "joins whatever has such categories" in line and hit_row(1, deals)["common"]
    assert "1 by times, flags or categories" in page and "joins whatever has such categories" in page
    years = lake.search("harvests.year", rank="join")
    assert "It joins whatever has such times." in next(h for h in years if h.table == "rainfall").reason
