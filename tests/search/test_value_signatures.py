"""Signatures: what of a value survives another writing, and the columns that share it."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeview.join.transform.affixes import without_affixes
from lakeview.search.candidates import Postings
from lakeview.store.signed import Signed, inverted
from lakeview.values.signatures import NO_SIGNATURE, hashes, signatures
from lakeview.values.signatures_numpy import ALNUM, BAG, DAY, DIGITS, GRAM, LEAST, LETTERS, WORD

TEXTS = st.lists(st.text("ab01 -.é", max_size=12), max_size=8, unique=True)


def shared(a: str, b: str) -> set[int]:
    return {kind for kind, (x, y) in enumerate(zip(hashes([a]), hashes([b]), strict=True)) if np.intersect1d(x, y).size}


@pytest.mark.parametrize(
    ("here", "there", "kinds"),
    [
        ("2010-05-01", "may 1, 2010", {BAG, DAY}),
        ("20100501", "saturday, 01 may 2010", {BAG, DAY}),
        ("2010-05-01 10:30:00", "5/1/10", {DAY}),
        ("aw00000017", "reseller no. 00000017", {DIGITS}),
        ("p00200001", "200001", {DIGITS, WORD}),
        ("ernst, roland", "roland ernst", {BAG, WORD}),
        ("$6,066.78", "6066.78", {DIGITS}),
        ("wiki/united_states", "united states", {WORD}),
        ("aa:bb:c1", "aabbc1", {ALNUM, LETTERS}),
        ("o'brien 7", "8 obrien", {LETTERS}),
        ("2010-05-01", "2010-05-02", set()),
        ("1.234,50 €", "1234.5", {DIGITS}),
        ("$1,200.00", "1200", {DIGITS}),
        ("1,200", "1200 kg", {DIGITS}),
        ("aw00000123", "123", {DIGITS}),
        ("aw00000123", "12300", set()),
        ("10.0.0.10", "10-0-0-10", {BAG, DAY, DIGITS}),
    ],
)
def test_what_survives(here: str, there: str, kinds: set[int]) -> None:
    assert shared(here, there) - {GRAM} - ({WORD} - kinds) == kinds


def digits(text: str) -> str:
    """By the plain definition: the digits of a text as a number, "" where they say nothing."""
    whole = re.sub(r"\D", "", text)
    if len(whole) < LEAST and whole != text:
        return ""
    marks = list(re.finditer(r"(?<=\d)\.(?=\d)", text))
    fraction = re.sub(r"\D", "", text[marks[0].end() :]) if len(marks) == 1 else ""
    if fraction and len(fraction) != 3:
        zeros = min(len(whole) - len(whole.rstrip("0")), len(fraction))
        whole = whole[: len(whole) - zeros]
    return (whole.lstrip("0") or whole[-1:]) if whole else ""


@given(TEXTS)
def test_forms_are_those_of_each_value(texts: list[str]) -> None:
    """As many as the values have by the plain definition, and the same beside other values."""
    found = hashes(texts)

    def forms(pattern: str, both: bool = False) -> set[str]:
        mixed = re.compile(r"(?=.*[01])(?=.*[abé])" if both else "", re.DOTALL)
        return {kept for text in texts if len(kept := re.sub(pattern, "", text)) >= LEAST and mixed.match(text)}

    assert len(found[ALNUM]) == len(forms(r"[^\wé]|_", both=True))
    assert len(found[DIGITS]) == len({form for text in texts if (form := digits(text))})
    assert len(found[LETTERS]) == len(forms(r"[^abé]"))
    for kind in range(7):
        alone = [hashes([text])[kind] for text in texts]
        assert np.array_equal(found[kind], np.unique(np.concatenate([np.zeros(0, np.uint32), *alone])))


def test_a_query_is_asked_for_no_more_than_a_column_keeps() -> None:
    """Of 5,000 values a part is kept; 100 of them are all found in it as far as it reaches."""
    many = [f"item {i * 7919 % 100_003:06d} of {i}" for i in range(5_000)]
    few = [f"other {i}" for i in range(100)]
    both = signatures(pa.array(many + few), np.array([0, len(many), len(many) + len(few)]))
    assert len(both[0]) < 4_000
    for parts in ([both], [both[:1], both[1:]], [[], both]):
        bases = np.cumsum([0, *map(len, parts)])
        signed = [
            Signed(len(part), *inverted(np.concatenate([NO_SIGNATURE, *part]), np.cumsum([0, *map(len, part)])))
            for part in parts
        ]
        postings = Postings(signed, bases, np.array([True, True]), np.array([5_000, 100]))
        worth = postings.worth(many[::50])
        assert worth[0] == pytest.approx(1.0) and worth.get(1, 0.0) < 0.2


def test_what_most_values_begin_and_end_with_says_nothing() -> None:
    numbers = [f"+1 {i} 555:80" for i in range(201, 221)]
    assert without_affixes([*numbers, "other"]) == [*(n[3:-7] for n in numbers), "other"]
    assert without_affixes(["order 10", "order 11", "order 12"]) == ["10", "11", "12"]
    assert without_affixes(["anna", "anne", "annette"]) == ["anna", "anne", "annette"]
    assert without_affixes([]) == []
