"""Chance overlaps: letters against the book, rarity in bits."""

from __future__ import annotations

import numpy as np
import pytest

from lakeview.evidence import chance
from lakeview.evidence.names import words


def letters(length: int, n: float) -> np.ndarray:
    found = np.zeros((4, 1))
    found[length - 1] = n
    return found


def test_three_letter_codes_meet_as_in_the_book():
    # 105 codes against 5,853 of 26**3: about 35.
    assert 105 * chance.of_letters(letters(3, 1.0)[:, 0], letters(3, 5853))[0] == pytest.approx(35, abs=0.5)
    assert chance.of_letters(letters(3, 1.0)[:, 0], letters(2, 500))[0] == 0


def test_numbers_spread_evenly_hold_their_share_of_what_lies_between_their_bounds():
    low, high = np.array([1.0, 1.0, np.inf]), np.array([1000.0, 10.0, -np.inf])
    assert chance.evenly(np.array([500, 10, 0]), low, high).tolist() == [0.5, 1.0, 0.0]


def test_evidence_counts_rarity():
    bits = chance.rarity(np.array([0, 1, 2, 512, 10**6]), 2048)
    assert bits.tolist() == [11, 11, 10, 2, 0]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("customerIDs", {"customer", "id"}), ("order_items", {"order", "item"}), ("class", {"class"}),
        ("X1", {"x", "1"}),
        ("", set()),
    ],
)  # fmt: skip
def test_words(name, found):
    assert words(name) == found
