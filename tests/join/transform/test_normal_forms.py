"""Normal forms: writings of one thing share one, and other things do not."""

from __future__ import annotations

import pytest

from lakeview.join.transform.normal_forms import letters_and_digits, sorted_words


@pytest.mark.parametrize(("a", "b"), [("a5:4d:ca", "a5-4d-ca"), ("05 64 30", "056430"), ("ab-123-cd", "ab123cd")])
def test_letters_and_digits(a: str, b: str):
    assert letters_and_digits(a) == letters_and_digits(b)


@pytest.mark.parametrize(("a", "b", "same"), [
    ("jan 2015", "2015-01", True), ("september 2015", "09/2015", True), ("2010q1", "q1 2010", True),
    ("5 march 2024", "2024-03-05", True), ("2010q1", "q2 2010", False), ("jan 2015", "2015-02", False),
])  # fmt: skip
def test_sorted_words(a: str, b: str, same: bool):
    assert (sorted_words(a) == sorted_words(b)) == same
