import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeview.estimate.inclusion import bml, bml_printed, chance, printed_bits, solve, weights
from lakeview.sketch.hyperloglog import registers
from lakeview.sketch.minima import bucket_minima

sizes = st.floats(0, 7).map(lambda e: max(1, round(10**e)))


def below(n, k, m):
    return math.exp(n * math.log1p(-(2.0 ** -(m + k)))) if m + k else float(n == 0)


def reference_chance(t, x, y, m):
    """The paper's case 3 (equation 8) term by term with exact occupancy, over every register value."""
    total = 0.0
    for k in range(0, 65 - m):
        f = [below(n, k, m) for n in (x - t, t, y - t)]
        g = [below(n, k - 1, m) if k else 0.0 for n in (x - t, t, y - t)]
        total += f[0] * (g[1] * (f[2] - g[2]) + (f[1] - g[1]) * g[2] + (f[1] - g[1]) * (f[2] - g[2]))
    return total


def reference_inclusion(share, x, y, m):
    """Bisection on the intersection, the right way round: P grows with it."""
    low, high = 0.0, min(x, y)
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if reference_chance(middle, x, y, m) < share else (low, middle)
    return low / x


@settings(max_examples=60, deadline=None)
@given(sizes, sizes, st.floats(0, 1))
def test_the_papers_three_cases_are_one_sum(x, y, part):
    t = part * min(x, y)
    assert float(chance(np.array([x - t]), weights(np.array([y])))[0]) == pytest.approx(
        reference_chance(t, x, y, 12), abs=1e-9
    )


@settings(max_examples=60, deadline=None)
@given(sizes, sizes, st.integers(0, 4096))
def test_the_solver_agrees_with_a_slow_one(x, y, count):
    share = count / 4096
    missing = solve(np.array([share]), weights(np.array([y])), np.array([float(x)]))[0]
    most = min(x, y) / x
    assert np.clip(1 - missing / x, 0, most) == pytest.approx(reference_inclusion(share, x, y, 12), abs=1e-4)


def pair(rng, x, y, shared):
    tokens = rng.integers(0, 2**64 - 1, x + y - shared, dtype=np.uint64)
    return bucket_minima(tokens[:x]), bucket_minima(tokens[x - shared :])


@pytest.mark.parametrize(
    ("x", "y", "known", "rmse"),
    [
        (300, 3_000, True, 0.05),
        (3_000, 30_000, True, 0.06),
        (50_000, 50_000, False, 0.03),
        (60_000, 6_000, False, 0.04),
    ],
)
def test_bml_is_close_and_its_interval_holds_the_truth(x, y, known, rmse):
    rng = np.random.default_rng(x)
    errors, held, trials = [], 0, 60
    for trial in range(trials):
        shared = int(rng.random() * min(x, y)) if trial % 4 else min(x, y) * (trial % 8 == 0)
        a, b = (registers(minima) for minima in pair(rng, x, y, shared))
        found = bml(a, b, x, y) if known else bml(a, b)
        errors.append(found.value - shared / x)
        held += found.low - 1e-9 <= shared / x <= found.high + 1e-9
    assert np.sqrt(np.mean(np.square(errors))) < rmse
    assert held / trials >= 0.88  # of 60 trials; the benchmark holds it to .93 over thousands


def test_what_is_not_told_from_nothing_is_nothing():
    rng = np.random.default_rng(9)
    found = [bml(*map(registers, pair(rng, 20_000, 20_000, shared=0))) for _ in range(40)]
    assert sum(estimate.value == 0 for estimate in found) >= 36
    assert all(0 < estimate.high < 0.2 for estimate in found)


def test_as_printed_it_is_less_close():
    rng = np.random.default_rng(3)
    printed, mended = [], []
    for _ in range(40):
        shared = int(rng.random() * 3_000)
        a, b = pair(rng, 3_000, 30_000, shared)
        m = printed_bits(3_000, 30_000)
        assert m == 7
        found = bml_printed(registers(a, m), registers(b, m), 3_000, 30_000)
        printed.append(found.value - shared / 3_000)
        mended.append(bml(registers(a), registers(b), 3_000, 30_000).value - shared / 3_000)
        # Theorem 4, with its example mended: at m = 7 the probability is known to .12.
        assert found.low <= shared / 3_000 <= found.high
    assert np.std(printed) > 2 * np.std(mended)


def test_printed_follows_the_papers_figure_2():
    # |X| = |Y| = 10^4: P is about .58 where they are disjoint, .8 at inclusion .62, 1 at 1.
    y = np.array([10_000.0 / 2**0])
    found = chance(np.array([10_000, 3_800, 0.0]), weights(np.repeat(y, 3), 0), 0)
    assert found == pytest.approx([0.58, 0.8, 1.0], abs=0.02)


def test_nothing_in_nothing():
    empty, some = np.zeros(4096, np.uint8), registers(bucket_minima(np.array([1, 2, 3], np.uint64)))
    assert bml(some, empty).value == 0
    assert (bml(empty, some).low, bml(empty, some).high) == (0, 1)
    assert bml(some, some).value == 1
