"""Joins on several columns: rows of brute force, and three codes that give the plan's rows."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from joining import canonical, in_order, lake, rows, run_pandas, run_pyspark, run_sql

from lakeview.errors import InputError, NotFound
from lakeview.join.model import HOWS
from lakeview.join.plan import CompositePlan
from lakeview.join.side import Side

words = st.sampled_from(["a", " A", "b", "5", "5.0", "na", "-", "a:1", "1:a", None])
frames = st.lists(st.tuples(words, words), max_size=8)


def brute_force(left: list[tuple], right: list[tuple]) -> list[tuple[int, int]]:
    columns = [[canonical([row[n] for row in side]) for n in (0, 1)] for side in (left, right)]
    return [
        (i, j)
        for i in range(len(left))
        for j in range(len(right))
        if all(a[i] is not None and a[i] == b[j] for a, b in zip(*columns, strict=True))
    ]


def frame(found: list[tuple], names: str) -> pd.DataFrame:
    made = pd.DataFrame(found, columns=list(names), dtype=object)
    return made.assign(row=range(len(made)))


@pytest.mark.parametrize("names", ["xy", "xz", "pq"])
@pytest.mark.parametrize("how", HOWS)
@given(left=frames, right=frames)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rows_are_those_of_brute_force(how, names, left, right):
    plan = CompositePlan(
        Side.frame(frame(left, "xy"), "left_side"),
        Side.frame(frame(right, names), "right_side"),
        ("x", "y"),
        names,
        how,
    )
    met = brute_force(left, right)
    assert list(plan.pairs.itertuples(index=False, name=None)) == met
    result = plan.to_pandas()
    by_row = [(None if pd.isna(a) else a, None if pd.isna(b) else b)
              for a, b in zip(result["row"], result["row_right_side"], strict=True)]  # fmt: skip
    expected = list(met)
    if how in ("left", "outer"):
        expected += [(i, None) for i in range(len(left)) if i not in {a for a, _ in met}]
    if how in ("right", "outer"):
        expected += [(None, j) for j in range(len(right)) if j not in {b for _, b in met}]
    order = lambda pair: (pair[0] is None, pair[0] or 0, pair[1] is None, pair[1] or 0)  # noqa: E731
    assert sorted(by_row, key=order) == sorted(expected, key=order)
    assert plan.counts().rows_out == len(expected)
    for column in set("xy") & set(names):
        for value, (a, b) in zip(result[column], by_row, strict=True):
            source = left[int(a)]["xy".index(column)] if a is not None and (how != "right") else (
                right[int(b)][names.index(column)]
            )  # fmt: skip
            assert (value == source) or (pd.isna(value) and source is None)


CSV = "city,State,pop,year\nPortland,ME,1,2001\nportland , OR,2,2002\nSalem,OR,3,NA\n,OR,4,2003\nSalem,-,5,\n"
QUERY = pd.DataFrame(
    {
        "city": ["PORTLAND", "Portland", "Salem", "Salem", None, "Bend"],
        "st": ["or", "ME", "OR", "MA", "OR", None],
        "pop": [1.5, 2.5, 3.5, 4.5, 5.5, 6.5],
    }
)


@pytest.mark.parametrize("how", HOWS)
def test_pandas_code_gives_the_rows(tmp_path, monkeypatch, how):
    plan = planned(tmp_path, how)
    found = run_pandas(plan)
    assert list(found.columns) == list(plan.to_pandas().columns)
    assert rows(found) == rows(plan.to_pandas())
    assert "lakeview" not in "\n".join(plan.code("pandas").splitlines()[1:])


columns = st.one_of(*(
    st.lists(st.sampled_from(pool), min_size=6, max_size=6).map(lambda cells, kind=kind: pd.Series(cells, dtype=kind))
    for pool, kind in ((["a", " A", "5", "5.0", "na", None], object), (["a", "b", "5"], object), ([1, 2, 5], "int64"),
                       ([1.0, 5.0, 2.5, None], "float64"), ([1, 5, None], "Int64"))
))  # fmt: skip


@pytest.mark.parametrize("names", ["xy", "xz", "yx", "pq"])
@given(keys=st.tuples(*[columns] * 4), rows_there=st.integers(0, 6), how=st.sampled_from(HOWS))
@settings(max_examples=30, deadline=None)
def test_pandas_code_gives_the_rows_of_any_keys(names, keys, rows_there, how):
    here = pd.DataFrame({"x": keys[0], "y": keys[1], "n": range(6), "n_there": 1})
    there = pd.DataFrame({names[0]: keys[2], names[1]: keys[3], "n": range(6)}).iloc[:rows_there]
    plan = CompositePlan(Side.frame(here, "here"), Side.frame(there, "there"), ("x", "y"), tuple(names), how)
    try:
        expected = plan.to_pandas()
        code = plan.code("pandas")
    except InputError as error:  # one column for two kinds
        assert how == "outer" and set("xy") & set(names), error
        return
    found, order = run_pandas(plan, code), in_order if how == "inner" else list
    assert list(found.columns) == list(expected.columns) and order(rows(found)) == order(rows(expected))


@pytest.mark.spark
@pytest.mark.parametrize("how", HOWS)
def test_spark_gives_the_rows(tmp_path, spark, how):
    plan = planned(tmp_path, how)
    expected = in_order(rows(plan.to_pandas()))
    for found in (run_pyspark(plan, spark), run_sql(plan, spark), plan.to_spark(spark).toPandas()):
        assert list(found.columns) == list(plan.to_pandas().columns)
        assert in_order(rows(found)) == expected


@pytest.mark.spark
def test_a_spark_frame_counts_and_joins_alike(tmp_path, spark):
    here = planned(tmp_path, "left")
    there = planned(tmp_path, "left", spark.createDataFrame(QUERY))
    assert there.counts() == here.counts()
    assert in_order(rows(there.to_pandas())) == in_order(rows(here.to_pandas()))
    assert sorted(there.pairs["left"]) == [("PORTLAND", "or"), ("Portland", "ME"), ("Salem", "OR")]


def planned(folder, how, query=QUERY) -> CompositePlan:
    table = lake(folder, {"towns.csv": CSV})["towns.csv"]
    right = Side.lake(table, {"pop": "integer", "year": "integer"})
    return CompositePlan(Side.frame(query, "people"), right, ("city", "st"), ("city", "State"), how)


def test_what_cannot_be_joined_is_said():
    left, right = (
        Side.frame(pd.DataFrame({"x": [1], "y": [2]}), "a"),
        Side.frame(pd.DataFrame({"x": ["1"], "y": [2]}), "b"),
    )
    with pytest.raises(InputError, match="each once"):
        CompositePlan(left, right, ("x", "x"), ("x", "y"), "left")
    with pytest.raises(NotFound, match="no column 'z'"):
        CompositePlan(left, right, ("x", "z"), ("x", "y"), "left")
    with pytest.raises(InputError, match="x is integer on the left and text on the right"):
        CompositePlan(left, right, ("x", "y"), ("x", "y"), "outer").to_pandas()
