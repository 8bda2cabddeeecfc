"""A whole frame asked about: by which of its columns, alone or two together, which tables could add something."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest

import lakeview as lv
from lakeview.notebook.output.display import frame_hits_bundle
from lakeview.notebook.output.saved import MIME
from lakeview.search.hits import Hits

TOWNS = [f"town {i}" for i in range(40)]
DAYS = [f"day {i}" for i in range(50)]


@pytest.fixture(scope="module")
def lake() -> lv.Lake:
    rng = np.random.default_rng(0)
    tables = {
        "towns.csv": pd.DataFrame({"town": TOWNS, "county": [f"county {i % 7}" for i in range(40)]}),
        "weather.csv": pd.DataFrame([(t, d) for t in TOWNS for d in DAYS], columns=["town", "day"]).assign(rain=1.5),
        "visits.csv": visits(),
        "noise.csv": pd.DataFrame({"n": range(500), "x": rng.random(500)}),
        **{f"fairs_{y}.csv": pd.DataFrame({"town": TOWNS[y:], "guests": range(40 - y)}) for y in (1, 2, 3)},
    }
    lake = lv.open(tables)
    lake.index(engine="local")
    return lake


def visits() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame({
        "visit": [f"v{i}" for i in range(300)], "town": rng.choice(TOWNS, 300), "day": rng.choice(DAYS, 300),
        "guests": rng.integers(1, 9, 300), "same": "x",
    })  # fmt: skip


def test_every_column_is_asked_for_and_pairs_that_go_together(lake):
    frame = visits().drop(columns="visit")
    hits = lake.search(frame, k=30)
    found = {(hit.asked, hit.table): hit for hit in hits}
    assert hits[0].table in ("weather.csv", "towns.csv")
    assert found["town, day", "weather.csv"].column == ("town", "day")
    assert found["town", "towns.csv"].key_like and not found["town", "towns.csv"].accidental
    (fairs,) = [hit for hit in hits if hit.table.startswith("fairs") and hit.asked == "town"]
    assert len(fairs.alike) == 2
    accidents = [hit.accidental for hit in hits]
    assert accidents == sorted(accidents)
    certain = [hit.score for hit in hits if not hit.accidental and not hit.common]
    assert certain == sorted(certain, reverse=True)
    assert not any(hit.asked == "same" for hit in hits)


def test_each_hit_joins_the_frame_by_its_own_columns(lake):
    frame = visits().drop(columns="visit")
    for hit in lake.search(frame, k=30):
        if not hit.accidental:
            plan = hit.join(how="left")
            assert plan.counts() == hit.counts and plan.counts().left_rows == 300
            assert plan.to_pandas()["town"].tolist()[:5] == frame["town"].tolist()[:5] or hit.counts.max_fanout > 1


def test_the_frame_itself_is_named_apart_and_adds_nothing(lake):
    hits = lake.search(visits().sample(frac=1, random_state=0))
    assert hits.copies == ["visits.csv"] and "the lake has it as visits.csv" in repr(hits)
    assert not any(hit.table == "visits.csv" for hit in hits)
    assert lake.search(visits().drop(columns=["visit", "day"])).copies == []


def test_k_bounds_the_joins_and_the_first_are_the_same(lake):
    frame = visits()
    whole = [hit.name for hit in lake.search(frame, k=50)]
    assert [hit.name for hit in lake.search(frame, k=2)] == whole[:2]
    assert list(lake.search(frame, k=2).to_pandas()["asked"]) == [hit.asked for hit in lake.search(frame, k=2)]
    *_, streamed = lake.search(frame, k=2, stream=True)
    assert [hit.name for hit in streamed] == whole[:2]


def test_a_stream_has_the_answer_of_a_column_more_each_time(lake):
    """In the frame's order, then columns together; each as that column alone is answered."""
    frame = visits()
    seen = [list(hits.answers) for hits in lake.search(frame, stream=True)]
    assert seen[:5] == [[(name,) for name in frame.columns[: n + 1]] for n in range(5)]
    assert seen[-1][:5] == seen[4] and {len(columns) for columns in seen[-1][5:]} == {2}
    hits = lake.search(frame)
    assert hits.values == frame.nunique().to_dict() and list(hits.answers) == seen[-1]
    assert hits.answers["same",] == [] and ("town", "day") in hits.answers
    for columns in (["town"], ["town", "day"]):
        *_, alone = hits.again(columns)
        best = hits.answers[tuple(columns)][0]
        assert (best.table, best.column, best.overlap) in [(hit.table, hit.column, hit.overlap) for hit in alone]
    assert hits.copies == ["visits.csv"]
    assert all(hit.table != "visits.csv" for of in hits.answers.values() for hit in of)


