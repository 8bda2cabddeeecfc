"""Row pairs that probably join, guessed from q-grams that are rare on both sides (Algorithm 3).

For every suffix of a source value the longest prefix that occurs in the target column is taken; a q-gram that n
source values and m target values hold scores 1/(n m). Pairs are grouped by column pair. Because no single column
need hold a rare q-gram (hours, minutes and seconds in three columns), whole rows are compared by their words too.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from lakeview.join.transform.columns import Column, Columns
from lakeview.join.transform.suffixes import SuffixArray, best_matches

MAX_SHARED = 4  # q-grams that more target values hold pair nothing
MAX_CELL = 400  # characters of a cell that are looked at
MAX_COLUMN_PAIRS = 48  # as many column pairs are searched, the likeliest first


@dataclass(frozen=True)
class RowPair:
    """A source row and a target row that share a q-gram with score 1/(n m)."""

    source: int
    target: int
    score: float
    gram: str


@dataclass
class PairGroup:
    """The row pairs of one source column (None: whole rows) and one target key column, best first."""

    source: int | None
    target: int
    pairs: list[RowPair] = field(default_factory=list)

    @property
    def weight(self) -> float:
        """How much they say: pairs with longer and rarer q-grams say more."""
        return sum(pair.score * min(len(pair.gram), 8) for pair in self.pairs)


def key_columns(table: Columns, least: float = 0.7) -> list[Column]:
    """Columns that could be a key: few rows share a value. (Real keys have some duplicates, so not all unique.)"""
    return [
        c for c in table.columns
        if c.filled >= 2 and len(c.first_row) >= 2 and c.key_share >= least and not c.is_measure
    ]  # fmt: skip


class PairFinder:
    """Finds the row pairs between the columns of two tables; suffix arrays are built once a column."""

    def __init__(self, source: Columns, target: Columns) -> None:
        self.source, self.target = source, target
        self._arrays: dict[tuple[bool, int], tuple[SuffixArray, list[str]]] = {}

    def _array(self, column: Column, is_source: bool) -> tuple[SuffixArray, list[str]]:
        key = (is_source, column.place)
        if key not in self._arrays:
            values = list(column.first_row)
            self._arrays[key] = SuffixArray.of([value[:MAX_CELL] for value in values]), values
        return self._arrays[key]

    def groups(self, keys: Iterable[Column]) -> list[PairGroup]:
        """Groups of pairs for every source column against every key of `keys`, the weightiest first."""
        keys = list(keys)
        columns = [c for c in self.source.columns if len(c.first_row) >= 2 and not c.is_measure]
        found = [self._match(s, t) for s, t in _likely(columns, keys)]
        found += [_by_words(self.source, t) for t in keys[:MAX_COLUMN_PAIRS]] if len(columns) > 1 else []
        return sorted((g for g in found if len(g.pairs) >= 2), key=lambda g: -g.weight)

    def _match(self, source: Column, target: Column) -> PairGroup:
        s, s_values = self._array(source, True)
        t, t_values = self._array(target, False)
        group = PairGroup(source.place, target.place)
        if not len(s.order) or not len(t.order):
            return group
        n, m, q, at, start = best_matches(
            s.text, s.ends, s.owner, s.order, s.starts, t.text, t.ends, t.order, MAX_SHARED, len(s_values)
        )
        for value in np.flatnonzero(m).tolist():
            if n[value] > MAX_SHARED:
                continue
            text = s_values[value]
            offset = int(start[value]) - int(s.ends[start[value]]) + min(len(text), MAX_CELL)
            gram = text[offset : offset + int(q[value])]
            for owner in set(t.owner[t.order[at[value] : at[value] + m[value]]].tolist()):
                group.pairs.append(
                    RowPair(source.first_row[text], target.first_row[t_values[owner]],
                            1.0 / float(n[value] * m[value]), gram)
                )  # fmt: skip
        group.pairs.sort(key=lambda pair: (-pair.score, -len(pair.gram)))
        return group


def _grams(column: Column, most: int = 300) -> np.ndarray:
    """Hashes of the 3-grams of up to `most` values, sorted and distinct."""
    text = "\0".join(value[:MAX_CELL] for value in list(column.first_row)[:most]) + "\0\0"
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    if len(points) < 3:
        return np.empty(0, np.uint64)
    a, b, c = points[:-2], points[1:-1], points[2:]
    return np.unique(((a << np.uint64(42)) | (b << np.uint64(21)) | c)[(a != 0) & (b != 0) & (c != 0)])


def _likely(sources: list[Column], targets: list[Column]) -> list[tuple[Column, Column]]:
    """Column pairs worth a search: all where they are few, else those that share most rare 3-grams."""
    if len(sources) * len(targets) <= MAX_COLUMN_PAIRS:
        return [(s, t) for s in sources for t in targets]
    s_grams, t_grams = [_grams(c) for c in sources], [_grams(c) for c in targets]
    grams, columns_with = np.unique(np.concatenate(s_grams + t_grams), return_counts=True)
    weight = 1.0 / columns_with
    t_places = [np.searchsorted(grams, g) for g in t_grams]
    scores = []
    for s, own in zip(sources, s_grams, strict=True):
        here = np.zeros(len(grams))
        places = np.searchsorted(grams, own)
        here[places] = weight[places]
        for t, place in zip(targets, t_places, strict=True):
            scores.append((float(here[place].sum()), s, t))
    scores.sort(key=lambda entry: -entry[0])
    return [(s, t) for score, s, t in scores[:MAX_COLUMN_PAIRS] if score > 0]


_WORD = re.compile(r"[^\W_]+")


def _words(text: str) -> set[str]:
    """Words of a cell; numbers without leading zeros, so that 5 meets 05."""
    return {word.lstrip("0") or "0" if word.isdigit() else word for word in _WORD.findall(text[:MAX_CELL])}


def _by_words(source: Columns, target: Column, most: int = 2000) -> PairGroup:
    """Pairs of whole source rows and target values that share most words, rare ones weighing more, and all of the
    target's words but one at least; ties share the score."""
    group = PairGroup(None, target.place)
    t_words = {row: _words(value) for value, row in list(target.first_row.items())[:most]}
    holders: dict[str, list[int]] = defaultdict(list)
    for row, words in t_words.items():
        for word in words:
            holders[word].append(row)
    weight = {word: np.log1p(len(t_words) / len(rows)) for word, rows in holders.items()}
    for row, values in enumerate(source.tuples()[:most]):
        words = set().union(*(_words(v) for v in values if v)) & holders.keys()
        score: Counter[int] = Counter()
        for word in words:
            if len(holders[word]) <= max(50, len(t_words) // 10):
                for t_row in holders[word]:
                    score[t_row] += weight[word]
        if not score:
            continue
        best = max(score.values())
        if best < 3.0:
            continue
        tied = [t_row for t_row, s in score.items() if s >= best - 1e-9]
        if len(tied) <= MAX_SHARED:
            for t_row in tied:
                shared = words & t_words[t_row]
                if len(shared) >= 2 and len(shared) >= len(t_words[t_row]) - 1:
                    group.pairs.append(RowPair(row, t_row, 1.0 / len(tied), " ".join(sorted(shared))))
    group.pairs.sort(key=lambda pair: (-pair.score, -len(pair.gram)))
    return group
