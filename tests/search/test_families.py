"""What is one hit and what is several: pieces of one table, copies of one list, and what only looks like them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lakeview as lv

CODES = [f"c{i:03d}" for i in range(60)]


def opened(**tables: pd.DataFrame) -> lv.Lake:
    """A lake of these tables; "__" in a name is a "/", and "_dot_" a "."."""
    lake = lv.open({name.replace("__", "/").replace("_dot_", "."): frame for name, frame in tables.items()})
    lake.index(engine="local")
    return lake


def orders(seed: int, codes: list[str] = CODES) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = 3 * len(codes)
    return pd.DataFrame(
        {"customer": rng.choice(codes, rows), "amount": rng.integers(1, 900, rows), "paid": ["yes", "no"][seed % 2]}
    )


def families(lake: lv.Lake, query: pd.Series, **how: object) -> list[set[str]]:
    return [{one.table for one in (hit, *hit.alike)} for hit in lake.search(query, rank="join", **how)]


QUERY = pd.Series(CODES, name="customer")


@pytest.mark.parametrize(
    "names",
    [
        ("orders_2019", "orders_2020", "orders_2021"),
        ("orders_CA", "orders_NY", "orders_TX"),
        ("sales/2019/orders.csv", "sales/2020/orders.csv", "sales/2021/orders.csv"),
        ("CA/orders.csv", "NY/orders.csv", "TX/orders.csv"),
        ("orders_jan_2019", "orders_feb_2019", "orders_jan_2020"),
        ("orders", "orders_old", "orders_2"),
        ("states/alabama.csv", "states/alaska.csv", "states/utah.csv"),
    ],
)
def test_years_and_states_of_one_table_are_one_hit(names):
    lake = opened(**{name.replace("/", "__").replace(".", "_dot_"): orders(i) for i, name in enumerate(names)},
                  customers=pd.DataFrame({"customer": CODES, "city": [f"town {i}" for i in range(60)]}))  # fmt: skip
    assert sorted(families(lake, QUERY), key=len) == [{"customers"}, set(names)]


def test_what_brings_something_else_is_another_hit():
    rng = np.random.default_rng(0)
    countries = pd.Series([f"country {i}" for i in range(80)], name="country")

    def measured(size: float) -> pd.DataFrame:
        return pd.DataFrame({"country": countries, "value": (rng.random(80) * size).round(2)})

    lake = opened(
        gdp_by_country=measured(1e9),
        population_by_country=measured(1e5),
        life_by_country=measured(80),
        murder=pd.DataFrame({"country": countries, "murder": rng.random(80)}),
        income=pd.DataFrame({"country": countries, "income": rng.random(80)}),
        visits_2019=pd.DataFrame({"country": countries.sample(200, replace=True, random_state=1), "guest": range(200)}),
        visits_2020=pd.DataFrame({"country": countries, "rating": 1.5, "stay": 3}),
    )
    assert all(len(family) == 1 for family in families(lake, countries))


def test_a_key_and_a_column_that_repeats_are_different_joins():
    once = pd.DataFrame({"customer": CODES, "amount": range(60), "paid": "yes"})
    lake = opened(orders_2019=once, orders_2020=orders(1))
    assert all(len(family) == 1 for family in families(lake, QUERY))


def test_copies_of_one_list_are_one_hit_whatever_they_are_called():
    cities = pd.DataFrame({"customer": CODES, "city": [f"town {i}" for i in range(60)]})
    newer = pd.concat([cities, pd.DataFrame({"customer": ["c900"], "city": ["town 900"]})], ignore_index=True)
    lake = opened(
        customers=cities, backup__of_march=newer, export=cities.sample(frac=1, random_state=0),
        bare=cities[["customer"]], plain=cities[["customer"]].set_axis(["code"], axis=1),
        others=cities.assign(city=[f"village {i}" for i in range(60)]),
    )  # fmt: skip
    found = families(lake, QUERY)
    assert sorted(map(sorted, found)) == [["backup/of_march", "customers", "export"], ["bare", "plain"], ["others"]]


def test_few_equal_values_make_no_copies():
    lake = opened(colours=pd.DataFrame({"code": list("abcde")}), sizes=pd.DataFrame({"code": list("abcde")}))
    assert all(len(family) == 1 for family in families(lake, pd.Series(list("abcde"), name="code")))


def test_k_counts_families_and_nothing_is_lost():
    lake = opened(**{f"orders_{year}": orders(year, CODES[: 10 + year]) for year in range(1, 31)},
                  customers=pd.DataFrame({"customer": CODES, "city": [f"town {i}" for i in range(60)]}))  # fmt: skip
    hits = lake.search(QUERY, rank="join", k=2)
    assert hits[0].table == "customers" and len(hits) == 2
    family = hits[1]
    assert len(family.alike) == 29 and len(hits.unfolded) == 31
    assert family.alike[0].score <= family.score
    assert [one.overlap for one in family.alike] == sorted((one.overlap for one in family.alike), reverse=True)
    unfolded = lake.search(QUERY, rank="join", k=99, fold=False)
    assert len(unfolded) == 31 and not any(hit.alike for hit in unfolded)
    assert {h.name for h in unfolded} == {h.name for h in hits.unfolded}
    for one in family.alike[:3]:
        frame = pd.DataFrame({"customer": QUERY})
        assert one.join(left=frame).counts() == one.counts
    assert "+29 alike" in repr(hits)


def test_the_top_k_by_overlap_are_columns_unless_families_are_asked_for():
    lake = opened(**{f"orders_{year}": orders(year) for year in range(1, 6)}, zoo=pd.DataFrame({"customer": CODES[:3]}))
    best = lake.search(QUERY, k=5)
    assert {hit.table for hit in best} == {f"orders_{n}" for n in range(1, 6)}
    folded = lake.search(QUERY, k=5, fold=True)
    assert [(hit.table, len(hit.alike)) for hit in folded] == [(best[0].table, 4), ("zoo", 0)]
    assert [hit.name for hit in folded.unfolded[:5]] == [hit.name for hit in best]
    with pytest.raises(lv.InputError):
        lake.search(QUERY, fold="yes")


def test_a_family_has_the_score_of_all_of_its_members():
    cities = pd.DataFrame({"customer": CODES, "city": [f"town {i}" for i in range(60)]})
    one, copied = opened(customers=cities), opened(**{f"customers_{n}": cities for n in range(8)})
    alone, together = (lake.search(QUERY, rank="join")[0] for lake in (one, copied))
    assert len(together.alike) == 7
    assert together.score > 0.9 * alone.score > max(hit.score for hit in copied.search(QUERY, rank="join", fold=False))


names = st.lists(st.sampled_from(["orders", "old", "CA", "x", "2019", "2020", "sales"]), min_size=1, max_size=3)
shapes = st.sampled_from([["k", "a"], ["k", "a", "b"], ["k"], ["k", "z", "b"], ["k", "a", "b", "c", "d", "e"]])


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(names.map("_".join), st.tuples(shapes, st.integers(0, 3)), min_size=1, max_size=8))
def test_folding_parts_the_columns_and_each_is_like_the_first(tables):
    """Every overlapping column is in one family, once; a member has the first's column, and nearly its columns."""
    made = {
        name: pd.DataFrame(dict.fromkeys(shape, CODES[seed : seed + 20 + seed]))
        for name, (shape, seed) in tables.items()
    }
    lake = lv.open(made)
    lake.index(engine="local")
    hits = lake.search(QUERY, rank="join", k=999)
    listed = [one.name for one in hits.unfolded]
    assert sorted(listed) == sorted(hit.name for hit in lake.search(QUERY, rank="join", k=999, fold=False))
    for hit in hits:
        for one in hit.alike:
            mine, theirs = (set(made[table]) for table in (hit.table, one.table))
            assert one.column == hit.column and one.table != hit.table
            assert len(mine & theirs) >= 0.8 * max(len(mine), len(theirs))
