"""Chance overlaps: against random draws, and what counts as an accident."""

from __future__ import annotations

import numpy as np
import pytest

from lakeview.index import chance
from lakeview.index.chance import Values
from lakeview.index.names import NameIndex, words


def numbers(n, low, high, decimals=0):
    """One column of n numbers."""
    return Values(*(np.array([v], float) for v in (n, n, low, high, decimals)), np.zeros((4, 1)))


def codes(n, length):
    letters = np.zeros((4, 1))
    letters[length - 1] = n
    return Values(*(np.array([v], float) for v in (n, 0, np.inf, -np.inf, 0)), letters)


@pytest.mark.parametrize(("q", "x", "low", "high"), [(300, 500, 1, 1000), (50, 900, 100, 1100), (20, 20, 0, 40)])
def test_numbers_meet_as_often_as_random_draws(q, x, low, high):
    rng = np.random.default_rng(7)
    domain = np.arange(low, high + 1)
    drawn = [
        len(np.intersect1d(rng.choice(domain, q, replace=False), rng.choice(domain, x, replace=False)))
        for _ in range(200)
    ]
    by_number, by_letter = chance.expected_overlap(numbers(q, low, high), numbers(x, low, high))
    assert by_number[0] == pytest.approx(np.mean(drawn), rel=0.05)
    assert by_letter[0] == 0


def test_three_letter_codes_meet_as_in_the_book():
    # 105 codes against 5,853 of 26**3: about 35.
    assert chance.expected_overlap(codes(105, 3), codes(5853, 3))[1][0] == pytest.approx(35, abs=0.5)


def test_ranges_that_do_not_meet_expect_nothing():
    assert chance.expected_overlap(numbers(10, 1, 10), numbers(10, 20, 30))[0][0] == 0
    assert chance.expected_overlap(numbers(10, 1, 10), codes(10, 2))[0][0] == 0


def test_decimals_widen_the_domain():
    whole = chance.expected_overlap(numbers(50, 0, 100), numbers(50, 0, 100))[0][0]
    cents = chance.expected_overlap(numbers(50, 0, 100, 2), numbers(50, 0, 100, 2))[0][0]
    assert cents == pytest.approx(whole / 100, rel=0.02)


def scored(query, column, overlap, bits=1000.0, names=0.0, query_fanout=1.0, fanout=1.0):
    one = Values(*(np.squeeze(getattr(query, name)) for name in query.__dataclass_fields__))
    return chance.score(
        one, column, np.array([overlap]), np.array([bits]), query_fanout, np.array([fanout]), np.array([names])
    )


def test_row_numbers_are_an_accident_and_codes_are_not():
    assert scored(numbers(500, 1, 500), numbers(800, 1, 800), 500).accidental[0]
    assert not scored(numbers(500, 1, 10**8), numbers(800, 1, 10**8), 500).accidental[0]


def test_a_sparse_key_is_no_accident_where_it_matches_more_than_chance():
    assert not scored(numbers(300, 1, 1000), numbers(300, 1, 1000), 300).accidental[0]
    assert scored(numbers(300, 1, 1000), numbers(300, 1, 1000), 95).accidental[0]


def test_names_vouch_for_small_numbers_but_not_for_flags():
    assert not scored(numbers(500, 1, 500), numbers(800, 1, 800), 500, names=1.0).accidental[0]
    assert scored(numbers(2, 0, 1), numbers(2, 0, 1), 2, names=1.0).accidental[0]


def test_hardly_anything_shared_is_an_accident():
    result = scored(numbers(1000, 1, 1e9), numbers(1000, 1, 1e9), 20)
    assert result.stray[0]
    assert result.accidental[0]


def test_rarer_tokens_and_keys_score_higher():
    q, x = numbers(100, 1, 1e9), numbers(100, 1, 1e9)
    assert scored(q, x, 90, bits=100).score[0] > scored(q, x, 90, bits=4).score[0]
    assert scored(q, x, 90).score[0] > scored(q, x, 90, fanout=20).score[0]
    assert scored(q, x, 90, fanout=20).score[0] > scored(q, x, 90, fanout=20, query_fanout=20).score[0]


def test_evidence_counts_rarity():
    bits = chance.evidence_bits(np.array([0, 1, 2, 512, 10**6]), 2048)
    assert bits.tolist() == [11, 11, 10, 2, 0]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("customerIDs", {"customer", "id"}), ("order_items", {"order", "item"}), ("class", {"class"}),
        ("X1", {"x", "1"}),
        ("", set()),
    ],
)  # fmt: skip
def test_words(name, found):
    assert words(name) == found


def test_names_agree_where_they_are_rare():
    index = NameIndex([(f"t{i}", "id") for i in range(10)] + [("customers", "id"), ("a", "faa"), ("b", "year")])
    assert index.agreement("faa", "a", "faa") == 1
    assert index.agreement("customer_id", "customers.csv", "id") == 0.9
    assert index.agreement("customer_id", "t1", "id") == 0
    assert index.agreement("id", "t1", "id") == 0, "a name in most tables tells nothing"
    assert index.agreement("column_3", "x", "column_3") == 0, "an unnamed column has no name"
