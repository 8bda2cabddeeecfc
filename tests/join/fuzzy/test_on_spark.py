"""The same pairs from Spark as from pandas, whichever side lies there."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import lakeview as lv

pytestmark = pytest.mark.spark

LEFT = pd.DataFrame({"name": ["Blue harbor cab", "north pier cafes", None, "dune hotel", "zzz", "N/A", "dune hotez"],
                     "x": range(7)})  # fmt: skip
RIGHT = pd.DataFrame({"name": ["blue harbor caf", "north pier cafet", "", "dune hotex"], "y": list("abcd")})


def rows(frame: pd.DataFrame) -> list[tuple]:
    return sorted(map(tuple, frame.astype(object).where(frame.notna(), None).values.tolist()), key=str)


@pytest.mark.parametrize("cardinality", ["N:1", "N:M"])
@pytest.mark.parametrize("in_spark", ["both", "left", "right"])
def test_pairs_counts_and_result_are_those_of_pandas(spark: Any, in_spark: str, cardinality: str) -> None:
    how: Any = {"threshold": 0.5, "cardinality": cardinality}
    here = lv.fuzzy_join(LEFT, RIGHT, on="name", **how)
    left = LEFT if in_spark == "right" else spark.createDataFrame(LEFT)
    right = RIGHT if in_spark == "left" else spark.createDataFrame(RIGHT)
    plan = lv.fuzzy_join(left, right, on="name", **how)
    expected = here.pairs.assign(left=LEFT.name[here.pairs.left].values, right=RIGHT.name[here.pairs.right].values)
    assert rows(plan.pairs) == rows(expected)
    assert plan.counts() == here.counts()
    assert rows(plan.to_pandas()) == rows(here.to_pandas())
    assert plan.curve.equals(here.curve)
    assert rows(plan.preview(9, matched=True)) == rows(here.preview(9, matched=True))
    assert len(here.preview(9, matched=True)) == len(here.pairs)
    assert rows(here.to_spark().toPandas()) == rows(here.to_pandas())


# Every left name is as like many right ones, every right name as like many left ones, and names come twice.
KINDS = ("dune hotel", "fern cove inn", "salt creek cafe", "north pier")
TIED_LEFT = pd.DataFrame({"name": [f"{kind} {a}" for a in ("ax", "bx", "by", "ax") for kind in KINDS], "x": range(16)})
TIED_RIGHT = pd.DataFrame({"name": [f"{kind} {a}" for a in ("xb", "ya", "xb", "xa") for kind in KINDS], "y": range(16)})


@pytest.mark.parametrize("cardinality", ["N:1", "1:1", "N:M"])
@pytest.mark.parametrize("judged", [False, True])
def test_of_equally_good_rows_the_first_wins_as_here(spark: Any, cardinality: str, judged: bool) -> None:
    made = []
    for left, right in ((TIED_LEFT, TIED_RIGHT), map(spark.createDataFrame, (TIED_LEFT, TIED_RIGHT))):
        plan = lv.fuzzy_join(left, right, on="name", threshold=0.5, cardinality=cardinality, how="inner")
        if judged:
            plan = plan.reject("dune hotel ax", plan.candidates.set_index("left_value").right_value["dune hotel ax"])
            plan = plan.accept("north pier by", "dune hotel ya").accept("fern cove inn bx", "dune hotel xb")
        made.append(rows(plan.to_pandas()))
    assert made[0] == made[1]
    assert len(made[0]) >= 4
    scope = {"left": spark.createDataFrame(TIED_LEFT), "right": spark.createDataFrame(TIED_RIGHT)}
    exec(plan.code("pyspark"), scope)
    assert rows(scope["left_right"].toPandas()) == made[0]


def test_one_to_one_a_lead_and_nothing_found(spark: Any) -> None:
    left, right = spark.createDataFrame(LEFT), spark.createDataFrame(RIGHT)
    how = {"threshold": 0.5, "tokeniser": "both", "measure": "cosine", "lead": 0.1, "how": "inner"}
    for cardinality in ("N:1", "1:1"):
        plan = lv.fuzzy_join(left, right, on="name", cardinality=cardinality, **how)
        here = lv.fuzzy_join(LEFT, RIGHT, on="name", cardinality=cardinality, **how)
        assert rows(plan.to_pandas()) == rows(here.to_pandas())
        assert len(plan.pairs) == (4 if cardinality == "N:1" else 3)
    nothing = lv.fuzzy_join(left.where("x = 4"), right, on="name", precision=0.9)
    assert nothing.threshold is None and nothing.pairs.empty
    assert nothing.counts().rows_out == 1


def test_the_pyspark_code_gives_the_same_rows(spark: Any) -> None:
    for how in ({"threshold": 0.5}, {"threshold": 0.5, "cardinality": "1:1", "how": "inner"}):
        plan = lv.fuzzy_join(LEFT, RIGHT.drop(index=3), on="name", **how)
        right = spark.createDataFrame(RIGHT.drop(index=3))
        scope = {"LEFT": spark.createDataFrame(LEFT), "right": right, "spark": spark}
        exec(plan.code("pyspark"), scope)
        assert rows(scope["LEFT_right"].toPandas()) == rows(plan.to_pandas())
