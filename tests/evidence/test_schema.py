"""Which columns are keys, which tables belong together."""

from __future__ import annotations

import numpy as np
import pytest
from schemas import Tables

from lakeview.evidence.schema import folders


def keys_of(tables) -> dict[str, str]:
    schema = Tables(tables).schema
    return {c.table: c.name for c, is_key in zip(schema.columns, schema.is_key, strict=True) if is_key}


ROWS = list(range(12))
TEXTS = [f"v{i}" for i in ROWS]


@pytest.mark.parametrize(
    ("columns", "key"),
    [
        ({"city": TEXTS, "mayor": TEXTS}, "city"),
        ({"key_id": ROWS, "match_name": TEXTS, "match_id": TEXTS}, "match_id"),
        ({"name": TEXTS, "id": ROWS}, "id"),
        ({"rank": ROWS, "match": TEXTS}, "match"),
        ({"city": [*TEXTS[1:], TEXTS[1]], "mayor": TEXTS}, "mayor"),
        ({"city": [*TEXTS[1:], None], "mayor": TEXTS}, "mayor"),
        ({"weight": [i / 3 for i in ROWS], "mayor": TEXTS}, "mayor"),
    ],
)
def test_the_key_of_a_table(columns, key):
    assert keys_of({"data/matches.csv": columns}) == {"data/matches.csv": key}


def test_row_numbers_are_no_keys():
    tables = {f"t{i}": {"rowno": ROWS, f"name{i}": [f"{v}{i}" for v in TEXTS]} for i in range(5)}
    tables["t5"] = {"rowno": ROWS, "size": [1] * 12}
    assert keys_of(tables) == {f"t{i}": f"name{i}" for i in range(5)}


def test_copies_hold_nearly_all_columns_of_each_other():
    one = {"rowno": ROWS, "name": TEXTS, "size": [i % 5 for i in ROWS], "weight": [i * 3 for i in ROWS]}
    part = {"rowno": ROWS[:6], "name": TEXTS[:6], "size": [i % 5 for i in ROWS[:6]], "other": [100] * 6}
    link = {"name": TEXTS * 2, "size": [i % 5 for i in ROWS] * 2}
    schema = Tables({"a": one, "b": part, "c": link}).schema
    number = {column.table: int(n) for column, n in zip(schema.columns, schema.tables, strict=True)}
    copied = schema.pairs_of(*np.array([[number["b"]], [number["a"]]]))
    assert schema.copies.tolist() == copied.tolist(), "two columns in common may be a key of two columns"
    wide = {**one, **{f"more{n}": ROWS for n in range(5)}}
    assert not len(Tables({"a": wide, "b": part}).schema.copies), "a small table of what a wide one has may refer to it"


def test_folders_hold_company():
    tables = ["a.csv", "x/b.csv", "x/c.csv", "y/orders/part.csv", "y/lines/part.csv", "z/alone.csv"]
    found = folders(tables)
    assert found["x/b.csv"] == found["x/c.csv"] == "x"
    assert found["y/orders/part.csv"] == found["y/lines/part.csv"] == "y"
    assert found["z/alone.csv"] == found["a.csv"] == ""
