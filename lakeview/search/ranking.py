"""One question, answered: which columns of the lake hold the values of this one, and are they a join or an accident."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from lakeview.search import approximate, sampled, scoring
from lakeview.search.alike import Alike
from lakeview.search.approximate import Estimates
from lakeview.search.confidence import weighed
from lakeview.search.families import families
from lakeview.search.hit import Hit
from lakeview.search.hits import Hits
from lakeview.search.query import Query
from lakeview.search.question import Rank
from lakeview.search.reasons import reason
from lakeview.search.scoring import Scores
from lakeview.store.snapshot import Snapshot

CLOSEST = 5  # columns named where nothing is found
_EMPTY_AT = 0.1  # a best containment under this is "nothing found" to an analyst who looks for a join


def search(
    hits: Hits,
    k: int | None,
    threshold: float | None,
    rank: Rank,
    hidden: np.ndarray,
    exact: bool = True,
    sample: bool = False,
    fold: bool = False,
) -> Hits:
    """Fill `hits` with the columns that share values with its query; fold: a family of them (`families`) as one hit.

    k: how many at most, None for all; threshold: least containment; hidden: bool[n], columns never to be suggested;
    exact: by tokens wherever both sides have them, else of large columns by their sketches. sample: by a sample of the
    query's tokens alone, where it has more than that. Ties go by (table, column).
    """
    started = time.perf_counter()
    query, snapshot = hits.query, hits.snapshot
    if sample and len(query.tokens) > sampled.SAMPLE:
        query = sampled.Sample.of_query(query)
        guessed = sampled.estimates(query, snapshot, hidden)
        overlap, frequency = np.zeros(len(snapshot), np.int64), snapshot.frequency(query.tokens)
        hits.statistics = snapshot.merged(query.tokens)
    else:
        guessed = _estimates(query, snapshot, hidden, exact, threshold, rank)
        overlap, frequency = _overlaps(
            hits, k if rank == "overlap" and threshold is None and not fold else None, hidden | guessed.columns
        )
    score = partial(scoring.scores, query, snapshot, overlap=overlap, frequency=frequency, guessed=guessed)
    hits.estimated = bool(guessed.columns.any())
    overlap[guessed.columns] = 0
    overlap[guessed.numbers] = np.rint(guessed.overlap[:, 0]).astype(np.int64)
    overlap[hidden] = 0
    least = 1 if threshold is None else max(1, math.ceil(threshold * query.distinct - 1e-9))
    found = np.flatnonzero(overlap >= least)
    keys = [snapshot.rank[found], -overlap[found]]
    if rank == "join":
        scores = score(found)
        keys = [snapshot.rank[found], -scores.score, scores.section]
    found = found[order := _top(np.arange(len(found)), keys, None if fold else k)]
    if rank == "overlap":
        scores, order = score(found), np.arange(len(found))
    if fold:
        hits.fill(_families(hits, found, overlap, scores, order, guessed, rank, k))
    else:
        hits.fill(_hits(hits, found, overlap, scores.take(order), guessed))
    if not len(hits) or (rank == "join" and max(h.containment for h in hits) < _EMPTY_AT):
        near = _top(nearest := np.flatnonzero(overlap), [snapshot.rank[nearest], -overlap[nearest]], CLOSEST)
        hits.closest = _hits(hits, near, overlap, score(near), guessed)
    if threshold is not None or rank == "join":
        doubtful = (
            _undecided(hits, guessed, overlap, frequency)
            if threshold is None
            else _doubtful(hits, guessed, threshold, overlap)
        )
        hits.doubt(len(doubtful), lambda: _hits(hits, doubtful, overlap, score(doubtful), guessed))
    hits.statistics = approximate.explained(hits.statistics, guessed)
    hits.seconds += time.perf_counter() - started
    return hits


def refined(answer: Callable[[bool], Hits], exact: bool, sample: Callable[[], Hits] | None = None) -> Iterator[Hits]:
    """The answer from sketches first, then the exact one, where it is asked for and the first was not exact already.

    answer: of whether to be exact, a new search; sample: one from a sample of the query, where that comes first.
    """
    first = answer(False) if sample is None or not exact else sample()
    yield first
    if exact and first.estimated:
        yield answer(True)


def _overlaps(hits: Hits, k: int | None, skip: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The exact overlaps, of the best k columns alone if that is enough, and the columns that hold each token."""
    query, snapshot = hits.query, hits.snapshot
    if k is None:
        started = time.perf_counter()
        overlap, frequency = snapshot.overlaps(query.tokens)
        hits.statistics = snapshot.merged(query.tokens)
        hits.statistics.seconds = time.perf_counter() - started
        return overlap, frequency
    numbers, overlaps, hits.statistics = snapshot.top_k(query.tokens, k, skip)
    overlap = np.zeros(len(snapshot), np.int64)
    overlap[numbers] = overlaps
    return overlap, snapshot.frequency(query.tokens)


