"""The joined frame: its columns and their names, its types, its index."""

from __future__ import annotations

import pandas as pd
import pytest
from joining import lake, rows

from lakeview.errors import InputError
from lakeview.join.naming import identifier, literal, stem
from lakeview.join.plan import equi_join
from lakeview.join.side import Side

PLANES = "tailnum,year,seats\nN1,1999,2\nN2,2004,NA\n"


def joined(left: pd.DataFrame, right: Side, left_on, right_on, how="left") -> pd.DataFrame:
    return equi_join(Side.frame(left, "flights"), right, left_on, right_on, how).to_pandas()


def test_a_clash_gets_the_tables_name_as_suffix(tmp_path):
    planes = Side.lake(lake(tmp_path, {"planes.csv": PLANES})["planes.csv"])
    left = pd.DataFrame({"tailnum": ["N1"], "year": [2013]})
    assert list(joined(left, planes, "tailnum", "tailnum")) == ["tailnum", "year", "year_planes", "seats"]
    left["year_planes"] = 0
    assert list(joined(left, planes, "tailnum", "tailnum")) == [
        "tailnum", "year", "year_planes", "year_planes_2", "seats",
    ]  # fmt: skip


def test_keys_of_two_names_are_both_kept(tmp_path):
    planes = Side.lake(lake(tmp_path, {"planes.csv": PLANES})["planes.csv"])
    left = pd.DataFrame({"tail": ["N1"], "tailnum": ["other"]})
    found = joined(left, planes, "tail", "tailnum")
    assert found.iloc[0].tolist() == ["N1", "other", "N1", "1999", "2"]
    assert list(found) == ["tail", "tailnum", "tailnum_planes", "year", "seats"]


def test_text_becomes_numbers_by_the_profile_alone(tmp_path):
    text = "key,n,x,id,text\n001,1,1.5,12345678901234567,a\n002,NA,-,1,\n003,+3,2e3,2,NA\n"
    table = lake(tmp_path, {"t.csv": text})["t.csv"]
    types = {"key": "integer", "n": "integer", "x": "number", "id": "integer", "text": "text"}
    found = Side.lake(table, types).to_pandas(("key",))
    assert rows(found) == [
        ("001", 1, 1.5, "12345678901234567", "a"),
        ("002", None, None, "1", None),
        ("003", 3, 2000, "2", "NA"),
    ]
    assert found["n"].dtype == found["x"].dtype == "float64"
    assert {str(kind) for kind in Side.lake(table).to_pandas(("key",)).dtypes} == {"object"}


def test_doubles_are_read_to_their_last_digit(tmp_path):
    import random

    numbers = [random.Random(1).random() * 10**e for e in range(-8, 8) for _ in range(50)]
    text = "k,x\n" + "".join(f"a,{number!r}\n" for number in numbers)
    table = lake(tmp_path, {"t.csv": text})["t.csv"]
    assert Side.lake(table, {"x": "number"}).to_pandas(("k",))["x"].tolist() == numbers


def test_the_result_has_an_index_of_its_own(tmp_path):
    planes = Side.lake(lake(tmp_path, {"planes.csv": PLANES})["planes.csv"])
    left = pd.DataFrame({"tailnum": ["N2", "N9", "N1"]}, index=["x", "y", "x"])
    for how in ("left", "inner", "right", "outer"):
        found = joined(left, planes, "tailnum", "tailnum", how)
        assert isinstance(found.index, pd.RangeIndex) and found.index.start == 0
    assert list(left.index) == ["x", "y", "x"], "the analyst's frame is left alone"


def test_one_key_column_takes_its_values_from_where_they_are():
    left = pd.DataFrame({"k": ["A", "c"], "x": [1, 2]})
    right = Side.frame(pd.DataFrame({"k": ["a", "b"], "y": [3, 4]}), "other")
    assert rows(joined(left, right, "k", "k", "right")) == [("a", 1, 3), ("b", None, 4)]
    assert rows(joined(left, right, "k", "k", "outer")) == [("A", 1, 3), ("c", 2, None), ("b", None, 4)]


