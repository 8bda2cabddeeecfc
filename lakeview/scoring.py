"""How well columns of a snapshot join with a query: what `index.chance` needs to know, gathered."""

from __future__ import annotations

import numpy as np

from lakeview.approximate import Estimates
from lakeview.catalog.snapshot import Snapshot
from lakeview.index import chance
from lakeview.index.names import agreements
from lakeview.query import Query


def scores(
    query: Query,
    snapshot: Snapshot,
    columns: np.ndarray,
    overlap: np.ndarray,
    frequency: np.ndarray,
    guessed: Estimates,
) -> chance.Scores:
    """Score some columns of the snapshot."""
    each = chance.evidence_bits(frequency, int(snapshot.alive.sum()))
    # Of an estimate it is not known which tokens are shared: they count as the query's do on average.
    average = float(each.mean()) if len(each) else chance.LIKELY_BITS
    bits = average * overlap[columns]
    known = ~guessed.columns[columns]
    if known.any():
        bits[known] = snapshot.weighted(query.tokens, each, columns[known])
    distinct = snapshot.distinct[columns]
    of = np.maximum(snapshot.array("values")[columns], 1)  # shapes are counted by batches: scale them to the column
    lake = chance.Values(
        distinct,
        snapshot.array("numbers")[columns] * distinct / of,
        snapshot.array("low")[columns],
        snapshot.array("high")[columns],
        snapshot.array("decimals")[columns],
        snapshot.letters[:, columns] * distinct / of,
    )
    return chance.score(
        _query_values(query),
        lake,
        overlap[columns],
        bits,
        (query.rows - query.nulls) / max(query.distinct, 1),
        (snapshot.rows[columns] - snapshot.nulls[columns]) / np.maximum(distinct, 1),
        np.array(
            agreements(
                snapshot.name_index,
                query.column,
                [snapshot.tables[c] for c in columns],
                [snapshot.names[c] for c in columns],
            )
        ),
    )


def _query_values(query: Query) -> chance.Values:
    shape, scale = query.shape, query.distinct / max(query.shape.values, 1)
    return chance.Values(
        np.int64(query.distinct),
        np.float64(shape.numbers * scale),
        np.float64(shape.low),
        np.float64(shape.high),
        np.int64(shape.decimals),
        np.array(shape.letters) * scale,
    )


def pick(scores: chance.Scores, order: np.ndarray) -> chance.Scores:
    """The scores of some of the columns, in another order."""
    return chance.Scores(*(getattr(scores, name)[order] for name in scores.__dataclass_fields__))
