"""A join through maps: its rows, its counts and its code are those of looking each value up."""

from __future__ import annotations

import pandas as pd
import pytest

import lakeview as lv
from lakeview.errors import InputError, LakeChanged
from lakeview.join.bridge import BridgePlan, Map
from lakeview.join.lookup import Lookup
from lakeview.join.side import Side

STATES = {"Texas": "TX", "Maine": "ME", "Ohio": "OH", "Utah": "UT", "Iowa": "IA"}
CAPITALS = {"TX": "Austin", "ME": "Augusta", "OH": "Columbus", "UT": "Salt Lake City", "IA": "Des Moines"}
HOWS = ("left", "inner", "right", "outer")


def write(tmp_path):
    (tmp_path / "other").mkdir()
    lines = [f"{name},{code},{n}" for n, (name, code) in enumerate(STATES.items())]
    (tmp_path / "states.csv").write_text("name,code,n\n" + "\n".join([*lines, "Nowhere,,9", "Texas,TX,7"]) + "\n")
    (tmp_path / "capitals.csv").write_text("code,capital\n" + "\n".join(f"{c},{x}" for c, x in CAPITALS.items()) + "\n")
    rows = [("Austin", 10), ("austin", 11), ("Des Moines", 12), ("Paris", 13)]
    (tmp_path / "fairs.csv").write_text("town,guests\n" + "\n".join(f"{t},{g}" for t, g in rows) + "\n")
    (tmp_path / "other" / "states.csv").write_text("code,tax\ntx,6\nME,5\nIA,4\nZZ,1\n")
    return tmp_path


def opened(folder):
    lake = lv.open(folder)
    lake.index(engine="local")
    return lake


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    return opened(write(tmp_path_factory.mktemp("lake")))


def frame():
    return pd.DataFrame({"id": range(6), "state": ["texas", "Iowa", None, "Ohio", "Atlantis", "TEXAS"]})


def to_taxes(lake, left, how="left", name="orders"):
    lookups = [Lookup(lake.side("states.csv"), "name", "code")]
    return BridgePlan(Side.frame(left, name), lake.side("other/states.csv"), "state", "code", lookups, how)


def to_fairs(lake, left, how="left", name="orders"):
    lookups = [Lookup(lake.side("states.csv"), "name", "code"), Lookup(lake.side("capitals.csv"), "code", "capital")]
    return BridgePlan(Side.frame(left, name), lake.side("fairs.csv"), "state", "town", lookups, how)


def looked_up(state):
    return {name.lower(): code for name, code in STATES.items()}.get(str(state).lower())


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("make", [to_taxes, to_fairs])
def test_rows_meet_by_what_their_values_stand_for(lake, make, how):
    left = frame()
    plan = make(lake, left, how)
    right = plan.right.to_pandas((plan.right_on,))
    codes = [looked_up(state) for state in left["state"]]
    wanted = codes if make is to_taxes else [CAPITALS.get(code) for code in codes]
    pairs = {
        (i, j) for i, value in enumerate(wanted) for j, key in enumerate(right[plan.right_on])
        if value is not None and value.lower() == key.lower()
    }  # fmt: skip
    assert set(plan.pairs.itertuples(index=False, name=None)) == pairs
    met, counts = {i for i, _ in pairs}, plan.counts()
    assert (counts.left_rows, counts.left_matched, counts.right_rows) == (6, len(met), len(right))
    alone = (6 - len(met)) * (how in ("left", "outer"))
    right_alone = (len(right) - len({j for _, j in pairs})) * (how in ("right", "outer"))
    result = plan.to_pandas()
    assert len(result) == counts.rows_out == len(pairs) + alone + right_alone
    assert {"id", "state", "code"} <= set(result.columns)
    if how == "inner":
        assert sorted(result["id"]) == sorted(i for i, _ in pairs)
    assert len(plan.preview(2)) == 2


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("make", [to_taxes, to_fairs])
def test_pandas_code_gives_the_same_rows_and_leaves_the_frame_as_it_was(lake, make, how):
    left = frame()
    plan = make(lake, left, how)
    scope = {"orders": left}
    exec(plan.code(), scope)
    pd.testing.assert_frame_equal(list(scope.values())[-1], plan.to_pandas())
    pd.testing.assert_frame_equal(left, frame())
    assert scope["orders"] is left
    assert "lakeview." not in plan.code() and plan.code().startswith("# lakeview: orders.state = ")


