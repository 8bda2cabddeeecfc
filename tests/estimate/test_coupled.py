import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeview.estimate.coupled import coupled, lazo, overlaps
from lakeview.sketch.minhash import agreements, one_permutation
from lakeview.sketch.minima import bucket_minima

size = st.integers(1, 10**7)


def pair(rng, x, y, shared):
    tokens = rng.integers(0, 2**64 - 1, x + y - shared, dtype=np.uint64)
    return tokens[:x], tokens[x - shared :]


@given(size, size, st.floats(0, 1))
def test_a_true_similarity_gives_the_true_containments(x, y, part):
    overlap = round(part * min(x, y))
    js, jcx, jcy = coupled(overlap / (x + y - overlap), x, y)
    assert (js * (x + y - overlap), jcx * x, jcy * y) == pytest.approx((overlap,) * 3, abs=1e-6)


@given(size, size, st.floats(0, 1))
def test_corrected_as_the_paper_has_it(x, y, js):
    alpha = max((min(x, y) - js * max(x, y)) / (1 + js), 0)  # equation 6; below 0 is what equation 8 corrects
    most = min(x, y)
    expected = ((most - alpha) / (max(x, y) + alpha), (most - alpha) / x, (most - alpha) / y)
    assert tuple(float(v) for v in coupled(js, x, y)) == pytest.approx(expected)


def test_correcting_never_moves_away_from_the_truth():
    rng = np.random.default_rng(1)
    x, y = rng.integers(1, 10**6, (2, 2000))
    overlap = np.floor(rng.random(2000) * (np.minimum(x, y) + 1))
    truth = overlap / (x + y - overlap)
    guess = np.clip(truth + rng.normal(0, 0.1, 2000), 0, 1)
    corrected = coupled(guess, x, y)[0]
    assert (np.abs(corrected - truth) <= np.abs(guess - truth) + 1e-12).all()
    assert (corrected < guess - 1e-9).any()


def test_a_sketch_of_the_whole_union_is_exact():
    # One token a bucket: the sample is the union.
    assert lazo(30, 100, 60, 70).overlap.exact
    assert lazo(30, 100, 60, 70).containment.value == pytest.approx(0.5)
    assert lazo(0, 130, 60, 70).containment.value == 0


@pytest.mark.parametrize(("x", "y"), [(200, 250), (900, 2_000), (30_000, 4_000)])
def test_the_interval_holds_the_truth(x, y):
    rng = np.random.default_rng(x)
    held = 0
    for trial in range(200):
        shared = int(rng.random() * min(x, y)) if trial % 5 else min(x, y) * (trial % 2)
        a, b = (one_permutation(bucket_minima(t)) for t in pair(rng, x, y, shared))
        found = lazo(*agreements(a, b), x, y)
        for measure, true in (
            (found.containment, shared / x),
            (found.reverse_containment, shared / y),
            (found.jaccard, shared / (x + y - shared)),
        ):
            assert measure.low <= measure.value <= measure.high
            held += measure.low - 1e-9 <= true <= measure.high + 1e-9
    assert held / 600 >= 0.93


def test_the_interval_narrows_as_the_sample_nears_the_union():
    width = [high - low for _, low, high in (overlaps(40, 100, n, n) for n in (75, 100, 1000))]
    assert width[0] / 75 < width[1] / 100 < width[2] / 1000


def test_many_pairs_at_once_equal_each_alone():
    same, occupied = np.array([0, 10, 256]), np.array([256, 200, 256])
    x, y = np.array([10**6, 300.0, 5000]), 5000.0
    together = np.array(overlaps(same, occupied, x, y))
    alone = np.array([overlaps(same[i], occupied[i], x[i], y) for i in range(3)]).T
    assert np.allclose(together, alone)
