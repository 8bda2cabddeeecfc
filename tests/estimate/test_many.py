import numpy as np
import pytest

from lakeview.estimate import many
from lakeview.estimate.joint import Sketch, compare
from lakeview.sketch.minima import bucket_minima


@pytest.mark.parametrize("x", [30, 5_000, 120_000])
def test_many_at_once_are_each_as_if_compared_alone(x):
    rng = np.random.default_rng(x)
    line = rng.integers(0, 2**64 - 1, 500_000, dtype=np.uint64)
    query = Sketch.of(bucket_minima(line[:x]), x)
    others = []
    for size in (5_000, 9_000, 60_000, 200_000):
        for shared in (0.0, 0.02, 0.5, 0.97, 1.0):
            start = x - int(shared * min(x, size))
            others.append(Sketch.of(bucket_minima(line[start : start + size]), size))
    minima, registers = (np.array([getattr(o, name) for o in others]) for name in ("minima", "registers"))
    value, low, high = many.overlaps(query, x, minima, registers, np.array([o.distinct for o in others]))
    for part in (0.01, 0.3, 0.7, 1.0):
        may = many.may_hold(part * x, query, x, minima, registers, np.array([o.distinct for o in others]))
        most = np.minimum(x, [o.distinct for o in others])
        assert may[high >= np.minimum(part * x, most) + 1e-3 * most].all()
        assert part < 0.1 or x == 30 or (~may).sum() >= 8  # 30 values tell little
    for i, other in enumerate(others):
        alone, most = compare(query, other).overlap, min(x, other.distinct)
        assert value[i] == pytest.approx(alone.value, abs=1e-4 * most), i
        assert low[i] == pytest.approx(alone.low, abs=1e-3 * most), i
        assert high[i] == pytest.approx(alone.high, abs=1e-3 * most), i


def test_peaks_and_ends_of_known_functions():
    centre = np.array([-5.0, 0.0, 30.0, 99.0, 100.0, 140.0])

    def function(at):
        return -((at - centre) ** 2) / 50

    most = np.full(6, 100.0)
    value = many.peak(function, most)
    assert value == pytest.approx(np.clip(centre, 0, 100), abs=1e-3)
    floor = function(value) - 2
    low, high = many.ends(function, value, np.stack([np.zeros(6), most]), floor)
    assert low[2] == pytest.approx(20, abs=0.01) and high[2] == pytest.approx(40, abs=0.01)
    assert (low[1], high[3]) == (0.0, 100.0) and (low <= value).all() and (value <= high).all()


def test_none_at_all():
    sketch = Sketch.of(bucket_minima(np.arange(1, 10, dtype=np.uint64) << np.uint64(55)), 9)
    nothing = many.overlaps(sketch, 9, np.zeros((0, 256), np.uint64), np.zeros((0, 4096), np.uint8), np.zeros(0))
    assert [len(part) for part in nothing] == [0, 0, 0]
