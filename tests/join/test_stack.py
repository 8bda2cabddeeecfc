"""Tables stacked under a frame: her columns, her names, their rows; code gives the same."""

from __future__ import annotations

import pandas as pd
import pytest

import lakeview as lv
from lakeview.errors import InputError
from lakeview.join.side import Side
from lakeview.join.stack import StackPlan
from lakeview.join.stacked import Piece

EVIL = 'x\'\n"""; raise SystemExit #'


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lake")
    pd.DataFrame({"ident": ["007", "008", "001"], "amt": [1.5, 2.0, 0.25], "colour": list("rgb")}).to_csv(
        folder / "more.csv", index=False
    )
    pd.DataFrame({"amount": [7, 8], "id": ["009", "010"], "town": ["a", None]}).to_csv(
        folder / "orders.csv", index=False
    )
    pd.DataFrame({EVIL: ["a", "b"]}).to_csv(folder / "evil.csv", index=False)
    lake = lv.open(folder)
    lake.index(engine="local")
    return lake


def frame():
    return pd.DataFrame({"id": ["001", "002"], "amount": [0.25, 9.0], "town": ["a", "b"]})


def plan(lake, left=None, name="orders"):
    left = Side.frame(frame() if left is None else left, name)
    first = Piece(lake.side("more.csv"), {"id": "ident", "amount": "amt"}, {"id": "ident", "amount": "amt"}, 3, 0.8,
                  ["ident", "amt", "colour"])  # fmt: skip
    second = Piece(
        lake.side("orders.csv"), {c: c for c in ("id", "amount", "town")}, {}, 2, 0.9, ["amount", "id", "town"]
    )
    return StackPlan(left, [first, second], 0.9)


def test_her_rows_come_first_and_theirs_in_her_columns(lake):
    stacked = plan(lake)
    found = stacked.to_pandas()
    assert list(found.columns) == ["id", "amount", "town"]
    assert found["id"].tolist() == ["001", "002", "007", "008", "001", "009", "010"], "her ids are text, so theirs are"
    assert found["amount"].tolist() == [0.25, 9.0, 1.5, 2.0, 0.25, 7, 8]
    assert found["town"].isna().tolist() == [False, False, True, True, True, False, True]
    assert stacked.preview(4)["id"].tolist() == ["007", "008", "001", "009"]


def test_it_says_what_goes_together_what_is_missing_and_what_is_there(lake):
    stacked = plan(lake)
    assert stacked.table == "more.csv" and stacked.tables == ["more.csv", "orders.csv"]
    assert stacked.columns.to_dict("list") == {
        "column": ["id", "amount", "town"], "theirs": ["ident", "amt", None], "drifted": [True, True, False]
    }  # fmt: skip
    assert (stacked.missing, stacked.extra, stacked.drifted) == ([], ["colour"], {"id": "ident", "amount": "amt"})
    assert (stacked.rows, stacked.new, stacked.there) == (5, 4, 0.2), "001 with .25 is hers already"
    assert "2 tables of one family" in stacked.reason and "other names" in stacked.reason
    assert repr(stacked).startswith("StackPlan(more.csv (+1 alike) under orders")


@pytest.mark.parametrize("name", ["df", "orders", "more", "pd", "df_more"])
def test_pandas_code_gives_the_same_beside_any_variable(lake, name):
    left = frame()
    stacked = plan(lake, left, name)
    scope = {name: left}
    exec(stacked.code(), scope)
    assert scope[name] is left
    pd.testing.assert_frame_equal(list(scope.values())[-1], stacked.to_pandas())
    pd.testing.assert_frame_equal(left, frame())


def test_names_never_become_code(lake):
    left = pd.DataFrame({EVIL: ["z"], "n": [1]})
    stacked = StackPlan(Side.frame(left, "df"), [Piece(lake.side("evil.csv"), {EVIL: EVIL}, {}, 2, 0.9, [EVIL])], 0.9)
    scope = {"df": left}
    exec(stacked.code(), scope)
    found = list(scope.values())[-1]
    assert found[EVIL].tolist() == ["z", "a", "b"] and list(found.columns) == [EVIL, "n"]
    with pytest.raises(InputError, match="no way to write the name"):
        stacked.code("sql")


def test_index_levels_are_columns(lake):
    left = frame().set_index("id")
    stacked = plan(lake, left, "df")
    scope = {"df": left}
    exec(stacked.code(), scope)
    pd.testing.assert_frame_equal(list(scope.values())[-1], stacked.to_pandas())


@pytest.mark.spark
def test_spark_gives_the_same_rows(lake, spark):
    left = frame()
    stacked, there = plan(lake, left, "df"), spark.createDataFrame(left)
    wanted = _rows(stacked.to_pandas())
    assert _rows(stacked.to_spark(spark).toPandas()) == wanted
    scope = {"df": there, "spark": spark}
    exec(stacked.code("pyspark"), scope)
    assert _rows(list(scope.values())[-1].toPandas()) == wanted
    there.createOrReplaceTempView("df")
    for statement in stacked.code("sql").split(";\n"):
        if statement.strip():
            found = spark.sql(statement)
    assert _rows(found.toPandas()) == wanted
    of_spark = plan(lake, there, "df")
    assert _rows(of_spark.to_spark().toPandas()) == wanted and of_spark.new == 4
    assert _rows(of_spark.to_pandas()) == wanted


def _rows(found):
    return sorted(tuple("" if v is None or v != v else str(v) for v in row) for row in found.itertuples(index=False))
