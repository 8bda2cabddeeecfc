"""Search against a count with Python sets, and what it says when asked for nonsense."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lakeview as lv

cell = st.sampled_from(["a", "B", "b ", "c", "d", "1", "1.0", "2", "x y", None, "NA", "-", "é", "ß"])
frames = st.lists(
    st.lists(cell, min_size=1, max_size=12).map(lambda column: pd.DataFrame({"c": pd.Series(column, dtype=object)})),
    min_size=1,
    max_size=6,
)


def tokens(series: pd.Series) -> set[str]:
    import pyarrow as pa

    from lakeview import values

    return set(values.canonical(pa.array(series, pa.string())).drop_null().to_pylist())


@settings(max_examples=40)
@given(frames, st.lists(cell, min_size=1, max_size=12), st.integers(1, 8), st.sampled_from([None, 0.3, 0.5, 1.0]))
def test_search_is_a_count_with_sets(tables, asked, k, threshold):
    lake = lv.open({f"t{i}": frame for i, frame in enumerate(tables)})
    lake.index()
    query = pd.Series(asked, dtype=object, name="q")
    mine = tokens(query)
    counted = [(f"t{i}", "c", len(mine & tokens(f["c"]))) for i, f in enumerate(tables)]
    wanted = sorted((t, c, n) for t, c, n in counted if n >= max(1, (threshold or 0) * len(mine) - 1e-9))
    wanted.sort(key=lambda hit: -hit[2])
    hits = lake.search(query, k=k, threshold=threshold)
    assert [(h.table, h.column, h.overlap) for h in hits] == wanted[:k]
    assert {(h.table, h.column) for h in lake.search(query, k=99, rank="join")} == {w[:2] for w in counted if w[2]}
    for hit in hits:
        theirs = tokens(tables[int(hit.table[1:])]["c"])
        assert hit.containment == hit.containment_low == hit.containment_high == len(mine & theirs) / len(mine)
        assert hit.reverse_containment == len(mine & theirs) / len(theirs)
        assert hit.jaccard == len(mine & theirs) / len(mine | theirs)
        plan = hit.join(left=pd.DataFrame({"q": query}))
        assert hit.counts == plan.counts()
        for how in ("inner", "right", "outer"):
            assert hit.join_counts(how) == hit.join(how, left=pd.DataFrame({"q": query})).counts()
        matching, missing = hit.examples(50)
        as_written = {value for value, _ in [*matching, *missing]}
        assert as_written <= set(asked)
        assert tokens(pd.Series([value for value, _ in matching])) == mine & theirs
        assert tokens(pd.Series([value for value, _ in missing])) == mine - theirs


@pytest.fixture
def lake() -> lv.Lake:
    lake = lv.open(
        {
            "people": pd.DataFrame({"person_id": [f"P{i}" for i in range(20)], "n": range(20)}),
            "visits": pd.DataFrame({"who": [f"p{i % 10}" for i in range(40)], "n": range(40)}),
            "zoo": pd.DataFrame({"animal": ["lion", "owl"], "person_id": ["P1", "P2"]}),
        }
    )
    lake.index()
    return lake


def test_a_lake_column_leaves_itself_out_and_data_may_find_itself(lake):
    assert [(h.table, h.column) for h in lake.search("people.person_id")] == [("visits", "who"), ("zoo", "person_id")]
    own = lake.search(pd.DataFrame({"x": [f"P{i}" for i in range(20)]}), "x")
    assert (own[0].table, own[0].column, own[0].containment) == ("people", "person_id", 1.0)


def test_ties_go_by_table_and_column():
    frame = pd.DataFrame({"b": ["v"], "a": ["v"]})
    lake = lv.open({"z": frame, "a": frame, "m": frame})
    lake.index()
    found = [(h.table, h.column) for h in lake.search(["v"], k=5)]
    assert found == [("a", "a"), ("a", "b"), ("m", "a"), ("m", "b"), ("z", "a")]


def test_a_threshold_returns_all_and_is_not_rounded_away(lake):
    frame = pd.DataFrame({"w": [f"P{i}" for i in range(30)]})
    hits = lake.search(frame["w"], threshold=1 / 3)
    assert [(h.table, h.overlap) for h in hits] == [("people", 20), ("visits", 10)]
    assert len(lake.search(frame["w"], threshold=0.34)) == 1
    assert len(lake.search(frame["w"], threshold=1 / 3, k=1)) == 1


def test_accidents_come_last_with_their_reason(lake):
    hits = lake.search(pd.DataFrame({"row": range(15), "x": 1}), "row", rank="join")
    assert len(hits) == 2
    assert all(h.accidental and "by chance" in h.reason for h in hits)


def test_excluded_columns_are_never_suggested():
    frames = {"a": pd.DataFrame({"k": ["x", "y"], "skip": ["x", "y"]}), "b": pd.DataFrame({"k": ["x"]})}
    lake = lv.open(frames, exclude=["skip", "b.*"])
    lake.index()
    assert [(h.table, h.column) for h in lake.search(["x"])] == [("a", "k")]


def test_the_frame_that_is_larger_than_the_kernel_threshold():
    rng = np.random.default_rng(0)
    big = pd.Series(rng.integers(0, 10**9, 60_000).astype(str), name="big")
    lake = lv.open({"t": pd.DataFrame({"half": big[::2].reset_index(drop=True)})})
    lake.index()
    assert lake.search(big)[0].overlap == big[::2].nunique()


def test_to_pandas_has_the_columns_of_the_contract(lake):
    frame = lake.search("people.person_id").to_pandas()
    assert list(frame) == [
        "table", "column", "overlap", "containment", "containment_low", "containment_high", "jaccard",
        "reverse_containment", "distinct", "rows", "score", "reason", "method",
    ]  # fmt: skip
    assert frame["method"].eq("exact").all()
    assert lake.search(["nowhere"]).to_pandas().empty


def test_nothing_found_names_the_closest(lake):
    hits = lake.search(pd.Series([f"P{i}" for i in range(1000, 1200)] + ["P1"]), rank="join")
    assert [(h.table, h.overlap) for h in hits.closest] == [("people", 1), ("visits", 1), ("zoo", 1)]
    assert not lake.search(["nowhere"]).closest


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda lake: lake.search(["a"], k=0), "k is how many hits"),
        (lambda lake: lake.search(["a"], k=True), "k is how many hits"),
        (lambda lake: lake.search(["a"], threshold=1.5), "threshold is a containment"),
        (lambda lake: lake.search(["a"], threshold=0), "threshold is a containment"),
        (lambda lake: lake.search(["a"], rank="best"), "rank is"),
        (lambda lake: lake.search(pd.DataFrame({"a": [1]}), rank="overlap"), "name a column for"),
        (lambda lake: lake.search(pd.DataFrame({"a": [1]}), "b"), "no column 'b'"),
        (lambda lake: lake.search("people.persn_id"), "Did you mean 'person_id'"),
        (lambda lake: lake.search("people", "person_id"), "as one text"),
        (lambda lake: lake.search(["a"], "x"), "pass it alone"),
        (lambda lake: lake.search(["a"])[0].join(), "join\\(left=df\\)"),
        (lambda lake: lake.index(engine="gpu"), "engine is"),
        (lambda lake: lv.open("/does/not/exist"), "there is no folder"),
        (lambda lake: lv.open(5), "a lake is a folder"),
        (lambda lake: lv.open([]), "no folder"),
        (lambda lake: lv.open({"a": 3}), "not a pandas or Spark DataFrame"),
        (lambda lake: lv.open({}, normalize="upper"), "normalize is"),
    ],
)
def test_bad_calls_are_answered_in_one_line(call, says):
    lake = lv.open({"people": pd.DataFrame({"person_id": ["a", "b"]})})
    lake.index()
    with pytest.raises(lv.LakeviewError, match=says) as error:
        call(lake)
    assert "\n" not in str(error.value)


def test_values_are_no_name_of_a_column(lake):
    frame = pd.DataFrame({"x": ["P1", "P2"], "y": [1, 2]})
    one = pd.Series(["x"])  # equal to the name, as far as it has a truth
    for column in (frame.x, one, one.to_numpy(), [frame.x, frame.y], frame[["x"]], frame.columns[:1], {"x"}):
        with pytest.raises(lv.NotFound, match=r"^frame has no column .*; it has 'x', 'y'$"):
            lake.search(frame, column)
    for found in (lake.search(frame, np.str_("x")), lake.search(frame.x)):
        assert [hit.overlap for hit in found] == [2, 2, 2]
    frame[("x", "y")] = ["P3", "P3"]
    assert lake.search(frame, ("x", "y"))[0].overlap == 1, "a tuple that is a label is one column"
    assert lake.search(frame, ["x"])[0].column == lake.search(frame, "x")[0].column == "person_id"


def test_a_lake_that_is_not_indexed_says_so(tmp_path):
    with pytest.raises(lv.NotFound, match=r"lake\.index\(\)"):
        lv.open(tmp_path).search(["a"])


def test_compare(lake):
    found = lake.compare("people.person_id", pd.Series(["p0", "p1", "p99", None]))
    assert (found.overlap.value, found.containment.value, found.reverse_containment.value) == (2, 0.1, 2 / 3)
    assert float(lv.compare(["a", "b"], ["B", "c"]).jaccard) == 1 / 3


def test_the_query_is_called_as_the_analyst_calls_it(lake):
    flights = pd.DataFrame({"dest": ["P1"]})
    assert lake.search(flights, "dest").query.name == "flights.dest"
    assert lake.search(flights["dest"]).query.name == "dest"
    assert Counter(lake.search(["P1"]).query.counts.tolist()) == {1: 1}
