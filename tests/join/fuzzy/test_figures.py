"""Numbers that contradict each other: such texts are no partners where a precision is asked for."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lakeview as lv
from lakeview.join.fuzzy.figures import Figures, agree

TEXT = st.text("ab 0123,", max_size=12)


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=8))
def test_numbers_agree_where_one_text_has_all_of_the_other(pairs: list[tuple[str, str]]):
    def numbers(text: str) -> set[str]:
        whole = re.sub(r"(?<![0-9])([0-9]{1,3}(?:,[0-9]{3})+)(?![0-9])", lambda m: m[0].replace(",", ""), text)
        return {number.lstrip("0") for number in re.findall("[0-9]+", whole)}

    left, right = (Figures.of(pa.array([pair[side] for pair in pairs])) for side in (0, 1))
    places = np.arange(len(pairs))
    wanted = [numbers(a) <= numbers(b) or numbers(b) <= numbers(a) for a, b in pairs]
    assert agree(left, right, places, places).tolist() == wanted


STEMS = ["Harbour Road", "Mill Lane", "Station Street", "Chapel Hill", "Abbey Gardens", "Orchard Close", "Castle Walk",
         "Victoria Avenue", "Windsor Terrace", "Bishops Court", "Market Square", "Priory Green"]  # fmt: skip
KINDS = {
    "ordinals": [f"{n}th {stem}" for n in (4, 5, 6, 7) for stem in STEMS],
    "years": [f"{stem} Festival {year}" for year in (2016, 2018, 2020) for stem in STEMS],
    "models": [f"{stem} Pro {n}" for n in (11, 12, 14) for stem in STEMS],
    "rooms": [f"Room {n:03d}, {stem}" for n in (101, 102, 117) for stem in STEMS],
    "sizes": [f"{stem} {n} ml bottle" for n in (250, 330, 500) for stem in STEMS],
    "versions": [f"{stem} release {a}.{b}" for a, b in ((1, 2), (1, 3), (2, 1)) for stem in STEMS],
}


def misspelt(text: str) -> str:
    """Two letters of its longest word change places."""
    word = max(re.findall("[A-Za-z]+", text), key=len)
    return text.replace(word, word[:2] + word[3] + word[2] + word[4:], 1)


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_that_contradict_never_join(kind: str):
    right = KINDS[kind]
    kept = [text for i, text in enumerate(right) if i % 3]  # a third of the left has no counterpart
    left = pd.DataFrame({"name": [misspelt(text) for text in right]})
    plan = lv.fuzzy_join(left, pd.DataFrame({"name": kept}), on="name", precision=0.9, how="inner")
    joined = [(right[a], kept[b]) for a, b in plan.pairs[["left", "right"]].to_numpy()]
    assert all(re.findall("[0-9]+", a) == re.findall("[0-9]+", b) for a, b in joined)
    assert len(joined) >= len(kept) // 4, plan.explain()
    scope = {"left": left, "right": pd.DataFrame({"name": kept})}
    exec(plan.code("pandas"), scope)
    assert len(scope["left_right"]) == len(joined)
    by_threshold = plan.at(plan.threshold)
    assert by_threshold.pairs.equals(plan.pairs)


def test_a_threshold_asks_for_no_numbers():
    plan = lv.fuzzy_join(["games of 2021"], ["games of 2020"], threshold=0.6)
    assert len(plan.pairs) == 1
