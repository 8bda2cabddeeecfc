"""Set similarity as integer bounds: a pair that lies exactly on the threshold is never lost to rounding.

With r and s the sizes of two sets and o of their intersection:

    jaccard      o / (r + s - o)
    dice         2 o / (r + s)
    cosine       o / sqrt(r s)
    containment  o / r              of the left set in the right one
    inclusion    o / min(r, s)      the overlap coefficient
    overlap      o                  the threshold is a number of tokens

A threshold t becomes a fraction p / q: the smallest one of those that sets of this size can reach at all and that
is not below t. So 0.8 means 4/5, and the float 5/7 means 5/7 although it prints as 0.714285714285714246...
Every further question is asked in integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from lakeview.errors import InputError
from lakeview.estimate.similarity.compiled import compiled
from lakeview.guards import checks

MEASURES = ("jaccard", "dice", "cosine", "containment", "inclusion", "overlap")
JACCARD, DICE, COSINE, CONTAINMENT, INCLUSION, OVERLAP = range(6)
# Not offered as similarities, but what string distances ask of their characters: o / max(r, s), (o/r + o/s) / 2.
LONGEST, MEAN = 6, 7

# A float stands for a fraction that it is a few roundings away from: sqrt and a division cost up to two ulps each.
_SLACK = Fraction(1, 1 << 50)
_LARGEST = 1 << 20  # denominators: their products with set sizes stay far inside 64 bits


def least_similarity(measure: str, threshold: Any) -> float:
    """A threshold of some measure: a similarity, or a number of tokens in common. Raises InputError for others."""
    if measure == "overlap":
        return checks.number("threshold of an overlap, in tokens,", threshold, 1, most=checks.MOST)
    return checks.share("threshold", threshold)


@dataclass(frozen=True)
class Bound:
    """similarity >= threshold in integers: `kind` indexes MEASURES, `p` / `q` is the threshold, squared for cosine."""

    kind: int
    p: int
    q: int

    @classmethod
    def of_longest(cls, threshold: float, largest: int) -> Bound:
        """o / max(r, s) >= threshold, exactly."""
        above = _smallest_at_least(Fraction(threshold) * (1 - _SLACK), max(largest, 1))
        return cls(LONGEST, above.numerator, above.denominator)

    @classmethod
    def of_mean(cls, threshold: float) -> Bound:
        """(o/r + o/s) / 2 >= threshold, or a little under it."""
        return cls(MEAN, int(max(threshold, 0.0) * 10_000), 10_000)

    @property
    def cut(self) -> float:
        """The smallest float that `similarity` gives for a pair that reaches the threshold."""
        # Distinct squared cosines of sets of thousands lie further apart than this; rounding moves them by less.
        return float(np.sqrt(self.p / self.q) * (1 - 4e-16)) if self.kind == COSINE else self.p / self.q

    def least_overlap(self, r: np.ndarray, s: np.ndarray) -> np.ndarray:
        """The smallest intersection with which sets of r and s tokens reach the threshold."""
        return _least_overlaps(self.kind, self.p, self.q, np.asarray(r, np.int64), np.asarray(s, np.int64))  # type: ignore[no-any-return]

    def reached(self, overlap: np.ndarray, r: np.ndarray, s: np.ndarray) -> np.ndarray:
        """Per pair, whether its similarity is at or above the threshold."""
        return np.asarray(overlap) >= self.least_overlap(r, s)


def bound(measure: str, threshold: float, largest: int) -> Bound:
    """The threshold as integers, exact for sets of up to `largest` tokens.

    Raises:
        InputError: unknown measure, or a threshold that is not above 0 and at most 1 (for "overlap": at least 1).
    """
    if measure not in MEASURES:
        raise InputError(f"no set similarity is called {measure!r}: there are {', '.join(MEASURES)}")
    kind = MEASURES.index(measure)
    low = Fraction(threshold) * (1 - _SLACK)
    if kind == OVERLAP:
        if threshold < 1:
            raise InputError(f"an overlap is a number of tokens, at least 1, not {threshold}")
        return Bound(kind, -(-low.numerator // low.denominator), 1)
    if not 0 < threshold <= 1:
        raise InputError(f"a threshold must be above 0 and at most 1, not {threshold}")
    if kind == COSINE:
        # The denominators of squared cosines are products of two sizes; o * o * q must fit 63 bits.
        most = min(largest * largest, (1 << 62) // max(largest * largest, 1))
        above = _smallest_at_least(low * low, max(most, 1))
    else:
        above = _smallest_at_least(low, min(2 * max(largest, 1), _LARGEST))
    return Bound(kind, above.numerator, above.denominator)


def similarity(measure: str, overlap: np.ndarray, r: np.ndarray, s: np.ndarray) -> np.ndarray:
    """The similarity of pairs as float64, correctly rounded (cosine: to two roundings)."""
    o, r, s = (np.asarray(value, np.float64) for value in (overlap, r, s))
    if measure == "jaccard":
        return o / (r + s - o)
    if measure == "dice":
        return 2 * o / (r + s)
    if measure == "cosine":
        return o / np.sqrt(r * s)
    if measure == "containment":
        return o / r
    if measure == "inclusion":
        return o / np.minimum(r, s)
    if measure == "overlap":
        return o
    raise InputError(f"no set similarity is called {measure!r}: there are {', '.join(MEASURES)}")


def _smallest_at_least(value: Fraction, most: int) -> Fraction:
    """The smallest fraction >= value with a denominator of at most `most`: the next member of the Farey sequence."""
    near = value.limit_denominator(most)
    if near >= value:
        return near
    # No member lies between `near` and `value`, so it is near's successor c/d: c b - a d = 1, d as large as may be.
    a, b = near.numerator, near.denominator
    d = (-pow(a, -1, b)) % b if b > 1 else 0
    d += (most - d) // b * b
    return Fraction(1 + a * d, b * d)


@compiled
def least_overlap(kind, p, q, r, s):  # type: ignore[no-untyped-def]
    """The smallest intersection of sets of r and s tokens that reaches p / q, at least 1."""
    if kind == JACCARD:
        least = (p * (r + s) + p + q - 1) // (p + q)
    elif kind == DICE:
        least = (p * (r + s) + 2 * q - 1) // (2 * q)
    elif kind == COSINE:
        least = np.int64(np.sqrt(float(p) / float(q) * float(r) * float(s)))
        while least > 0 and (least - 1) * (least - 1) * q >= p * r * s:
            least -= 1
        while least * least * q < p * r * s:
            least += 1
    elif kind == CONTAINMENT:
        least = (p * r + q - 1) // q
    elif kind == INCLUSION:
        least = (p * min(r, s) + q - 1) // q
    elif kind == LONGEST:
        least = (p * max(r, s) + q - 1) // q
    elif kind == MEAN:
        least = (2 * p * r * s + q * (r + s) - 1) // (q * (r + s))
    else:
        least = p
    return max(least, np.int64(1))


@compiled
def size_range(kind, p, q, r, largest):  # type: ignore[no-untyped-def]
    """(smallest, largest) right set that a left set of r tokens can reach p / q with."""
    if kind == JACCARD:
        return (p * r + q - 1) // q, r * q // p
    if kind == DICE:
        return (p * r + 2 * q - p - 1) // (2 * q - p), r * (2 * q - p) // p
    if kind in (COSINE, LONGEST):
        return (p * r + q - 1) // q, r * q // p
    if kind == MEAN and 2 * p > q:
        return (r * (2 * p - q) + q - 1) // q, r * q // (2 * p - q)
    if kind == CONTAINMENT:
        return (p * r + q - 1) // q, largest
    if kind in (INCLUSION, MEAN):
        return np.int64(1), largest
    return p, largest


@compiled
def smallest_left(kind, p, q, s):  # type: ignore[no-untyped-def]
    """The smallest left set that can reach p / q with a right set of s tokens."""
    if kind in (JACCARD, COSINE, LONGEST):
        return max((p * s + q - 1) // q, 1)
    if kind == DICE:
        return max((p * s + 2 * q - p - 1) // (2 * q - p), 1)
    if kind == MEAN and 2 * p > q:
        return max((s * (2 * p - q) + q - 1) // q, 1)
    if kind in (CONTAINMENT, INCLUSION, MEAN):
        return np.int64(1)
    return p


@compiled
def _least_overlaps(kind, p, q, r, s):  # type: ignore[no-untyped-def]
    least = np.empty(len(r), np.int64)
    for i in range(len(r)):
        least[i] = least_overlap(kind, p, q, r[i], s[i])
    return least
