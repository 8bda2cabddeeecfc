"""How far two column names speak of the same thing, given how common each name is in the lake."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+s?(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_a-zA-Z]+")
_UNNAMED = re.compile(r"column_\d+(?:_\d+)?")  # what a column without a name is called
COMMON_TABLES, COMMON_SHARE = 3, 0.05  # a name in more tables than both says nothing


def unnamed(column: str) -> bool:
    """Whether a column has no name of its own."""
    return bool(_UNNAMED.fullmatch(column))


@lru_cache(maxsize=1 << 16)
def words(name: str) -> frozenset[str]:
    """The words of a name, lower-cased, plurals cut: "customerIDs" → {customer, id}."""
    return frozenset(_singular(word).lower() for word in _WORD.findall(name))


def last_word(name: str) -> str:
    """The word that the others qualify: "shop_customers" → customer."""
    return _singular(([name, *_WORD.findall(name)])[-1]).lower()


def _singular(word: str) -> str:
    plural = word.endswith("s") and ((len(word) > 3 and not word.endswith("ss")) or word[:-1].isupper())
    return word[:-1] if plural else word


class NameIndex:
    """Which names are common in a lake: `rownames`, `id`, `year` in half of its tables tell nothing."""

    def __init__(self, columns: Iterable[tuple[str, str]]) -> None:
        tables: dict[frozenset[str], set[str]] = {}
        seen: set[str] = set()
        for table, column in columns:
            seen.add(table)
            tables.setdefault(words(column), set()).add(table)
        self._tables = Counter({name: len(of) for name, of in tables.items()})
        self._limit = max(COMMON_TABLES, COMMON_SHARE * len(seen))

    def common(self, column: str) -> bool:
        """Whether the name is in so many tables that it says nothing, or no name at all."""
        return unnamed(column) or self._tables[words(column)] > self._limit

    def agreement(self, query: str, table: str, column: str) -> float:
        """How far a query column's name agrees with a lake column's and its table's: 0 to 1.

        1: the same rare name. 0.9: the query names the table and the column (`customer_id`, `customers.id`).
        """
        asked, own, stem = words(query), words(column), words(table.rsplit("/", 1)[-1].split(".", 1)[0])
        if not asked or not own:
            return 0.0
        if asked == own:
            return 0.0 if self.common(column) else 1.0
        if asked & stem and asked <= own | stem and own <= asked:
            return 0.9
        if not self.common(column) and not self.common(query) and (shared := asked & own):
            return 0.8 * len(shared) / len(asked | own)
        return 0.0


def agreements(names: NameIndex, query: str, tables: Sequence[str], columns: Sequence[str]) -> list[float]:
    """`NameIndex.agreement` of a query with several columns."""
    return [names.agreement(query, t, c) for t, c in zip(tables, columns, strict=True)]
