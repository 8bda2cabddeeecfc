"""What changed in the keys of a join since it was made: how many matched then and now, and what the new ones are like.

What is kept of the keys is small: how many there are, how many match, and a sample of some hundred, chosen by hash, so
that the same keys are chosen whenever they are there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview import values
from lakeview.join.naming import one_line

SAMPLE = 200  # keys kept of each kind
LOOKED_AT = 2_000  # keys that meet none now
LEAST = 0.005  # of the keys: what fewer do is no change
MOST = 0.5  # the share of the keys that meet none from which on what they have in common is told
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_ZEROS = re.compile(r"(?<![0-9])0+(?=[0-9])")
_SIGNS = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Keys:
    """The distinct canonical keys of both sides, and which of the left meet one."""

    left: list[str]
    met: np.ndarray
    right: list[str]

    @classmethod
    def of(cls, left: pa.Array, right: pa.Array) -> Keys:
        mine, theirs = left.drop_null().unique(), right.drop_null().unique()
        met = np.asarray(pc.is_in(mine.cast(pa.large_string()), value_set=theirs.cast(pa.large_string())))
        return cls(mine.to_pylist(), met, theirs.to_pylist())

    @property
    def rate(self) -> float:
        """The share of the left keys that meet one; 1 where there are none."""
        return float(self.met.mean()) if len(self.met) else 1.0

    def profile(self, with_values: bool = True) -> dict[str, Any]:
        """What is kept. with_values: keys among it."""
        kept = with_values and len(self.left) > 0
        met, alone = ([key for key, is_met in zip(self.left, self.met, strict=True) if is_met == wanted]
                      for wanted in (True, False))  # fmt: skip
        years = [int(year) for key in self.right for year in _YEAR.findall(key)[:1]]
        return {
            "left": len(self.left), "right": len(self.right), "met": int(self.met.sum()),
            "met_sample": sample(met) if kept else [], "alone_sample": sample(alone) if kept else [],
            "latest_year": max(years, default=None) if kept else None,
        }  # fmt: skip


@dataclass(frozen=True)
class Drift:
    """What changed in the keys of a join.

    then, now  the share of the left keys that met one, and that meets one
    kind       "" where nothing did; "case", "padding", "signs", "prefix", "new years", "keys gone", "new keys"
    said       a sentence; "" where nothing changed
    samples    some keys that meet none now
    """

    then: float
    now: float
    kind: str = ""
    said: str = ""
    samples: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.kind)

    def __str__(self) -> str:
        return self.said or f"{_percent(self.now)} of the keys match, as before"


def drift(then: Mapping[str, Any], keys: Keys) -> Drift:
    """What changed since `then`, which is a profile."""
    before = then["met"] / then["left"] if then["left"] else 1.0
    now, n = keys.rate, len(keys.left)
    lost = (before - now) * n  # keys that would match, had nothing changed
    if lost < max(1.0, LEAST * n) - 1e-9:
        return Drift(before, now)
    known = set(then["alone_sample"])
    alone = [key for key, met in zip(keys.left, keys.met, strict=True) if not met and key not in known]
    alone = sample(alone, LOOKED_AT)
    share = min(1.0, MOST * lost / max(1.0, n - float(keys.met.sum())))
    kind, why, of = _kind(alone, keys, then, max(1.0, share * len(alone)))
    samples = tuple(of[:3])
    rates = f"{_percent(before)} of the keys matched then, {_percent(now)} now"
    such = f", such as {', '.join(map(repr, samples))}" if samples else ""
    return Drift(before, now, kind, one_line(f"{rates}; {why}{such}"), samples)


def _kind(alone: list[str], keys: Keys, then: Mapping[str, Any], least: float) -> tuple[str, str, list[str]]:
    """The kind of a drift, in words, and keys that show it. least: how many of the keys it has to explain."""
    forms: tuple[tuple[str, str, Callable[[str], str]], ...] = (
        ("case", "they differ in case", str.casefold),
        ("padding", "they differ in leading zeros", lambda key: _ZEROS.sub("", key)),
        ("signs", "they differ in signs and blanks", lambda key: _SIGNS.sub("", key).casefold()),
    )
    for name, why, form in forms:
        there = set(map(form, keys.right))
        found = [key for key in alone if form(key) and form(key) in there]
        if len(found) >= least:
            return name, why, found
    if affix := _affix(alone, set(keys.right), least):
        return "prefix", *affix
    latest = max([int(year) for key in keys.right for year in _YEAR.findall(key)[:1]], default=None)
    years = [key for key in alone if latest is not None and (own := _YEAR.findall(key)) and int(own[0]) > latest]
    if len(years) >= least:
        return "new years", f"the others go to {latest}, and new ones are later", years
    left, met = set(keys.left), {key for key, is_met in zip(keys.left, keys.met, strict=True) if is_met}
    still = [key for key in then["met_sample"] if key in left]
    gone = [key for key in still if key not in met]
    if len(still) and len(gone) / len(still) * len(keys.left) >= least:
        return "keys gone", "keys are gone from the right side", gone
    before = [*then["met_sample"], *then["alone_sample"]]
    for length in range(6, 1, -1):
        (start, often), *_ = Counter(key[:length] for key in alone if len(key) > length).most_common(1) or [("", 0)]
        if often >= least and often > 1 and before and not any(key.startswith(start) for key in before):
            return "prefix", f"new ones look like '{start}…'", [key for key in alone if key.startswith(start)]
    return "new keys", "new ones are not on the right side", alone


def _affix(alone: Sequence[str], right: Collection[str], least: float) -> tuple[str, list[str]] | None:
    """What most keys have before or behind a key of the right side, or lack there."""
    for cut, put, where in (
        (lambda key, n: (key[:n], key[n:]), lambda mark, key: mark + key, "before"),
        (lambda key, n: (key[len(key) - n :], key[: len(key) - n]), lambda mark, key: key + mark, "behind"),
    ):
        for length in range(1, 9):
            marks = Counter(cut(key, length)[0] for key in alone if len(key) > length)
            for mark, often in marks.most_common(2):
                if often < least:
                    break
                rest = ((key, cut(key, length)) for key in alone if len(key) > length)
                found = [key for key, (own, other) in rest if own == mark and other in right]
                if len(found) >= least:
                    return f"they have {mark!r} {where} the key", found
            some = sample(right, LOOKED_AT)
            for mark, _ in Counter(cut(key, length)[0] for key in some if len(key) > length).most_common(2):
                found = [key for key in alone if put(mark, key) in right]
                if len(found) >= least:
                    return f"they lack {mark!r} {where} the key", found
    return None


def sample(keys: Collection[str], most: int = SAMPLE) -> list[str]:
    """Some keys, chosen by their hash: the same ones whenever they are there."""
    listed = list(keys)
    if len(listed) <= most:
        return listed
    order = np.argsort(values.hash_strings(pa.array(listed, pa.large_string())), kind="stable")[:most]
    return [listed[place] for place in order]


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%" if share in (0, 1) or 0.01 <= share <= 0.99 else f"{100 * share:.1f}%"
