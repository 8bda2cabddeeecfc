import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeview.estimate.interval import Estimate, clopper_pearson, wilson

trials = st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@settings(deadline=None, max_examples=50)
@given(trials)
def test_clopper_pearson_leaves_a_fortieth_of_the_binomial_on_each_side(case):
    binomial = pytest.importorskip("scipy.stats").binom
    a, n = case
    low, high = clopper_pearson(a, n)
    assert 0 <= low <= a / n <= high <= 1
    assert low == 0 if a == 0 else binomial.sf(a - 1, n, low) == pytest.approx(0.025, rel=1e-6)
    assert high == 1 if a == n else binomial.cdf(a, n, high) == pytest.approx(0.025, rel=1e-6)


def test_clopper_pearson_keeps_the_shape_and_solves_each_pair_alone():
    a = np.array([[0, 3], [256, 3]])
    low, high = clopper_pearson(a, 256)
    assert low.shape == high.shape == (2, 2)
    assert (low[0, 1], high[0, 1]) == (low[1, 1], high[1, 1])
    assert (low[0, 1], high[0, 1]) == tuple(float(end) for end in clopper_pearson(3, 256))
    assert low[0, 0] == 0 and high[1, 0] == 1


@settings(deadline=None, max_examples=30)
@given(st.integers(300, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_close_to_clopper_pearson(case):
    assert np.allclose(wilson(*case), clopper_pearson(*case), atol=0.006)


@pytest.mark.parametrize(
    ("estimate", "told"),
    [
        (Estimate(0.2, 0.1, 0.3), 0.2),  # told from nothing
        (Estimate(0.2, 0.0, 0.4), 0.0),  # not, though it could have been
        (Estimate(0.2, 0.0, 0.6), 0.2),  # hardly anything is said
    ],
)
def test_what_is_not_told_from_nothing_is_nothing(estimate, told):
    found = estimate.told(most=1.0)
    assert (found.value, found.low, found.high) == (told, estimate.low, estimate.high)


def test_an_estimate_is_a_number_that_says_how_sure_it_is():
    estimate = Estimate(0.5, 0.4, 0.625)
    assert float(estimate) == 0.5 and not estimate.exact
    assert str(estimate) == "≈ 0.500 (95 %: 0.400–0.625)"
    assert Estimate.exactly(0.5).exact and str(Estimate.exactly(0.5)) == "0.500"
