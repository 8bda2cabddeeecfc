"""One row for each left row: what becomes of the right rows of a key, beside plain Python and in every dialect."""

from __future__ import annotations

import math
import warnings
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joining import canonical, in_order, lake, plain, rows, run_pandas, run_pyspark, run_sql

import lakeview as lv
from lakeview.errors import InputError, JoinWarning, NotFound
from lakeview.join.export.common import helper
from lakeview.join.plan import CompositePlan, equi_join
from lakeview.join.side import Side

KEYS = ["N", "n ", "s", "S", "x", "q", "-", None, "café", "CAFÉ"]
GROUPED: list[Any] = [
    "aggregate",
    "list",
    {"amount": "sum", "day": "max", "what": "first"},
    {"what": "last"},
    {"amount": "mean", "day": "count", "what": "distinct"},
    {"what": "min", "amount": "list"},
]
MANY: list[Any] = ["first", "last", "latest", *GROUPED]


def visits(keys: list) -> pd.DataFrame:
    return pd.DataFrame({"Ward": pd.Series(keys, dtype=object), "amount": [*range(len(keys))]})


def beds(keys: list, amounts: list, days: list) -> pd.DataFrame:
    return pd.DataFrame({
        "ward": pd.Series(keys, dtype=object), "amount": pd.Series(amounts, dtype=float),
        "day": pd.to_datetime(pd.Series([None if d is None else f"2024-03-{d:02d}" for d in days], dtype=object)),
        "what": pd.Series([None if d is None else "abc"[d % 3] for d in days], dtype=object),
    })  # fmt: skip


def plan_of(left: pd.DataFrame, right: pd.DataFrame, how: str = "left") -> lv.JoinPlan:
    return equi_join(Side.frame(left, "visits"), Side.frame(right, "beds"), "Ward", "ward", how)


def quiet(plan: lv.JoinPlan) -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", JoinWarning)
        return plan.to_pandas()


def deep(frame: pd.DataFrame) -> list[tuple]:
    """Rows, with lists as tuples of plain values, and sums rounded as their order rounds them."""

    def one(value: Any) -> Any:
        if isinstance(value, list) or type(value).__name__ == "ndarray":
            return tuple(map(one, value))
        value = plain(value)
        return round(value, 9) if isinstance(value, float) else value

    return [tuple(map(one, row)) for row in frame.astype(object).itertuples(index=False, name=None)]


def became(values: list, how: str) -> Any:
    """What values become, in plain Python; None is missing."""
    there = [value for value in values if value is not None]
    if how == "list":
        return tuple(values)
    if how in ("count", "distinct"):
        return len(there) if how == "count" else len(set(there))
    if how == "sum":
        return sum(there)
    if not there:
        return None
    return {"mean": lambda: round(sum(there) / len(there), 9), "min": lambda: min(there), "max": lambda: max(there),
            "first": lambda: there[0], "last": lambda: there[-1]}[how]()  # fmt: skip


def expected(left: pd.DataFrame, right: pd.DataFrame, how: str, many: Any) -> list[tuple]:
    left_keys, right_keys = canonical(left["Ward"].tolist()), canonical(right["ward"].tolist())
    right_rows, out = rows(right), []
    for row, key in zip(rows(left), left_keys, strict=True):
        met = [r for r, other in zip(right_rows, right_keys, strict=True) if key is not None and other == key]
        if not met and how == "inner":
            continue
        if many in ("first", "last", "latest"):
            if many == "latest":
                met = sorted(met, key=lambda r: r[2] or "")
            there: tuple = (met[0] if many == "first" else met[-1]) if met else (None,) * 4
        else:
            named = {"aggregate": [("amount", "sum"), ("day", "min"), ("day", "max"), ("what", "distinct")],
                     "list": [(c, "list") for c in ("amount", "day", "what")]}  # fmt: skip
            hows = named.get(str(many)) or list(many.items())
            place = {"ward": 0, "amount": 1, "day": 2, "what": 3}
            there = tuple(became([r[place[c]] for r in met], h) if met else None for c, h in hows)
            there = (len(met), *there) if many == "aggregate" else there
        out.append((*row, *there))
    return out


