"""What names of columns and tables say of keys: customer_id refers to customers.id, home_team_id to teams.team_id."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_

import numpy as np

from lakeview.evidence.names import COMMON_SHARE, COMMON_TABLES, last_word, unnamed, words

KEY_WORDS = frozenset({"id", "key", "code", "no", "number", "nr", "fk", "pk", "ref", "sk"})
MEASURES = frozenset(
    {"quantity", "qty", "count", "amount", "total", "price", "cost", "age", "rank", "ranking", "position", "score"}
    | {"percent", "percentage", "weight", "height", "length"}
)
TIMES = frozenset({"year", "yr", "quarter", "month", "week", "day", "date", "time", "hour", "season", "decade"})
SAME = 0.9  # agreement from which two names mean the same key
ROLE = 0.8  # a key's name with more words: the part that the other row plays
ABBREVIATED = 3  # letters from which the start of a word stands for it: cust for customer


@dataclass(frozen=True)
class Asked:
    """What a column is called that is asked about: one of the lake, or of a frame beside it.

    name: all words; subject: those that are no key words; table: the lake's that it is of, None for a frame's.
    """

    name: frozenset[str]
    subject: frozenset[str]
    unnamed: bool
    table: str | None = None

    @property
    def keyed(self) -> bool:
        """Whether the name is that of a key."""
        return bool(self.name & KEY_WORDS)

    @property
    def measure(self) -> bool:
        """Whether it is called what is counted or measured: order_quantity is no order."""
        return bool(self.name & MEASURES) and not self.keyed

    @property
    def time(self) -> bool:
        """Whether it is called a time, and not the key of one."""
        return bool(self.name & TIMES) and len(self.name - TIMES) <= 1 and not self.keyed


class KeyNames:
    """The columns of a lake by what they are called; a column goes by its number.

    columns: (table, name) of each; unique: the numbers of those that may be keys. `alike`: int64[n], the same for
    columns of the same words.
    """

    def __init__(self, columns: Sequence[tuple[str, str]], unique: Iterable[int]) -> None:
        self.tables = [table for table, _ in columns]
        stems = {table: table.rsplit("/", 1)[-1].split(".", 1)[0] for table in self.tables}
        self.stems = {table: words(stem) for table, stem in stems.items()}
        self.heads = {table: frozenset({last_word(stem)}) for table, stem in stems.items()}
        self._vocabulary: frozenset[str] = frozenset().union(*self.stems.values())
        self._split: dict[str, frozenset[str]] = {}
        self.names = [frozenset().union(*map(self._parts, words(name))) for name in _bare(columns, self._vocabulary)]
        self.subjects = [name - KEY_WORDS for name in self.names]
        self.unnamed = [unnamed(name) for _, name in columns]
        numbers = {name: n for n, name in enumerate(dict.fromkeys(self.names))}
        self.alike = np.array([numbers[name] for name in self.names], int)
        keys = Counter(name for _, name in {(self.tables[n], self.names[n]) for n in unique})
        self._common = max(COMMON_TABLES, COMMON_SHARE * len(self.stems))
        self._keys = keys

    def _parts(self, word: str) -> frozenset[str]:
        """custkey is cust and key where a table's name starts with cust."""
        if word not in self._split:
            ends = (word.removesuffix(end) for end in KEY_WORDS if word.endswith(end))
            stem = next((s for s in ends if any(_stands_for(s, known) for known in self._vocabulary)), word)
            self._split[word] = frozenset({stem, word[len(stem) :]} - {""})
        return self._split[word]

    def asked(self, number: int) -> Asked:
        """A column of the lake."""
        return Asked(self.names[number], self.subjects[number], self.unnamed[number], self.tables[number])

    @cached_property
    def times(self) -> np.ndarray:
        """Of each column, whether it is called a time: bool[n]."""
        called = {name: Asked(name, name - KEY_WORDS, False).time for name in set(self.names)}
        return np.array([called[name] for name in self.names], bool)

    def outside(self, column: str) -> Asked:
        """A column of a frame beside the lake."""
        name = frozenset().union(*map(self._parts, words(column)))
        return Asked(name, name - KEY_WORDS, unnamed(column))

    def keyed(self, number: int) -> bool:
        """Whether the name is that of a key: it has a word like id. A number of something is none."""
        return bool(self.names[number] & KEY_WORDS) and "of" not in self.names[number]

    def linked(self, source: int, target: int) -> bool:
        """Whether two names are those of keys of one sort, as of two ids; or neither column has a name."""
        if self.unnamed[source] or self.unnamed[target]:
            return self.unnamed[source] and self.unnamed[target]
        return self.keyed(source) and bool(self.names[source] & self.names[target] & KEY_WORDS)

    def head(self, number: int) -> frozenset[str]:
        """The word of the name of a column's table that the others qualify."""
        return self.heads[self.tables[number]]

    def common(self, number: int) -> bool:
        """Whether the name is that of a key in so many tables that it tells none, as `rownames` and `id` are."""
        return self._keys[self.names[number]] > self._common

    def about(self, number: int, table: str) -> float:
        """How far a column is named after a table, 0 to 1: the share of the table's name that it says."""
        return self._about(self.subjects[number], table)

    def _about(self, subject: frozenset[str], table: str) -> float:
        stem = self.stems[table]
        said = (max((len(w) / len(part) for w in subject if _stands_for(w, part)), default=0.0) for part in stem)
        return sum(said) / len(stem) if stem else 0.0

    def about_own(self, number: int) -> float:
        """How far a column is named after its own table."""
        return self.about(number, self.tables[number])

    def is_own(self, number: int, about: float) -> bool:
        """Whether all that a column's name says is its own table's name, and no less of that than of another's
        (`about`): order_items.order_item_id is no order_id, sales.sales_transaction_id is a transaction_id."""
        subject, stem = self.subjects[number], self.stems[self.tables[number]]
        said = all(any(_stands_for(word, part) for part in stem) for word in subject)
        return bool(subject) and said and self.about_own(number) >= about

    @cached_property
    def starts(self) -> tuple[np.ndarray, np.ndarray]:
        """The starts of the words of each column's subject, and those that a column is called by: these and its table's
        name, or that alone where many keys have its name. Two sets of 64 bits each, uint64[n, 2], of which both meet
        where a start is the same."""

        own = np.array([_bits(subject) for subject in self.subjects], np.uint64).reshape(-1, 2)
        stem = {table: _bits(found) for table, found in self.stems.items()}
        tables = np.array([stem[table] for table in self.tables], np.uint64).reshape(-1, 2)
        common = np.array([self.common(number) for number in range(len(self.names))], bool)
        return own, np.where(common[:, None], tables, own | tables)

    def may_agree(self, source: np.ndarray, target: np.ndarray) -> np.ndarray:
        """Whether `agreement` may be above 0, for many pairs at a time: bool[p]. Without a start of a word in common
        there is none."""
        own, all_of_it = self.starts
        return _meet(own[source], all_of_it[target])

    def agreements(self, asked: Asked, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """`agreement` with several columns, and how far their tables are what the asked one is called after: float64[n]
        each."""
        agreement, about = np.zeros(len(targets)), np.zeros(len(targets))
        near = np.flatnonzero(_meet(np.array(_bits(asked.subject), np.uint64), self.starts[1][targets]))
        for at, target in zip(near.tolist(), targets[near].tolist(), strict=True):
            agreement[at] = self._agreement(asked, target)
            about[at] = self._about(asked.subject, self.tables[target])
        return agreement, about

    def agreements_of(self, sources: np.ndarray, target: Asked) -> np.ndarray:
        """How far the names of several columns point to one that is a key: float64[n], as `agreement`."""
        found = np.zeros(len(sources))
        stem = self.heads.get(target.table or "", frozenset())
        wanted = np.array(_bits(target.subject | stem), np.uint64)
        near = np.flatnonzero(_meet(self.starts[0][sources], wanted))
        for at, source in zip(near.tolist(), sources[near].tolist(), strict=True):
            asked = self.asked(source)
            if asked.name == target.name:
                found[at] = 0.0 if self.common(source) and target.table is None else 1.0
            elif target.table is not None and asked.subject:
                named = {w for w in asked.subject if w in target.subject or any(_stands_for(w, p) for p in stem)}
                found[at] = SAME if named == asked.subject and target.subject <= asked.subject | stem else 0.0
        return found

    def agreement(self, source: int, target: int) -> float:
        """How far the name of a column points to a key, 0 to 1.

        1: the same name, unless that is a bare `id`. 0.9: table and column (customer_id, customers.id). 0.8: the same
        with more words (home_team_id, teams.team_id). Else as many of the words as both have.
        """
        return self._agreement(self.asked(source), target)

    def _agreement(self, source: Asked, target: int) -> float:
        asked, own = source.subject, self.subjects[target]
        if not asked or source.unnamed or self.unnamed[target]:
            return 0.0
        # What the table is called tells whose bare id it is, if it is that: group_id says nothing of group_standings.
        stem = (self.stems if own else self.heads)[self.tables[target]]
        if source.table == self.tables[target]:
            stem = frozenset()
        if source.name == self.names[target]:
            return 0.0 if self.common(target) and not self.about_own(target) else 1.0
        if self.common(target) and not any(_stands_for(word, part) for word in asked for part in stem):
            return 0.0
        named = {word for word in asked if word in own or any(_stands_for(word, part) for part in stem)}
        if named == asked and all(word in asked or word in stem for word in own):
            return SAME
        key_words = source.name & KEY_WORDS
        if named and own <= asked and key_words and key_words == self.names[target] & KEY_WORDS:
            return ROLE
        return ROLE * len(named) / len(asked | own | stem)


def _bits(found: Iterable[str]) -> tuple[int, int]:
    """The starts of some words as two sets of 64 bits."""
    hashes = [zlib.crc32(word[:ABBREVIATED].encode()) for word in found]
    first, second = (reduce(or_, (1 << (h >> shift) % 64 for h in hashes), 0) for shift in (0, 6))
    return first, second


def _meet(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Whether such sets may have a start in common: uint64[..., 2] to bool[...]."""
    return np.asarray(((some & others) != 0).all(axis=-1))


def _stands_for(word: str, whole: str) -> bool:
    return word == whole or (len(word) >= ABBREVIATED and whole.startswith(word))


def _bare(columns: Sequence[tuple[str, str]], vocabulary: frozenset[str]) -> list[str]:
    """Names without the abbreviation up to "_" that all columns of a table begin with: l_orderkey is orderkey. What is
    a word of some table's name says something and stays."""
    prefixes: dict[str, list[str]] = {}
    for table, name in columns:
        head, bar, rest = name.partition("_")
        telling = unnamed(name) or not bar or not rest or words(head) & vocabulary
        prefixes.setdefault(table, []).append("" if telling else head + bar)
    shared = {table: heads[0] if len(heads) > 1 and len({*heads}) == 1 else "" for table, heads in prefixes.items()}
    return [name.removeprefix(shared[table]) for table, name in columns]
