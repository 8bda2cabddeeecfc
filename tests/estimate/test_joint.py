import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeview.estimate.coupled import lazo
from lakeview.estimate.inclusion import bml
from lakeview.estimate.joint import Sketch, compare, maximum
from lakeview.sketch.minhash import agreements
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


@pytest.mark.parametrize(("small", "large"), [(200, 100_000), (30, 60_000), (6, 60_000)])
@pytest.mark.parametrize("part", [0.0, 0.5, 1.0])
def test_where_sizes_differ_by_hundreds_and_more_the_end_of_what_they_allow_is_as_unsure_as_they_are(
    small, large, part
):
    rng = np.random.default_rng(small)
    held, trials = {"containment": 0, "reverse_containment": 0, "jaccard": 0, "overlap": 0}, 60
    shared = int(part * small)
    for trial in range(trials):
        x, y = (small, large) if trial % 2 else (large, small)
        tokens = rng.integers(0, 2**64 - 1, x + y - shared, dtype=np.uint64)
        a, b = (
            Sketch.of(bucket_minima(part), len(part) if len(part) == small else None)
            for part in (tokens[:x], tokens[x - shared :])
        )
        found = compare(a, b)
        true = (shared / x, shared / y, shared / (x + y - shared), shared)
        for name, at in zip(held, true, strict=True):
            measure = getattr(found, name)
            held[name] += measure.low - 1e-9 <= at <= measure.high + 1e-9
        assert found.overlap.high <= small * (1 + 1e-9) and found.jaccard.high < 1.1 * small / large
    assert all(count / trials >= 0.9 for count in held.values()), held


@pytest.mark.parametrize("distinct", [1, 40, 5_000, 80_000])
def test_the_same_sketch_twice_is_the_same_column_whatever_is_known_of_its_size(distinct):
    minima = bucket_minima(np.random.default_rng(distinct).integers(0, 2**64 - 1, distinct, dtype=np.uint64))
    known, estimated = Sketch.of(minima, distinct), Sketch.of(minima)
    for a, b in ((known, known), (known, estimated), (estimated, known), (estimated, estimated)):
        found = compare(a, b)
        for share in (found.jaccard, found.containment, found.reverse_containment):
            assert share.value == share.high == 1.0 and share.low > (0.99 if distinct >= 5_000 else 0.2)
        assert found.overlap.low <= distinct <= found.overlap.high
    assert compare(known, estimated).overlap.value == distinct


@pytest.mark.parametrize(("x", "y"), [(6_000, 9_000), (60_000, 8_000)])
def test_together_they_err_less_than_either_alone(x, y):
    rng = np.random.default_rng(x)
    errors = []
    for _ in range(60):
        shared = int(rng.random() * min(x, y))
        a, b = pair(rng, x, y, shared, known=True)
        alone = lazo(*agreements(a.minima, b.minima), x, y).containment, bml(a.registers, b.registers, x, y)
        errors.append([estimate.value - shared / x for estimate in (compare(a, b).containment, *alone)])
    joint, by_tokens, by_registers = np.sqrt(np.mean(np.square(errors), axis=0))
    assert joint < by_tokens and joint < by_registers


def test_no_agreement_means_no_overlap():
    rng = np.random.default_rng(8)
    found = [compare(*pair(rng, 20_000, 30_000, 0, known=True)).containment for _ in range(20)]
    assert np.mean([estimate.value for estimate in found]) < 0.003
    assert all(estimate.low == 0 and estimate.high < 0.05 for estimate in found)


def test_an_overlap_that_is_not_told_from_none_is_none_unless_hardly_anything_is_told():
    rng = np.random.default_rng(4)
    apart = [compare(*pair(rng, 8_000, 90_000, 0, known=False)).containment for _ in range(20)]
    assert sum(estimate.value == 0 < estimate.high for estimate in apart) >= 18
    few = [compare(*pair(rng, 40, 200_000, 40, known=True)).containment for _ in range(10)]
    assert any(estimate.low == 0 < estimate.value and estimate.high > 0.5 for estimate in few)


@given(st.lists(st.integers(0, 2**64 - 2), max_size=80), st.integers(0, 80), st.integers(0, 80))
def test_packed_merged_and_rebuilt_sketches_are_the_same(values, first, second):
    tokens = np.array(values, np.uint64)
    whole = Sketch.of(bucket_minima(tokens))
    merged = Sketch.of(bucket_minima(tokens[:first])).merge(Sketch.of(bucket_minima(tokens[min(first, second) :])))
    packed = whole.pack()
    assert sum(array.nbytes for array in packed) == 5 * 1024
    for other in (merged, Sketch.unpack(*packed)):
        assert np.array_equal(other.minima, whole.minima) and np.array_equal(other.registers, whole.registers)


def test_the_peak_and_where_it_has_dropped():
    found = maximum(lambda o: -((o - 30.0) ** 2) / 50, 100.0, 2.0, 3.0)
    assert (found.value, found.low, found.high) == pytest.approx((30, 20, 40), abs=0.01)
    found = maximum(lambda o: -o, 100.0, 2.0, 3.0)
    assert (found.value, found.low, found.high) == pytest.approx((0, 0, 3), abs=0.01)
    found = maximum(lambda o: o, 100.0, 2.0, 3.0)
    assert (found.value, found.low, found.high) == pytest.approx((100, 97, 100), abs=0.01)


def test_an_empty_column_shares_nothing():
    some = Sketch.of(bucket_minima(np.array([1, 2], np.uint64)))
    assert compare(some, Sketch.of(no_minima())).overlap.high == 0
