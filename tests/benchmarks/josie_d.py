"""JOSIE-D (SIGMOD'19, algorithm 1): lists and sets are read in turns, whichever saves more than it costs.

Positions count tokens, steps count duplicate groups (section 3.5). With the query's groups read up to token i:

    seen     |Q[1:i] ∩ X|                              rest     |X| - j_X, tokens of X after the last match
    first    i_{X,0} - 1                               span     |X| - j_{X,0} + 1, tokens of X from the first match on
    last     place of the last matching group          got      query tokens in the first matching group

Beyond the paper, a set whose overlap is certain is never read, and the first batch has k lists, as no threshold comes
of fewer.
"""

from __future__ import annotations

import numpy as np

from lakeview.estimate.similarity.compiled import compiled
from lakeview.index.josie_cost import Costs
from lakeview.index.josie_kernels import beaten, push, shared, suffix

BINS = 64  # of upper bounds, in which the reads that a new k-th overlap saves are summed
_REST, _FIRST, _SPAN, _LAST, _GOT, _STATE = 0, 1, 2, 3, 4, 5
_UNMET, _UNREAD, _DONE = 0, 1, 2
BATCH = 20  # groups to a batch of lists, at least; lambda in the paper
_BATCHES = 500  # that the lists of a large query are cut into


