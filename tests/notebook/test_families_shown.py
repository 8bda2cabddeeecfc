"""A hit that stands for a family, in html, plain text, the saved table and the rows of the widget."""

from __future__ import annotations

import pandas as pd
import pytest
from reading import Page
from standins import Counts, Hit, Hits, Query

import lakeview as lv
from lakeview.notebook.output.hit_rows import hit_id, hit_row
from lakeview.notebook.output.hits_html import hits_html
from lakeview.notebook.output.saved import saved_hits
from lakeview.notebook.output.text import hits_text


@pytest.fixture
def hits() -> Hits:
    counts = Counts(10, 5, 8, 4, 40, 9)
    members = [Hit(f"orders_{year}.csv", "<b>who</b>", 3, 0.5, 8, counts=counts) for year in range(2000, 2030)]
    family = Hit("orders_1999.csv", "who", 5, 0.9, 8, counts=counts, alike=members)
    return Hits(Query("df.who", 6, 1, 10), [family, Hit("people.csv", "id", 3, 0.5, 8)])


def test_a_family_opens_into_its_members(hits):
    page = Page(hits_html(hits))
    assert not page.errors and not page.open_tags
    for said in ("8 rows · +30 alike", "orders_2000.csv.<b>who</b>", "hits[0].alike[0].join()", "… 10 more"):
        assert said in page.text, said
    assert "orders_2025" not in page.text and page.text.count("alike[") == 20


def test_text_saved_table_and_rows_say_how_many(hits):
    text = hits_text(hits)
    assert "orders_1999.csv.who (+30 alike)" in text and text.count("alike") == 1
    saved = saved_hits(hits)
    place = [column["label"] for column in saved["columns"]].index("alike")
    assert [row[place] for row in saved["rows"]] == [30, 0]
    rows = [hit_row(i, hit) for i, hit in enumerate(hits)]
    assert [row["alike"] for row in rows] == [30, 0]
    assert [row["note"] for row in rows] == ["8 rows", "8 rows"]


def test_the_widget_joins_a_member_by_its_name(quiet_lake):
    from lakeview.notebook.widgets.explore_rows import members

    widget = lv.explore(quiet_lake[1], "who", lake=quiet_lake[0])
    hits = quiet_lake[0].search(quiet_lake[1], "who", rank="join")
    (family,) = hits
    told = members(family)
    assert [one["id"] for one in told] == [hit_id(one) for one in family.alike] and len(told) == 2
    widget._found = {hit_id(family): family}
    assert widget._hit(told[1]["id"]) is family.alike[1]
    assert widget._hit("equi nowhere none") is None


@pytest.fixture
def quiet_lake() -> tuple[lv.Lake, pd.DataFrame]:
    people = [f"person {i}" for i in range(40)]
    lake = lv.open({f"visits_{y}": pd.DataFrame({"who": people[y:] * 2, "room": "a"}) for y in (1, 2, 3)})
    lake.index(engine="local")
    return lake, pd.DataFrame({"who": people})
