import numpy as np

from lakeview.estimate.members import containment
from lakeview.sketch.membership import Membership


def test_the_interval_holds_the_truth_and_is_narrow():
    rng = np.random.default_rng(0)
    held = 0
    for trial in range(300):
        large = rng.integers(0, 2**64 - 1, 20_000, dtype=np.uint64)
        asked, inside = int(rng.integers(1, 500)), 0
        inside = int(rng.integers(0, asked + 1)) if trial % 3 else asked * (trial % 2)
        query = np.concatenate([large[:inside], rng.integers(0, 2**64 - 1, asked - inside, dtype=np.uint64)])
        members = Membership.of(large)
        found = containment(int(members.contains(query).sum()), asked, members.false_positives)
        assert found.low <= found.value <= found.high
        assert found.high - found.low <= max(1 / asked, 0.02) + 5 / asked
        held += found.low <= inside / asked <= found.high
    assert held >= 0.95 * 300


def test_nothing_asked_nothing_known_and_all_absent():
    assert (containment(0, 0, 0.004).low, containment(0, 0, 0.004).high) == (0, 1)
    assert containment(0, 50, 0.004).high == 0
