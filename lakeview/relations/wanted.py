"""Which inclusions the question of foreign keys needs: asked of names and sizes, before any value is looked at."""

from __future__ import annotations

import numpy as np

from lakeview.evidence.schema import COPIED, LEAST_COPIED, Schema
from lakeview.index import inclusions
from lakeview.index.inclusions import Part, Wanted
from lakeview.index.postings import build

UNTYPED = ("number", "boolean")  # kinds of what is no part of a key


def wanted(schema: Schema, sizes: np.ndarray) -> Wanted:
    """Inclusions in unique columns, of which a name speaks or which lie in the folder of one that is not unique itself;
    those that could be part of a key of several columns; and those of one name in tables that may be copies of each
    other. sizes: int64[n], distinct values of each column."""
    says, called = schema.names.starts
    return Wanted(
        sizes=np.asarray(sizes, np.int64),
        tables=schema.tables.astype(np.int64),
        folders=schema.folders.astype(np.int64),
        alike=schema.names.alike.astype(np.int64),
        says=says,
        called=called,
        unique=schema.unique,
        silent=schema.refers & ~schema.unique,
        part=parts(schema),
        keyed=keyed(schema),
        **dict(zip(("mate_offsets", "mates"), mates(schema), strict=True)),
    )


def keyed(schema: Schema) -> np.ndarray:
    """Which columns may refer to another one together with others: bool[n]."""
    return np.array([column.kind not in UNTYPED for column in schema.columns], bool)


def parts(schema: Schema) -> np.ndarray:
    """Which may be referred to together with others: bool[n]."""
    repeated = np.array([not c.unique and not c.nulls and c.distinct > 1 for c in schema.columns], bool)
    return repeated & keyed(schema)


def mates(schema: Schema) -> tuple[np.ndarray, np.ndarray]:
    """The tables that share so many names with each that they may be its copies (`Schema.copies`): offsets, numbers.

    Tables are looked at as sets of names: which lie in others is asked as of columns."""
    n, names = len(schema.width), int(schema.names.alike.max(initial=-1)) + 1
    held = np.unique(schema.tables.astype(np.int64) * names + schema.names.alike)
    table, name = np.divmod(held, max(names, 1))
    offsets = np.searchsorted(table, np.arange(n + 1))
    sizes, repeated = np.diff(offsets), schema.width - np.diff(offsets)
    least = np.maximum(LEAST_COPIED, np.ceil(COPIED * schema.width - 1e-9).astype(np.int64))
    nothing, every = np.zeros(n, np.int64), np.ones(n, bool)
    bits = np.ones((n, 2), np.uint64)
    anything = Wanted(sizes, np.arange(n), nothing, nothing, bits, bits, every, every, every, every,
                      np.zeros(n + 1, np.int64), nothing[:0])  # fmt: skip
    part = Part.of(build(offsets, name.astype(np.uint64))[0], np.arange(n))
    found = inclusions.all_pairs([part], anything, np.maximum(least - repeated, 1))
    pairs = [np.zeros((2, 0), np.int64)]
    for source, target, shared in found:
        enough = shared + repeated[source] >= np.maximum(least[source], least[target])
        pairs.append(np.stack([source[enough], target[enough]]).astype(np.int64))
    source, target = np.concatenate(pairs, axis=1)
    order = np.argsort(source, kind="stable")
    return np.searchsorted(source[order], np.arange(n + 1)), target[order]
