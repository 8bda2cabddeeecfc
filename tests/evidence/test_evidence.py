"""What is weighed for a join and against it: signs, rivals, chance in bits."""

from __future__ import annotations

import numpy as np
import pytest

from lakeview.evidence import evidence
from lakeview.evidence.evidence import Evidence

KEY = {
    "overlap": 90, "contained": 1.0, "distinct": 100, "chance": 0.0, "rare": 270.0, "unique": True, "key": True,
    "first": True, "agreement": 1.0, "about": 0.0, "place": 0.0, "cohesion": 0.0, "elsewhere": False, "repeats": 0.0,
    "own": 0.0, "time": 0.0, "measure": 0.0, "numeric": False, "decimal": False, "asked": 90.0, "columns": 30.0,
}  # fmt: skip


def odds(**changed) -> float:
    return float(Evidence(**{name: np.array([value]) for name, value in {**KEY, **changed}.items()}).odds[0])


@pytest.mark.parametrize(
    "worse",
    [
        {"contained": 0.95, "overlap": 85}, {"contained": 0.5, "overlap": 45}, {"unique": False, "key": False},
        {"key": False}, {"first": False}, {"agreement": 0.0}, {"elsewhere": True}, {"repeats": 3.0},
        {"time": 1.0}, {"measure": 1.0},
        {"columns": 10_000.0}, {"agreement": 0.0, "chance": 1.0}, {"chance": 1.0}, {"rare": 3.0},
    ],
)  # fmt: skip
def test_what_lacks_speaks_against(worse):
    assert odds(**worse) < odds()


def test_a_folder_counts_by_how_few_columns_it_has_and_whether_its_tables_refer_to_each_other():
    assert odds(place=5.0, cohesion=1.0) > odds(place=1.0, cohesion=1.0) > odds()


def test_a_named_key_is_likely_and_row_numbers_are_not():
    assert evidence.probability(np.array([odds()]))[0] > 0.95
    rows = odds(chance=1.0, agreement=0.0, key=False, first=False, columns=5_000.0)
    assert evidence.probability(np.array([rows]))[0] < evidence.LINE


def test_bits_against_chance():
    def bits(contained, distinct, chance):
        return evidence.beyond_chance(np.array(contained), np.array(chance), np.array(distinct))

    assert bits(1.0, 100, 1.0) == 0.0
    assert bits(0.9, 100, 0.95) == 0.0
    assert evidence.told(bits(1.0, 8, 0.5)) == pytest.approx(0.5)  # eight values, one bit each
    assert bits(1.0, 2, 0.0) < bits(1.0, 4, 0.0) < bits(1.0, 40, 0.0)
    assert bits(238 / 238, 238, 504 / 999) > 200, "238 of 238 in a key that holds half of the numbers is no accident"
    assert evidence.told(0) == 0.0 and evidence.told(8) == 0.5


def test_rivals_share_one_reference():
    alone = evidence.among_rivals(np.array([4.0]))
    assert alone[0] == pytest.approx(evidence.probability(np.array([4.0]))[0])
    copies = evidence.among_rivals(np.array([4.0, 4.0, -2.0]))
    assert copies[0] == copies[1] < 0.5 and copies.sum() < 1
    assert evidence.among_rivals(np.array([900.0, -900.0])).tolist() == [1.0, 0.0]
    assert len(evidence.among_rivals(np.zeros(0))) == 0


def test_few_and_stray_values_tell_nothing():
    def found(**changed):
        return Evidence(**{name: np.array([value]) for name, value in {**KEY, **changed}.items()})

    assert found().tells[0]
    assert found(asked=6.0, overlap=5, contained=5 / 6, rare=12.0).tells[0], "five of six codes, in a key"
    assert not found(asked=6.0, overlap=5, contained=5 / 6, rare=12.0, unique=False).tells[0]
    assert not found(asked=2.0, overlap=2).tells[0]
    assert not found(asked=3.0, overlap=3, contained=1.0, rare=9.0).tells[0], "three labels, as b1, b2, b3"
    assert not found(chance=0.9, asked=9e4, overlap=9e4, rare=9e4).tells[0], "little more than by chance, if many times"
    assert found(overlap=2, contained=0.02).stray[0] and not found(overlap=2, contained=0.02).tells[0]


def test_numbers_are_measured_everywhere():
    def tells(**changed):
        return Evidence(**{name: np.array([value]) for name, value in {**KEY, **changed}.items()}).tells[0]

    assert tells(agreement=0.0, distinct=900)
    assert not tells(agreement=0.0, distinct=900, numeric=True, decimal=True)
    assert tells(agreement=0.0, distinct=100, numeric=True, decimal=True), "a copy"
    assert tells(distinct=900, numeric=True, decimal=True), "of one name"
    some = {"asked": 100.0, "overlap": 70, "contained": 0.7, "distinct": 100, "agreement": 0.0}
    assert tells(**some) and not tells(**some, numeric=True), "some of the numbers of both"
    assert tells(agreement=0.0, distinct=900, numeric=True), "whole numbers, all of the query's"
    assert not tells(agreement=0.0, asked=900.0, contained=0.1, distinct=90, numeric=True), "and not the other way"
