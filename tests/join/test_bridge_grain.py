"""One row each through a bridge: the maps multiply none, and of the last table's rows a key has one."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import lakeview as lv
from lakeview.errors import InputError, NotFound
from lakeview.join.bridge import BridgePlan
from lakeview.join.lookup import Lookup
from lakeview.join.side import Side

pytestmark = pytest.mark.filterwarnings("ignore::lakeview.JoinWarning")

STATES = {"Texas": "TX", "Maine": "ME", "Ohio": "OH", "Utah": "UT"}
FAIRS = pd.DataFrame({
    "code": ["tx", "TX", "OH", "tx", "ZZ", "UT"], "guests": [10, 14, 12, 11, 13, 7],
    "day": ["2024-03-05", "2024-03-09", "2024-03-01", "2024-03-07", "2024-03-02", "2024-03-03"],
})  # fmt: skip
MANY: list[Any] = ["first", "last", "latest", "aggregate", "list", {"guests": "sum", "day": "max"}]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("fairs")
    pd.DataFrame({"name": STATES.keys(), "code": STATES.values()}).to_csv(folder / "states.csv", index=False)
    FAIRS.to_csv(folder / "fairs.csv", index=False)
    made = lv.open(folder)
    made.index(engine="local")
    return made


def orders() -> pd.DataFrame:
    return pd.DataFrame({"id": range(6), "state": ["texas", "Ohio", None, "Maine", "Atlantis", "TEXAS"]})


def plan_of(lake: Any, left: pd.DataFrame, how: str = "left", right: Side | None = None) -> BridgePlan:
    lookups = [Lookup(lake.side("states.csv"), "name", "code")]
    return BridgePlan(Side.frame(left, "orders"), right or Side.frame(FAIRS, "fairs"), "state", "code", lookups, how)


def by_hand(many: Any, how: str) -> pd.DataFrame:
    """The fairs of each order, found by pandas alone: its id, the guests, the day."""
    codes = {name.lower(): code for name, code in STATES.items()}
    left = pd.DataFrame({"id": orders()["id"], "key": [codes.get(str(s).lower()) for s in orders()["state"]]})
    right = FAIRS.assign(key=FAIRS["code"].str.upper())
    if many == "latest":
        right = right.sort_values("day", kind="stable")
    if many in ("first", "last", "latest"):
        right = right.drop_duplicates("key", keep="first" if many == "first" else "last")
    else:
        hows = (list, list) if many == "list" else ("sum", "max")
        right = right.groupby("key", as_index=False, sort=False).agg(
            guests=("guests", hows[0]), day=("day", hows[1]))  # fmt: skip
    return left.merge(right, on="key", how=how)[["id", "guests", "day"]]


def cells(frame: pd.DataFrame) -> list[tuple[str, ...]]:
    return [tuple("" if str(v) in ("nan", "None") else f"{v:g}" if isinstance(v, float) else str(v) for v in row)
            for row in frame.itertuples(index=False, name=None)]  # fmt: skip


@pytest.mark.parametrize("how", ["left", "inner"])
@pytest.mark.parametrize("many", MANY, ids=str)
def test_the_rows_are_those_of_pandas(lake: Any, many: Any, how: str) -> None:
    left = orders()
    plan = plan_of(lake, left, how).with_many(many)
    found, counts = plan.to_pandas(), plan.counts()
    names = {"guests": "guests_list", "day": "day_list"} if many == "list" else (
        {} if many in ("first", "last", "latest") else {"guests": "guests_sum", "day": "day_max"})  # fmt: skip
    mine = [names.get(name, name) for name in ("id", "guests", "day")]
    assert cells(found[mine]) == cells(by_hand(many, how))
    assert (counts.rows_out, counts.max_fanout, counts.left_matched) == (len(found), 1, 3)
    assert len(found) == (6 if how == "left" else 3) and "many-to-many" not in str(plan.warnings)
    if many == "aggregate":
        assert found["fairs_rows"].tolist() == ([3, 1, 0, 0, 0, 3] if how == "left" else [3, 1, 3])
    assert plan.many == many and (plan.when == "day") == (many == "latest")
    assert cells(plan.preview(2)) == cells(found.head(2))
    scope: dict[str, Any] = {"orders": left, "fairs": FAIRS}
    exec(plan.code(), scope)
    pd.testing.assert_frame_equal(list(scope.values())[-1], found)
    assert scope["orders"] is left and scope["fairs"] is FAIRS


@pytest.mark.parametrize("many", ["first", "aggregate", {"guests": "mean"}], ids=str)
def test_code_reads_the_last_table_and_keeps_its_rows_one_each(lake: Any, many: Any) -> None:
    left = orders()
    plan = plan_of(lake, left, right=lake.side("fairs.csv")).with_many(many)
    scope: dict[str, Any] = {"orders": left}
    exec(plan.code(), scope)
    pd.testing.assert_frame_equal(list(scope.values())[-1], plan.to_pandas())
    assert len(plan.to_pandas()) == 6 and 'validate="many_to_one"' in plan.code()


def test_it_is_the_same_way_with_another_grain(lake: Any) -> None:
    """Whatever was looked at before: what a plan keeps of itself is not another one's."""
    plan = plan_of(lake, orders())
    assert len(plan.to_pandas()) == 10 and len(plan.preview(9)) == 9
    first = plan.with_many("first")
    assert first.with_many("first") is first and plan.with_many() is plan and plan.many == "all"
    assert (len(first.to_pandas()), len(plan.to_pandas()), len(first.with_many().to_pandas())) == (6, 10, 10)
    assert first.steps[0] is plan.steps[0], "the maps are looked up once"
    assert len(first.again("inner").to_pandas()) == 3 and first.again("inner").many == "first"
    fewer = first.again("left", Side.frame(orders().tail(1), "last_one"))
    assert fewer.to_pandas()["guests"].tolist() == [10] and fewer.counts().rows_out == 1
    assert "with the first row of each key" in first.summary and "first row" in repr(first)
    assert set(first.pairs.itertuples(index=False)) == set(plan.pairs.itertuples(index=False))


