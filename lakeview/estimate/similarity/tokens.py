"""Text to sets of tokens: padded q-grams, words, or both.

A q-gram is q characters of the text padded with q-1 "#" before and q-1 "$" behind ("##text$$" for 3-grams).
A word is a longest run of letters and digits (Python's `str.isalnum`, the regular expression `[^\\W_]+`).
The empty text has no token, so it is similar to nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview.errors import InputError
from lakeview.estimate.similarity.compiled import compiled
from lakeview.guards import checks
from lakeview.values.mixing import mix

FIRST_PAD, LAST_PAD = ord("#"), ord("$")
_WORD = np.uint64(1 << 63)  # marks a word's token; three packed characters take 63 bits


@dataclass(frozen=True)
class Tokeniser:
    """What a text is cut into: q-grams where `q` > 0, words where `words`."""

    name: str
    q: int
    words: bool

    def __str__(self) -> str:
        return self.name


def tokeniser(name: str | Tokeniser) -> Tokeniser:
    """The tokeniser of that name: "words", "3-grams" (any q from 1 to 9), or "both" (words and 3-grams).

    Raises:
        InputError: no tokeniser has that name.
    """
    if isinstance(name, Tokeniser):
        return name
    name = checks.text("tokeniser", name)
    if name == "words":
        return Tokeniser(name, 0, True)
    if name == "both":
        return Tokeniser(name, 3, True)
    grams = re.fullmatch(r"([1-9])-grams", name)
    if grams is None:
        raise InputError(
            f"no tokeniser is called {checks.said(name)}: there are 'words', 'both' and '1-grams' to '9-grams'"
        )
    return Tokeniser(name, int(grams[1]), False)


def characters(text: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """(code points, starts): all characters of the texts in one array; text i is points[starts[i]:starts[i + 1]].

    A null is the empty text.
    """
    values = pc.fill_null(text.combine_chunks() if isinstance(text, pa.ChunkedArray) else text, "")
    starts = np.zeros(len(values) + 1, np.int64)
    np.cumsum(pc.utf8_length(values).to_numpy(zero_copy_only=False), out=starts[1:])
    points = np.frombuffer("".join(values.to_pylist()).encode("utf-32-le"), np.uint32)
    return points, starts


def tokenise(text: pa.Array, kind: str | Tokeniser) -> tuple[np.ndarray, np.ndarray]:
    """(tokens uint64, starts int64): the distinct tokens of each text, ascending within it.

    Tokens of up to 3-grams are the characters themselves; longer ones and words are 64-bit hashes.
    """
    kind = tokeniser(kind)
    points, starts = characters(text)
    alphanumeric = np.zeros(0, np.bool_)
    if kind.words and len(points):
        alphanumeric = _alphanumeric(points)
    return _tokenise(points, starts, alphanumeric, kind.q, kind.words)  # type: ignore[no-any-return]


def numbered_characters(text: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """(tokens, starts) as `tokenise`, of single characters: the second "a" of a text is another token than the first.

    So the tokens that two texts share are the characters that they share, counted with repetition.
    """
    points, starts = characters(text)
    return _numbered(points, starts), starts


@compiled
def _numbered(points, starts):  # type: ignore[no-untyped-def]
    tokens = np.empty(len(points), np.uint64)
    for i in range(len(starts) - 1):
        begin, end = starts[i], starts[i + 1]
        for k in range(begin, end):
            tokens[k] = np.uint64(points[k]) << np.uint64(32)
        sort_few(tokens, begin, end)
        for k in range(begin + 1, end):
            if tokens[k] >> np.uint64(32) == tokens[k - 1] >> np.uint64(32):
                tokens[k] = tokens[k - 1] + np.uint64(1)
    return tokens


def _alphanumeric(points: np.ndarray) -> np.ndarray:
    """Per code point, whether it belongs to a word. Only the characters that occur are asked about."""
    table = np.zeros(int(points.max()) + 1, np.bool_)
    occurring = np.flatnonzero(np.bincount(points))
    table[occurring] = [chr(point).isalnum() for point in occurring]
    return table[points]


_mix = compiled(mix)


@compiled
def sort_few(values, start, end):  # type: ignore[no-untyped-def]
    """Sort values[start:end] in place: by insertion where they are few, as the tokens of one name are, else by Shell's
    sort. numba's own sorts are not to be trusted in code that is kept: one file's may be taken for another's."""
    gap = 1
    while end - start > 48 and 3 * gap + 1 < end - start:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(start + gap, end):
            value = values[i]
            j = i
            while j >= start + gap and values[j - gap] > value:
                values[j] = values[j - gap]
                j -= gap
            values[j] = value
        gap //= 3


@compiled
def _tokenise(points, starts, alphanumeric, q, words):  # type: ignore[no-untyped-def]
    n = len(starts) - 1
    room = len(points) * (int(q > 0) + int(words)) + n * max(q - 1, 0)
    tokens = np.empty(room, np.uint64)
    out = np.zeros(n + 1, np.int64)
    filled = 0
    for i in range(n):
        first, last = starts[i], starts[i + 1]
        begin = filled
        length = last - first
        if q > 0 and length > 0:
            for at in range(1 - q, length):
                token = np.uint64(0)
                for k in range(at, at + q):
                    if k < 0:
                        point = np.uint64(FIRST_PAD)
                    elif k >= length:
                        point = np.uint64(LAST_PAD)
                    else:
                        point = np.uint64(points[first + k])
                    if q <= 3:
                        token = (token << np.uint64(21)) | point
                    else:
                        token = _mix(token * np.uint64(31) + point + np.uint64(1))
                tokens[filled] = token & ~_WORD
                filled += 1
        if words:
            inside = False
            token = np.uint64(0)
            for k in range(first, last):
                if alphanumeric[k]:
                    token = _mix(token * np.uint64(31) + np.uint64(points[k]) + np.uint64(1))
                    inside = True
                elif inside:
                    tokens[filled] = token | _WORD
                    filled += 1
                    inside, token = False, np.uint64(0)
            if inside:
                tokens[filled] = token | _WORD
                filled += 1
        sort_few(tokens, begin, filled)
        kept = begin
        for k in range(begin, filled):
            if k == begin or tokens[k] != tokens[kept - 1]:
                tokens[kept] = tokens[k]
                kept += 1
        filled = kept
        out[i + 1] = filled
    return tokens[:filled].copy(), out