@pytest.mark.parametrize("whole", ["int64", "Int64", "int64[pyarrow]"])
@pytest.mark.parametrize("part", ["float64", "Float64", "float64[pyarrow]"])
def test_one_key_column_of_integers_and_fractions_holds_both(whole, part):
    left, right = pd.DataFrame({"k": [1, 5]}, dtype=whole), pd.DataFrame({"k": [1, 2.5]}, dtype=part)
    found = equi_join(Side.frame(left, "left"), Side.frame(right, "right"), "k", "k", "outer").to_pandas()
    assert found["k"].tolist() == [1, 5, 2.5]


def test_one_key_column_of_numbers_and_text_is_text():
    left = pd.DataFrame({"k": [5, 6], "x": [1, 2]})
    right = Side.frame(pd.DataFrame({"k": ["5.0", "7"], "y": [3, 4]}), "other")
    assert joined(left, right, "k", "k", "outer")["k"].tolist() == ["5", "6", "7"]
    assert joined(left, right, "k", "k", "left")["k"].tolist() == [5, 6]


def test_labels_that_are_no_text_are_labels(tmp_path):
    left = pd.DataFrame({0: ["N1"], "0": [1], 1.5: [2]})
    planes = Side.lake(lake(tmp_path, {"planes.csv": "0,1\nN1,x\n"})["planes.csv"])
    found = joined(left, planes, 0, "0")
    assert list(found) == [0, "0", 1.5, "0_planes", "1"]


def test_columns_that_cannot_be_told_apart_are_refused():
    double = pd.DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(InputError, match="more than one column 'a'"):
        Side.frame(double, "df")
    levels = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")]))
    with pytest.raises(InputError, match="columns of 2 levels: flatten"):
        Side.frame(levels, "df")
    with pytest.raises(InputError, match="is a list, not"):
        Side.frame([1], "df")
    with pytest.raises(InputError, match="is a Series"):
        Side.frame(pd.Series([1]), "df")


def test_categories_stamps_and_mixed_columns_come_through(tmp_path):
    left = pd.DataFrame({
        "k": pd.Categorical(["N1", "n2", None]), "at": pd.to_datetime(["2024-01-01", None, "2024-01-02"]),
        "mixed": [1, "x", None], "flag": [True, False, True],
    })  # fmt: skip
    planes = Side.lake(lake(tmp_path, {"planes.csv": PLANES})["planes.csv"])
    found = joined(left, planes, "k", "tailnum", "outer")
    assert found["year"].tolist()[:2] == ["1999", "2004"]
    assert found["k"].dtype == "category" and found["at"].dtype == left["at"].dtype
    assert rows(found[["mixed", "flag"]]) == [(1, True), ("x", False), (None, True)]


def test_a_repr_is_one_line_and_counts_nothing(tmp_path):
    planes = Side.lake(lake(tmp_path, {"planes.csv": PLANES})["planes.csv"])
    plan = equi_join(Side.frame(pd.DataFrame({"a\nb": ["N1"]}), "flights"), planes, "a\nb", "tailnum")
    assert repr(plan) == r"JoinPlan(flights.a\nb = planes.tailnum, left join)"
    assert plan.summary == r"flights.a\nb = planes.tailnum, left join, 1 row"
    assert repr(plan) == r"JoinPlan(flights.a\nb = planes.tailnum, left join, 1 row)"


@pytest.mark.parametrize("name, expected", [
    ("flights", "flights"), ("vcd/UKSoccer.csv", "UKSoccer"), ("airports.csv.gz", "airports"), ("a.b.parquet", "a_b"),
    ("2019.csv", "table_2019"), ("list.csv", "list_table"), ("class.csv", "class_table"), ("pd.csv", "pd_table"),
    ("'; DROP TABLE x; --.csv", "DROP_TABLE_x"), ("<img src=x onerror=alert(1)>.csv", "img_src_x_onerror_alert_1"),
    ("---.csv", "table"), ("col\nname.csv", "col_name"), ("straße.csv", "straße"),
])  # fmt: skip
def test_variables_are_identifiers(name, expected):
    assert identifier(stem(name)) == expected
    assert expected.isidentifier()


@pytest.mark.parametrize("text", ["plain", 'a"b', "it's", "both ' and \"", "back\\slash", "col\nname", "\u2028", "a`b"])
def test_literals_are_what_they_say(text):
    assert eval(literal([text, {text: 1}, (text,)])) == [text, {text: 1}, (text,)]
