"""Tokenisers against the plain Python that defines them."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeview.errors import InputError
from lakeview.estimate.similarity.tokens import sort_few, tokenise, tokeniser

TEXTS = st.lists(st.one_of(st.none(), st.text(alphabet="ab #$_1é́𝒳-", max_size=70)), max_size=8)


def token_sets(text: str | None, kind: str) -> set[tuple[str, str]]:
    if not text:
        return set()
    found: set[tuple[str, str]] = set()
    if kind != "both" and kind.endswith("-grams"):
        q = int(kind[0])
    else:
        q = 3 if kind == "both" else 0
    if q:
        padded = "#" * (q - 1) + text + "$" * (q - 1)
        found |= {("gram", padded[i : i + q]) for i in range(len(padded) - q + 1)}
    if kind in ("words", "both"):
        found |= {("word", word) for word in re.findall(r"[^\W_]+", text)}
    return found


@pytest.mark.parametrize("kind", ["words", "both", "1-grams", "2-grams", "3-grams", "4-grams", "9-grams"])
@settings(deadline=None)  # the first example compiles
@given(texts=TEXTS)
def test_tokens_are_those_of_plain_python(kind: str, texts: list[str | None]) -> None:
    tokens, starts = tokenise(pa.array(texts, pa.string()), kind)
    expected = [token_sets(text, kind) for text in texts]
    got = [tokens[starts[i] : starts[i + 1]].tolist() for i in range(len(texts))]
    assert [len(found) for found in got] == [len(found) for found in expected]
    for i, one in enumerate(expected):
        assert got[i] == sorted(got[i])
        for j, other in enumerate(expected):
            assert len(set(got[i]) & set(got[j])) == len(one & other)


def test_unknown_tokeniser_names_the_known_ones() -> None:
    with pytest.raises(InputError, match="to '9-grams'"):
        tokeniser("trigrams")


def test_chunks_and_slices_are_read_as_one() -> None:
    whole = pa.array(["zz", "blue harbor", None, "dune"])
    expected = tokenise(pa.array(["blue harbor", None, "dune"]), "3-grams")
    for text in (whole.slice(1), pa.chunked_array([whole.slice(1, 1), whole.slice(2)])):
        tokens, starts = tokenise(text, "3-grams")
        assert tokens.tolist() == expected[0].tolist()
        assert starts.tolist() == expected[1].tolist()


@pytest.mark.parametrize("n", [0, 1, 48, 49, 50, 1_000, 20_000])
def test_sorting_stays_inside_its_bounds(n: int):
    values = np.random.default_rng(n).integers(0, 1000, n + 2).astype(np.uint64)
    found = values.copy()
    sort_few(found, 1, n + 1)
    assert (found[1:-1] == np.sort(values[1:-1])).all()
    assert found[0] == values[0] and found[-1] == values[-1]
