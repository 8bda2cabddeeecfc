"""Missing values are named, where they may be and are few enough to be read."""

from __future__ import annotations

import re

import pandas as pd
import pytest

import lakeview as lv
from lakeview.notebook.output.hit_rows import hit_row
from lakeview.notebook.widgets.explore_rows import hit_details

CODES = [f"{a}{b}{c}" for a in "ABCD" for b in "KLMN" for c in "VWXY"]


def first(theirs: list[str], mine: list[str] = CODES):
    lake = lv.open({"airports": pd.DataFrame({"faa": theirs, "name": range(len(theirs))})})
    lake.index(engine="local")
    hits = lake.search(pd.DataFrame({"dest": mine}), "dest")
    return hits, hits[0]


@pytest.mark.parametrize(("left", "named", "rest"), [(3, 3, ""), (4, 4, ""), (6, 3, " and 3 more")])
def test_few_are_named(left: int, named: int, rest: str) -> None:
    hits, hit = first(CODES[:-left])
    names = ", ".join(["(DMX|DMY|DN[VWXY])"] * named)
    assert any(re.fullmatch(f"no {names}{rest}", said) for said in hit_row(0, hit)["con"])
    assert any(re.fullmatch(f"not in `faa`: {names}{rest}", said) for said in hit_details(hit, hits.query)["con"])
    counted = f"{left} codes missing"
    assert counted in hit_row(0, hit, values=False)["con"], "values that may not be shown are counted"


def test_many_are_counted_in_the_row_and_named_in_the_open_one() -> None:
    hits, hit = first(CODES[:-20])
    assert "20 codes missing" in hit_row(0, hit)["con"]
    assert any(re.fullmatch("not in `faa`: .* and 17 more", said) for said in hit_details(hit, hits.query)["con"])


def test_names_with_commas_are_told_apart() -> None:
    people = [f"{last}, {first}" for last in ("Roe", "Ott", "Lang", "Kern", "Beck") for first in ("Ann", "Ben", "Cem")]
    _, hit = first(people[:-2], people)
    named = {"no Beck, Ben; Beck, Cem", "no Beck, Cem; Beck, Ben"}
    assert named & set(hit_row(0, hit)["con"])
