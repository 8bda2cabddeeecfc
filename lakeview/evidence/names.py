"""The words that names of columns and tables are made of."""

from __future__ import annotations

import re
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


def words_in_order(name: str) -> list[str]:
    """The same in their order, repeated ones and all."""
    return [_singular(word).lower() for word in _WORD.findall(name)]


def last_word(name: str) -> str:
    """The word that the others qualify: "shop_customers" → customer."""
    return _singular(([name, *_WORD.findall(name)])[-1]).lower()


def _singular(word: str) -> str:
    plural = word.endswith("s") and ((len(word) > 3 and not word.endswith("ss")) or word[:-1].isupper())
    return word[:-1] if plural else word
