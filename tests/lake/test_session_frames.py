"""Frames of the session, added beside the lake: found as if the lake had been built of them too."""

from __future__ import annotations

import hashlib
import itertools
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lakeview as lv

NAMES = ("a", "b", "c")
values = st.lists(st.integers(0, 30).map(str), min_size=1, max_size=25)
frames = st.dictionaries(st.sampled_from(["x", "y", "z"]), values, min_size=1, max_size=3).map(
    lambda columns: pd.DataFrame({name: pd.Series(held) for name, held in columns.items()})
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from(NAMES), frames), st.tuples(st.just("remove"), st.sampled_from(NAMES))
    ),
    max_size=8,
)
QUERY = pd.Series([str(n) for n in range(0, 30, 2)], name="q")
SAID = ["table", "column", "overlap", "containment", "distinct", "rows", "method"]


@pytest.fixture
def lake(tmp_path: Path) -> lv.Lake:
    folder = tmp_path / "lake"
    folder.mkdir()
    pd.DataFrame({"code": [f"k{n}" for n in range(40)], "n": range(40)}).to_csv(folder / "codes.csv", index=False)
    made = lv.open(folder)
    made.index(engine="local")
    return made


@pytest.fixture
def orders() -> pd.DataFrame:
    return pd.DataFrame({"id": range(30), "code": [f"k{n}" for n in range(30)], "day": ["mon", "tue", "wed"] * 10})


