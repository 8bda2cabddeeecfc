"""Normal forms: writings of one thing share one, and other things do not."""

from __future__ import annotations

import pytest

from lakeview.join.transform.normal_forms import last_digits, letters_and_digits, sorted_numbers, sorted_words


@pytest.mark.parametrize(("a", "b"), [("a5:4d:ca", "a5-4d-ca"), ("05 64 30", "056430"), ("ab-123-cd", "ab123cd")])
def test_letters_and_digits(a: str, b: str):
    assert letters_and_digits(a) == letters_and_digits(b)


@pytest.mark.parametrize(("a", "b", "same"), [
    ("jan 2015", "2015-01", True), ("september 2015", "09/2015", True), ("2010q1", "q1 2010", True),
    ("5 march 2024", "2024-03-05", True), ("jan 2015", "201501", True), ("20240305", "5/3/24", True),
    ("1q10", "q1 2010", True), ("quarter 1, 2010", "2010 q1", True), ("201513", "15 13", False),
    ("2010q1", "q2 2010", False), ("jan 2015", "2015-02", False),
])  # fmt: skip
def test_sorted_words(a: str, b: str, same: bool):
    assert (sorted_words(a) == sorted_words(b)) == same


@pytest.mark.parametrize(("a", "b", "same"), [
    ("2020w05", "2020-05", True), ("week 5 of 2020", "2020/5", False), ("2020w05", "2020-06", False),
])  # fmt: skip
def test_sorted_numbers(a: str, b: str, same: bool):
    assert (sorted_numbers(a) == sorted_numbers(b)) == same


@pytest.mark.parametrize(("a", "b"), [("+33 6 12 34 56 78", "06.12.34.56.78"), ("(515) 555-0187", "+1 515 555 0187")])
def test_last_digits(a: str, b: str):
    assert last_digits(a) == last_digits(b) != ""
    assert last_digits("order of 2015-01-02 12:00 by Ann") == last_digits("12 34") == ""
