import numpy as np
import pytest

from lakeview.index.lazo import LazoIndex
from lakeview.index.runs import Runs
from lakeview.sketch.minhash import agreements, one_permutation
from lakeview.sketch.minima import bucket_minima


@pytest.fixture(scope="module")
def lake():
    rng = np.random.default_rng(7)
    pool = rng.integers(0, 2**64 - 1, 4000, dtype=np.uint64)
    columns = [pool[start : start + size] for start, size in rng.integers((0, 5), (3000, 900), (120, 2))]
    signatures = np.array([one_permutation(bucket_minima(c)) for c in columns])
    return columns, signatures, np.array([len(c) for c in columns], float)


def index_of(signatures, sizes, batches=1):
    runs = Runs()
    for part in np.array_split(np.arange(len(sizes)), batches):
        runs.insert(part, signatures[part], sizes[part])
    return LazoIndex(runs)


def test_related_is_every_column_with_an_agreement_and_its_estimates(lake):
    columns, signatures, sizes = lake
    index = index_of(signatures, sizes)
    for query in (0, 5, 50):
        found = index.related(signatures[query], sizes[query])
        same, occupied = agreements(signatures, signatures[query])
        assert sorted(found.ids.tolist()) == np.flatnonzero(same).tolist()
        assert found.ids[0] == query or found.containment[0] == 1
        for at, column in enumerate(found.ids.tolist()):
            js = same[column] / occupied[column]
            overlap = min(js * (sizes[query] + sizes[column]) / (1 + js), sizes[query], sizes[column])
            assert found.containment[at] == pytest.approx(overlap / sizes[query])
            assert found.reverse_containment[at] == pytest.approx(overlap / sizes[column])
            assert found.jaccard[at] == pytest.approx(overlap / (sizes[query] + sizes[column] - overlap))
        low, high = found.intervals(10)
        true = [len(np.intersect1d(columns[query], columns[i])) / sizes[query] for i in found.ids[:10]]
        assert (low <= found.containment[:10] + 1e-9).all() and (high >= found.containment[:10] - 1e-9).all()
        assert np.mean((low - 1e-9 <= true) & (true <= high + 1e-9)) >= 0.8


def test_thresholds_are_of_the_query_not_of_the_index(lake):
    _, signatures, sizes = lake
    index = index_of(signatures, sizes)
    everything = index.related(signatures[3], sizes[3])
    for js, jc in ((0.3, 0), (0, 0.6), (0.2, 0.9)):
        some = index.related(signatures[3], sizes[3], js, jc)
        keep = (everything.jaccard >= js) & (everything.containment >= jc)
        assert some.ids.tolist() == everything.ids[keep].tolist()


def test_nothing_is_lost_by_inserting_late(lake):
    _, signatures, sizes = lake
    at_once, late = index_of(signatures, sizes), index_of(signatures, sizes, 7)
    for query in range(0, 120, 10):
        one, other = (i.related(signatures[query], sizes[query]) for i in (at_once, late))
        assert np.array_equal(one.ids, other.ids) and np.array_equal(one.containment, other.containment)


def test_updates_and_removals_leave_no_trace(lake):
    _, signatures, sizes = lake
    index = index_of(signatures, sizes, 3)
    index.runs.remove(np.arange(60, 120))
    index.runs.insert(np.arange(60), signatures[60:], sizes[60:])
    fresh = index_of(signatures[60:], sizes[60:])
    for query in range(0, 120, 10):
        one, other = (i.related(signatures[query], sizes[query]) for i in (index, fresh))
        assert np.array_equal(one.ids, other.ids) and np.array_equal(one.jaccard, other.jaccard)


def test_an_empty_index_has_no_relations(lake):
    _, signatures, sizes = lake
    assert len(LazoIndex(Runs()).related(signatures[0], sizes[0])) == 0
