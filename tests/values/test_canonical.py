"""Text to canonical text: the kernels against the scalar rule, and the traps by name."""

from __future__ import annotations

import unicodedata

import numpy as np
import pyarrow as pa
import pytest
import scalar_rule
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lakeview.errors import InputError
from lakeview.values import (
    NA_TOKENS,
    canonical,
    canonical_part,
    distinct_tokens,
    hash_strings,
    is_na,
    na_is_value,
    places_of_na,
    two_letter_tokens,
)

# Characters that Python's Unicode tables and Arrow's both know.
KNOWN = st.characters(exclude_categories=["Cs", "Cn", "Co"])
TRICKY = st.sampled_from(
    list(
        " \t\n\x0b\x0c\r\x1c\x1f\x85\xa0\u1680\u2003\u2028\u202f\u205f\u3000\u180e"
        "\u200b\u200d\u2060\ufeff+-.0123459aAnN/\\eEéÉİſßΣς٣２ﬁ\u0301\u0308Å\0"
    )
)
TEXT = st.one_of(
    st.text(TRICKY, max_size=8),
    st.text(KNOWN, max_size=12),
    st.from_regex(r"[ +-]?[+-]?[0-9]{0,4}\.?[0-9]{0,4}[ \n]?", fullmatch=True),
    st.sampled_from(
        [
            "NA",
            "na",
            "Na",
            "N/A",
            "n/a",
            "NULL",
            "None",
            "nan",
            "NaN",
            "-",
            "",
            "  ",
            "\\N",
            "\\n",
            "ＮＡ",
            "no",
            "NO",
            "za",
            "--",
            "n.a.",
            "\u200b",
            "\xa0-\xa0",
            "+",
            "-0",
            "-0.0",
            "+0.",
            "００１",
        ]
    ),
    st.text(st.sampled_from("abc é日"), min_size=20, max_size=70),
)
COLUMN = st.lists(st.none() | TEXT, max_size=30)
NORMALIZE = st.sampled_from(["fold", "exact"])


@given(COLUMN, NORMALIZE)
@example([" \t"], "fold")
@example(["\xa0x\xa0"], "fold")
@example(["\tx"], "fold")
@example(["5.0\n"], "exact")
@settings(max_examples=400, deadline=None)
def test_a_column_agrees_with_the_scalar_rule(values, normalize):
    assert canonical(values, normalize).to_pylist() == scalar_rule.canonical(values, normalize)


def test_every_character_agrees_with_the_scalar_rule():
    known = [chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) not in ("Cn", "Cs", "Co")]
    for values in (known, [f"a{c}b" for c in known], [f"{c}\u0301" for c in known]):
        ours, theirs = canonical(values).to_pylist(), scalar_rule.canonical(values)
        assert [(a, b) for a, b in zip(ours, theirs, strict=True) if a != b] == []


@given(COLUMN, COLUMN, NORMALIZE)
@settings(max_examples=120, deadline=None)
def test_slices_chunks_and_encodings_change_nothing(before, values, normalize):
    want = canonical(values, normalize).to_pylist()
    whole = pa.array(before + values + before, pa.string())
    sliced = whole.slice(len(before), len(values))
    half = len(values) // 2
    for column in (
        sliced,
        pa.chunked_array([sliced.slice(0, half), sliced.slice(half)]),
        sliced.cast(pa.large_string()),
        sliced.cast(pa.string_view()),
        sliced.cast(pa.binary()),
        whole.dictionary_encode().slice(len(before), len(values)),
        pa.chunked_array([sliced.slice(0, half).dictionary_encode(), sliced.slice(half).dictionary_encode()]),
    ):
        out = canonical(column, normalize)
        assert isinstance(out, pa.StringArray | pa.LargeStringArray)
        assert out.to_pylist() == want


@given(COLUMN, NORMALIZE)
@settings(max_examples=120, deadline=None)
def test_canonical_text_is_its_own_canonical_text(values, normalize):
    once = canonical(values, normalize)
    if normalize == "fold":  # lower case or a dropped character may leave text that NFKC would compose
        once = canonical(once)
    assert canonical(canonical(once, normalize), normalize).equals(canonical(once, normalize))


