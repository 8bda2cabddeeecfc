"""Which rows join: the best match where threshold and lead let it, what was said of single pairs, and 1:1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from lakeview.join.fuzzy.every_pair import EveryPair, reaching
from lakeview.join.fuzzy.judgements import Judgements
from lakeview.join.fuzzy.matched import Matched

Cardinality = Literal["N:1", "1:1", "N:M"]
CARDINALITIES = ("N:1", "1:1", "N:M")


def partners(matched: Matched, judgements: Judgements, joins: bool) -> tuple[np.ndarray, np.ndarray]:
    """Of each left text, the right text that it joins (-1: none), and their similarity.

    joins: whether threshold and lead let texts join, or judgements alone.
    """
    chosen = np.where(joins & matched.reached, matched.best.right, -1)
    return judgements.decide(matched.left.text, matched.right.text, chosen, matched.best.similarity)


def meeting(matched: Matched, judgements: Judgements, joins: bool, cardinality: Cardinality) -> np.ndarray:
    """bool: of each left text, whether it joins any right text; what 1:1 leaves out is told of rows alone."""
    if cardinality != "N:M":
        return partners(matched, judgements, joins)[0] >= 0
    found = np.zeros(len(matched.left.text), bool)
    found[EveryPair(matched, judgements, joins).texts[0]] = True
    return found


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
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(left rows, right rows, pairs of them), int64[thresholds] each: how many would join at each threshold, not under
    the floor."""
    if cardinality == "N:M":
        return EveryPair(matched, judgements).at(thresholds)
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
        return used, used, used
    joined = reaching(alike, matched.left.counts[texts], cuts)
    return joined, used, joined
