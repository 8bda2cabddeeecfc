"""Matching rows, against nested loops over canonical text made by a rule written down a second time."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joining import canonical, nested_loops, rows

from lakeview.errors import InputError, NotFound
from lakeview.join.key_column import KeyColumn
from lakeview.join.matching import Matching
from lakeview.join.model import HOWS
from lakeview.join.plan import equi_join
from lakeview.join.side import Side

TEXTS = st.sampled_from(
    ["a", "A", " a ", "b", "b  c", "b c", "B\u00a0C", "5", "5.0", "+5", "05", "-0", "0", "1e3", "", "-", "N/A", "null",
     "NA", "na", "no", "DE", "ｗide", "wide", "é", "e\u0301", "zero\u200bwidth", "zerowidth", "ΟΔΟΣ", "οδοσ", None]
)  # fmt: skip
COLUMN = st.lists(TEXTS, max_size=12)


def frames(left: list, right: list, left_on: str = "k", right_on: str = "k") -> tuple[pd.DataFrame, pd.DataFrame]:
    return (
        pd.DataFrame({"n": range(len(left)), left_on: pd.Series(left, dtype=object)}),
        pd.DataFrame({right_on: pd.Series(right, dtype=object), "n": range(len(right))}),
    )


def plan_of(left: pd.DataFrame, right: pd.DataFrame, left_on: str, right_on: str, how: str, normalize: str = "fold"):
    return equi_join(Side.frame(left, "left"), Side.frame(right, "right"), left_on, right_on, how, normalize)


@given(COLUMN, COLUMN, st.sampled_from(HOWS), st.sampled_from(["fold", "exact"]), st.booleans())
def test_rows_are_those_of_nested_loops(left, right, how, normalize, one_name):
    a, b = frames(left, right, "k", "k" if one_name else "q")
    plan = plan_of(a, b, "k", b.columns[0], how, normalize)
    keys = canonical(left, normalize), canonical(right, normalize)
    expected = nested_loops(a, b, "k", b.columns[0], how, *keys)
    assert rows(plan.to_pandas()) == expected
    assert plan.counts().rows_out == len(expected)


@given(COLUMN, COLUMN, st.sampled_from(HOWS))
def test_counts_and_pairs_are_those_of_nested_loops(left, right, how):
    a, b = frames(left, right)
    plan = plan_of(a, b, "k", "k", how)
    of_left, of_right = canonical(left), canonical(right)
    met = [(i, j) for i, x in enumerate(of_left) for j, y in enumerate(of_right) if x is not None and x == y]
    assert list(plan.pairs.itertuples(index=False, name=None)) == met
    counts = plan.counts()
    assert (counts.left_rows, counts.right_rows) == (len(left), len(right))
    assert counts.left_matched == len({i for i, _ in met})
    assert counts.right_matched == len({j for _, j in met})
    assert counts.max_fanout == max((sum(i == other for other, _ in met) for i in range(len(left))), default=0)


@given(COLUMN, COLUMN, st.sampled_from(HOWS), st.integers(0, 30))
def test_a_preview_is_the_beginning_of_the_result(left, right, how, n):
    a, b = frames(left, right)
    whole = rows(plan_of(a, b, "k", "k", how).to_pandas())
    preview = plan_of(a, b, "k", "k", how).preview(n)
    assert rows(preview) == whole[:n]
    assert list(preview.index) == list(range(len(preview)))
    if how in ("left", "inner"):
        inner = rows(plan_of(a, b, "k", "k", "inner").to_pandas())
        assert rows(plan_of(a, b, "k", "k", how).preview(n, matched=True)) == inner[:n]


def test_a_preview_matches_no_more_left_rows_than_it_needs(monkeypatch):
    asked = []
    whole = KeyColumn.rows
    monkeypatch.setattr(KeyColumn, "rows", lambda self, a, b: asked.append((a, b)) or whole(self, a, b))
    a, b = frames([f"k{i}" for i in range(100_000)], ["k0", "k1", "k2"])
    assert len(plan_of(a, b, "k", "k", "left").preview(20)) == 20
    assert asked == [(0, 20)]


def test_a_preview_looks_at_all_of_a_column_for_namibia():
    """The first rows hold NA alone; that it is a value shows further down."""
    a, b = frames(["NA"] * 50 + ["no", "de", "fr"], ["NA", "NO", "ZA"])
    assert plan_of(a, b, "k", "k", "inner").preview(3)["n_right"].tolist() == [0, 0, 0]
    held = {4: "NA", 13: "no", 40: "NA"}  # in three pieces, none in the first
    a, b = frames([held.get(i, "de") for i in range(60)], ["NA", "NO", "ZA"])
    assert plan_of(a, b, "k", "k", "inner").preview(3)["n"].tolist() == [4, 13, 40]


def test_a_huge_fan_out_is_counted_without_the_join():
    same = pd.DataFrame({"k": ["x"] * 1_000_000})
    counts = plan_of(same, same, "k", "k", "left").counts()
    assert counts.rows_out == 10**12
    assert counts.max_fanout == 10**6
    assert len(plan_of(same, same, "k", "k", "left").preview(20)) == 20


def test_keys_are_compared_as_text_not_by_their_hash(monkeypatch):
    from lakeview.values import tokens

    monkeypatch.setattr(tokens, "hash_strings", lambda array: np.zeros(len(array), np.uint64))
    a, b = frames(["x", "y"], ["y", "z"])
    assert plan_of(a, b, "k", "k", "inner").pairs.values.tolist() == [[1, 0]]


@pytest.mark.parametrize("chunks", [1, 3])
def test_long_strings_and_many_chunks(chunks):
    long = "x" * 1_000_000
    column = pa.chunked_array([[long, "a"]] * chunks)
    matching = Matching(KeyColumn([column], "exact"), pa.array([long, "b"], pa.large_string()))
    assert matching.pairs()[0].tolist() == [2 * i for i in range(chunks)]


@pytest.mark.parametrize("left", [[5, 6, 7], [5.0, 6.0, None], ["5", "+6.0", "07"], pd.array([5, None, 6], "Int64")])
def test_numbers_meet_whatever_their_type(left):
    right = pd.DataFrame({"k": ["5.00", "6", "007"], "v": range(3)})
    found = plan_of(pd.DataFrame({"k": left}), right, "k", "k", "inner").to_pandas()
    assert found["v"].tolist() == [0, 1]


def test_what_cannot_be_asked_for_is_refused_in_one_line():
    a, b = frames(["x"], ["x"])
    with pytest.raises(InputError, match="how is one of 'left', 'inner', 'right', 'outer', not 'cross'"):
        plan_of(a, b, "k", "k", "cross")
    with pytest.raises(InputError, match='normalize is "fold" or "exact"'):
        plan_of(a, b, "k", "k", "left", "loose")
    with pytest.raises(NotFound, match="left has no column 'q'; it has 'n', 'k'"):
        plan_of(a, b, "q", "k", "left")
    with pytest.raises(InputError, match="dialect is one of"):
        plan_of(a, b, "k", "k", "left").code("r")
    with pytest.raises(InputError, match="not -1"):
        plan_of(a, b, "k", "k", "left").preview(-1)
