"""Composite keys: tables that agree on several columns together, found by their rows and not by their columns alone."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lakeview as lv

cells = st.sampled_from(["a", "b", "c", "d", "1", "2", None])


def brute_force(query: pd.DataFrame, tables: dict[str, pd.DataFrame]) -> dict[str, int]:
    """Most tuples that a table shares with the query, over all ways to align its columns."""
    asked = set(query.dropna().itertuples(index=False, name=None))
    most = {}
    for name, table in tables.items():
        found = [
            len(asked & set(table[list(columns)].dropna().itertuples(index=False, name=None)))
            for columns in itertools.permutations(table.columns, query.shape[1])
        ]
        most[name] = max(found, default=0)
    return {name: overlap for name, overlap in most.items() if overlap}


@given(
    st.lists(st.tuples(cells, cells), min_size=1, max_size=10),
    st.lists(st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=10), min_size=1, max_size=4),
    st.integers(1, 4),
)
@settings(max_examples=60, deadline=None)
def test_overlaps_are_those_of_brute_force(query, tables, k):
    asked = pd.DataFrame(query, columns=["x", "y"], dtype=object)
    frames = {f"t{n}": pd.DataFrame(rows, columns=list("pqr"), dtype=object) for n, rows in enumerate(tables)}
    lake = lv.open(frames)
    lake.index(engine="local")
    expected = brute_force(asked, frames)
    hits = lake.search(asked, ["x", "y"], k=k, rank="overlap")
    assert [hit.overlap for hit in hits] == sorted(expected.values(), reverse=True)[:k]
    assert all(hit.overlap == expected[hit.table] for hit in hits)
    every = lake.search(asked, ["x", "y"], threshold=1e-6, fold=False)
    assert {hit.table: hit.overlap for hit in every} == expected
    best = lake.search(asked, ["x", "y"], k=k, fold=False)  # what is pruned would not have ranked
    assert [hit.score for hit in best] == pytest.approx([hit.score for hit in every][: len(best)])
    for hit in best:
        assert hit.join().counts() == hit.counts
    folded, unfolded = (lake.search(asked, ["x", "y"], k=k, fold=fold) for fold in (True, False))
    assert {hit.table for hit in unfolded} <= {hit.table for hit in folded.unfolded}
    assert len(folded) == min(k, len(lake.search(asked, ["x", "y"], threshold=1e-6)))
    assert [hit.score for hit in folded] == sorted((hit.score for hit in folded), reverse=True)
    assert all(one.score <= hit.score for hit in folded for one in hit.alike)


@pytest.fixture(scope="module")
def lake() -> lv.Lake:
    """Weather by place and hour; places and hours that never met in it; and plain numbers that meet everything."""
    random = np.random.default_rng(5)
    hours = [f"2024-01-{day:02d} {hour:02d}:00" for day in range(1, 29) for hour in range(24)]
    places = ["EWR", "JFK", "LGA"]
    met = pd.DataFrame([(p, h) for p in places for h in hours[: len(hours) // 2]], columns=["place", "at"])
    made = lv.open(
        {
            "weather": met.assign(temp=random.normal(size=len(met))),
            "other_half": pd.DataFrame([(p, h) for p in places for h in hours[len(hours) // 2 :]], columns=["p", "h"]),
            "blind": pd.DataFrame({"a": random.integers(1, 50, 2000), "b": random.integers(1, 50, 2000)}),
            "stock": pd.DataFrame({"part": np.repeat(np.arange(1, 401), 4), "maker": (np.arange(1600) * 7) % 50 + 1}),
            "flights": pd.DataFrame({"origin": np.tile(places, 600), "hour": np.resize(hours[:300], 1800)}),
        }
    )
    made.index(engine="local")
    return made


def test_rows_count_not_columns(lake):
    hours = [f"2024-01-{day:02d} {hour:02d}:00" for day in range(1, 14) for hour in range(24)] * 2 + [None] * 276
    flights = pd.DataFrame({"origin": np.resize(["EWR", "JFK", "LGA"], 900), "hour": hours})
    hits = lake.search(flights, ["hour", "origin"])
    assert (hits[0].table, hits[0].column) == ("weather", ("at", "place"))
    assert hits[0].key_like and hits[0].method == "exact"
    assert "other_half" not in [hit.table for hit in hits]
    assert hits.to_pandas()["column"][0] == ("at", "place")
    assert hits[0].counts == hits[0].join().counts()


def test_blind_agreement_ranks_last(lake):
    stock = pd.DataFrame({"maker": (np.arange(1600) * 7) % 50 + 1, "part": np.repeat(np.arange(1, 401), 4)})
    hits = lake.search(stock.head(700), ["maker", "part"])
    assert (hits[0].table, hits[0].column) == ("stock", ("maker", "part"))
    assert [hit.accidental for hit in hits if hit.table == "blind"] == [True]
    assert hits[-1].table == "blind" and "by chance" in hits[-1].reason


def test_a_table_of_the_lake_leaves_itself_out(lake):
    hits = lake.search("flights", ["origin", "hour"])
    assert [hit.table for hit in hits] == ["weather"]
    joined = hits[0].join().to_pandas()
    assert len(joined) == 1800 and joined["temp"].notna().all()


def test_examples_name_the_combination(lake):
    query = pd.DataFrame({"p": ["EWR", "XXX"], "h": ["2024-01-01 00:00", "2024-01-01 00:00"]})
    matching, missing = lake.search(query, ["p", "h"])[0].examples()
    assert matching == [("EWR · 2024-01-01 00:00", 1)] and missing == [("XXX · 2024-01-01 00:00", 1)]


def test_columns_of_a_large_sketched_table_are_verified_by_its_rows(tmp_path):
    big = pd.DataFrame({"a": [f"a{n}" for n in range(6000)], "b": [f"b{n}" for n in range(6000)]})
    big.to_csv(tmp_path / "big.csv", index=False)
    lake = lv.open(tmp_path)
    lake.index(exact=False, engine="local")
    hits = lake.search(big.iloc[1000:5000], ["b", "a"])
    assert [(hit.table, hit.column, hit.overlap) for hit in hits] == [("big.csv", ("b", "a"), 4000)]


@pytest.mark.parametrize(
    ("columns", "said"), [(["p", "p"], "each once"), ([], "one column or for several"), (["p", "z"], "no column 'z'")]
)
def test_what_is_no_question_is_said(lake, columns, said):
    with pytest.raises(lv.LakeviewError, match=said):
        lake.search(pd.DataFrame({"p": ["EWR"], "h": ["x"]}), columns)


def test_years_of_one_table_are_one_hit_and_join_as_one(tmp_path):
    hours = [f"{day:02d} {hour:02d}:00" for day in range(1, 29) for hour in range(24)]
    for year in (2019, 2020, 2021):
        rng = np.random.default_rng(year)
        rows = pd.DataFrame(itertools.product(["EWR", "JFK", "LGA"], hours), columns=["place", "at"])
        rows.assign(temp=rng.integers(0, 30, len(rows))).to_csv(tmp_path / f"weather_{year}.csv", index=False)
    lake = lv.open(tmp_path)
    lake.index(engine="local")
    flights = pd.DataFrame({"origin": np.resize(["EWR", "JFK", "LGA"], 300), "hour": hours[:300]})
    (hit,) = lake.search(flights, ["origin", "hour"])
    assert [one.table for one in (hit, *hit.alike)] == [f"weather_{year}.csv" for year in (2019, 2020, 2021)]
    assert len(lake.search(flights, ["origin", "hour"], fold=False)) == 3
    joined = hit.join(all_alike=True).to_pandas()
    assert len(joined) == 900
    assert joined.groupby("file").size().to_dict() == {one.table: 300 for one in (hit, *hit.alike)}


@pytest.mark.parametrize("width", [3, 4])
def test_keys_of_three_and_four_columns(width):
    """Overlaps are those of brute force, and the hit's join meets rows that agree on all of them, in code too."""
    random = np.random.default_rng(width)
    names = list("wxyz")[:width]
    table = pd.DataFrame(random.choice(list("abcd"), (60, width)), columns=[f"c{n}" for n in range(width)])
    table = table.drop_duplicates(ignore_index=True).assign(price=lambda frame: range(len(frame)))
    asked = table.sample(20, random_state=1).drop(columns="price").set_axis(names, axis=1).reset_index(drop=True)
    asked = pd.concat([asked, pd.DataFrame([["q"] * width], columns=names)], ignore_index=True)
    lake = lv.open({"prices": table, "other": table[["price"]].astype(str)})
    lake.index(engine="local")
    [hit] = lake.search(asked, names, rank="overlap")
    assert hit.overlap == 20 and len(hit.column) == width and hit.key_like
    plan = hit.join()
    merged = asked.merge(table, left_on=names, right_on=list(hit.column), how="left")
    assert plan.to_pandas()["price"].tolist() == pytest.approx(merged["price"].tolist(), nan_ok=True)
    assert plan.counts().left_matched == 20
    scope = {"asked": asked, "prices": table}
    exec(plan.code("pandas"), scope)
    assert scope["asked_prices"]["price"].tolist() == pytest.approx(merged["price"].tolist(), nan_ok=True)
