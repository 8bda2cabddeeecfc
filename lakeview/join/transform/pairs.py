"""Row pairs that probably join, guessed from q-grams that are rare on both sides (Algorithm 3).

For every suffix of a source value the longest prefix that occurs in the target column is taken; a q-gram that n
source values and m target values hold scores 1/(n m). Pairs are grouped by column pair. Because no single column
need hold a rare q-gram (hours, minutes and seconds in three columns), whole rows are compared by their words too;
and because a text may be written with no three characters in a row as they were, values by their normal forms.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations

import numpy as np

from lakeview.join.transform.columns import Column, Columns
from lakeview.join.transform.normal_forms import FORMS, LEAST, letters_and_digits
from lakeview.join.transform.suffixes import SuffixArray, best_matches
from lakeview.values.months import MONTH_NUMBERS

MAX_SHARED = 4  # q-grams that more target values hold pair nothing
MAX_CELL = 400  # characters of a cell that are looked at
SHORT, MAX_SHORT = 8, 5  # characters, and so many columns of no more, that are put one behind the other
TELLING = 0.5  # share of the rows that must be a key then
SOME = 100  # rows that are tried first
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
        self._arrays: dict[tuple[bool, int, bool], tuple[SuffixArray, list[str]]] = {}
        self._forms: dict[tuple[bool, int], list[dict[str, list[str]]]] = {}

    def _array(self, column: Column, is_source: bool, bare: bool) -> tuple[SuffixArray, list[str]]:
        key = (is_source, column.place, bare)
        if key not in self._arrays:
            values = list(column.first_row)
            self._arrays[key] = SuffixArray.of([value[:MAX_CELL] for value in values]), values
        return self._arrays[key]

    def groups(self, keys: Iterable[Column]) -> list[PairGroup]:
        """Groups of pairs for every source column against every key of `keys`, the weightiest first."""
        keys = list(keys)
        columns = [c for c in self.source.columns if len(c.first_row) >= 2 and not c.is_measure]
        found = [self._match(s, t) for s, t in _likely(columns, keys)]
        if len(columns) > 1:
            found += [_by_words(self.source, t) for t in keys[:MAX_COLUMN_PAIRS]]
            short = [c for c in columns if sum(map(len, c.first_row)) <= SHORT * len(c.first_row)][:MAX_SHORT]
            found += [_by_columns(self.source, t, short) for t in keys[:MAX_COLUMN_PAIRS]]
        return sorted((g for g in found if len(g.pairs) >= 2), key=lambda g: -g.weight)

    def _match(self, source: Column, target: Column) -> PairGroup:
        group = PairGroup(source.place, target.place, self._by_forms(source, target))
        self._by_grams(group, source, target)
        if not group.pairs:  # then the letters and digits may share what the texts do not
            self._by_grams(group, _bare(source), _bare(target), bare=True)
        group.pairs.sort(key=lambda pair: (-pair.score, -len(pair.gram)))
        return group

    def _formed(self, column: Column, is_source: bool) -> list[dict[str, list[str]]]:
        key = is_source, column.place
        if key not in self._forms:
            self._forms[key] = [_formed(column, form) for form in FORMS]
        return self._forms[key]

    def _by_forms(self, source: Column, target: Column) -> list[RowPair]:
        """Pairs of different values with one normal form; a form that n and m values share scores 1/(n m)."""
        found: dict[tuple[int, int], RowPair] = {}
        for here, there in zip(self._formed(source, True), self._formed(target, False), strict=True):
            for text in here.keys() & there.keys():
                own, others = here[text], there[text]
                if max(len(own), len(others)) > MAX_SHARED:
                    continue
                for a, b in ((a, b) for a in own for b in others if a != b):
                    rows = source.first_row[a], target.first_row[b]
                    score = 1.0 / (len(own) * len(others))
                    if rows not in found or score > found[rows].score:
                        found[rows] = RowPair(*rows, score, text)
        return [found[rows] for rows in sorted(found)]

    def _by_grams(self, group: PairGroup, source: Column, target: Column, bare: bool = False) -> None:
        """Adds the pairs that share a rare q-gram, those apart that the group has."""
        s, s_values = self._array(source, True, bare)
        t, t_values = self._array(target, False, bare)
        known = {(pair.source, pair.target) for pair in group.pairs}
        if not len(s.order) or not len(t.order):
            return
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
                rows = source.first_row[text], target.first_row[t_values[owner]]
                if rows not in known:
                    group.pairs.append(RowPair(*rows, 1.0 / float(n[value] * m[value]), gram))


def _bare(column: Column) -> Column:
    """The letters and digits of a column."""
    return Column(column.name, column.place, [v and (letters_and_digits(v[:MAX_CELL]) or None) for v in column.values])


def _by_columns(source: Columns, target: Column, columns: Sequence[Column]) -> PairGroup:
    """Pairs of rows of which two columns, one behind the other, are the letters and digits of a target value: numbers
    as they are, or as wide as is left for them ("1" and "73" are "01073")."""
    there = _formed(target, letters_and_digits, 3)
    best = PairGroup(None, target.place)
    widths = {len(text) for text in there}
    for first, second in permutations(columns, 2):
        rows: dict[tuple[str, str], int] = {}
        for row, (a, b) in enumerate(zip(first.values, second.values, strict=True)):
            if a and b:
                rows.setdefault((letters_and_digits(a), letters_and_digits(b)), row)
        longest = [max((len(pair[place]) for pair in rows), default=0) for place in (0, 1)]
        some = dict(list(rows.items())[:: max(1, len(rows) // SOME)])
        for left, right in {(0, 0)} | {(w - r, r) for w in widths for r in {longest[1], w - longest[0]} if 0 < r < w}:
            if sum(text in there for text in _behind(some, left, right)) * 2 < TELLING * len(some):
                continue
            made = _behind(rows, left, right)
            pairs = [RowPair(row, target.first_row[there[text][0]], 1.0, text)
                     for text, row in made.items() if len(there.get(text, ())) == 1]  # fmt: skip
            if len(pairs) > max(TELLING * len(rows), len(best.pairs)) and len(made) == len(rows):
                best.pairs = pairs
    return best


def _behind(rows: Mapping[tuple[str, str], int], left: int, right: int) -> dict[str, int]:
    """Both parts one behind the other, numbers as wide as is said, with their row."""
    return {
        (a.zfill(left) if a.isdigit() else a) + (b.zfill(right) if b.isdigit() else b): row
        for (a, b), row in rows.items()
    }


def _formed(column: Column, form: Callable[[str], str], least: int = LEAST) -> dict[str, list[str]]:
    """The values of a column by their normal form, where it says something."""
    found: dict[str, list[str]] = defaultdict(list)
    for value in column.first_row:
        if least <= len(value) <= MAX_CELL and len(text := form(value)) >= least:
            found[text].append(value)
    return found


def _grams(column: Column, most: int = 300) -> np.ndarray:
    """Hashes of the 3-grams of up to `most` values and of their normal forms, sorted and distinct."""
    values = [value[:MAX_CELL] for value in list(column.first_row)[:most]]
    text = "\0".join([*values, *(form(value) for form in FORMS for value in values)]) + "\0\0"
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
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")


def _words(text: str) -> set[str]:
    """Words of a cell, months as numbers; numbers without leading zeros, so that 5 meets 05."""
    words = (MONTH_NUMBERS.get(word, word) for word in _WORD.findall(text[:MAX_CELL]))
    return {word.lstrip("0") or "0" if word.isdigit() else word for word in words}


def _short_years(words: set[str]) -> set[str]:
    """The years among the words as they are written in two digits."""
    return {word[2:].lstrip("0") or "0" for word in words if _YEAR.fullmatch(word)}


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
        words = set().union(*(_words(v) for v in values if v))
        words = (words | _short_years(words)) & holders.keys()
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
