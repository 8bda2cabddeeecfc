"""Cutting an index into parts: segments of some of the columns each, about equal in postings.

JOSIE's way beyond one machine (SIGMOD'19, section 7.1.6): the sets are partitioned, each part has an inverted index of
its own, with its own token order and duplicate groups, and the best of all parts are merged. Sets are taken in their
order, by ranges; a table may so lie in several parts, some of its columns in each.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import groupby, pairwise

import numpy as np

from lakeview.store.profiles import KEEP
from lakeview.store.segment import Segment
from lakeview.store.segment_writer import SegmentWriter

POSTINGS = 1 << 25  # of a part, at most, but for a larger set
BYTES = 45  # that inverting a posting takes, so 1.5 GB


def number(postings: int, most: int | None = None) -> int:
    """How many parts so many postings take. most: of one part, else `POSTINGS`."""
    return max(1, -(-postings // (most or POSTINGS)))


def ranges(sizes: np.ndarray, parts: int) -> list[range]:
    """Cut sets of given sizes into at most `parts` runs of about the same size; none is empty, but a lone one.

    A run is at most a set larger than the average.
    """
    weights = np.asarray(sizes, np.int64) + 1  # a set costs something, however small
    middle = np.cumsum(weights) - weights / 2
    cuts = np.searchsorted(middle, weights.sum() * np.arange(1, parts) / parts)
    bounds = [0, *np.unique(cuts[(cuts > 0) & (cuts < len(weights))]).tolist(), len(weights)]
    return [range(a, b) for a, b in pairwise(bounds)]


def rewrite(
    segments: Sequence[Segment], parts: int, new: Callable[[], SegmentWriter], exact: bool = True, filters: bool = False
) -> list[SegmentWriter]:
    """Write what lives in the segments to at most `parts` new ones; `exact=False`: without the tokens of large columns,
    `filters`: but with membership filters for them."""
    owners = [segment.columns["table"].to_numpy() for segment in segments]
    living = [(s, int(owners[s][c]), int(c)) for s, segment in enumerate(segments) for c in segment.alive.nonzero()[0]]
    sizes = np.array([segments[s].set_offsets[c + 1] - segments[s].set_offsets[c] for s, _, c in living], np.int64)
    if not exact:
        sizes[sizes > KEEP] = 0
    writers, begun = [], set[tuple[int, int]]()

    def add(writer: SegmentWriter, s: int, t: int, numbers: Sequence[int]) -> None:
        columns = [segments[s].column(c) for c in numbers]
        columns = columns if exact else [column.without_tokens(filters) for column in columns]
        spec, problems = (json.loads(segments[s].tables[field][t]) for field in ("spec", "problems"))
        # a table tells its problems once
        writer.add_table(segments[s].tables["name"][t], spec, segments[s].tables["rows"][t],
                         [] if (s, t) in begun else problems, columns)  # fmt: skip
        begun.add((s, t))

    for part in ranges(sizes, parts):
        writers.append(new())
        for (s, t), group in groupby(living[part.start : part.stop], key=lambda place: place[:2]):
            add(writers[-1], s, t, [c for _, _, c in group])
    for s, segment in enumerate(segments):  # tables without a column, too, were read
        for t in sorted(set(range(len(segment.tables["name"]))) - segment.dead - set(owners[s].tolist())):
            add(writers[0], s, t, [])
    return writers
