from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeview.catalog.naming import resolve, unique_names, without_extension
from lakeview.errors import InputError, NotFound

names = st.lists(st.sampled_from(["", " ", "x", "x_2", "x_3", "column_1", "column_2", "y", " x"]), max_size=12)


@pytest.mark.parametrize(
    ("given_names", "expected"),
    [
        (["", "id", "name", "id"], ["column_1", "id", "name", "id_2"]),
        (["x", "x", "x"], ["x", "x_2", "x_3"]),
        (["x", "x", "x_2"], ["x", "x_3", "x_2"]),
        (["a", "", ""], ["a", "column_2", "column_3"]),
        (["column_2", ""], ["column_2", "column_3"]),
        (["a", None, "  "], ["a", "column_2", "column_3"]),
        ([" a ", "a"], ["a", "a_2"]),
        ([], []),
    ],
)
def test_unique_names(given_names, expected):
    assert unique_names(given_names) == expected


@given(names)
def test_names_are_unique_and_first_ones_stay(given_names):
    result = unique_names(given_names)
    assert len(set(result)) == len(result) == len(given_names)
    assert all(result)
    stripped = [name.strip() for name in given_names]
    for place, name in enumerate(stripped):
        if name and name not in stripped[:place]:
            assert result[place] == name


TABLES = {
    "orders.csv": ["item.id", "qty", "a`b"],
    "a.csv": ["b.csv.k", "v"],
    "a.csv.b.csv": ["k", "v"],
    "zipped.csv.gz": ["n"],
    "sub/deep.parquet": ["x"],
    "two.csv": ["id", "left"],
    "two.parquet": ["id", "right"],
    "readings": ["sensor", "month"],
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("orders.csv.item.id", ("orders.csv", "item.id")),
        ("orders.item.id", ("orders.csv", "item.id")),
        ("a.csv.b.csv.k", ("a.csv.b.csv", "k")),
        ("a.csv.b.csv.v", ("a.csv.b.csv", "v")),
        ("a.csv.v", ("a.csv", "v")),
        ("orders.csv.a`b", ("orders.csv", "a`b")),
        ("zipped.n", ("zipped.csv.gz", "n")),
        ("zipped.csv.n", ("zipped.csv.gz", "n")),
        ("sub/deep.x", ("sub/deep.parquet", "x")),
        ("two.csv.id", ("two.csv", "id")),
        ("two.right", ("two.parquet", "right")),
        ("readings.month", ("readings", "month")),
    ],
)
def test_resolve(text, expected):
    assert resolve(text, TABLES) == expected


def test_a_whole_name_goes_before_a_shortened_one():
    assert resolve("x.csv.n", {"x.csv": ["n"], "x.csv.gz": ["n"]}) == ("x.csv", "n")


def test_an_ambiguous_short_name_names_both():
    with pytest.raises(InputError, match=r"'two\.csv\.id' or 'two\.parquet\.id'"):
        resolve("two.id", TABLES)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("orders.csv.qtty", "Did you mean 'qty'"),
        ("orders.csv.QTY", "Did you mean 'qty'"),
        ("oders.csv.qty", "Did you mean 'orders.csv.qty'"),
        ("deep.parquet.x", "Did you mean 'sub/deep.parquet.x'"),
        ("orders.csv", 'name a column of it too, as "table.column"'),
        ("orders", 'name a column of it too, as "table.column"'),
        ("zzz", 'name it as "table.column"'),
        ("sub/deep.parquet.zzzzzz", "It has 'x'"),
    ],
)
def test_a_miss_names_what_comes_near(text, hint):
    with pytest.raises(NotFound) as caught:
        resolve(text, TABLES)
    assert hint in str(caught.value)


def test_every_column_of_every_table_is_found_by_its_full_name():
    for table, columns in TABLES.items():
        for column in columns:
            if f"{table}.{column}" != "a.csv.b.csv.k":  # two columns have this name; the longer table wins
                assert resolve(f"{table}.{column}", TABLES) == (table, column)


def test_without_extension():
    assert without_extension("x/y.csv.gz") == ["x/y.csv", "x/y"]
    assert without_extension("y.CSV") == ["y"]
    assert without_extension("readings") == without_extension("x/.csv") == without_extension(".csv") == []
