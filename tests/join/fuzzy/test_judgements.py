"""Pairs accepted and rejected by hand: they stand above the threshold, and correct what is expected."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import lakeview as lv
from lakeview.errors import NotFound
from lakeview.join.fuzzy.explain import bend

LEFT = pd.DataFrame({"name": ["Dune Hotel", "fern cove", "salt creek", "dune hotel"]})
RIGHT = pd.DataFrame({"name": ["dune hotex", "fern cave inn", "pepper creek", "dune motel"]})


def plan(**how: object) -> lv.JoinPlan:
    return lv.fuzzy_join(LEFT, RIGHT, on="name", **({"threshold": 0.6} | how))


def test_accepted_joins_below_the_threshold_and_rejected_never() -> None:
    before = plan()
    assert before.pairs[["left", "right"]].values.tolist() == [[0, 0], [3, 0]]
    judged = before.accept("Salt  Creek", "pepper creek").reject("dune hotel", "dune hotex")
    assert judged.pairs[["left", "right"]].values.tolist() == [[2, 2]]
    assert judged.at(0.9).pairs[["left", "right"]].values.tolist() == [[2, 2]]
    assert judged.joined_at([0.6, 0.9]).tolist() == [1, 1] and judged.counts().left_matched == 1
    assert before.pairs.left.tolist() == [0, 3]  # the old plan is as it was
    assert "judged: 1 right, 1 wrong" in judged.explain()
    assert judged.unjudge("dune hotel", "dune hotex").pairs.left.tolist() == [0, 2, 3]


def test_an_accepted_pair_need_not_be_the_best() -> None:
    moved = plan().accept("dune hotel", "dune motel")
    assert moved.pairs[["left", "right"]].values.tolist() == [[0, 3], [3, 3]]
    again = moved.accept("dune hotel", "dune hotex")
    assert again.pairs.right.tolist() == [0, 0] and len(again.judgements) == 1


def test_what_was_accepted_keeps_its_right_row_from_what_is_more_alike() -> None:
    """One right row to one left row: the accepted one, its first row where it has several; a rejected one never."""
    one = plan(cardinality="1:1").accept("fern cove", "dune hotex")
    assert one.pairs[["left", "right"]].values.tolist() == [[1, 0]]
    assert one.reject("dune hotel", "dune hotex").pairs[["left", "right"]].values.tolist() == [[1, 0]]
    twice = plan(cardinality="1:1").accept("dune hotel", "fern cave inn").accept("fern cove", "dune hotex")
    assert twice.pairs[["left", "right"]].values.tolist() == [[0, 1], [1, 0]]
    freed = plan(cardinality="1:1", threshold=0.3).reject("dune hotel", "dune hotex")
    assert 0 not in freed.pairs.right.tolist()
    for judged in (one, twice):
        scope = {"LEFT": LEFT, "RIGHT": RIGHT}
        exec(judged.code("pandas"), scope)
        pd.testing.assert_frame_equal(scope["LEFT_RIGHT"], judged.to_pandas(), check_dtype=False)


@pytest.mark.parametrize("how", [{}, {"how": "inner"}, {"cardinality": "1:1"}, {"measure": "edit"}])
def test_the_code_carries_them(how: dict) -> None:
    judged = plan(**how).accept("salt creek", "pepper creek").reject("dune hotel", "dune hotex")
    scope = {"LEFT": LEFT, "RIGHT": RIGHT}
    exec(judged.code("pandas"), scope)
    pd.testing.assert_frame_equal(scope["LEFT_RIGHT"], judged.to_pandas(), check_dtype=False)


def test_a_value_that_is_not_there() -> None:
    with pytest.raises(NotFound, match=r"LEFT\.name has no value 'nobody'"):
        plan().accept("nobody", "dune hotex")


def test_judging_moves_what_is_expected() -> None:
    """Each yes makes false matches less likely, each no more, and both the interval narrower; the threshold stays."""
    random = np.random.default_rng(0)
    letters = list("abcdefghij")
    reference = ["".join(random.choice(letters, 9)) for _ in range(300)]
    left = [text[:7] + "zz" for text in reference[:150]] + ["".join(random.choice(letters, 9)) for _ in range(150)]
    before = lv.fuzzy_join(left, reference, precision=0.8)
    rows = before.candidates[before.candidates.similarity < 1].head(8)
    yes, no = before, before
    for row in rows.itertuples():
        yes, no = yes.accept(row.left_value, row.right_value), no.reject(row.left_value, row.right_value)
    assert yes.evidence.shift < 0 < no.evidence.shift
    assert yes.evidence.spread < before.evidence.spread
    where = yes.evidence.joined > 0
    assert (yes.evidence.precision[where] >= before.evidence.precision[where]).all()
    assert (no.evidence.precision[where] <= before.evidence.precision[where]).all()
    assert yes.threshold == before.threshold
    assert yes.advised().threshold <= before.threshold
    assert no.advised().threshold is None or no.advised().threshold >= before.threshold
    assert "times those expected" in no.explain()


def test_the_bend_of_a_curve() -> None:
    at = np.round(np.arange(0.3, 1.01, 0.05), 2)
    pairs = np.where(at < 0.6, 100 * np.exp(30 * (0.6 - at)), 100)
    assert bend(at, pairs) == 0.6
    assert bend(at, np.exp(10 * (1 - at))) is None
    assert bend(at[:2], pairs[:2]) is None


@pytest.mark.spark
def test_spark(spark: object) -> None:
    frames = spark.createDataFrame(LEFT), spark.createDataFrame(RIGHT)  # type: ignore[attr-defined]
    made = lv.fuzzy_join(*frames, on="name", threshold=0.6)
    judged = made.accept("salt creek", "pepper creek").reject("dune hotel", "dune hotex")
    assert judged.pairs[["left", "right"]].values.tolist() == [["salt creek", "pepper creek"]]