def contents(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def base() -> tuple[pd.DataFrame, lv.Lake]:
    frame = pd.DataFrame({"x": [str(n) for n in range(20)], "w": [str(n) for n in range(5, 45, 2)]})
    made = lv.open({"base": frame})
    made.index()
    return frame, made


@settings(max_examples=20, deadline=None)
@given(steps, st.integers(1, 8))
def test_after_any_changes_the_answers_are_those_of_a_lake_built_of_all(base, steps, k):
    frame, beside = base
    there: dict[str, pd.DataFrame] = {}
    for what, name, *rest in steps:
        if what == "add":
            beside.add(rest[0], name)
            there[name] = rest[0]
        elif name in there:
            beside.remove(name)
            del there[name]
    try:
        built = lv.open({"base": frame, **there})
        built.index()
        drop = ["format", "problems"]
        pd.testing.assert_frame_equal(beside.columns, built.columns)
        pd.testing.assert_frame_equal(beside.tables.drop(columns=drop), built.tables.drop(columns=drop))
        for query, asked in itertools.product(
            (QUERY, "base.x"), ({"k": k}, {"threshold": 0.3}, {"k": k, "exact": False}, {"rank": "join", "k": 99})
        ):
            ours, theirs = (lake.search(query, **asked).to_pandas() for lake in (beside, built))
            if "rank" in asked:
                ours, theirs = (found.sort_values(["table", "column"], ignore_index=True) for found in (ours, theirs))
                assert ours["score"].tolist() == pytest.approx(theirs["score"].tolist())
            pd.testing.assert_frame_equal(ours[SAID], theirs[SAID])
    finally:
        for name in there:
            beside.remove(name)


def test_a_frame_is_found_under_its_variables_name_and_joins(lake, orders):
    before = contents(lake.store.folder)
    lake.add(orders)
    assert lake.tables.set_index("table")["format"].to_dict() == {"codes.csv": "text", "orders": "session"}
    hit, other = lake.search(orders, "code", rank="join")[:2]
    assert {hit.name, other.name} == {"orders.code", "codes.csv.code"}  # data passed in may find itself
    codes = pd.DataFrame({"key": ["k1", "k2", "zzz"]})
    found = {hit.name: hit for hit in lake.search(codes, "key")}
    joined = found["orders.code"].join().to_pandas()
    assert joined["id"].tolist()[:2] == [1, 2] and joined["id"].isna().tolist() == [False, False, True]
    assert found["orders.code"].counts == found["orders.code"].join().counts()
    assert contents(lake.store.folder) == before
    assert lake.search("orders.code")[0].name == "codes.csv.code"  # but named as the lake's, it is left out
    assert lake.search("codes.csv.code")[0].name == "orders.code"
    assert lake.compare("orders.code", "codes.csv.code").containment.value == 1.0
    assert contents(lake.store.folder) == before


def test_several_columns_together_find_it(lake, orders):
    lake.add(orders, "mine")
    hit = lake.search(orders[["code", "day"]].iloc[:7], ["day", "code"])[0]
    assert (hit.table, hit.column, hit.overlap) == ("mine", ("day", "code"), 7)
    assert len(hit.join().to_pandas()) == 7
    assert len(lake.search("mine", ["day", "code"])) == 0


def test_a_search_by_transformation_finds_it_and_writes_nothing_for_it(lake, orders):
    people = pd.DataFrame({"who": [f"{a}{b}, Ann{b}" for a in ("Doe", "Roe") for b in "abcdefgh"]})
    asked = pd.DataFrame({"name": [f"Ann{b} {a}{b}" for a in ("Doe", "Roe") for b in "abcdefgh"]})
    lake.search(asked, "name", transform=True)  # what it keeps of the lake is kept by now
    before = contents(lake.store.folder)
    lake.add(people)
    for _ in range(2):
        assert [hit.name for hit in lake.search(asked, "name", transform=True)] == ["people.who"]
    assert contents(lake.store.folder) == before


def test_removed_and_replaced_frames_are_gone(lake, orders):
    lake.add(orders, "mine")
    older = lake.search(orders, "id", k=3)
    lake.add(pd.DataFrame({"id": ["only", "this"]}), "mine")
    assert lake.columns.query("table == 'mine'")["distinct"].tolist() == [2]
    assert [hit.name for hit in lake.search(orders, "id")] == ["codes.csv.n"]
    assert lake.search(["only"])[0].name == "mine.id"
    assert {hit.name: hit.counts.left_matched for hit in older}["mine.id"] == 30  # what was found stays as it was
    lake.remove("mine")
    assert "mine" not in set(lake.tables["table"]) and len(lake.search(["only"])) == 0
    with pytest.raises(lv.NotFound, match="'mine': none was added"):
        lake.remove("mine")
    with pytest.raises(lv.NotFound, match="the lake has no table 'mine' any more"):
        next(hit for hit in older if hit.table == "mine").join()
    lake.add(orders)
    with pytest.raises(lv.NotFound, match="there are orders"):
        lake.remove("mine")


def test_frames_that_are_gone_leave_nothing_behind(lake, orders):
    lake.add(orders)
    for n in range(20):
        lake.add(pd.DataFrame({"id": range(1_000 * n, 1_000 * (n + 1))}), "mine")
    assert len(lake.session._delta._list) < 4_000
    assert lake.search([19_500])[0].name == "mine.id" and len(lake.search([18_500])) == 0
    assert lake.search(orders, "day")[0].overlap == 3


def test_indexing_refreshing_and_compacting_keep_them(lake, orders):
    lake.add(orders)
    folder = Path(lake.roots[0])
    pd.DataFrame({"code": [f"k{n}" for n in range(90)]}).to_csv(folder / "more.csv", index=False)
    lake.index(engine="local")
    lake.refresh()
    lake.compact()
    assert {hit.name for hit in lake.search(orders, "code")} == {"codes.csv.code", "more.csv.code", "orders.code"}
    assert (lake.status().tables, lake.status().segments) == (2, 1)  # of the index
    lake.add(orders, "late.csv")
    pd.DataFrame({"late": ["k1"]}).to_csv(folder / "late.csv", index=False)
    lake.index(engine="local")
    assert list(lake.columns.query("table == 'late.csv'")["column"]) == ["late"]  # the lake's own goes first
    assert lake.side("late.csv").kind == "lake"


def test_sketches_of_a_lake_meet_tokens_of_a_frame(tmp_path):
    large = pd.DataFrame({"v": range(30_000)})
    lake = lv.open({"large": large}, store=tmp_path / "store")
    lake.index(exact=False)
    half = pd.DataFrame({"v": range(15_000)})
    lake.add(half)
    by_frame = {hit.name: hit for hit in lake.search(half, "v")}
    assert (by_frame["half.v"].overlap, by_frame["half.v"].method) == (15_000, "exact")
    assert by_frame["large.v"].estimated
    (found,) = lake.search("large.v")
    assert found.name == "half.v" and found.containment_low <= 0.5 <= found.containment_high


def test_what_cannot_be_added_is_told(lake, orders):
    for wrong, name, words in (
        (orders, "codes.csv", "the lake has a table 'codes.csv': add the frame under another name"),
        (orders["id"], "x", "x is a Series"),
        ([1, 2], "x", "x is a list, not a pandas or Spark DataFrame"),
        (pd.DataFrame([[1, 2]]), "x", "x has a column 0, whose name is not text"),
        (pd.DataFrame(), "x", "x has no columns"),
    ):
        with pytest.raises(lv.errors.InputError, match=words):
            lake.add(wrong, name)
    with pytest.raises(lv.errors.InputError, match="give it a name"):
        lake.add(orders.copy())
    assert list(lake.tables["table"]) == ["codes.csv"]