@pytest.mark.parametrize("frame", [pd.DataFrame(), pd.DataFrame({"a": []}), pd.DataFrame({"a": [None, None]})])
def test_nothing_to_ask_for_is_an_answer(lake, frame):
    assert len(lake.search(frame)) == 0 and lake.search(frame).copies == []


@pytest.mark.parametrize("how", [{"rank": "overlap"}, {"transform": True}, {"engine": "spark"}])
def test_what_is_for_one_column_is_refused(lake, how):
    with pytest.raises(lv.InputError, match="name a column"):
        lake.search(visits(), **how)


def test_a_text_means_a_column(lake):
    with pytest.raises(lv.NotFound, match="is a table: name a column of it too"):
        lake.search("towns.csv")


def test_it_is_shown(lake):
    frame = visits().rename(columns={"town": "<b>town</b>"})
    shown = frame_hits_bundle(lake.search(frame, k=30))
    text, html, saved = shown["text/plain"], shown["text/html"], shown[MIME]
    assert "towns.csv.town" in text and "(+2 alike)" in text and "by chance" in text
    assert "+2 alike" in html and "day" in html
    assert saved["columns"][-1]["label"] == "Alike" and 2 in [row[-1] for row in saved["rows"]]
    assert "<b>town</b>" not in shown["text/html"] and "&lt;b&gt;town" in shown["text/html"]
    itself = frame_hits_bundle(lake.search(visits()))
    assert "The lake has this frame itself: visits.csv" in itself["text/plain"]
    assert (
        "Nothing in this lake joins with it." in frame_hits_bundle(lake.search(pd.DataFrame({"q": ["?"]})))["text/html"]
    )


def test_many_columns_take_as_long_as_each_of_them(lake):
    frame = pd.DataFrame({f"c{i}": visits()["town"] + str(i % 3) for i in range(40)})
    lake.search(frame)
    one, whole = time.process_time(), 0.0
    for column in frame:
        lake.search(frame, column, rank="join", k=50)
    one = time.process_time() - one
    whole = -time.process_time()
    lake.search(frame)
    assert whole + time.process_time() < 3 * one


@pytest.mark.spark
def test_a_frame_of_spark_is_answered_as_the_same_one_here(lake, spark):
    frame = visits().drop(columns="visit")
    here, there = lake.search(frame, k=30), lake.search(spark.createDataFrame(frame), k=30)

    def answers(hits: Hits) -> list[tuple]:
        return [(hit.asked, hit.table, hit.column, hit.overlap, hit.score, hit.confidence, hit.role, hit.accidental,
                 hit.counts, len(hit.alike)) for hit in hits]  # fmt: skip

    assert "town, day" in {hit.asked for hit in there}  # the pair that goes together
    assert answers(there) == answers(here) and there.copies == here.copies
    pair = next(hit for hit in there if hit.asked == "town, day")
    assert pair.join().to_spark(spark).count() == len(pair.join(left=frame).to_pandas()) == 300


def test_a_key_of_three_columns_is_found_where_two_are_none():
    stores, days, items = [f"store {n}" for n in range(6)], [f"2024-03-{d:02d}" for d in range(1, 9)], list("abcdefgh")
    prices = pd.DataFrame([(s, d, i) for s in stores for d in days for i in items], columns=["store", "day", "item"])
    prices = prices.sample(frac=0.25, random_state=1, ignore_index=True)  # each pair repeats, all three are a key
    prices["price"] = range(len(prices))
    lake = lv.open({"prices": prices})
    lake.index(engine="local")
    asked = prices.sample(60, random_state=2).drop(columns="price").rename(columns=str.upper)
    found = [hit.column for hit in lake.search(asked) if isinstance(hit.column, tuple)]
    assert [set(columns) for columns in found] == [{"store", "day", "item"}]
