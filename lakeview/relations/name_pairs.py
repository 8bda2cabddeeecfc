"""What names say of many pairs of columns at a time: `KeyNames.agreement` and `about`, compiled.

Words go by their places in the order of all words, so that those that a word may stand for, the ones that it begins,
are a range.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from lakeview.estimate.similarity.compiled import compiled
from lakeview.evidence.key_names import ABBREVIATED, KEY_WORDS, ROLE, SAME, KeyNames


class Words(NamedTuple):
    """Names of columns and tables as numbers.

    lengths, ends   int64[words]: letters of a word, and the word after the last that it may stand for
    subjects, stems, heads  (offsets, words): the words of each column's subject, of each table's name and of its head
    alike, tables, key_words  int64[n]; unnamed, common, own  bool[n]: own, called after its own table
    """

    lengths: np.ndarray
    ends: np.ndarray
    subjects: tuple[np.ndarray, np.ndarray]
    stems: tuple[np.ndarray, np.ndarray]
    heads: tuple[np.ndarray, np.ndarray]
    alike: np.ndarray
    tables: np.ndarray
    key_words: np.ndarray
    unnamed: np.ndarray
    common: np.ndarray
    own: np.ndarray


class NamePairs:
    """The names of a lake's columns, a column by its number, to be asked of many pairs.

    about_own: float64[n], how far each is named after its own table; keyed, subject: bool[n], whether its name is that
    of a key, and says of what.
    """

    def __init__(self, names: KeyNames) -> None:
        self._names = names
        tables = {table: n for n, table in enumerate(dict.fromkeys(names.tables))}
        stems, heads = ([of[table] for table in tables] for of in (names.stems, names.heads))
        words = sorted(frozenset().union(*names.subjects, *stems, *heads))
        number = {word: n for n, word in enumerate(words)}
        keys = {word: 1 << n for n, word in enumerate(sorted(KEY_WORDS))}
        self._words = Words(
            np.array([len(word) for word in words], np.int64),
            np.array([_end(words, n) for n in range(len(words))], np.int64),
            _numbered(names.subjects, number),
            _numbered(stems, number),
            _numbered(heads, number),
            names.alike.astype(np.int64),
            np.array([tables[table] for table in names.tables], np.int64),
            np.array([sum(keys[word] for word in name & KEY_WORDS) for name in names.names], np.int64),
            np.array(names.unnamed, bool),
            np.array([names.common(n) for n in range(len(names.names))], bool),
            np.zeros(len(names.names), bool),
        )
        all_of_them = np.arange(len(names.names))
        self.about_own = agreements(self._words, all_of_them, all_of_them)[1]
        self._words = self._words._replace(own=self.about_own > 0)
        self.subject = np.diff(self._words.subjects[0]) > 0
        self.keyed = np.array([names.keyed(n) for n in all_of_them.tolist()], bool)

    def agreements(self, sources: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """`KeyNames.agreement`, and `about` of the target's table, of pairs of columns: float64[p] each."""
        agreement, about = np.zeros(len(sources)), np.zeros(len(sources))
        near = np.flatnonzero(self._names.may_agree(sources, targets))
        agreement[near], about[near] = agreements(self._words, sources[near], targets[near])
        return agreement, about

    def linked(self, sources: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """`KeyNames.linked` of pairs of columns: bool[p]."""
        w = self._words
        nameless = w.unnamed[sources] | w.unnamed[targets]
        same_sort = self.keyed[sources] & (w.key_words[sources] & w.key_words[targets] != 0)
        return np.where(nameless, w.unnamed[sources] & w.unnamed[targets], same_sort)


def _end(words: Sequence[str], n: int) -> int:
    word = words[n]
    if len(word) < ABBREVIATED:
        return n + 1
    return bisect_left(words, True, n + 1, key=lambda other: not other.startswith(word))


def _numbered(sets: Iterable[Collection[str]], number: dict[str, int]) -> tuple[np.ndarray, np.ndarray]:
    found = [sorted(number[word] for word in words) for words in sets]
    offsets = np.cumsum([0, *map(len, found)])
    return offsets, np.array([n for words in found for n in words], np.int64)


@compiled
def agreements(w, sources, targets):  # type: ignore[no-untyped-def]
    """`KeyNames._agreement` and `_about` of pairs of columns."""
    agreement, about = np.zeros(len(sources)), np.zeros(len(sources))
    for p in range(len(sources)):
        i, j = sources[p], targets[p]
        asked, own = members(w.subjects, i), members(w.subjects, j)
        table = w.tables[j]
        about[p] = share_said(w, asked, members(w.stems, table))
        if len(asked) == 0 or w.unnamed[i] or w.unnamed[j]:
            continue
        stem = members(w.stems, table) if len(own) else members(w.heads, table)
        if w.tables[i] == table:
            stem = stem[:0]
        if w.alike[i] == w.alike[j]:
            agreement[p] = 0.0 if w.common[j] and not w.own[j] else 1.0
            continue
        named = called = shared = 0
        for word in asked:
            after = stands_for_one(w, word, stem)
            called += after
            named += after or holds(own, word)
            shared += holds(own, word)
        if w.common[j] and called == 0:
            continue
        covered, union = 0, len(asked) + len(own) - shared
        for word in own:
            covered += holds(asked, word) or holds(stem, word)
        for word in stem:
            union += not (holds(asked, word) or holds(own, word))
        keys = w.key_words[i]
        if named == len(asked) and covered == len(own):
            agreement[p] = SAME
        elif named > 0 and shared == len(own) and keys != 0 and keys == w.key_words[j]:
            agreement[p] = ROLE
        else:
            agreement[p] = ROLE * named / union
    return agreement, about


@compiled
def members(sets, n):  # type: ignore[no-untyped-def]
    offsets, words = sets
    return words[offsets[n] : offsets[n + 1]]


@compiled
def holds(words, word):  # type: ignore[no-untyped-def]
    for other in words:  # noqa: SIM110  compiled code knows no generators
        if other == word:
            return True
    return False


@compiled
def stands_for_one(w, word, words):  # type: ignore[no-untyped-def]
    for other in words:  # noqa: SIM110
        if word <= other < w.ends[word]:
            return True
    return False


@compiled
def share_said(w, subject, stem):  # type: ignore[no-untyped-def]
    total = 0.0
    for part in stem:
        most = 0.0
        for word in subject:
            if word <= part < w.ends[word]:
                most = max(most, w.lengths[word] / w.lengths[part])
        total += most
    return total / len(stem) if len(stem) else 0.0
