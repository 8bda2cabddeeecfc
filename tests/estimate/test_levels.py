import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeview.estimate import levels
from lakeview.estimate.inclusion import bml
from lakeview.estimate.joint import Sketch, compare
from lakeview.sketch.hyperloglog import registers
from lakeview.sketch.minima import bucket_minima


def of_tokens(n, m, top):
    """P(V = k) of n tokens: n times at least k and not n times less."""
    at_most = [(1 - 2.0 ** -(m + k)) ** n if m + k else float(n == 0) for k in range(top + 1)]
    return np.diff(at_most, prepend=0.0)


def slowly(a, b, x, y, t, m):
    """The log likelihood by summing over all that A = X without T, B and T can show in a bucket."""
    top = int(max(a.max(), b.max()))
    of_a, of_b, of_t = (of_tokens(n, m, top) for n in (x - t, y - t, t))
    chance = np.zeros((top + 1, top + 1))
    for i in range(top + 1):
        for j in range(top + 1):
            for k in range(top + 1):
                chance[max(i, k), max(j, k)] += of_a[i] * of_b[j] * of_t[k]
    return float(np.log(chance[a, b]).sum())


@settings(max_examples=25)
@given(st.integers(1, 40), st.integers(1, 40), st.floats(0, 1), st.integers(2, 5), st.integers(0, 2**32))
def test_the_likelihood_is_that_of_all_ways_to_show_the_registers(only_a, only_b, part, m, seed):
    shared = max(1, int(part * 40))
    tokens = np.random.default_rng(seed).integers(2**48, 2**64 - 1, only_a + shared + only_b, dtype=np.uint64)
    x, y = only_a + shared, only_b + shared
    a, b = registers(bucket_minima(tokens[:x]), m), registers(bucket_minima(tokens[only_a:]), m)
    found = levels.likelihood(a, b, float(x), float(y))(np.array([0.0, shared, shared / 2]))
    expected = [slowly(a, b, x, y, t, m) for t in (0.0, shared, shared / 2)]
    assert found - found[1] == pytest.approx(np.array(expected) - expected[1], abs=1e-6)


def test_what_cannot_be_is_far_less_likely():
    a = registers(bucket_minima(np.array([1 << 60, 1 << 61], np.uint64)))
    b = registers(bucket_minima(np.array([1 << 60], np.uint64)))
    of = levels.likelihood(a, b, 2.0, 1.0)
    assert of(np.array([1.0]))[0] > of(np.array([0.5]))[0]
    assert levels.likelihood(a, b[::-1], 2.0, 1.0)(np.array([1.0]))[0] < of(np.array([0.0]))[0] - 50
    assert math.isfinite(of(np.array([0.0]))[0])


@pytest.mark.parametrize(("x", "y"), [(8_000, 8_000), (6_000, 60_000), (60_000, 6_000)])
def test_all_registers_tell_more_than_the_count(x, y):
    rng = np.random.default_rng(x)
    errors = []
    for trial in range(60):
        shared = int(rng.random() * min(x, y) * (trial % 3 > 0) * 0.4)
        tokens = rng.integers(0, 2**64 - 1, x + y - shared, dtype=np.uint64)
        a, b = (
            Sketch(np.empty(0, np.uint64), registers(bucket_minima(part)))
            for part in (tokens[:x], tokens[x - shared :])
        )
        found = compare(a, b).containment.value, bml(a.registers, b.registers).value
        errors.append(np.abs(np.array(found) - shared / x))
    by_all, by_count = np.mean(errors, axis=0)
    assert by_all < 0.8 * by_count
