"""Which rows join: the best match where threshold and lead let it, what was said of single pairs, and 1:1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from lakeview.join.fuzzy.judgements import Judgements
from lakeview.join.fuzzy.matched import Matched

Cardinality = Literal["N:1", "1:1"]
CARDINALITIES = ("N:1", "1:1")


def partners(matched: Matched, judgements: Judgements, joins: bool) -> tuple[np.ndarray, np.ndarray]:
    """Of each left text, the right text that it joins (-1: none), and their similarity.

    joins: whether threshold and lead let texts join, or judgements alone.
    """
    chosen = np.where(joins & matched.reached, matched.best.right, -1)
    return judgements.decide(matched.left.text, matched.right.text, chosen, matched.best.similarity)


def joined_rows(
    matched: Matched, judgements: Judgements, joins: bool, cardinality: Cardinality
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(left rows, right rows, similarities) of the pairs, in the order of the left rows.

    1:1: a right row keeps the left row that was accepted for it, else the most similar one, of equal ones the first.
    """
    left, right = matched.left, matched.right
    partner, similarity = partners(matched, judgements, joins)
    rows = np.flatnonzero(np.append(partner >= 0, False)[left.codes])  # the last for rows without a text
    code = left.codes[rows]
    found = right.first_rows[partner[code]]
    alike = similarity[code]
    if cardinality == "1:1":
        order = np.lexsort((rows, -alike, ~judgements.are_accepted(left.text)[code]))
        _, first = np.unique(found[order], return_index=True)
        kept = np.sort(order[first])
        rows, found, alike = rows[kept], found[kept], alike[kept]
    return rows, found, alike


def joined_at(
    matched: Matched, judgements: Judgements, thresholds: Sequence[float] | np.ndarray, cardinality: Cardinality
) -> tuple[np.ndarray, np.ndarray]:
    """(left rows, right rows), int64[thresholds] each: how many would join at each threshold, not under the floor."""
    best, accepted = matched.best, judgements.are_accepted(matched.left.text)
    open_to = np.where(matched.ahead, best.right, -1)
    partner, _ = judgements.decide(matched.left.text, matched.right.text, open_to, best.similarity)
    texts = np.flatnonzero(partner >= 0)
    alike = np.where(accepted, np.inf, best.similarity)[texts]  # what was accepted joins at any threshold
    most = np.zeros(len(matched.right.text))
    np.maximum.at(most, partner[texts], alike)
    cuts = np.asarray(thresholds, float) * (1 - 1e-15)
    used = len(most) - np.searchsorted(np.sort(most), cuts)
    if cardinality == "1:1":
        return used, used
    order = np.argsort(alike)
    below = np.concatenate([[0], np.cumsum(matched.left.counts[texts][order])])
    return below[-1] - below[np.searchsorted(alike[order], cuts)], used
