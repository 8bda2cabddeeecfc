"""Values that a column might as well have had: as dense where the column is, and blind to outliers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from lakeview import values
from lakeview.evidence import standins


def tokens(texts) -> np.ndarray:
    return np.unique(values.hash_strings(pa.array([str(t) for t in texts])))


def held(asked, column) -> float:
    """Share of the asked values that the column would hold by chance."""
    numbers = [float(n) for n in asked if str(n).replace(".", "").isdigit()]
    integers = sum(n == int(n) for n in numbers)
    found, share = standins.standins(tokens(asked), min(numbers, default=0), max(numbers, default=0), integers)
    assert (np.diff(found.astype(object)) > 0).all()
    return float(np.isin(found, tokens(column)).mean()) * share if len(found) else 0.0


def test_row_numbers_lie_in_row_numbers_whatever_stands_beside_them():
    assert held(range(1, 201), range(1, 301)) == 1.0
    assert held(range(1, 201), [*range(1, 301), 5_000_000]) == 1.0
    assert held([*range(1, 201), 5_000_000], range(1, 301)) > 0.95


@pytest.mark.parametrize("step", [2, 5, 10])
def test_numbers_meet_as_often_as_random_draws(step):
    rng = np.random.default_rng(7)
    column = range(0, 20_000, step)
    asked = rng.choice(20_000, 300, replace=False)
    assert held(asked, column) == pytest.approx(1 / step, abs=0.08)


def test_a_gap_beside_what_is_asked_counts_there_alone():
    assert held(range(100, 200), [*range(100, 150), *range(1000, 9000)]) == pytest.approx(0.5, abs=0.02)


def test_decimals_of_one_digit_meet_those_of_one_digit():
    tenths = [f"{n / 10:.1f}".removesuffix(".0") for n in range(1, 400)]
    assert held(tenths[::7], tenths) > 0.9


def test_prices_and_days():
    prices = [f"{n / 100:.2f}".rstrip("0").rstrip(".") for n in range(1, 3000, 7)]
    assert held(prices, [f"{n / 100:.2f}".rstrip("0").rstrip(".") for n in range(0, 3000)]) > 0.95
    days = [f"2021-{m:02d}-{d:02d}" for m in range(1, 13) for d in (3, 17)]
    every = [f"2021-{m:02d}-{d:02d}" for m in range(1, 13) for d in range(1, 29)]
    assert held(days, every) > 0.85
    assert held(days, [f"1931-{m:02d}-01" for m in range(1, 13)]) == 0


def test_numbers_beyond_the_tables_are_taken_as_spread_evenly():
    asked = range(10**9, 10**9 + 1000)
    assert held(asked, asked) == 1.0
    assert held(range(10**9, 10**9 + 10**6, 1000), asked) < 0.05


def test_text_has_none():
    found, share = standins.standins(tokens(["oslo", "rome"]), np.inf, -np.inf, 0)
    assert len(found) == 0 and share == 0.0


def test_round_numbers_stand_for_round_numbers():
    """Heights in fifties would meet any list of fifties, however few of all numbers these are."""
    heights = np.array([6_500, 7_200, 8_150, 8_300])
    assert standins.unit(heights, False) == 50
    assert not (standins.spread(heights, 64, standins.unit(heights, False)) % 50).any()
    assert standins.unit(np.array([6_500, 7_201]), False) == 1 and standins.unit(np.array([500]), False) == 1
    assert standins.unit(np.array([120, 250]), True) == 10 and standins.unit(np.array([125, 250]), True) == 1
