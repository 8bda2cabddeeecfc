"""What parts tell of a target: by hand, against analysis of variance, and how often chance alone says so."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import f_oneway, rankdata

from lakeview.estimate.association import (
    PARTS,
    Target,
    associate,
    parts_of_categories,
    parts_of_numbers,
)


def of_rows(y: np.ndarray, key: np.ndarray) -> Target:
    """A target from its rows, added up the plain way."""
    away = y - y.mean()
    keys = range(key.max() + 1)
    sums = [[away[key == k].sum() for k in keys]]
    return Target(
        np.array([(key == k).sum() for k in keys]),
        np.array(sums),
        np.array([[(away[key == k] ** 2).sum() for k in keys]]),
        np.array([y.mean()]),
    )


def test_one_row_a_key_is_the_plain_analysis_of_variance():
    rng = np.random.default_rng(0)
    for _ in range(20):
        part = rng.integers(0, 4, 60)
        part[:4] = range(4)
        y = rng.normal(size=60) + 0.3 * part
        told = associate(of_rows(y, np.arange(60)), part)
        ranks = rankdata(y)
        expected = f_oneway(*(ranks[part == p] for p in range(4)))
        assert told is not None and told.chance == pytest.approx(expected.pvalue, rel=1e-9)
        between = sum((part == p).sum() * (y[part == p].mean() - y.mean()) ** 2 for p in range(4))
        inside = sum(((y[part == p] - y[part == p].mean()) ** 2).sum() for p in range(4)) / 56
        omega = (between - 3 * inside) / (((y - y.mean()) ** 2).sum() + inside)
        assert told.explained == pytest.approx(min(max(omega, 0), 1))
        assert told.means == pytest.approx([y[part == p].mean() for p in range(4)])


def test_rows_of_one_key_are_one_witness():
    """A thousand rows of each of eight keys say no more of the keys than their means do."""
    rng = np.random.default_rng(1)
    means = rng.normal(size=8)
    key = np.repeat(np.arange(8), 1000)
    y = means[key] + rng.normal(size=8000)
    part = np.arange(8) % 2
    told = associate(of_rows(y, key), part)
    ranks = rankdata(means)
    of_keys = f_oneway(ranks[part == 0], ranks[part == 1]).pvalue
    of_rows_ = f_oneway(y[part[key] == 0], y[part[key] == 1]).pvalue
    assert told is not None and told.chance == pytest.approx(of_keys, abs=0.05) and of_rows_ < 1e-4


@pytest.mark.parametrize("spread", [0.0, 0.3, 3.0], ids=["rows alone", "keys a little", "keys mostly"])
@pytest.mark.parametrize("weight", ["even", "uneven"])
def test_chance_says_so_as_often_as_it_says(spread: float, weight: str):
    rng = np.random.default_rng([int(10 * spread), len(weight)])
    chances = []
    for _ in range(400):
        rows = np.full(60, 20) if weight == "even" else np.maximum(1, (600 * rng.pareto(1.2, 60) / 10).astype(int))
        sums = rows * rng.normal(0, spread, 60) + np.sqrt(rows) * rng.normal(size=60)
        squares = sums**2 / rows + rng.chisquare(np.maximum(rows - 1, 1)) * (rows > 1)
        told = associate(
            Target(rows, sums[None], squares[None], np.zeros(1)), parts_of_numbers(rng.random(60), rows > 0)
        )
        if told is not None:
            chances.append(told.chance)
    assert len(chances) > 390
    assert 0.02 <= np.mean(np.array(chances) < 0.05) <= 0.085
    assert np.mean(np.array(chances) < 0.01) <= 0.03


def test_of_categories_the_one_that_differs_the_most():
    key = np.repeat(np.arange(24), 50)
    part = np.arange(24) % 2
    rng = np.random.default_rng(2)
    classes = np.stack([rng.random(1200) < 0.3, rng.random(1200) < np.where(part[key] == 0, 0.1, 0.6)]).astype(float)
    away = classes - classes.mean(1, keepdims=True)
    sums, squares = (np.stack([np.bincount(key, row) for row in each]) for each in (away, away**2))
    told = associate(Target(np.full(24, 50), sums, squares, classes.mean(1)), part)
    assert told is not None and told.number == 1 and told.chance < 1e-6
    assert told.means == pytest.approx([classes[1][part[key] == p].mean() for p in (0, 1)])


def test_many_classes_are_many_tries():
    """Chance says of one of ten classes that it tells ten times as often."""
    rng = np.random.default_rng(12)
    chances = []
    for _ in range(300):
        sums = rng.normal(size=(10, 40))
        told = associate(Target(np.ones(40, int), sums, sums**2, np.zeros(10)), rng.permutation(np.arange(40) % 4))
        assert told is not None
        chances.append(told.chance)
    assert np.mean(np.array(chances) < 0.05) < 0.08


def test_a_mean_of_many_rows_counts_more():
    """Where keys differ by their rows alone, one of few rows says little: it does not hide what those of many say."""
    rng = np.random.default_rng(11)
    rows = np.where(np.arange(80) < 40, 400, 1)
    part = np.arange(80) % 2
    sums = rows * 0.25 * part + np.sqrt(rows) * rng.normal(size=80)
    told = associate(Target(rows, sums[None], (sums**2 / rows + np.maximum(rows - 1, 0))[None], np.zeros(1)), part)
    assert told is not None and told.chance < 1e-6
    few = associate(Target(np.ones(80, int), (sums / rows)[None], ((sums / rows) ** 2)[None], np.zeros(1)), part)
    assert few is not None and few.chance > 10 * told.chance


def test_nothing_to_tell():
    one = Target(np.ones(9, int), np.zeros((1, 9)), np.zeros((1, 9)), np.zeros(1))
    assert associate(one, np.arange(9) % 2) is None, "the target is one value"
    y = np.arange(9.0)[None]
    target = Target(np.ones(9, int), y - 4, (y - 4) ** 2, np.full(1, 4.0))
    assert associate(target, np.zeros(9, int)) is None, "one part"
    assert associate(target, np.full(9, -1)) is None, "no value"
    assert associate(target, np.array([0, 1, 2, -1, -1, -1, -1, -1, -1])) is None, "a part a key"
    told = associate(Target(np.full(8, 3), np.repeat([[-3.0, 3.0]], 4, 0).T.reshape(1, 8), np.full((1, 8), 3.0),
                            np.zeros(1)), np.repeat([0, 1], 4))  # fmt: skip
    assert told is not None and (told.explained, told.chance) == (1.0, 0.0), "keys of a part are all alike"


values = st.lists(st.one_of(st.none(), st.integers(-5, 5), st.floats(-1e9, 1e9)), min_size=1, max_size=80)


@given(values, st.randoms())
def test_parts_of_numbers(xs: list[float | None], random):
    x = np.array([np.nan if v is None else v for v in xs], float)
    rows = np.array([random.randint(0, 9) for _ in xs])
    part = parts_of_numbers(x, rows > 0)
    used = part >= 0
    assert not used[np.isnan(x) | (rows == 0)].any()
    assert set(part[used].tolist()) == set(range(int(part.max()) + 1)), "none is empty"
    assert int(part.max()) < PARTS
    order = np.argsort(x[used], kind="stable")
    assert (np.diff(part[used][order]) >= 0).all(), "in order"
    for value in np.unique(x[used]):
        assert len(set(part[used][x[used] == value].tolist())) == 1, "equal ones in one"


@given(st.lists(st.integers(-1, 12), min_size=1, max_size=80), st.randoms())
def test_parts_of_categories(cs: list[int], random):
    codes, rows = np.array(cs), np.array([random.randint(0, 9) for _ in cs])
    part, own = parts_of_categories(codes, rows > 0)
    used = (codes >= 0) & (rows > 0)
    assert (part[~used] == -1).all() and (part[used] >= 0).all()
    assert int(part.max()) < PARTS
    for at, code in enumerate(own):
        assert (part[used & (codes == code)] == at).all()
        assert (used & (codes == code)).sum() > 1, "one key alone tells no more than the key"
    assert set(part[used & ~np.isin(codes, own)].tolist()) <= {len(own)}
    keys = [(used & (codes == code)).sum() for code in own]
    assert keys == sorted(keys, reverse=True)


def test_a_category_of_one_key_is_no_part():
    part, own = parts_of_categories(np.array([0] * 20 + [1] * 20 + [2, 3]), np.ones(42, bool))
    assert own == [0, 1] and part.tolist() == [0] * 20 + [1] * 20 + [2, 2]
