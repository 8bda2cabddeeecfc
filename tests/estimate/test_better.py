import numpy as np
import pytest

from lakeview.estimate.better import Sketch, bml_error, compare, lazo_error
from lakeview.sketch.minima import bucket_minima, no_minima


def pair(rng, x, y, shared, known):
    tokens = rng.integers(0, 2**64 - 1, x + y - shared, dtype=np.uint64)
    parts = tokens[:x], tokens[x - shared :]
    return [Sketch.of(bucket_minima(part), len(part) if known else None) for part in parts]


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(("x", "y"), [(5_000, 6_000), (5_000, 100_000), (100_000, 5_000), (400, 200_000)])
def test_the_intervals_hold_the_truth(x, y, known):
    rng = np.random.default_rng(x + y)
    held = {"containment": 0, "reverse_containment": 0, "jaccard": 0, "overlap": 0}
    trials = 40
    for trial in range(trials):
        shared = int(rng.random() * min(x, y)) if trial % 4 else min(x, y) * (trial % 8 == 0)
        found = compare(*pair(rng, x, y, shared, known))
        truth = {
            "containment": shared / x,
            "reverse_containment": shared / y,
            "jaccard": shared / (x + y - shared),
            "overlap": shared,
        }
        for name, true in truth.items():
            measure = getattr(found, name)
            assert measure.low <= measure.value <= measure.high
            held[name] += measure.low - 1e-6 <= true <= measure.high + 1e-6
    assert all(count / trials >= 0.85 for count in held.values()), held


def test_each_estimator_is_surer_somewhere():
    assert bml_error(20_000, 20_000) < lazo_error(20_000, 20_000)
    assert bml_error(5_000, 100_000) < lazo_error(5_000, 100_000)
    assert lazo_error(10**6, 5_000) < bml_error(10**6, 5_000)


def test_an_empty_column_shares_nothing():
    some = Sketch.of(bucket_minima(np.array([1, 2], np.uint64)))
    assert compare(some, Sketch.of(no_minima())).overlap.high == 0