def josie(  # type: ignore[no-untyped-def]
    offsets, columns, rests, set_offsets, set_groups, groups, weights, cumulated, costs: Costs, skip, rank, base,
    *best_and_counts,
) -> int:  # fmt: skip
    """The plan, to be passed to `lakeview.index.josie.search`; returns how many sets are among the best."""
    frequency = offsets[groups + 1] - offsets[groups]
    spent = np.concatenate(([0.0], np.cumsum(costs.lists(2 * frequency))))
    batch = max(BATCH, len(frequency) // _BATCHES)
    return josie_top(offsets, columns, rests, set_offsets, set_groups, groups, weights, cumulated, spent,
                     costs.s0, costs.s1, batch, skip, rank, base, *best_and_counts)  # fmt: skip


@compiled
def josie_top(  # type: ignore[no-untyped-def]
    offsets, columns, rests, set_offsets, set_groups, groups, weights, cumulated, spent, s0, s1, batch,
    skip, rank, base, best_overlap, best_rank, best_number, n, counts,
):  # fmt: skip
    """Returns how many sets are among the best.

    cumulated: int64[m + 1], query tokens before each group; spent: float64[m + 1], what reading the lists before each
    group costs (L); s0, s1: S of a set of n tokens is s0 + s1 n; batch: groups (lambda). counts: int64[5], added to:
    lists, postings with positions, sets, numbers of sets looked at. Arrays `best_*`: see
    `josie_kernels`.
    """
    k, m = len(best_overlap), len(groups)
    total = cumulated[m]
    seen = np.zeros(len(skip), np.int32)
    about = np.zeros((len(skip), 6), np.int32)
    postings = 0
    for a in range(m):
        postings += offsets[groups[a] + 1] - offsets[groups[a]]
    unread = np.empty(min(postings, len(skip)), np.int64)
    u, a = 0, 0
    while True:
        left = total - cumulated[a]
        u, n = _filter(unread, u, left, seen, about, rank, base, best_overlap, best_rank, best_number, n)
        closed = a == m or (n == k and left < best_overlap[-1])  # prefix filter: no list brings up a new set
        if u == 0 and closed:
            return n
        b = min(a + batch, m) if a else min(batch, k, m)
        best, read_list = -1, u == 0
        if u:
            best, read_list = _choose(unread, u, seen, about, cumulated, spent, a, b, s0, s1, best_overlap, n)
        if read_list:
            while a < b:
                u = _read_list(
                    offsets, columns, rests, groups, weights, cumulated, a, skip, rank, seen, about, unread, u,
                    best_overlap, best_rank, n, counts,
                )  # fmt: skip
                a += 1
        else:
            x = unread[best]
            at = about[x, _LAST]
            start, end = suffix(set_offsets, set_groups, x, groups[at])
            counts[2] += 1
            more, looked = shared(set_groups, start, end, groups, weights, at + 1)
            counts[3] += looked
            overlap = seen[x] + more
            n = push(best_overlap, best_rank, best_number, n, overlap, rank[x], base + x)
            about[x, _STATE] = _DONE
            unread[best] = unread[u - 1]
            u -= 1


@compiled
def _read_list(  # type: ignore[no-untyped-def]
    offsets, columns, rests, groups, weights, cumulated, a, skip, rank, seen, about, unread, u,
    best_overlap, best_rank, n, counts,
):  # fmt: skip
    """Read the list of the query's a-th group; returns how many sets are unread then."""
    group, weight = groups[a], weights[a]
    left = cumulated[-1] - cumulated[a + 1]
    full = n == len(best_overlap)
    counts[0] += 1
    counts[1] += offsets[group + 1] - offsets[group]
    for p in range(offsets[group], offsets[group + 1]):
        x = columns[p]
        state = about[x, _STATE]
        if state == _DONE or skip[x]:
            continue
        rest = np.int64(rests[p])
        if state == _UNMET:
            if full and beaten(best_overlap, best_rank, weight + min(left, rest), rank[x]):
                about[x, _STATE] = _DONE
                continue
            about[x, _STATE] = _UNREAD
            about[x, _FIRST] = cumulated[a]
            about[x, _SPAN] = rest + weight
            about[x, _GOT] = weight
            unread[u] = x
            u += 1
        seen[x] += weight
        about[x, _REST] = rest
        about[x, _LAST] = a
    return u


@compiled
def _filter(unread, u, left, seen, about, rank, base, best_overlap, best_rank, best_number, n):  # type: ignore[no-untyped-def]
    """The position filter (equation 6): drop what cannot be among the best, and take in what is certain."""
    kept = 0
    for c in range(u):
        x = unread[c]
        more = min(left, np.int64(about[x, _REST]))
        if n == len(best_overlap) and beaten(best_overlap, best_rank, seen[x] + more, rank[x]):
            about[x, _STATE] = _DONE
        elif more == 0:
            n = push(best_overlap, best_rank, best_number, n, np.int64(seen[x]), rank[x], base + x)
            about[x, _STATE] = _DONE
        else:
            unread[kept] = x
            kept += 1
    return kept, n


@compiled
def _choose(unread, u, seen, about, cumulated, spent, a, b, s0, s1, best_overlap, n):  # type: ignore[no-untyped-def]
    """The place of the best unread set; whether the next batch, up to group b, is read before it."""
    k, m = len(best_overlap), len(spent) - 1
    i, total = cumulated[a], cumulated[m]
    if n < k:  # no threshold to gain yet: what is likely to set the highest one
        best, highest = 0, -1.0
        for c in range(u):
            x = unread[c]
            estimate = _estimate(seen[x], about[x, _GOT], about[x, _FIRST], about[x, _REST], i, total)
            if estimate > highest:
                best, highest = c, estimate
        return best, False
    last = best_overlap[-1]
    high = best_overlap[-2] if k > 1 else total
    width = max(1, (high - last + BINS - 1) // BINS)
    saved = _saved(unread, u, seen, about, cumulated, spent, a, s0, s1, last, width)
    step, after = cumulated[b] - i, total - cumulated[b]
    gain = 0.0
    best, lowest = 0, np.inf
    for c in range(u):
        x = unread[c]
        rest = about[x, _REST]
        cost = s0 + s1 * rest
        estimate = _estimate(seen[x], about[x, _GOT], about[x, _FIRST], rest, i, total)
        net = cost
        if estimate > last:  # equations 5 and 7
            bin = min(min(np.int64(estimate), high) - last, BINS * width) // width
            net -= saved[bin]
            if seen[x] + min(total - i, rest) - last <= bin * width:
                net += cost
        if net < lowest:
            best, lowest = c, net
        # equations 9 to 12
        share = step / (total - about[x, _FIRST])
        rest_then = max(0.0, rest - share * about[x, _SPAN])
        density = (estimate - seen[x]) / max(1, total - i)
        most_then = seen[x] + density * step + min(float(after), rest_then)
        gain += cost if most_then <= last else cost - (s0 + s1 * rest_then)
    return best, lowest > spent[b] - spent[a] - gain


@compiled
def _estimate(seen, got, first, rest, i, total):  # type: ignore[no-untyped-def]
    """|Q ∩ X| by equation 4, within what is certain.

    The equation counts the match that brought a set up as one of a random sample, and promises far too much while
    there are few others; here it is left out of the sample.
    """
    more = (seen - got) / max(1, i - first - got) * (total - i)
    return seen + min(more, float(min(total - i, rest)))


@compiled
def _saved(unread, u, seen, about, cumulated, spent, a, s0, s1, last, width):  # type: ignore[no-untyped-def]
    """What a k-th overlap of last + bin * width saves (equation 7), by bin: lists by the prefix filter and sets by the
    position filter."""
    m = len(spent) - 1
    i, total = cumulated[a], cumulated[m]
    saved = np.zeros(BINS + 1)
    for c in range(u):
        x = unread[c]
        over = seen[x] + min(total - i, np.int64(about[x, _REST])) - last
        bin = (over + width - 1) // width
        if bin <= BINS:
            saved[max(0, bin)] += s0 + s1 * about[x, _REST]
    end = spent[max(a, np.searchsorted(cumulated[:m], total - last + 1))]
    for bin in range(BINS + 1):
        if bin:
            saved[bin] += saved[bin - 1]
    for bin in range(BINS + 1):
        saved[bin] += end - spent[max(a, np.searchsorted(cumulated[:m], max(0, total - (last + bin * width) + 1)))]
    return saved