def _estimates(
    query: Query, snapshot: Snapshot, hidden: np.ndarray, exact: bool, threshold: float | None, rank: Rank
) -> Estimates:
    """What has to be estimated: columns without tokens, all of a query without, and large ones where `exact` is not
    asked for. Where a column is kept as a sketch alone, silence is no answer to what joins, nor to a threshold."""
    if query.sketch is not None:
        columns = snapshot.alive.copy()
    else:
        columns = (snapshot.sketched if exact else snapshot.large) & snapshot.alive
    columns &= ~hidden
    silent = threshold is not None or (rank == "join" and bool((columns & snapshot.sketched).any()))
    return approximate.estimates(query, snapshot, columns, silent, threshold or 0.0)


def _doubtful(hits: Hits, guessed: Estimates, threshold: float, overlap: np.ndarray) -> np.ndarray:
    """Columns that are no hits, but whose intervals reach the threshold; the likeliest first."""
    said, rank = {hit.number for hit in hits.unfolded}, hits.snapshot.rank
    likely = (n for n in guessed.reaching(threshold).tolist() if n not in said)
    high = {n: high for n in likely if (high := guessed.of[n].containment.high) >= threshold}
    return np.array(sorted(high, key=lambda n: (-overlap[n], -high[n], rank[n])), int)


def _undecided(hits: Hits, guessed: Estimates, overlap: np.ndarray, frequency: np.ndarray) -> np.ndarray:
    """Columns in whose sketches nothing was seen, but that would join above the line, did they hold as much as their
    intervals allow; the likeliest first."""
    query, snapshot = hits.query, hits.snapshot
    silent = (overlap[guessed.numbers] == 0) & snapshot.sketched[guessed.numbers]
    numbers, most = guessed.numbers[silent], np.zeros(len(snapshot), np.int64)
    most[numbers] = np.minimum(guessed.overlap[silent, 2], query.distinct).astype(np.int64)
    numbers = numbers[most[numbers] > 0]
    if not len(numbers):
        return numbers
    scores = scoring.scores(query, snapshot, numbers, most, frequency, guessed)
    order = np.lexsort([snapshot.rank[numbers], -scores.score, scores.section])
    return numbers[order[~scores.accidental[order]]]  # type: ignore[no-any-return]


def _top(numbers: np.ndarray, keys: Sequence[np.ndarray], k: int | None) -> np.ndarray:
    """The first k numbers in the order of the keys, the last key first (as `np.lexsort`)."""
    if k is not None and len(numbers) > 10 * k:  # most of them need no order
        near = np.flatnonzero(keys[-1] <= np.partition(keys[-1], k - 1)[k - 1])
        numbers, keys = numbers[near], [key[near] for key in keys]
    return numbers[np.lexsort(keys)[:k]]


def _families(
    hits: Hits,
    places: np.ndarray,
    overlap: np.ndarray,
    scores: Scores,
    order: np.ndarray,
    guessed: Estimates,
    rank: Rank,
    k: int | None,
) -> list[Hit]:
    """The k best families of columns as hits. order: where the columns, best first, stand in the scores.

    One that is referred to in any of its members is one answer: what is likely of each, as they are rivals, adds up.
    """
    known = families(hits.snapshot)
    score, refers, section = scores.score[order], scores.refers[order], scores.section[order]

    def best(leader: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The leaders, best first, and their families' scores."""
        heads = np.flatnonzero(leader == np.arange(len(leader)))
        of_family = np.maximum(np.minimum(np.bincount(leader, refers, len(leader)), 1.0), score)[heads]
        if rank == "join":
            ranked = np.lexsort((heads, -of_family, section[heads]))
            heads, of_family = heads[ranked], of_family[ranked]
        return heads, of_family

    leader = known.pieces(places)
    heads, _ = best(leader)  # copies among what is below the line matter to nobody
    leader = known.with_copies(
        places, leader, heads, (np.arange(len(heads)) < (k or len(heads))) & ~scores.accidental[order[heads]]
    )
    heads, of_family = (found[:k] for found in best(leader))
    shown = replace(scores.take(order[heads]), score=of_family)
    made = _hits(hits, places[heads], overlap, shown, guessed)
    size = np.bincount(leader)
    for hit, head in zip(made, heads.tolist(), strict=True):
        if size[head] > 1:
            rest = np.flatnonzero(leader == head)[1:]
            make = partial(_alike, hits, places[rest], overlap, scores, order[rest], guessed)
            hit.alike = Alike(len(rest), make)
    return made


def _alike(
    hits: Hits, places: np.ndarray, overlap: np.ndarray, scores: Scores, at: np.ndarray, guessed: Estimates
) -> list[Hit]:
    return _hits(hits, places, overlap, scores.take(at), guessed)


def _hits(hits: Hits, places: np.ndarray, overlap: np.ndarray, scores: Scores, guessed: Estimates) -> list[Hit]:
    made = []
    for i, c in enumerate(places.tolist()):
        estimate = guessed.of.get(c)
        why = reason(hits.query, hits.snapshot, c, int(overlap[c]), scores, i, estimate)
        method = "exact" if estimate is None else guessed.method(c)
        score, accidental = float(scores.score[i]), bool(scores.accidental[i])
        hit = Hit(hits, c, int(overlap[c]), score, accidental, why, estimate, method)
        hit.role, hit.common = str(scores.role[i]), bool(scores.common[i])
        hit._weigh = partial(weighed, hits.query, hits.snapshot, c, int(overlap[c]), scores, i)
        made.append(hit)
    return made
