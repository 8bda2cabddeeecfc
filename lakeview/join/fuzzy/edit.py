"""Edit distance and Jaro-Winkler: rapidfuzz on candidates that share enough characters to reach the threshold.

    edit          1 - Levenshtein(a, b) / max(|a|, |b|)
    jaro_winkler  Jaro-Winkler similarity, prefix weight 0.1

Both demand common characters, counted with repetition: M = max(|a|, |b|) characters and d edits leave M - d in common,
and Jaro's similarity is at most (m/|a| + m/|b| + 1) / 3 with m of them in common. So the candidates are a set join of
characters numbered by occurrence, and no pair that reaches the threshold is missing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from lakeview.errors import InputError
from lakeview.estimate.similarity.collection import collections
from lakeview.estimate.similarity.measures import Bound
from lakeview.estimate.similarity.prefix_join import blocks_of_pairs, prefix_index
from lakeview.estimate.similarity.tokens import numbered_characters
from lakeview.join.fuzzy.matches import BestTwo, Block

EDITS = ("edit", "jaro_winkler")


def edit_matches(left: pa.Array, right: pa.Array, measure: str, floor: float) -> BestTwo:
    """The best two right texts of each left one at or above the floor; see `edit_pairs`."""
    best = BestTwo.of_nothing(len(left))
    for block in edit_pairs(left, right, measure, floor):
        best.add(*block)
    return best


def edit_pairs(left: pa.Array, right: pa.Array, measure: str, floor: float) -> Iterator[Block]:
    """All pairs at or above the floor, a block at a time. Raises InputError where rapidfuzz is not installed."""
    try:
        from rapidfuzz import process
        from rapidfuzz.distance import JaroWinkler, Levenshtein
    except ImportError:
        raise InputError(f"{measure} needs rapidfuzz: pip install rapidfuzz") from None

    (one, other), tokens = collections(numbered_characters(left), numbered_characters(right))
    least = _candidates(measure, floor, max(one.largest, other.largest))
    index = prefix_index(other, least, tokens)
    texts, others = np.array(left.to_pylist(), object), np.array(right.to_pylist(), object)
    lengths, other_lengths = one.sizes_by_row, other.sizes_by_row
    for pairs in blocks_of_pairs(one, other, least, index):
        a, b = texts[pairs.left], others[pairs.right]
        if measure == "edit":
            longest = np.maximum(lengths[pairs.left], other_lengths[pairs.right])
            distance = process.cpdist(a, b, scorer=Levenshtein.distance, dtype=np.int64)
            values = (longest - distance) / longest
        else:
            values = process.cpdist(a, b, scorer=JaroWinkler.similarity, dtype=np.float64)
        enough = values >= floor * (1 - 1e-15)
        yield pairs.left[enough], pairs.right[enough], values[enough]


def _candidates(measure: str, floor: float, longest: int) -> Bound:
    """A bound on common characters that every pair at or above the floor reaches."""
    if measure == "edit":  # M - d >= floor M
        return Bound.of_longest(floor, longest)
    # The prefix adds at most 0.4 (1 - Jaro), and m/|a| + m/|b| >= 3 Jaro - 1.
    jaro = (floor - 0.4) / 0.6
    return Bound.of_mean(max(3 * jaro - 1, 0.0) / 2)
