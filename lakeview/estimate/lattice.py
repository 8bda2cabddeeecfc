"""Join size by lattice counting (Lee, Ng, Shim, "Power-Law Based Estimation of Set Similarity Join Size", VLDB 2009).

A signature pattern fixes some places of a Min-Hash signature; all sets that have those values make pairs that agree
there. The level sum F_l adds the pairs of all patterns of length l, so a pair that agrees in m places is counted
C(m, l) times. Inclusion and exclusion over the lattice of patterns undo that:

    LC(t) = sum over l >= t of (-1)^(l-t) C(l-1, t-1) F_l

is the number of pairs that agree in t places or more. Patterns rarer than a minimum support are not mined: a power law
of their counts stands in for them. Signatures overestimate, because far more pairs lie just under a similarity than
over it; that shift is a known matrix, inverted by non-negative least squares.

Where it errs, and why (tests/benchmarks/join_size.py prints by how much):
- A set of ten permutations is one draw for all pairs at once. Where very many share the same few tokens (", tx, us"),
  they agree together, and outnumber the few truly similar ones at high thresholds whatever the level sums.
- The relaxed lattice counts a pair that agrees in all of 10 places 1,002 times at t = 3 or 5, and not once.
- Copies make patterns of two sets at every level, which the power law of the frequent patterns does not foresee.
So the default mines all patterns and the whole lattice; support and relaxation are there as the paper has them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from lakeview.estimate.similarity.compiled import compiled

_POINTS = 40  # of a level's distribution, the leftmost: its tail is not reliable
_FREQUENCIES = 1 << 16  # the distribution is kept up to here; above, the pairs are summed alone


@dataclass(frozen=True)
class Levels:
    """The patterns of each length 0..M that at least `support` sets match.

    pairs: float64[M + 1], the pairs that they make. counts: int64[M + 1, frequencies], patterns by how many sets match.
    """

    pairs: np.ndarray
    counts: np.ndarray
    support: int


def mine(left: np.ndarray, right: np.ndarray | None, left_counts: np.ndarray, right_counts: np.ndarray | None,
         support: int = 2) -> Levels:  # fmt: skip
    """All patterns of the signatures int32[sets, M] with their support, by refining groups place by place.

    A pattern that is too rare has no frequent extension (Apriori), so its group is not refined. Of two sets a pattern
    makes as many pairs as the product of its two frequencies; its support is their sum.
    """
    rows = left if right is None else np.concatenate([left, right])
    weights = left_counts if right is None else np.concatenate([left_counts, right_counts])
    from_right = np.zeros(len(rows), np.int64)
    if right is not None:
        from_right[len(left) :] = 1
    length = rows.shape[1]
    pairs = np.zeros(length + 1)
    counts = np.zeros((length + 1, _FREQUENCIES), np.int64)
    _mine(np.ascontiguousarray(rows.T), weights.astype(np.int64), from_right, right is None, support, pairs, counts)
    used = int(np.flatnonzero(counts.any(axis=0)).max(initial=1)) + 1
    return Levels(pairs, counts[:, :used], support)


def level_sums(levels: Levels) -> np.ndarray:
    """float64[M + 1]: F_l, with the power law's patterns where the support hides them; nan where too few are known."""
    sums = levels.pairs.copy()
    if levels.support <= 2:
        return sums
    for level in range(1, len(sums)):
        seen = np.flatnonzero(levels.counts[level])[:_POINTS]
        law = power_law(seen, levels.counts[level][seen])
        if law is None:
            sums[level] = np.nan
            continue
        hidden = np.arange(2, levels.support)
        sums[level] += float((hidden * (hidden - 1) / 2 * law(hidden)).sum())
    return sums


def power_law(x: np.ndarray, y: np.ndarray):  # type: ignore[no-untyped-def]
    """y = x^a 10^b by least squares in logarithms, as a function; None with fewer than two points."""
    known = (x > 0) & (y > 0)
    if known.sum() < 2:
        return None
    a, b = np.polyfit(np.log10(x[known]), np.log10(y[known]), 1)
    return lambda at: 10 ** (a * np.log10(at) + b)


def lattice_counts(sums: np.ndarray, relax: int | None = None) -> np.ndarray:
    """float64[M + 1]: LC(t), pairs that agree in t places or more; nan where a level sum it needs is missing.

    relax: k of the Max-k relaxed lattice, which looks at levels t to t + k alone. LC(0) is left nan.
    """
    m = len(sums) - 1
    counts = np.full(m + 1, np.nan)
    for t in range(1, m + 1):
        top = m if relax is None else min(m, t + relax)
        counts[t] = sum((-1) ** (level - t) * comb(level - 1, t - 1) * sums[level] for level in range(t, top + 1))
    return counts


def independent_sums(sums: np.ndarray) -> np.ndarray:
    """float64[M + 1]: the paper's IS, which takes all patterns for disjoint."""
    return np.concatenate([[np.nan], np.cumsum(np.nan_to_num(sums[:0:-1]))[::-1]])


