"""The advisor on made-up references: it finds what is plain, and leaves alone what is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import lakeview as lv
from lakeview.join.fuzzy.evidence import weigh
from lakeview.join.fuzzy.matches import BestTwo

SYLLABLES = [a + b for a in "bcdfghklmnprst" for b in ("a", "e", "io", "u")]


def names(n: int, seed: int, words: int = 3) -> list[str]:
    random = np.random.default_rng(seed)
    made = {" ".join("".join(random.choice(SYLLABLES, 3)) for _ in range(words)) for _ in range(3 * n)}
    return sorted(made)[:n]


def misspelt(text: str, random: np.random.Generator) -> str:
    place = int(random.integers(1, len(text) - 1))
    return text[:place] + "y" + text[place + 1 :]


def test_misspellings_find_their_origin_and_strangers_nobody() -> None:
    reference, strangers = names(500, 1), names(150, 2)
    random = np.random.default_rng(3)
    left = [misspelt(text, random) for text in reference[:250]] + strangers
    plan = lv.fuzzy_join(left, reference, precision=0.9)
    right = plan.pairs[plan.pairs.left == plan.pairs.right]
    assert plan.threshold is not None
    assert len(right) >= 0.9 * len(plan.pairs)
    assert len(right) >= 220
    assert plan.advice is not None and plan.advice.low <= plan.advice.precision <= plan.advice.high


def test_rows_without_a_counterpart_are_counted_as_false() -> None:
    """A reference of series: whoever is not in it looks just like whoever is."""
    reference = [f"annual report {a}{b}" for a in "abcdefghij" for b in "klmnopqrst"]
    left = [f"annual report {a}{b}" for a in "klmnopqrst" for b in "abcdefghij"]
    plan = lv.fuzzy_join(left, reference, precision=0.9)
    assert plan.threshold is None
    assert plan.pairs.empty
    assert "no threshold reaches precision 0.90" in plan.explain()
    assert plan.to_pandas().iloc[:, 1].isna().all()
    with pytest.raises(lv.InputError, match="joins nothing"):
        plan.code("pandas")


def test_texts_without_any_match_make_the_matches_of_others_more_doubtful() -> None:
    """A fifth of the probes find a false match of .64; of 100 left texts 50 find one of .6, the others none or one."""
    probes = BestTwo.of_nothing(100)
    probes.right[:20], probes.similarity[:20] = 1, 0.64
    precision = {}
    for n in (50, 100):
        found = BestTwo.of_nothing(n)
        found.right[:50], found.similarity[:50] = 0, 0.6
        never = np.zeros(n, bool)
        evidence = weigh("words", "jaccard", 0.25, found, probes, never, ~never, np.ones(100, bool), never, 1.0)
        precision[n] = replace(evidence, shift=0.0).precision[25, 0]  # before what is usual is made up for
    assert precision[50] == pytest.approx(1 - 10 / 50, abs=0.02)
    assert precision[100] == pytest.approx(1 - 20 / 50, abs=0.02)


def test_each_year_finds_its_own_and_a_new_one_none() -> None:
    reference = [f"yearbook of ports {year}" for year in range(1990, 2010)]
    left = [*reference[:15], "yearbook of ports 2011"]
    plan = lv.fuzzy_join(left, reference, precision=0.9)
    assert plan.pairs.left.tolist() == plan.pairs.right.tolist() == list(range(15))


def test_unrelated_values_join_nothing_and_say_why() -> None:
    plan = lv.fuzzy_join(["xxxx", "yyyy"], ["aaaa", "bbbb"], precision=0.9)
    assert plan.threshold is None and plan.pairs.empty
    assert "no value is like any" in plan.explain()


def test_a_higher_target_joins_no_more() -> None:
    reference = names(300, 1)
    random = np.random.default_rng(0)
    left = [misspelt(misspelt(misspelt(text, random), random), random) for text in reference]
    counts = [len(lv.fuzzy_join(left, reference, precision=target).pairs) for target in (0.6, 0.9, 0.99)]
    assert counts[0] >= counts[1] >= counts[2]


def test_moved_by_hand_says_so() -> None:
    reference = names(100, 1)
    plan = lv.fuzzy_join([text[:-1] for text in reference], reference, precision=0.9)
    assert "for a target of 0.90" in plan.explain()
    moved = plan.at(0.95)
    assert moved.threshold == 0.95 and "as asked" in moved.explain()
    assert moved.at(plan.threshold, plan.lead).pairs.equals(plan.pairs)
