import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeview.index import ensemble, ensemble_kernels
from lakeview.index.bands import build
from lakeview.index.ensemble import LshEnsemble, best_bands
from lakeview.index.runs import Runs
from lakeview.sketch.minhash import one_permutation
from lakeview.sketch.minima import EMPTY, bucket_minima


def make(seed, count, largest):
    """Columns of skewed sizes that hold known shares of each other: windows of one long line of tokens."""
    rng = np.random.default_rng(seed)
    line = rng.integers(0, 2**64 - 1, 2 * largest, dtype=np.uint64)
    sizes = np.exp(rng.uniform(np.log(20), np.log(largest), count)).astype(int)
    starts = np.array([rng.integers(0, max(2 * largest - size, 1)) // 64 for size in sizes])
    columns = [line[start : start + size] for start, size in zip(starts, sizes, strict=True)]
    overlap = np.minimum.outer(starts + sizes, starts + sizes) - np.maximum.outer(starts, starts)
    signatures = np.array([one_permutation(bucket_minima(c)) for c in columns])
    return signatures, sizes.astype(float), np.clip(overlap, 0, None) / sizes[:, None]


@pytest.fixture(scope="module", params=[3_000, 60_000])
def lake(request):
    return make(request.param, 400, request.param)


def recall_and_precision(index, signatures, sizes, containment, threshold):
    right = wanted = found = 0
    for query in range(0, len(sizes), 4):
        answer = index.query(signatures[query], sizes[query], threshold)
        want = np.flatnonzero((containment[query] >= threshold) & (sizes <= 50 * sizes[query]))
        near = answer.ids[sizes[answer.ids] <= 50 * sizes[query]]
        right, wanted, found = right + np.isin(want, answer.ids).sum(), wanted + len(want), found + len(near)
    return right / wanted, right / found


@pytest.mark.parametrize("threshold", [0.5, 0.8, 0.95])
def test_nearly_all_are_found_and_few_others(lake, threshold):
    signatures, sizes, containment = lake
    runs = Runs()
    runs.insert(np.arange(len(sizes)), signatures, sizes)
    for index in (LshEnsemble(runs), LshEnsemble(runs, counted=0)):
        recall, precision = recall_and_precision(index, signatures, sizes, containment, threshold)
        assert recall >= 0.97
        assert precision >= 0.7


def test_recall_does_not_fall_when_half_comes_late(lake):
    signatures, sizes, containment = lake
    answers = []
    for batches in (
        [np.arange(400)],
        [np.arange(0, 400, 2), np.arange(1, 400, 2)],
        np.array_split(np.argsort(sizes), 4),
    ):
        runs = Runs()
        for part in batches:
            runs.insert(part, signatures[part], sizes[part])
        answers.append(recall_and_precision(LshEnsemble(runs, counted=0), signatures, sizes, containment, 0.8)[0])
    assert min(answers[1:]) >= answers[0] - 0.005


def test_deep_bands_serve_large_columns_of_near_size():
    count, depth = best_bands(256, 0.0, 0.9, 100.0)
    assert depth >= 4
    assert best_bands(256, 5.0, 0.8, 100.0) == (256, 1)
    similarity = 0.9 / 1.1
    assert 1 - (1 - similarity**depth) ** count > 0.99


def test_both_ways_of_looking_up_find_the_same_large_columns():
    signatures, sizes, _ = make(5, 300, 60_000)
    runs = Runs()
    runs.insert(np.arange(300), signatures, sizes)
    queries = np.flatnonzero(sizes > 5_000)[:40]
    deep = [LshEnsemble(runs, counted=0).query(signatures[q], sizes[q], 0.9) for q in queries]
    flat = [LshEnsemble(runs).query(signatures[q], sizes[q], 0.9) for q in queries]
    kept = sum(np.isin(b.ids, a.ids).sum() for a, b in zip(deep, flat, strict=True))
    assert kept >= 0.98 * sum(len(b) for b in flat)
    for a, b in zip(deep, flat, strict=True):
        assert np.array_equal(a.same, b.same[np.isin(b.ids, a.ids)])


def test_a_much_larger_column_is_possible_not_excluded():
    rng = np.random.default_rng(1)
    tokens = rng.integers(0, 2**64 - 1, 500_000, dtype=np.uint64)
    columns = [tokens, tokens[:3000], tokens[400_000:400_040]]
    runs = Runs()
    runs.insert(
        np.array([10, 20, 30]), np.array([one_permutation(bucket_minima(c)) for c in columns]), [500_000, 3000, 40]
    )
    answer = LshEnsemble(runs).query(one_permutation(bucket_minima(tokens[100_000:100_050])), 50, 0.8)
    assert answer.possible.tolist() == [10] and 20 not in answer.ids
    value, low, high = LshEnsemble(runs).query(one_permutation(bucket_minima(columns[2])), 40, 0.8).containment()
    assert value == high == 1 and low > 0.95


def test_small_columns_are_decided_nearly_exactly():
    rng = np.random.default_rng(2)
    tokens = rng.integers(0, 2**64 - 1, 200, dtype=np.uint64)
    columns = [tokens[:30], tokens[:24], tokens[:23], tokens[7:37], tokens[100:130]]
    runs = Runs()
    runs.insert(np.arange(5), np.array([one_permutation(bucket_minima(c)) for c in columns]), [30, 24, 23, 30, 30])
    answer = LshEnsemble(runs).query(one_permutation(bucket_minima(tokens[:30])), 30, 0.8)
    assert {0, 1} <= set(answer.ids.tolist()) and 4 not in answer.ids and 2 not in answer.ids


def test_removed_columns_and_odd_thresholds():
    signatures, sizes, _ = make(1, 50, 1000)
    runs = Runs()
    runs.insert(np.arange(50), signatures, sizes)
    runs.remove(np.array([7]))
    assert 7 not in LshEnsemble(runs).query(signatures[7], sizes[7], 0.5).ids
    assert len(LshEnsemble(Runs()).query(signatures[7], sizes[7], 0.5)) == 0
    with pytest.raises(ValueError, match="threshold"):
        LshEnsemble(runs).query(signatures[7], sizes[7], 0)


@pytest.mark.skipif(not ensemble_kernels.COMPILED, reason="numba is not there")
@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 1000),
    st.sampled_from([8, 64, 256]),
    st.sampled_from([40, 400, 3000]),
    st.integers(1, 3),
    st.sampled_from([0, 1, 30]),
    st.sampled_from([20, ensemble.COUNTED]),
)
def test_the_kernel_answers_as_numpy_does(seed, k, largest, batches, dead, counted):
    rng = np.random.default_rng(seed)
    line = rng.integers(0, 2**64 - 1, 2 * largest, dtype=np.uint64)
    sizes = np.exp(rng.uniform(0, np.log(largest), 60)).astype(int)
    starts = rng.integers(0, 4, 60) * largest // 4
    columns = [line[start : start + size] for start, size in zip(starts, sizes, strict=True)]
    signatures = np.array([one_permutation(bucket_minima(column), k) for column in columns])
    runs = Runs()
    for part in np.array_split(rng.permutation(60), batches):
        runs.insert(part * 7, signatures[part], sizes[part])
    runs.remove(rng.choice(60, dead, replace=False) * 7)
    index = LshEnsemble(runs, counted=counted)
    for query in range(0, 60, 6):
        for threshold in (0.01, 0.5, 0.9, 1):
            with pytest.MonkeyPatch.context() as patch:
                quick = index.query(signatures[query], sizes[query], threshold)
                patch.setattr(ensemble, "kernels", lambda: None)
                slow = index.query(signatures[query], sizes[query], threshold)
            for name in ("ids", "sizes", "same", "occupied", "possible"):
                a, b = getattr(quick, name), getattr(slow, name)
                assert a.dtype == b.dtype and np.array_equal(a, b), name


@pytest.mark.skipif(not ensemble_kernels.COMPILED, reason="numba is not there")
def test_the_kernel_finds_values_beside_others_of_many_columns():
    few, many = np.uint64(1) << np.uint64(60), np.uint64(9) << np.uint64(60)
    signatures = np.full((50, 16), EMPTY)
    signatures[:, 9] = many + np.repeat(np.arange(5, dtype=np.uint64), 10)
    signatures[0, 1] = few
    bands = build(np.arange(50), signatures, np.arange(1, 51))
    for value in range(7):
        query = np.full(16, EMPTY)
        query[9], query[1], query[15] = many + np.uint64(value), few + np.uint64(value), EMPTY - np.uint64(1)
        low, high = ensemble_kernels.ranges(bands.keys, bands.lists, bands.starts, bands.shift, query)
        found = [sorted(bands.rows[a:b].tolist()) for a, b in zip(low, high, strict=True)]
        held = [np.flatnonzero((bands.signatures == v).any(axis=1)).tolist() for v in query[query != EMPTY]]
        assert sorted(found) == sorted(rows for rows in held if rows)