@given(COLUMN, COLUMN, NORMALIZE)
@settings(max_examples=120, deadline=None)
def test_parts_merge_to_the_whole(first, second, normalize):
    parts = [hash_strings(canonical_part(part, normalize)) for part in (first, second)]
    merged, rows = np.unique(np.concatenate(parts), return_counts=True)
    if not na_is_value(merged):
        keep = ~np.isin(merged, NA_TOKENS)
        merged, rows = merged[keep], rows[keep]
    tokens, counts = distinct_tokens(first + second, normalize)
    assert tokens.dtype == np.uint64 and counts.dtype == np.int64
    assert tokens.tolist() == merged.tolist()
    assert counts.tolist() == rows.tolist()
    assert dict(zip(tokens.tolist(), counts.tolist(), strict=True)) == scalar_rule.tokens(first + second, normalize)


@pytest.mark.parametrize(
    ("raw", "want"),
    [
        ("  Bergen ", "bergen"),
        ("Oslo\xa0", "oslo"),
        ("New \t\n York", "new york"),
        ("ＡＢＣ１２", "abc12"),
        ("Cafe\u0301 Zoe\u0308", "café zoë"),
        ("\u212bngstro\u0308m", "ångström"),
        ("ﬁnch", "finch"),
        ("Łódź", "łódź"),
        ("ΟΔΟΣ", "οδοσ"),
        ("İ", "i"),
        ("ẞ", "ß"),
        ("a\u200bb\ufeff", "ab"),
        ("00501", "00501"),
        ("501", "501"),
        ("5.00", "5"),
        ("+5", "5"),
        ("5.", "5"),
        ("-0", "0"),
        ("-0.00", "0"),
        ("+0", "0"),
        ("-1.50", "-1.5"),
        ("007", "007"),
        ("007.50", "007.50"),
        (".5", ".5"),
        ("1e5", "1e5"),
        ("1.23457E+15", "1.23457e+15"),
        ("1,000.00", "1,000.00"),
        ("1.2.0", "1.2.0"),
        ("--5", "--5"),
        ("+-5", "+-5"),
        ("٣.0", "٣.0"),
        ("５．０", "5"),
        ("100", "100"),
        ("100.0", "100"),
        ("0.10", "0.1"),
        ("+", "+"),
        (".", "."),
        ("-.", "-."),
        ("NULL", None),
        ("None", None),
        ("NaN", None),
        ("N/A", None),
        ("\\N", None),
        ("-", None),
        ("", None),
        (" ", None),
        ("\u200b", None),
        ("\xa0-\u3000", None),
        ("NA", None),
        ("n.a.", "n.a."),
        ("--", "--"),
        ("nil", "nil"),
    ],
)
def test_fold(raw, want):
    assert canonical([raw, "something else"])[0].as_py() == want


@pytest.mark.parametrize(
    ("raw", "want"),
    [
        (" Oslo\xa0", " Oslo\xa0"),
        ("ＡＢＣ", "ＡＢＣ"),
        ("a\u200bb", "a\u200bb"),
        ("\u200b", "\u200b"),
        ("  ", "  "),
        ("+5.0", "5"),
        ("５．０", "５．０"),
        (" 5.0", " 5.0"),
        ("5.0\n", "5.0\n"),
        ("-0.0", "0"),
        ("NULL", None),
        ("null", None),
        ("nUlL", None),
        ("nan", None),
        ("N/a", None),
        ("\\N", None),
        ("-", None),
        ("", None),
        ("nA", None),
        ("ＮＡ", "ＮＡ"),
    ],
)
def test_exact(raw, want):
    assert canonical([raw, "something else"], "exact")[0].as_py() == want


def test_na_is_namibia_among_country_codes():
    assert canonical(["NA", "NO", "NA", "ZA"]).to_pylist() == ["na", "no", "na", "za"]
    assert canonical(["NA", "NO", "na", "ZA"], "exact").to_pylist() == ["NA", "NO", "na", "ZA"]
    assert canonical(["3", "NA", "8", "N/A"]).to_pylist() == ["3", None, "8", None]


@given(st.sets(st.sampled_from([*NA_TOKENS.tolist(), 0, 5, 2**64 - 1])))
def test_where_na_lies_among_tokens(tokens):
    found = np.array(sorted(tokens), np.uint64)
    assert places_of_na(found).tolist() == np.flatnonzero(is_na(found)).tolist()
    assert set(found[is_na(found)].tolist()) == tokens & set(NA_TOKENS.tolist())


def test_na_needs_more_than_half_of_the_others():
    assert canonical(["NA", "NO", "Norway"]).to_pylist() == [None, "no", "norway"]
    assert canonical(["NA", "NO", "ZA", "Norway"]).to_pylist() == ["na", "no", "za", "norway"]
    assert canonical(["NA", "NO", "Norway", "Norway", "Norway", "ZA"])[0].as_py() == "na"  # distinct values count
    assert canonical(["NA", "NA"]).to_pylist() == [None, None]
    assert canonical(["NA", None, "-"]).to_pylist() == [None, None, None]


