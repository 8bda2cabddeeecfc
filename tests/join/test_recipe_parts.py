"""The parts of a recipe: what no sound one holds is refused where it stands, and a frame is known by what is in it."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

import lakeview as lv
from lakeview.errors import InputError
from lakeview.join.plan import equi_join
from lakeview.join.recipe import steps
from lakeview.join.recipe.inputs import checksum
from lakeview.join.recipe.kept import telling
from lakeview.join.side import Side

LEFT, RIGHT = pd.DataFrame({"k": ["a", "b"]}), pd.DataFrame({"key": ["a", "c"], "n": [1, 2]})


def joined(how: str = "left", right: pd.DataFrame = RIGHT) -> Any:
    return equi_join(Side.frame(LEFT, "left"), Side.frame(right, "right"), "k", right.columns[0], how)


def test_rows_without_a_match_are_told_apart_in_some_left_joins_alone():
    found = {"without": ["key", "n"], "unmatched": True}
    assert steps.kept(found, plan := joined()).of(plan.to_pandas())["k"].tolist() == ["b"]
    for other in (joined("outer"), joined(right=RIGHT.rename(columns={"key": "k"}))):
        with pytest.raises(InputError, match="cannot be told apart"):
            steps.kept({"without": ["n"], "unmatched": True}, other)


STREETS = [f"{n}th street clinic, {town}" for n in (4, 5, 6) for town in ("Bonn", "Rome", "Oslo", "Lima", "Kiel")]
WORN = [name.replace("clinic", "klinic") for name in STREETS]
FUZZY = {
    "numbers part pairs": lv.fuzzy_join(WORN, STREETS, precision=0.9, cardinality="N:M").at(0.5),
    "runner-up under the threshold": lv.fuzzy_join(["dune hotel ab"], ["dune hotel ac", "dune hotel xy"],
                                                   threshold=0.66, lead=0.15),
    "judged": lv.fuzzy_join(WORN, STREETS, threshold=0.5, cardinality="1:1").reject(WORN[0], STREETS[0]),
}  # fmt: skip


@pytest.mark.parametrize("plan", FUZZY.values(), ids=FUZZY)
def test_a_fuzzy_join_is_read_as_it_was_written(plan: Any):
    again: Any = steps.plan(json.loads(json.dumps(steps.written(plan.join))), plan.left, plan.right)
    assert again.configuration == plan.configuration and again.judgements == plan.judgements
    pd.testing.assert_frame_equal(again.to_pandas(), plan.to_pandas())
    assert steps.plan_of(plan.join).counts() == plan.counts()


def test_a_recipe_of_before_has_neither_floor_nor_numbers():
    plan = FUZZY["judged"]
    data = {key: value for key, value in steps.written(plan.join).items() if key not in ("floor", "numbers")}
    assert steps.plan(data, plan.left, plan.right).configuration.floor == 0.5
    for wrong in ({"floor": -1}, {"floor": "x"}, {"numbers": 1}):
        with pytest.raises(InputError):
            steps.plan(data | wrong, plan.left, plan.right)


def test_a_count_of_its_keys_tells_whether_a_row_met_any():
    assert telling(joined().with_many({"key": "count"}).join) == "key_count"
    assert telling(joined().with_many({"key": "max"}).join) is None


@pytest.mark.parametrize("columns", [["a"], ["a", "a"], ["a", "b", "c"]])
def test_a_map_has_two_columns(columns: list[str]):
    data = {"source": "key", "target": "n", "normalize": "fold", "columns": columns}
    with pytest.raises(InputError, match="has two columns"):
        steps.made_map(data, Side.frame(RIGHT, "right"), "map")


def test_a_program_reads_a_column():
    data = {"columns": ["k"], "operators": [{"constant": "x"}]}
    with pytest.raises(InputError, match="reads no column"):
        steps.program(data, Side.frame(LEFT, "left"))


def test_a_join_through_programs_has_one():
    key = {"columns": ["key"], "operators": [{"column": 0}]}
    data = {"kind": "program", "how": "left", "normalize": "fold", "reverse": False, "near": [], "programs": [],
            "key": key, "refused": []}  # fmt: skip
    with pytest.raises(InputError, match="has one at least"):
        steps.plan(data, Side.frame(LEFT, "left"), Side.frame(RIGHT, "right"))


def test_a_list_has_an_end(monkeypatch: pytest.MonkeyPatch):
    data = steps.written(joined().join)
    monkeypatch.setattr(steps, "MOST", 0)
    with pytest.raises(InputError, match="at most 0 entries"):
        steps.plan(data, Side.frame(LEFT, "left"), Side.frame(RIGHT, "right"))


def test_a_column_that_json_would_take_for_another_is_refused():
    right = RIGHT.set_axis([True, "n"], axis=1)
    with pytest.raises(InputError, match="cannot write the column True"):
        steps.written(joined(right=right).join)


def test_a_frame_has_another_checksum_by_another_name_or_value():
    frames = [RIGHT, RIGHT.rename(columns={"n": "m"}), RIGHT.replace("a", ""), RIGHT.replace("a", None)]
    assert len(set(map(checksum, frames))) == 4
    assert checksum(RIGHT.copy()) == checksum(RIGHT)
