"""Row pairs against a brute-force search of all q-grams, and the sampling rates against their constraint."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeview.join.transform.columns import Column, Columns
from lakeview.join.transform.pairs import MAX_SHARED, PairFinder, key_columns
from lakeview.join.transform.sampling import DELTA, PAIRS, sampling_rates
from lakeview.join.transform.suffixes import MIN_Q, SuffixArray, best_matches

texts = st.lists(st.text("abé ", min_size=1, max_size=9), min_size=2, max_size=7, unique=True)


def count(gram: str, values: list[str]) -> int:
    return sum(value.startswith(gram, at) for value in values for at in range(len(value)))


def best_score(value: str, source: list[str], target: list[str], cap: int) -> float:
    """1/(n m) of the best of the longest prefixes of all suffixes (Algorithm 3), by trying them all."""
    best = 0.0
    for at in range(len(value)):
        lengths = [q for q in range(MIN_Q, len(value) - at + 1) if count(value[at : at + q], target)]
        if lengths:
            gram = value[at : at + lengths[-1]]
            if count(gram, target) <= cap:
                best = max(best, 1 / (count(gram, source) * count(gram, target)))
    return best


@given(texts, texts)
@settings(max_examples=60)
def test_best_matches_equal_brute_force(source: list[str], target: list[str]):
    s, t = SuffixArray.of(source), SuffixArray.of(target)
    n, m, q, at, start = best_matches(
        s.text, s.ends, s.owner, s.order, s.starts, t.text, t.ends, t.order, MAX_SHARED, len(source)
    )
    for place, value in enumerate(source):
        expected = best_score(value, source, target, MAX_SHARED)
        assert (1 / (n[place] * m[place]) if m[place] else 0.0) == pytest.approx(expected)
        if m[place]:
            begin = len(value) - int(s.ends[start[place]] - start[place])
            assert value[begin : begin + q[place]] in target[t.owner[t.order[at[place]]]]


@given(texts)
@settings(max_examples=60)
def test_suffixes_are_sorted(values: list[str]):
    array = SuffixArray.of(values)
    joined = "\0".join(values) + "\0"
    found = [joined[at : array.ends[at]] for at in array.order]
    assert found == sorted(v[i:] for v in values for i in range(len(v)) if len(v) - i >= MIN_Q)


def test_pairs_of_the_thesis():
    """Example 4.4.3: "george w." is rare enough on both sides, "george" is not."""
    names = ["barack obama", "george w. bush", "bill clinton", "george h. w. bush"]
    source = Columns([Column("president", 0, names)], 4)
    target = Columns([Column("name", 0, ["obama, barack(1961-)", "bush, george w.(1946-)", "clinton, bill(1946-)",
                                         "bush, george h. w.(1924-)"])], 4)  # fmt: skip
    group = PairFinder(source, target).groups(key_columns(target))[0]
    assert {(p.source, p.target) for p in group.pairs if p.score == 1} == {(0, 0), (1, 1), (2, 2), (3, 3)}


def test_rows_pair_by_words_of_several_columns():
    """Hours, minutes and seconds share no 3 characters with a time; the row shares its three numbers."""
    times = [(h, m, s) for h, m, s in zip(range(1, 13), range(20, 32), range(40, 52), strict=True)]
    source = Columns([Column(n, i, [str(t[i]) for t in times]) for i, n in enumerate("hms")], 12)
    target = Columns([Column("time", 0, [f"{h:02}:{m}:{s}" for h, m, s in times])], 12)
    groups = PairFinder(source, target).groups(key_columns(target))
    pairs = {(p.source, p.target) for group in groups if group.source is None for p in group.pairs}
    assert len(pairs & {(i, i) for i in range(12)}) >= 10


@pytest.mark.parametrize(("rows", "participation"), list(itertools.product(
    [(10_000, 10_000), (1_000_000, 1_000_000), (50, 1_000_000), (1_000_000, 2_000)], [0.1, 0.01])))  # fmt: skip
def test_sampling_rates(rows: tuple[int, int], participation: float):
    """The rates are rates, hold enough pairs wherever whole tables would, and beat a grid of others."""
    n_s, n_t = rows
    p_s, p_t = sampling_rates(n_s, n_t, participation)
    need = PAIRS / (1 - DELTA)
    assert 0 < p_s <= 1 and 0 < p_t <= 1
    if n_t * participation < need:
        return
    assert n_t * p_t * p_s * participation >= need * (1 - 1e-9)
    for step in range(1, 101):
        other = need / (n_t * participation * step / 100)
        if other <= 1:
            assert n_s * p_s + n_t * p_t <= (n_s * step / 100 + n_t * other) * 1.001


def test_scores_count_both_sides():
    """A q-gram of two source and two target values scores 1/4; one of a single row each scores 1."""
    source = Columns([Column("a", 0, ["red barn", "old barn", "hilltop"])], 3)
    target = Columns([Column("b", 0, ["barn 1", "barn 2", "hilltop 3"])], 3)
    (group,) = PairFinder(source, target).groups(key_columns(target))
    assert {(p.source, p.target): p.score for p in group.pairs} == {
        (0, 0): 0.25, (0, 1): 0.25, (1, 0): 0.25, (1, 1): 0.25, (2, 2): 1.0}  # fmt: skip


def test_normal_forms_pair():
    """Texts of one column that share no three characters in a row, but all of their words."""
    labels = [f"{year}q{q}" for year in range(2010, 2020) for q in range(1, 5)]
    source = Columns([Column("a", 0, labels)], 40)
    target = Columns([Column("b", 0, [f"q{label[5]} {label[:4]}" for label in labels])], 40)
    (group,) = PairFinder(source, target).groups(key_columns(target))
    assert {(p.source, p.target) for p in group.pairs if p.score == 1} == {(i, i) for i in range(40)}