def test_na_waits_in_parts_and_through_numbers():
    assert canonical_part(["NA", "7.0", "null"]).to_pylist() == ["na", "7", None]
    assert canonical_part(["NA", "na"], "exact").to_pylist() == ["NA", "na"]


def test_na_is_decided_from_tokens_with_or_without_its_own():
    codes = hash_strings(pa.array(["no", "za", "x1"]))
    for tokens in (codes, np.concatenate([codes, NA_TOKENS])):
        assert na_is_value(np.sort(tokens))
    assert not na_is_value(np.sort(hash_strings(pa.array(["no", "norway"]))))
    assert not na_is_value(np.zeros(0, np.uint64))
    assert not na_is_value(NA_TOKENS)


def test_two_letter_tokens_are_all_of_them():
    assert len(two_letter_tokens()) == 52 * 52
    assert set(NA_TOKENS.tolist()) == {scalar_rule.token(mark) for mark in ("na", "NA", "Na", "nA")}
    assert {scalar_rule.token(code) for code in ("aa", "zz", "AA", "zZ")} <= set(two_letter_tokens().tolist())
    assert (np.diff(two_letter_tokens().astype(object)) > 0).all()


def test_text_that_is_no_utf8_has_no_token():
    bad = pa.Array.from_buffers(
        pa.string(), 3, [None, pa.py_buffer(np.array([0, 1, 2, 5], np.int32)), pa.py_buffer(b"a\xffb \xc3")]
    )
    assert canonical(bad).to_pylist() == ["a", None, None]
    assert canonical([b"\xff", "é".encode(), None]).to_pylist() == [None, "é", None]
    assert canonical(pa.array([b"\xff\xff", b"ab"], pa.binary(2))).to_pylist() == [None, "ab"]
    assert canonical(bad.cast(pa.binary()).cast(pa.binary_view())).to_pylist() == ["a", None, None]


def test_null_slots_with_bytes_of_their_own_stay_null():
    offsets = pa.py_buffer(np.array([0, 1, 5, 6], np.int32))
    array = pa.Array.from_buffers(pa.string(), 3, [pa.py_buffer(b"\x05"), offsets, pa.py_buffer(b"A\xff .+B")])
    assert array.to_pylist() == ["A", None, "B"]
    assert canonical(array).to_pylist() == ["a", None, "b"]
    assert hash_strings(array).tolist() == [scalar_rule.token("A"), scalar_rule.token("B")]


def test_chosen_steps_alone():
    column = ["  ＡＢ  c ", "NULL", "5.0"]
    assert canonical(column, steps=["text"]).to_pylist() == column
    assert canonical(column, steps=["text", "blanks"]).to_pylist() == ["ＡＢ c", "NULL", "5.0"]
    assert canonical(column, steps=["case", "nfkc"]).to_pylist() == ["  ab  c ", "null", "5.0"]
    assert canonical(column, steps=["null_marks"]).to_pylist() == ["  ＡＢ  c ", None, "5.0"]
    assert canonical(["+1\xa0", "1\u3000\u2003x"], steps=["blanks", "numbers"]).to_pylist() == ["1", "1 x"]
    assert canonical(["NA", "7"], steps=["text", "case"]).to_pylist() == ["na", "7"]


def test_unknown_ways_are_refused():
    with pytest.raises(InputError, match="fold"):
        canonical(["a"], "strict")
    with pytest.raises(InputError, match="stem"):
        canonical(["a"], steps=["stem"])


def test_empty_columns():
    nothing = pa.array([], pa.string())
    for column in ([], nothing, pa.chunked_array([], pa.string()), pa.nulls(0), pa.array([], pa.int8())):
        assert canonical(column).to_pylist() == []
        tokens, counts = distinct_tokens(column)
        assert len(tokens) == len(counts) == 0
    assert canonical(pa.nulls(2)).to_pylist() == [None, None]


@pytest.mark.parametrize("before", range(65_530, 65_540))
def test_bytes_are_looked_at_across_blocks(before):
    start = "x" * before
    assert canonical([start, "a  b"]).to_pylist() == [start, "a b"]
    assert canonical([start + "é\xa0.A"]).to_pylist() == [start + "é .a"]


def test_a_long_value_and_markup_pass_unharmed():
    values = ["x" * 1_000_000, "<img src=x onerror=alert(1)>", "'; drop table x; --", 'a"b', "nul\0byte"]
    assert canonical(values).to_pylist() == values
