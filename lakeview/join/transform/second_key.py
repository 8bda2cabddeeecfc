"""The second key of a join: what tells rows of one key apart, learned from the rows that the first key joins.

Two governors share a name, but not their years in office. Where pieces of two further columns agree on nearly all rows
that a key joins alone, and would not by chance, they must agree for rows of a key that several rows hold, too, and for
near keys: so a join by composite keys (thesis section 4.4.3) is found one key after the other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lakeview.join.transform.columns import Columns
from lakeview.join.transform.operators import Piece, Split
from lakeview.join.transform.program import Program

MOST = 300  # joined rows that are looked at
LEAST = 6  # of them, that must agree
AGREE = 0.8  # share of joined rows that agree
CHANCE = 0.3  # share of other rows that may
KEPT = 0.7  # share of the rows of a key of several rows that still join, on one side
SEPARATORS = (";", ",", "(", "-", "–", "/", ":", "|")
BETWEEN = "\x1f"  # between the two keys of a row

Keys = list[str | None]


@dataclass(frozen=True)
class SecondKey:
    """Programs over both sides whose results must be equal where the first key belongs to several rows of a side."""

    derived: Program
    keyed: Program

    def tell_apart(self, derived: Columns, keyed: Columns, made: Keys, there: Keys) -> tuple[Keys, Keys]:
        """The keys of both sides, those of several rows with the second key behind them (None where it is missing)."""
        twice = several(made) | several(there)

        def longer(keys: Keys, seconds: Keys) -> Keys:
            return [
                key if key not in twice else None if second is None else f"{key}{BETWEEN}{second}"
                for key, second in zip(keys, seconds, strict=True)
            ]

        return longer(made, self.derived.apply(derived)), longer(there, self.keyed.apply(keyed))

    def allows(self, derived: Columns, keyed: Columns, row: int, other: int) -> bool:
        """Whether two rows agree, or one has nothing to agree with."""
        own, its = self.derived(derived.row(row)), self.keyed(keyed.row(other))
        return own is None or its is None or own == its


def several(keys: Keys) -> set[str]:
    """The keys of more than one row."""
    return {key for key, rows in Counter(keys).items() if rows > 1 and key is not None}


def second_key(derived: Columns, keyed: Columns, made: Keys, there: Keys) -> SecondKey | None:
    """The second key of rows with the keys `made` and `there`, or None where no two pieces agree."""
    rows_of: dict[str, list[int]] = defaultdict(list)
    for row, key in enumerate(there):
        if key is not None:
            rows_of[key].append(row)
    pairs = [(row, rows_of[key][0]) for row, key in enumerate(made) if key is not None and len(rows_of[key]) == 1]
    pairs = pairs[:: max(1, -(-len(pairs) // MOST))]
    if len(pairs) < LEAST:
        return None
    keys = [made[row] or "" for row, _ in pairs]
    own = _pieces(derived, [row for row, _ in pairs], keys)
    its = _pieces(keyed, [row for _, row in pairs], keys)
    if not own or not its:
        return None
    numbers: dict[str, int] = {}

    def codes(found: list[tuple[Piece, Keys]], missing: int) -> np.ndarray:
        return np.array([[missing if t is None else numbers.setdefault(t, len(numbers)) for t in texts]
                         for _, texts in found])  # fmt: skip

    a, b = codes(own, -1), codes(its, -2)
    agree = _shares(a, b)
    chance = np.maximum(*(_shares(a, np.roll(b, -(-len(pairs) // part), axis=1)) for part in (2, 3)))
    cost = np.array([p.cost for p, _ in own])[:, None] + np.array([p.cost for p, _ in its])
    worth = np.where((agree >= AGREE) & (agree * len(pairs) >= LEAST) & (chance <= CHANCE),
                     agree - chance - 0.02 * cost, -1.0)  # fmt: skip
    for place in np.argsort(-worth, axis=None, kind="stable")[:5]:
        i, j = np.unravel_index(place, worth.shape)
        if worth[i, j] < 0:
            return None
        found = SecondKey(Program((own[i][0],), derived.names), Program((its[j][0],), keyed.names))
        if _kept(found, derived, keyed, made, there) >= KEPT:
            return found
    return None


def _shares(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """For every two rows of `a` and `b`, the share of places where they are equal."""
    return np.array([(row == b).mean(axis=1) for row in a])


def _kept(second: SecondKey, derived: Columns, keyed: Columns, made: Keys, there: Keys) -> float:
    """Of the rows whose key several rows hold and both sides have, the share that still joins."""
    twice = (several(made) | several(there)) & set(made) & set(there)
    longer = second.tell_apart(derived, keyed, made, there)
    shares = []
    for keys, now, other in ((made, longer[0], set(longer[1])), (there, longer[1], set(longer[0]))):
        met = [key is not None and key in other for old, key in zip(keys, now, strict=True) if old in twice]
        shares.append(sum(met) / len(met) if met else 1.0)
    return max(shares)


def _pieces(table: Columns, rows: Sequence[int], keys: Sequence[str]) -> list[tuple[Piece, Keys]]:
    """Pieces of the columns that tell something that the key does not, with their texts."""
    found: dict[tuple[str | None, ...], Piece] = {}
    for column in table.columns:
        texts = [column.values[row] for row in rows]
        for piece in _of(column.place, texts):
            made = tuple(map(piece.value, texts))
            given = [(text, key) for text, key in zip(made, keys, strict=True) if text is not None]
            if len(given) < 0.8 * len(rows) or len({text for text, _ in given}) < 3:
                continue
            if 2 * sum(text in key for text, key in given) > len(given):
                continue
            if made not in found or piece.cost < found[made].cost:
                found[made] = piece
    return [(piece, list(made)) for made, piece in found.items()]


def _of(place: int, texts: Sequence[str | None]) -> Iterator[Piece]:
    """The whole column, its words, its parts at separators that most texts have, and the words of these."""
    yield Piece(place)
    present = [text for text in texts if text is not None]
    splits: list[tuple[Split, ...]] = [()]
    for sep in SEPARATORS:
        if 2 * sum(sep in text for text in present) > len(present):
            splits += [(Split(sep, index),) for index in (0, 1, -1)]
    for some in splits:
        if some:
            yield Piece(place, some)
            yield Piece(place, some, "bare")
        for index in (0, 1, -1):
            yield Piece(place, (*some, Split(" ", index)))
            yield Piece(place, (*some, Split(" ", index)), "bare")


def has_several(made: Keys, there: Keys) -> bool:
    """Whether a key of both sides belongs to several rows of one."""
    return bool((several(made) | several(there)) & set(made) & set(there))