@st.composite
def sides(draw: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    left = draw(st.lists(st.sampled_from(KEYS), min_size=1, max_size=8))
    right = draw(st.lists(st.tuples(
        st.sampled_from(KEYS), st.sampled_from([None, 1.5, 2, -3, 7]), st.sampled_from([None, 1, 2, 3]),
    ), min_size=1, max_size=12))  # fmt: skip
    return visits(left), beds(*map(list, zip(*right, strict=True)))


@given(sides(), st.sampled_from(MANY), st.sampled_from(["left", "inner"]))
def test_each_left_row_stays_one(frames, many, how):
    plan = plan_of(*frames, how).with_many(many, **{"when": "day"} if many == "latest" else {})
    found = quiet(plan)
    assert deep(found) == expected(*frames, how, many)
    assert len(found) == plan.counts().rows_out
    assert plan.counts().max_fanout <= 1
    assert deep(plan.preview(3)) == deep(found)[:3]


@settings(max_examples=25)
@given(sides(), st.sampled_from(MANY), st.sampled_from(["left", "inner"]))
def test_pandas_code_gives_these_rows(frames, many, how):
    plan = plan_of(*frames, how).with_many(many, **{"when": "day"} if many == "latest" else {})
    code = plan.code("pandas")
    assert 'validate="many_to_one"' in code
    assert deep(run_pandas(plan, code)) == deep(quiet(plan))


def some_plans(folder: Any) -> dict[str, lv.JoinPlan]:
    """Plans of each kind: text and numbers as keys, a key of one name, of two columns, a table, a program."""
    left = visits(["N", "S", "n ", "x", None, "café", "-"])
    right = beds(["n", "N", None, "s", "n", "q", "CAFÉ", "-"], [1, None, 3, 4, 5, 6, 7, 8], [3, 4, 1, 2, None, 1, 2, 3])
    numbers = left.assign(key=[1, 2, 3, 4, 5, 6, 7]), right.assign(key=[1.0, 1, 2, 3, 9, None, 3, 3])
    names = pd.DataFrame({"who": ["Doe, Ann", "Roe, Bo", "Poe, Cy", "Moe, Di", "Loe, Ed"], "n": range(5)})
    people = pd.DataFrame({"name": ["Ann Doe", "Ann Doe", "Bo Roe", "Cy Poe", "Di Moe", "Ed Loe", "Al Noe"],
                           "paid": [1, 2, 3, 4, 5, 6, 7]})  # fmt: skip
    table = lake(folder, {"odd names.csv": "Ward,amount,a b,place\nn,1,2.5,x\nN,,1,y\ns,4,,x\n,5,6,z\n"})[
        "odd names.csv"
    ]
    types = {"Ward": "text", "amount": "integer", "a b": "number", "place": "text"}
    return {
        "text": plan_of(left, right),
        "inner": plan_of(left, right, "inner"),
        "one name": equi_join(*map(Side.frame, numbers, ("visits", "beds")), "key", "key"),
        "composite": CompositePlan(
            Side.frame(left, "visits"), Side.frame(right.assign(n=[0, 0, 0, 1, 2, 0, 5, 0]), "beds"),
            ["Ward", "amount"], ["ward", "n"], "left",
        ),
        "table": equi_join(Side.frame(left, "visits"), Side.lake(table, types), "Ward", "Ward"),
        "program": lv.auto_join(names, people)[0],
        "reverse": lv.auto_join(people.rename(columns={"paid": "n"}), names.rename(columns={"n": "paid"}))[0],
    }  # fmt: skip


@pytest.mark.parametrize("name", ["text", "inner", "one name", "composite", "table", "program", "reverse"])
def test_every_kind_of_plan_keeps_left_rows(tmp_path, name):
    plan = some_plans(tmp_path)[name]
    for many in ("first", "last", "aggregate", "list"):
        each = plan.with_many(many)
        found = quiet(each)
        assert len(found) == each.counts().rows_out
        assert plan.how == "inner" or len(found) == plan.counts().left_rows
        assert deep(run_pandas(each)) == deep(found)
    assert each.many == "list" and each.with_many().counts() == plan.counts()


@pytest.mark.spark
def test_all_dialects_agree(tmp_path, spark):
    for name, plan in some_plans(tmp_path).items():
        for many in MANY if name == "text" else ("last", "aggregate"):
            each = plan.with_many(many, **{"when": "day"} if many == "latest" else {})
            wanted = in_order(deep(quiet(each)))
            found = {"pyspark": run_pyspark, "sql": run_sql, "spark": lambda p, s: p.to_spark(s).toPandas()}
            for dialect, run in found.items():
                made = run(each, spark)
                assert list(made.columns) == [str(column) for column in each.columns.names], (name, many, dialect)
                assert in_order(deep(made)) == wanted, (name, many, dialect)
            *_, check, _ = each.statements()
            assert "assert_true" in check and spark.sql(check).collect()


@pytest.mark.spark
def test_spark_frames(tmp_path, spark):
    plan = some_plans(tmp_path)["text"]
    left, right = (spark.createDataFrame(side.held) for side in (plan.left, plan.right))
    there = plan_of(left, right)  # type: ignore[arg-type]
    assert there.warnings == plan.warnings != []
    for many in MANY:
        each = there.with_many(many, **{"when": "day"} if many == "latest" else {})
        wanted = quiet(plan.with_many(many, **{"when": "day"} if many == "latest" else {}))
        assert in_order(deep(each.to_pandas())) == in_order(deep(wanted)), many
        assert each.counts().rows_out == len(wanted)


def test_the_default_goes_by_type_and_name():
    right = pd.DataFrame({
        "k": ["a", "a"], "Amount": [1, 2], "unitPrice": [2.0, 4.0], "order_id": [7, 7], "year": [2020, 2021],
        "paid": [True, False], "on": ["2024-01-02", "2024-01-03"], "city": ["x", "x"], "tags": [[1], [2]],
    })  # fmt: skip
    plan = equi_join(Side.frame(pd.DataFrame({"k": ["a", "b"]}), "l"), Side.frame(right, "r"), "k", "k")
    made = quiet(plan.with_many("aggregate")).iloc[0].to_dict()
    assert made == {
        "k": "a", "r_rows": 2, "Amount_sum": 3, "unitPrice_mean": 3, "order_id_distinct": 1, "year_min": 2020,
        "year_max": 2021, "paid_max": True, "on_min": "2024-01-02", "on_max": "2024-01-03", "city_distinct": 1,
        "tags_count": 2,
    }  # fmt: skip
    assert plan.with_many("aggregate").preview().loc[1, "r_rows"] == 0


def test_names_that_are_taken_are_not_taken_twice():
    left = pd.DataFrame({"k": ["a"], "r_rows": [1], "V_sum": [2]})
    right = pd.DataFrame({"k": ["a", "a"], "v": [1, 2]})
    plan = equi_join(Side.frame(left, "l"), Side.frame(right, "r"), "k", "k").with_many("aggregate")
    assert plan.columns.names == ["k", "r_rows", "V_sum", "r_rows_r", "v_sum_r"]
    assert rows(run_pandas(plan)) == rows(quiet(plan)) == [("a", 1, 2, 2, 3)]


def test_a_helper_column_is_none_that_a_side_has_in_any_case():
    left, right = pd.DataFrame({"Key": ["a"]}), pd.DataFrame({"Join_Key": ["a"], "v": [1]})
    plan = equi_join(Side.frame(left, "l"), Side.frame(right, "r"), "Key", "Join_Key")
    assert helper(plan, "nth", "key") == "nth"
    assert helper(plan, "key", "v") not in ("key", "v")
    assert helper(plan, "key", "join_key").lower() not in ("key", "join_key")


def test_a_key_of_one_name_that_the_left_side_alone_rewrites():
    left, right = pd.DataFrame({"k": ["1.0", "2.0"]}), pd.DataFrame({"k": ["1", "1", "3"], "v": [1, 2, 3]})
    for sides in ((left, right), (right.rename(columns={"v": "w"}), left.assign(v=[1, 2]))):
        plan = equi_join(*(Side.frame(side, name) for side, name in zip(sides, "lr", strict=True)), "k", "k")
        for many in ("aggregate", "first", "list"):
            each = plan.with_many(many)
            assert deep(run_pandas(each)) == deep(quiet(each))


def test_what_makes_no_sense_is_refused_in_one_line():
    left, right = visits(["n"]), beds(["n"], [1], [1])
    plan = plan_of(left, right)
    for wrong in ("sum", "most", 3, [], {}, {"amount": "median"}, {"what": "sum"}, {"day": "mean"}):
        with pytest.raises(InputError):
            plan.with_many(wrong)
    with pytest.raises(NotFound):
        plan.with_many({"nothing": "sum"})
    with pytest.raises(InputError, match="when= goes with"):
        plan.with_many("first", when="day")
    for how in ("right", "outer"):
        with pytest.raises(InputError, match="one row for each left row"):
            plan_of(left, right, how).with_many("first")
    fuzzy = lv.fuzzy_join(left.dropna(), right.dropna(), "Ward", "ward", threshold=0.5)
    assert fuzzy.with_many("first") is fuzzy
    with pytest.raises(InputError, match="makes no row of several"):
        fuzzy.with_many("aggregate")


def test_the_latest_needs_one_column_that_says_when():
    left, right = visits(["n"]), beds(["n", "n", "n"], [1, 2, 3], [2, 3, 1])
    assert quiet(plan_of(left, right).with_many("latest"))["amount_beds"].tolist() == [2]
    assert "by day" in repr(plan_of(left, right).with_many("latest"))
    with pytest.raises(InputError, match="several columns of times: day, seen"):
        plan_of(left, right.assign(seen=right["day"])).with_many("latest")
    assert plan_of(left, right.assign(updated_at=right["day"])).with_many("latest").when == "updated_at"
    with pytest.raises(InputError, match="no column of times"):
        plan_of(left, right.drop(columns="day")).with_many("latest")
    written = right.assign(day=["03/02/2024", "01/03/2024", "2/2/2024"])
    with pytest.raises(InputError, match="does not sort by time"):
        plan_of(left, written).with_many("latest", when="day")


def test_many_to_many_is_said_once_with_its_keys():
    left, right = visits(["N", "n", "s", "x"]), beds(["n", "n", "n", "s", "s"], [1] * 5, [1] * 5)
    plan = plan_of(left, right)
    with pytest.warns(JoinWarning, match=r"1 key repeats on both sides, such as 'n' \(2 x 3 rows\); 4 rows become 9"):
        plan.to_pandas()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plan.to_pandas()
        plan.with_many("aggregate").to_pandas()
        plan_of(left.drop_duplicates("amount").tail(2), right).to_pandas()  # 1:n is no fault
    assert any("many-to-many" in line for line in plan.code("pandas").splitlines()[:2])


def test_rows_that_drop_are_said_with_their_keys():
    left, right = visits(["n", "x", None]), beds(["n", "q"], [1, 1], [1, 1])
    assert plan_of(left, right).warnings == []
    [said] = plan_of(left, right, "inner").warnings
    assert "2 rows drop of visits" in said or "2 rows of visits" in said or "2 rows drop" in said
    assert "'x'" in said and 'how="left"' in said


def test_composite_keys_are_named_by_their_parts():
    left = pd.DataFrame({"a": ["x:1", "x:1"], "b": [1, 1]})
    plan = CompositePlan(Side.frame(left, "l"), Side.frame(left.copy(), "r"), ["a", "b"], ["a", "b"], "left")
    assert "('x:1', '1') (2 x 2 rows)" in plan.warnings[0]


def test_a_hit_joins_at_the_grain_that_is_asked_for(tmp_path):
    pd.DataFrame({"code": list("aabbc"), "paid": range(5)}).to_csv(tmp_path / "paid.csv", index=False)
    found = lv.open(tmp_path, store=tmp_path / "store")
    found.index(engine="local")
    asked = pd.DataFrame({"code": list("abcz"), "n": range(4)})
    plan = found.search(asked, "code")[0].join(many={"paid": "sum"})
    assert quiet(plan)["paid_sum"].tolist()[:3] == [1, 5, 4] and math.isnan(quiet(plan)["paid_sum"].iloc[3])
    assert plan.many == {"paid": "sum"}
