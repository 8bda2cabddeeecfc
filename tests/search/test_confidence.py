"""How sure a hit is, in a word, and what speaks for it and against it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import lakeview as lv
from lakeview.search.hit import Hit

STATES = ["open", "closed", "lost", "won", "held"]
CODES = [a + b + c for a in "BCDFGH" for b in "AEIOU" for c in "LMNPQRST"]


@pytest.fixture(scope="module")
def lake() -> lv.Lake:
    rng = np.random.default_rng(3)
    names = [f"city {n:03d} of {'abcdefgh'[n % 8]}" for n in range(240)]
    found = lv.open({
        "shop/customers": pd.DataFrame({"id": range(1, 301), "name": [f"person {n}" for n in range(300)]}),
        "shop/orders": pd.DataFrame({"order_id": range(1, 901), "customer_id": rng.integers(1, 301, 900),
                                     "year": rng.integers(2000, 2020, 900), "status": rng.choice(STATES, 900)}),
        "shop/airports": pd.DataFrame({"faa": CODES, "rows": range(len(CODES))}),
        "shop/flights": pd.DataFrame({"dest": rng.choice([*CODES[:100], "ZZZ", "YYY"], 2000), "n": range(2000)}),
        "a/cities": pd.DataFrame({"city": names, "people": rng.random(240)}),
        "b/towns": pd.DataFrame({"town": names, "area": rng.random(240)}),
        "c/weather": pd.DataFrame({"year": np.repeat(range(1990, 2024), 4), "rain": rng.random(136)}),
        "c/readings": pd.DataFrame({"reading": range(1, 5001), "at": names * 20 + names[:200]}),
    })  # fmt: skip
    found.index()
    return found


def hits(lake: lv.Lake, column: str) -> dict[str, Hit]:
    return {hit.name: hit for hit in lake.search(column, rank="join", k=50)}


def test_a_key_that_is_called_so_is_sure(lake):
    hit = hits(lake, "shop/orders.customer_id")["shop/customers.id"]
    assert hit.confidence == "sure"
    assert hit.line.startswith("all ") and hit.line.endswith(" numbers, a key")
    assert hit.pro[0] == "the names agree" and "`id` is a key: no rows are added" in hit.pro


def test_numbers_that_meet_by_chance_are_chance(lake):
    found = hits(lake, "shop/orders.customer_id")
    hit = found["c/readings.reading"]
    assert hit.accidental and hit.confidence == "chance"
    assert " by chance" in hit.line and "such values meet by chance too" in hit.con
    assert found["shop/customers.id"].con != hit.con


def test_copies_of_one_list_are_each_sure(lake):
    """Which of them is meant is another question."""
    found = hits(lake, "c/readings.at")
    both = [found["a/cities.city"], found["b/towns.town"]]
    assert [hit.confidence for hit in both] == ["sure", "sure"]
    assert all("such values hardly meet by chance" in hit.pro for hit in both)


def test_what_is_missing_and_what_multiplies_speaks_against(lake):
    hit = hits(lake, "shop/flights.dest")["shop/airports.faa"]
    assert hit.line == "100 of 102 codes, a key" and "both 3-letter codes" in hit.pro
    assert "2 codes missing" in hit.con
    back = hits(lake, "shop/airports.faa")["shop/flights.dest"]
    assert back.line.endswith("codes, but no key")
    assert "no key: 20 rows a value" in back.con and "140 codes missing" in back.con


def test_times_are_no_more_than_possible(lake):
    hit = hits(lake, "shop/orders.year")["c/weather.year"]
    assert hit.common and hit.confidence == "possible"
    assert "joins whatever has such times" in hit.con


def test_the_line_parts_the_hits(lake):
    found = lake.search("shop/orders.customer_id", rank="join", k=50)
    assert [*found.above, *found.below] == list(found)
    assert found.above and found.below
    assert {hit.confidence for hit in found.above} <= {"sure", "possible"}
    assert {hit.confidence for hit in found.below} <= {"possible", "chance"}


def test_a_program_says_how_sure_it_is():
    rng = np.random.default_rng(0)
    people = [f"{a} {b}" for a in ("Ann", "Bob", "Cid", "Dora", "Eve") for b in ("Ray", "Hill", "Stone", "Wood")]
    source = pd.DataFrame({"who": [", ".join(reversed(name.split())) for name in people]})
    lake = lv.open({"people": pd.DataFrame({"name": people, "age": rng.integers(1, 99, 20)})})
    lake.index()
    (hit,) = lake.search(source, "who", transform=True)
    assert hit.confidence == "sure" and hit.line.startswith("all 20 values, ") and hit.line.endswith(" step")


def test_a_key_called_after_its_own_table_is_no_other_tables_key():
    rng = np.random.default_rng(5)
    tables = {
        "orders": {"order_id": range(1, 301), "total": rng.random(300)},
        "order_items": {"order_item_id": range(1, 901), "order_id": rng.integers(1, 301, 900)},
        "transactions": {"transaction_id": range(1, 61), "amount": rng.random(60)},
        "sales": {"sales_transaction_id": range(3, 40), "shop": ["a"] * 37},
    }
    lake = lv.open({name: pd.DataFrame(columns) for name, columns in tables.items()})
    lake.index()
    assert hits(lake, "order_items.order_id")["orders.order_id"].confidence == "sure"
    for one, other in (
        ("order_items.order_item_id", "orders.order_id"),
        ("orders.order_id", "order_items.order_item_id"),
    ):
        assert hits(lake, one)[other].confidence != "sure"
    assert lake.search("sales.sales_transaction_id", rank="join")[0].name == "transactions.transaction_id"
    assert not lake.search("sales.sales_transaction_id", rank="join")[0].accidental


def test_what_is_referred_to_comes_before_what_refers():
    """A student is a person, and has marks: the person adds columns, the marks add rows."""
    tables = {
        "person": {"person_id": range(1, 81), "name": [f"person {n}" for n in range(80)]},
        "student": {"person_id": range(5, 55), "grade": [1, 2, 3, 4, 5] * 10},
        "marks": {"person_id": [*range(5, 55)] * 6, "mark": [n % 7 for n in range(300)]},
    }
    lake = lv.open({name: pd.DataFrame(columns) for name, columns in tables.items()})
    lake.index()
    found = lake.search("student.person_id", rank="join")
    assert [hit.name for hit in found[:2]] == ["person.person_id", "marks.person_id"]
    assert [hit.confidence for hit in found[:2]] == ["sure", "sure"]


def test_two_columns_of_one_table_are_no_join_but_by_its_key():
    rng = np.random.default_rng(2)
    close = rng.random(200).round(4) * 90 + 10
    prices = pd.DataFrame({"day": [f"day {n}" for n in range(200)], "close": close, "adjusted": close})
    staff = pd.DataFrame({"staff_id": range(1, 41), "head_staff_id": [None, *[n // 3 + 1 for n in range(39)]]})
    lake = lv.open({"prices": prices, "copy": prices[["day", "close"]], "staff": staff})
    lake.index()
    found = hits(lake, "prices.close")
    assert found["copy.close"].confidence == "sure"
    assert found["prices.adjusted"].confidence == "chance"
    assert "another column of the same table" in found["prices.adjusted"].con
    assert "in another column of the same table" in found["prices.adjusted"].reason
    assert hits(lake, "staff.head_staff_id")["staff.staff_id"].confidence != "chance"
