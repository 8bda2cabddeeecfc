"""The parts of a recipe: what no sound one holds is refused where it stands, and a frame is known by what is in it."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

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
