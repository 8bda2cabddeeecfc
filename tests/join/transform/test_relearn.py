"""Learning again from corrections: a program that serves them, exceptions where none does, keys that join no more."""

from __future__ import annotations

import pandas as pd
import pytest

import lakeview as lv

PEOPLE = ["Mara Quist", "Ivo Dahl", "Tess Renner", "Olu Adeyemi", "Sana Mirza", "Pia Kern", "Hugo Brandt",
          "Lena Sorensen", "Abel Costa", "Nadia Petrova"]  # fmt: skip


def tables() -> tuple[pd.DataFrame, pd.DataFrame]:
    source = pd.DataFrame({"person": ["{1}, {0}".format(*n.split()) for n in PEOPLE] + ["Carter, James Earl"]})
    return source, pd.DataFrame({"name": [*reversed(PEOPLE), "JC Plains"]})


def pairs(plan) -> dict[int, int]:  # type: ignore[no-untyped-def]
    return dict(plan.pairs.to_numpy().tolist())


def test_an_exception_by_hand():
    plan = lv.auto_join(*tables())[0]
    assert 10 not in pairs(plan)
    again = plan.learn_again({10: "JC Plains"})
    assert pairs(again) == {**{i: 9 - i for i in range(10)}, 10: 10}
    scope = dict(zip(("source", "target"), tables(), strict=True))
    exec(again.code("pandas"), scope)
    assert scope["source_target"]["name"].tolist() == again.to_pandas()["name"].tolist()
    assert "near key" in again.program


def test_a_correction_leads_to_a_program():
    """Rows written in another way join by one program more, learned from one correction."""
    source, target = tables()
    source = pd.DataFrame({"person": [*source["person"], *[f"{n.split()[0]} <{n.split()[1]}>" for n in PEOPLE[:2]]]})
    plan = lv.auto_join(source, target)[0]
    plan = type(plan)(plan.left, plan.right, plan.programs[:1], plan.key)
    assert 11 not in pairs(plan)
    again = plan.learn_again({11: "Mara Quist", 12: "Ivo Dahl"})
    assert {row: pairs(again)[row] for row in (0, 11, 12)} == {0: 9, 11: 9, 12: 8}


def test_a_wrong_pair_joins_no_more():
    plan = lv.auto_join(*tables())[0]
    again = plan.learn_again({}, wrong=[3])
    assert pairs(again) == {i: 9 - i for i in range(10) if i != 3}
    scope = dict(zip(("source", "target"), tables(), strict=True))
    exec(again.code("pandas"), scope)
    assert scope["source_target"]["name"].isna().sum() == 2


def test_what_cannot_be_corrected():
    plan = lv.auto_join(*tables())[0]
    with pytest.raises(lv.InputError, match="not a key"):
        plan.learn_again({10: "Nobody"})
    with pytest.raises(lv.InputError, match="no row 99"):
        plan.learn_again({99: "JC Plains"})


@pytest.mark.spark
def test_corrections_on_spark(spark):
    source, target = tables()
    plan = lv.auto_join(source, target, how="inner")[0].learn_again({10: "JC Plains"}, wrong=[3])
    wanted = sorted(map(tuple, plan.to_pandas().to_numpy().tolist()))
    assert len(wanted) == 10
    assert sorted(map(tuple, plan.to_spark(spark).collect())) == wanted
    for name, table in (("source", source), ("target", target)):
        spark.createDataFrame(table).createOrReplaceTempView(name)
    assert sorted(map(tuple, [spark.sql(s) for s in plan.statements()][-1].collect())) == wanted