def states(counts: np.ndarray, all_pairs: float) -> np.ndarray:
    """O(l), the pairs that agree in exactly l places, after the sanity bounds of section 7.1; missing ones follow a
    power law of l (section 5.3). O(0) is all pairs there are."""
    m = len(counts) - 1
    counts = counts.copy()
    for t in range(1, m + 1):
        if counts[t] < 0:  # the geometric mean of the nearest positive ones
            below = next((counts[k] for k in range(t - 1, 0, -1) if counts[k] > 0), None)
            above = next((counts[k] for k in range(t + 1, m + 1) if counts[k] > 0), None)
            counts[t] = np.sqrt(below * above) if below and above else above or 0.0
    for t in range(m - 1, 0, -1):
        if counts[t] < counts[t + 1]:
            counts[t] = counts[t + 1]
    observed = np.empty(m + 1)
    observed[0], observed[m] = all_pairs, counts[m]
    observed[1:m] = counts[1:m] - counts[2:]
    if not np.nansum(observed[1:]):
        observed[m] = 1.0
    return complete(observed)


def complete(values: np.ndarray) -> np.ndarray:
    """The values at l = 1..M that are missing or not positive, from a power law of those that are."""
    values = values.copy()
    at = np.arange(1, len(values))
    inner = values[1:]
    missing = ~(inner > 0)
    law = power_law(at[~missing], inner[~missing])
    inner[missing] = law(at[missing]) if law is not None else 0.0
    return values


def correct(observed: np.ndarray) -> np.ndarray:
    """T(i), the pairs of similarity i / M, from the observed O(j): minimise |W A T - W O| over T >= 0, where
    A[j, i] = C(M, j) (i/M)^j (1 - i/M)^(M-j) and W weighs every state by 1 / O(j)."""
    from scipy.optimize import nnls

    m = len(observed) - 1
    i = np.arange(m + 1) / m
    shift = np.array([comb(m, j) * i**j * (1 - i) ** (m - j) for j in range(m + 1)])
    weight = 1 / np.maximum(observed, 1e-9)
    # In units of each state's own observation, or the solver sees nothing but state 0.
    unit = np.maximum(observed, 1.0)
    try:
        found, _ = nnls(weight[:, None] * shift * unit, weight * observed, maxiter=100 * (m + 1))
    except RuntimeError:  # it did not converge: keep the shift rather than nothing
        return observed
    # What the law fills in: a rare state mostly receives, so it is not taken for larger than observed.
    return np.minimum(complete(found * unit), np.maximum(observed, found * unit))


def at_thresholds(states_: np.ndarray, thresholds: np.ndarray, halves: bool = False) -> np.ndarray:
    """Pairs at or above each threshold; between two states, on the straight line of logarithms.

    The paper counts the states from M t on. But a state i after the correction stands for the similarities that round
    to i / M: so the states from i on are the pairs from (i - 1/2) / M on, and with `halves` they are read as such.
    """
    m = len(states_) - 1
    cumulated = np.cumsum(states_[::-1])[::-1]
    grid = np.maximum(np.arange(m + 1) - (0.5 if halves else 0.0), 0.0) / m
    return np.exp(np.interp(thresholds, grid, np.log(np.maximum(cumulated, 1e-3))))


@compiled
def _mine(columns, weights, from_right, self_join, support, pairs, counts):  # type: ignore[no-untyped-def]
    """Depth first over the places: each frame is a group of rows that agree so far, to be split from a place on."""
    length, n = columns.shape
    # A frame is (start, end, next place) over `order[depth]`, the rows as split at that depth.
    order = np.empty((length + 1, n), np.int32)
    order[0] = np.arange(n)
    begins = np.zeros(length + 1, np.int64)  # of the group that depth d is in
    ends = np.zeros(length + 1, np.int64)
    places = np.zeros(length + 1, np.int64)  # the place at which depth d splits now
    at = np.zeros(length + 1, np.int64)  # where in order[d + 1] the next subgroup starts
    split = np.zeros(length + 1, np.bool_)
    ends[0] = n
    depth = 0
    while depth >= 0:
        if not split[depth]:
            if places[depth] >= length:
                depth -= 1
                continue
            # Split this group by its place into runs of equal values in order[depth + 1].
            begin, end = begins[depth], ends[depth]
            group = order[depth, begin:end]
            values = columns[places[depth]][group]
            order[depth + 1, begin:end] = group[np.argsort(values)]
            at[depth] = begin
            split[depth] = True
        if at[depth] >= ends[depth]:
            split[depth] = False
            places[depth] += 1
            continue
        # Take the next run.
        column = columns[places[depth]]
        start = at[depth]
        stop = start
        value = column[order[depth + 1, start]]
        left = np.int64(0)
        right = np.int64(0)
        while stop < ends[depth] and column[order[depth + 1, stop]] == value:
            row = order[depth + 1, stop]
            if from_right[row] == 1:
                right += weights[row]
            else:
                left += weights[row]
            stop += 1
        at[depth] = stop
        if left + right < support or (not self_join and (left == 0 or right == 0)):
            continue
        pairs[depth + 1] += left * (left - 1) / 2 if self_join else float(left) * float(right)
        if left + right < counts.shape[1]:
            counts[depth + 1, left + right] += 1
        # Deeper levels use order[depth + 2] within [start, stop) alone, so nothing above is overwritten.
        if places[depth] + 1 < length and depth + 1 < length:
            begins[depth + 1], ends[depth + 1] = start, stop
            places[depth + 1] = places[depth] + 1
            split[depth + 1] = False
            depth += 1