@pytest.mark.parametrize("name", ["states", "name_to_code", "capitals", "pd", "states_name_to_code"])
def test_code_keeps_a_frame_that_is_called_like_a_table_or_a_map(lake, name):
    left = frame()
    for make in (to_taxes, to_fairs):
        plan = make(lake, left, name=name)
        scope = {name: left}
        exec(plan.code(), scope)
        assert scope[name] is left
        pd.testing.assert_frame_equal(list(scope.values())[-1], plan.to_pandas())


def test_a_map_with_several_meanings_is_listed_in_code(tmp_path):
    folder = write(tmp_path)
    with (folder / "states.csv").open("a") as file:
        file.write("Ohio,OX,1\nOhio,OH,1\nUtah,UU,3\n")
    left = frame()
    plan = to_taxes(opened(folder), left)
    assert plan.lookups[0].form == "listed"
    scope = {"orders": left}
    exec(plan.code(), scope)
    pd.testing.assert_frame_equal(list(scope.values())[-1], plan.to_pandas())


def test_names_and_values_never_become_code(tmp_path):
    evil = 'x\n"""\'); raise SystemExit #'
    pd.DataFrame({evil: ["Texas", "Ohio", "Ohio", "Ohio"], "a'b": ["T'", "O\\", "O\\", evil]}).to_csv(
        tmp_path / "m.csv", index=False
    )
    pd.DataFrame({"a'b": ["T'", "O\\"], "t": [1, 2]}).to_csv(tmp_path / "t.csv", index=False)
    lake = opened(tmp_path)
    left = pd.DataFrame({evil: ["Texas", "Ohio"]})
    for how in HOWS:
        plan = BridgePlan(Side.frame(left, "left"), lake.side("t.csv"), evil, "a'b",
                          [Lookup(lake.side("m.csv"), evil, "a'b")], how)  # fmt: skip
        scope = {"left": left}
        exec(plan.code(), scope)
        pd.testing.assert_frame_equal(list(scope.values())[-1], plan.to_pandas())
        assert "\n" not in plan.summary and "\n" not in repr(plan)
    with pytest.raises(InputError, match="no way to write the name"):
        plan.code("sql")


def test_a_table_that_changed_is_named(tmp_path):
    folder = write(tmp_path)
    plan = to_taxes(opened(folder), frame())
    plan.counts()
    (folder / "states.csv").write_text("name,code,n\nTexas,XX,1\n")
    for run in (plan.to_pandas, plan.counts, plan.preview, plan.code, lambda: plan.pairs):
        with pytest.raises(LakeChanged, match=r"states\.csv"):
            run()


def test_what_it_is_called(lake):
    plan = to_fairs(lake, frame())
    assert plan.through == "states.csv: name → code, capitals.csv: code → capital"
    assert repr(plan).startswith("BridgePlan(orders.state = fairs.town through states.csv: name → code, capitals.csv")
    assert str(Map("a.csv", "x", "y", 1.0, 1.0)) == "a.csv: x → y"
    assert plan.again("inner").how == "inner" and plan.left_joins().tolist() == [True, True, False, False, False, True]


@pytest.mark.spark
def test_spark_gives_the_same_rows_in_all_dialects(lake, spark):
    left = frame()
    there = spark.createDataFrame(left.astype(object).where(left.notna(), None))
    for make in (to_taxes, to_fairs):
        for how in HOWS:
            plan = make(lake, left, how)
            wanted = _rows(plan.to_pandas())
            assert _rows(plan.to_spark(spark).toPandas()) == wanted
            scope = {"orders": there, "spark": spark}
            exec(plan.code("pyspark"), scope)
            assert _rows(list(scope.values())[-1].toPandas()) == wanted
            there.createOrReplaceTempView("orders")
            for statement in plan.statements():
                found = spark.sql(statement)
            assert _rows(found.toPandas()) == wanted
        plan = make(lake, there)
        assert _rows(plan.to_spark().toPandas()) == _rows(make(lake, left).to_pandas())
        assert _rows(plan.to_pandas()) == _rows(make(lake, left).to_pandas())
        assert plan.counts().left_matched == make(lake, left).counts().left_matched
        assert set(plan.pairs["source"]) == {"texas", "TEXAS", "Iowa"}
        scope = {"orders": there, "spark": spark}
        exec(plan.code("pyspark"), scope)
        assert _rows(list(scope.values())[-1].toPandas()) == _rows(make(lake, left).to_pandas())


def _rows(found):
    """The rows of a frame, in any order; numbers as such, gaps as one."""
    cells = found.astype(object).where(found.notna(), None)
    return sorted(
        [tuple("" if v is None else f"{float(v):g}" if not isinstance(v, str) else v for v in row) for row in
         cells.itertuples(index=False, name=None)]
    )  # fmt: skip