def test_what_cannot_be_is_said(lake: Any) -> None:
    for how in ("right", "outer"):
        with pytest.raises(InputError, match="one row for each left row"):
            plan_of(lake, orders(), how).with_many("first")
        with pytest.raises(InputError, match="one row for each left row"):
            plan_of(lake, orders()).with_many("first").again(how)
    with pytest.raises(InputError, match="many"):
        plan_of(lake, orders()).with_many("some")
    with pytest.raises(InputError, match="latest"):
        plan_of(lake, orders()).with_many("first", when="day")
    with pytest.raises(NotFound, match="people"):
        plan_of(lake, orders()).with_many({"people": "sum"})


@pytest.mark.spark
def test_spark_gives_the_same_rows_in_all_dialects_one_each(lake: Any, spark: Any) -> None:
    left = orders()
    there = spark.createDataFrame(left.astype(object).where(left.notna(), None))
    there.createOrReplaceTempView("orders")
    fairs = spark.createDataFrame(FAIRS).coalesce(1)
    fairs.createOrReplaceTempView("fairs")
    for many in ("first", "last", "aggregate", {"guests": "sum", "day": "max"}):
        for how in ("left", "inner"):
            plan = plan_of(lake, left, how).with_many(many)
            wanted = sorted(cells(plan.to_pandas()))
            assert sorted(cells(plan.to_spark(spark).toPandas())) == wanted
            scope = {"orders": there, "fairs": fairs, "spark": spark}
            exec(plan.code("pyspark"), scope)
            assert sorted(cells(list(scope.values())[-1].toPandas())) == wanted
            *before, check, joined = plan.statements()
            for statement in before:
                spark.sql(statement)
            assert "assert_true" in check and spark.sql(check).collect()
            assert sorted(cells(spark.sql(joined).toPandas())) == wanted
        on_spark = plan_of(lake, there).with_many(many)
        assert sorted(cells(on_spark.to_pandas())) == sorted(cells(plan_of(lake, left).with_many(many).to_pandas()))
        assert on_spark.counts().rows_out == 6
