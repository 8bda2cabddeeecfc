"""The structure of a segment that somebody else wrote, proved before anything is looked up in it.

Kernels follow offsets and numbers without looking, so here every array has the type and the length that `segment` says,
offsets ascend to the end of what they cut, numbers name what is there, and what follows from other arrays does. A proof
says that a segment is one, not that it tells the truth about a lake. Each is a few passes over arrays.

Where two arrays write the same pairs in different orders, or a set in tokens and in groups, both have the same sum of
random weights; unequal ones agree by less than one chance in a billion, and no writer can know the weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow.compute as pc

from lakeview.estimate.joint import SIGNATURE
from lakeview.index.bands import DEPTHS, occupied_bits, unmixed
from lakeview.index.dictionary import directory
from lakeview.sketch.hyperloglog import MAX_BITS, unpack_registers
from lakeview.sketch.membership import BLOCK_BITS
from lakeview.sketch.minima import EMPTY
from lakeview.store import bounded_parquet
from lakeview.store.manifest import is_number, is_problem
from lakeview.store.profiles import KEEP, TYPES
from lakeview.store.sealed import plain
from lakeview.store.segment import FILTER, SIGNATURES, Segment
from lakeview.store.segment_writer import COLUMNS, TABLES
from lakeview.values.signatures import LIMITS, classes_of

_ROWS = 1 << 48  # of any table
_PACKED = 3 << MAX_BITS - 2  # bytes of a column's registers
_CHUNK = 1 << 12  # columns whose registers are unpacked at a time
_SLOWEST = 1.0  # seconds of any cost


def parquet(segment: Segment, name: str) -> Any:
    """tables.parquet or columns.parquet, read within bounds."""
    file = segment.file(f"{name}.parquet")
    file.prove()
    try:
        # every column has an offset of its own, and no two tables are one: in a file of bytes are no more tables
        most = segment.file("set_offsets.npy").size // 8 if name == "columns" else file.size
        return bounded_parquet.read(file.buffer, COLUMNS if name == "columns" else TABLES, most)
    except ValueError as error:
        raise file.damaged(f" ({error})") from None


def _tables(segment: Segment) -> None:
    tables = segment.tables
    names, rows = tables["name"], tables["rows"]
    _claim(segment, "tables.parquet", "rows", all(is_number(count, _ROWS) for count in rows))
    _claim(segment, "tables.parquet", "tombstones", all(number < len(names) for number in segment.dead))
    for spec, problems in zip(tables["spec"], tables["problems"], strict=True):
        try:
            spec, problems = plain(spec), plain(problems)
        except ValueError:
            _claim(segment, "tables.parquet", "no JSON", False)
        _claim(segment, "tables.parquet", "spec", isinstance(spec, dict))
        _claim(segment, "tables.parquet", "problems", isinstance(problems, list) and all(map(is_problem, problems)))


def _columns(segment: Segment) -> None:
    def of(name: str) -> np.ndarray:
        return segment.columns[name].to_numpy()  # type: ignore[no-any-return]

    def claim(what: str, holds: Any) -> None:
        _claim(segment, "columns.parquet", what, bool(np.all(holds)))

    claim("table", (of("table") >= 0) & (of("table") < len(segment.tables["name"])))
    claim("ordinal", of("ordinal") >= 0)
    claim("type", set(pc.unique(segment.columns["type"]).to_pylist()) <= set(TYPES))
    claim("rows", (of("rows") >= 0) & (of("rows") < _ROWS))
    claim("nulls", (of("nulls") >= 0) & (of("nulls") <= of("rows")))
    claim("distinct", (of("distinct") >= 0) & (of("distinct") <= of("rows")))
    claim("distinct_error", np.isfinite(of("distinct_error")) & (of("distinct_error") >= 0))
    for name in COLUMNS.names[8:]:
        bound = name in ("low", "high")
        claim(name, ~np.isnan(of(name)) if bound else (of(name) >= 0) & (of(name) < _ROWS))


def _sizes(segment: Segment) -> None:
    offsets = segment.array("set_offsets")
    _claim(segment, "set_offsets.npy", "length", len(offsets) == len(segment) + 1)
    _claim(segment, "set_offsets.npy", "offsets", _are_offsets(offsets, int(offsets[-1])))
    sizes, distinct = np.diff(offsets), segment.columns["distinct"].to_numpy()
    _claim(segment, "set_offsets.npy", "sizes", np.all((sizes == distinct) | (sizes == 0)))


def _postings(segment: Segment) -> None:
    tokens, directory_, groups, offsets, columns, rests, set_offsets, set_groups = (
        segment.array(f"postings_{name}")
        for name in ("tokens", "directory", "groups", "offsets", "columns", "rests", "set_offsets", "set_groups")
    )

    def claim(name: str, what: str, holds: Any) -> None:
        _claim(segment, f"postings_{name}.npy", what, bool(np.all(holds)))

    n, g, p = len(segment), len(offsets) - 1, len(columns)
    claim("tokens", "order", tokens[1:] > tokens[:-1])
    claim("directory", "starts", np.array_equal(directory_, directory(tokens)))
    claim("offsets", "offsets", _are_offsets(offsets, p, strict=True))
    frequency = np.diff(offsets)
    claim("offsets", "order", frequency[1:] >= frequency[:-1])
    claim("groups", "numbers", len(groups) == len(tokens) and _below(groups, g))
    sizes = np.bincount(groups, minlength=g)
    claim("groups", "empty groups", sizes > 0)
    claim("columns", "numbers", _below(columns, n) and _rises(columns, offsets))
    claim("set_offsets", "offsets", len(set_offsets) == n + 1 and _are_offsets(set_offsets, p))
    claim("set_groups", "numbers", len(set_groups) == p and _below(set_groups, g) and _rises(set_groups, set_offsets))
    # The sets are the lists, turned round: the same pairs, each with the tokens that follow it in its set.
    of_column, of_group = _weights(n), _weights(g)
    by_list = of_column[columns] * np.repeat(of_group, frequency)
    lengths = np.diff(set_offsets)
    by_set = of_group[set_groups] * np.repeat(of_column, lengths)
    claim("set_groups", "sets", by_list.sum() == by_set.sum())
    seen = np.concatenate(([0], np.cumsum(sizes[set_groups])))
    ends = seen[set_offsets]
    claim("set_groups", "sizes", np.array_equal(np.diff(ends), np.diff(segment.array("set_offsets"))))
    after = (np.repeat(ends[1:], lengths) - seen[1:]).astype(np.uint64)
    claim("rests", "numbers", len(rests) == p and (by_list * rests).sum() == (by_set * after).sum())


def _costs(segment: Segment) -> None:
    costs = segment.array("costs")
    _claim(segment, "costs.npy", "costs", len(costs) == 4 and np.all((costs > 0) & (costs <= _SLOWEST)))


def _sets(segment: Segment) -> None:
    """After `_postings`, on which it relies."""
    offsets, ids, counts = (segment.array(f"set_{name}") for name in ("offsets", "ids", "counts"))
    groups, set_offsets, set_groups = (segment.array(f"postings_{n}") for n in ("groups", "set_offsets", "set_groups"))
    sound = len(ids) == offsets[-1] and _below(ids, len(groups)) and _rises(ids, offsets)
    _claim(segment, "set_ids.npy", "numbers", sound)
    _claim(segment, "set_counts.npy", "counts", len(counts) == offsets[-1] and np.all(counts > 0))
    sizes = np.bincount(groups)
    weights = _weights(len(sizes))
    in_tokens = _sums(weights[groups][ids], offsets)
    in_groups = _sums((weights * sizes.astype(np.uint64))[set_groups], set_offsets)
    _claim(segment, "set_ids.npy", "sets", np.array_equal(in_tokens, in_groups))


def _sketches(segment: Segment) -> None:
    columns, minima, registers = (segment.array(f"sketch_{name}") for name in ("columns", "minima", "registers"))
    n, m = len(segment), len(columns)
    sound = np.all(columns[1:] > columns[:-1]) and np.all((columns >= 0) & (columns < n))
    _claim(segment, "sketch_columns.npy", "numbers", sound)
    sizes, distinct = np.diff(segment.array("set_offsets")), segment.columns["distinct"].to_numpy()
    needed = np.flatnonzero((sizes > KEEP) | ((sizes == 0) & (distinct > 0)))
    _claim(segment, "sketch_columns.npy", "columns", np.array_equal(columns, needed))
    _claim(segment, "sketch_minima.npy", "length", len(minima) == m * SIGNATURE)
    by_column = minima.reshape(m, SIGNATURE)
    own = by_column >> np.uint64(64 - SIGNATURE.bit_length() + 1) == np.arange(SIGNATURE, dtype=np.uint64)
    _claim(segment, "sketch_minima.npy", "buckets", np.all(own | (by_column == EMPTY)))
    _claim(segment, "sketch_registers.npy", "length", len(registers) == m * _PACKED)
    for start in range(0, m, _CHUNK):
        part = unpack_registers(registers[start * _PACKED : (start + _CHUNK) * _PACKED].reshape(-1, _PACKED))
        _claim(segment, "sketch_registers.npy", "registers", np.all(part <= 64 - MAX_BITS + 1) and np.all(part.any(1)))


def _signatures(segment: Segment) -> None:
    hashes, lengths, columns = (segment.array(f"signature_{name}") for name in SIGNATURES)

    def claim(name: str, what: str, holds: Any) -> None:
        _claim(segment, f"signature_{name}.npy", what, bool(np.all(holds)))

    claim("hashes", "order", hashes[1:] > hashes[:-1])
    claim("lengths", "length", len(lengths) == len(hashes))
    offsets = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    claim("lengths", "lengths", _are_offsets(offsets, len(columns), strict=True))
    claim("columns", "numbers", _below(columns, len(segment)) and _rises(columns, offsets))
    classes = classes_of(hashes)
    claim("hashes", "kinds", classes < len(LIMITS))
    for place, limit in enumerate(LIMITS):
        held = columns[np.repeat(classes == place, lengths)]
        claim("columns", "lengths", np.bincount(held) <= limit)


def _bands(segment: Segment) -> None:
    """After `_sketches`, on which it relies."""
    occupied, keys, lists, rows, partitions, costs = (
        segment.array(f"bands_{name}") for name in ("occupied", "keys", "lists", "rows", "partitions", "costs")
    )

    def claim(name: str, what: str, holds: Any) -> None:
        _claim(segment, f"bands_{name}.npy", what, bool(np.all(holds)))

    columns = segment.array("sketch_columns")
    m = len(columns)
    order = np.argsort(np.maximum(segment.columns["distinct"].to_numpy()[columns], 1), kind="stable")
    minima = segment.array("sketch_minima").reshape(m, SIGNATURE)[order]
    claim("occupied", "bits", np.array_equal(occupied, occupied_bits(minima).ravel()))
    claim("keys", "order", keys[1:] > keys[:-1])
    claim("lists", "offsets", len(lists) == len(keys) + 1 and _are_offsets(lists, len(rows), strict=True))
    claim("rows", "numbers", _below(rows, m))
    claim("partitions", "offsets", _are_offsets(partitions, m, strict=True))
    # Each row is in the list of each of its values, once.
    values, lengths = unmixed(keys), np.diff(lists)
    buckets = np.repeat((values >> np.uint64(64 - SIGNATURE.bit_length() + 1)).astype(np.int64), lengths)
    claim("rows", "values", minima[rows, buckets] == np.repeat(values, lengths))
    listed = np.zeros((m, SIGNATURE), bool)
    listed[rows, buckets] = True
    claim("rows", "lists", len(rows) == listed.sum() and np.array_equal(listed, minima != EMPTY))
    # Within a list, rows ascend by the values that follow, to the depth of the bucket's tree.
    inside = np.ones(len(rows) + 1, bool)
    inside[lists] = False
    at = np.flatnonzero(inside)
    for step in range(1, DEPTHS[-1]):
        at = at[buckets[at] % _depth(step) == 0]
        before, here = minima[rows[at - 1], buckets[at] + step], minima[rows[at], buckets[at] + step]
        claim("rows", "order", before <= here)
        at = at[before == here]
    claim("costs", "costs", len(costs) == 9 and np.all((costs >= 0) & (costs <= 1e6)) and costs[-1] > 0)


def _depth(step: int) -> int:
    """The least depth of a tree that looks `step` buckets on."""
    return next(depth for depth in DEPTHS if depth > step)


def _filters(segment: Segment) -> None:
    table = segment.array("filters")
    low, buckets, ends = (segment.array(f"filter_{name}") for name in FILTER)

    def claim(name: str, what: str, holds: Any) -> None:
        _claim(segment, f"{name}.npy", what, bool(np.all(holds)))

    claim("filters", "length", len(table) % 5 == 0)
    columns, *starts, bits = table.reshape(-1, 5).T
    claim("filters", "columns", _rises(columns, np.array([0, len(columns)])))
    claim("filters", "columns", np.isin(columns, segment.array("sketch_columns")))
    lengths = []
    for name, start, array in zip(FILTER, starts, (low, buckets, ends), strict=True):
        bounds = np.append(start, len(array))
        claim("filters", name, _are_offsets(bounds, len(array)) if len(columns) else not len(array))
        lengths.append(np.diff(bounds))
    kept, bytes_, blocks = lengths
    claim("filters", "bits", (bits >= 1) & (bits <= 40) & (kept > 0))
    claim("filters", "bits", (kept <= 1 << bits) & ((kept > 1 << bits - 1) | (bits == 1)))
    claim("filters", "lengths", blocks == -(-(kept + (1 << bits)) // BLOCK_BITS))
    claim("filters", "lengths", bytes_ == blocks * (BLOCK_BITS // 8))
    # The n-th zero ends the n-th bucket, and after the last one there is but padding.
    zeros = BLOCK_BITS - np.bitwise_count(buckets.reshape(-1, BLOCK_BITS // 8)).sum(axis=1, dtype=np.int64)
    before = np.concatenate(([0], np.cumsum(zeros)))
    first = np.concatenate(([0], np.cumsum(blocks)))
    claim("filter_buckets", "bits", np.diff(before[first]) == 1 << bits)
    claim("filter_ends", "ends", np.array_equal(ends, before[:-1] - np.repeat(before[first[:-1]], blocks)))
    last = np.unpackbits(buckets.reshape(-1, BLOCK_BITS // 8)[first[1:] - 1], axis=1)
    used = kept + (1 << bits) - (blocks - 1) * BLOCK_BITS
    claim("filter_buckets", "padding", (last == 1) | (np.arange(BLOCK_BITS) < used[:, None]))


PROOFS: dict[str, Callable[[Segment], None]] = {
    "tables": _tables,
    "columns": _columns,
    "set_offsets": _sizes,
    "postings": _postings,
    "costs": _costs,
    "set": _sets,
    "sketch": _sketches,
    "signature": _signatures,
    "bands": _bands,
    "filter": _filters,
}


def proof_of(array: str) -> str:
    """Which of `PROOFS` is about an array."""
    return next(name for name in sorted(PROOFS, key=len, reverse=True) if array.startswith(name))


def _claim(segment: Segment, file: str, what: str, holds: Any) -> None:
    if not holds:
        raise segment.file(file).damaged(f" ({what})")


def _below(numbers: np.ndarray, end: int) -> bool:
    return not len(numbers) or int(numbers.max()) < end


def _are_offsets(offsets: np.ndarray, end: int, strict: bool = False) -> bool:
    """Whether they ascend from 0 to `end`; `strict`: and cut off nothing empty."""
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != end:
        return False
    return bool(np.all(offsets[1:] > offsets[:-1] if strict else offsets[1:] >= offsets[:-1]))


def _rises(values: np.ndarray, offsets: np.ndarray) -> bool:
    """Whether values ascend, without repeats, between any two offsets."""
    rises = values[1:] > values[:-1]
    cuts = offsets[(offsets > 0) & (offsets < len(values))]
    rises[cuts - 1] = True
    return bool(rises.all())


def _sums(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Sums between any two offsets, modulo 2^64."""
    sums = np.zeros(len(values) + 1, np.uint64)
    np.cumsum(values, out=sums[1:])
    return np.diff(sums[offsets])


def _weights(n: int) -> np.ndarray:
    """Random, and never the same twice: uint64[n]."""
    return np.random.default_rng().integers(0, 1 << 64, n, np.uint64, endpoint=False)
