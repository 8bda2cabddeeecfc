"""Columns to measure on: those of a folder of files, and seeded ones with known overlaps.

A column is its distinct tokens, uint64, sorted.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

LAKE = Path(__file__).resolve().parents[3] / "shared" / "data" / "lake"


def lake_columns(folder: str | Path = LAKE, least: int = 1) -> list[np.ndarray]:
    """All columns of a folder with at least `least` distinct values."""
    from lakeview.catalog import sources
    from lakeview.catalog.listing import list_tables
    from lakeview.values import distinct_tokens

    found = []
    for table in list_tables([str(folder)]).tables:
        try:
            content = sources.read_table(table)
        except Exception as error:  # a file that cannot be read is not what is measured here
            print(f"  left out: {table.name}: {error}")
            continue
        for column in content.columns:
            tokens, _ = distinct_tokens(column)
            if len(tokens) >= least:
                found.append(tokens)
    return found


class Overlaps:
    """Exact overlap of any column with all others, by an inverted list."""

    def __init__(self, columns: list[np.ndarray]):
        self.columns = columns
        every = np.concatenate(columns)
        owner = np.repeat(np.arange(len(columns), dtype=np.int32), [len(c) for c in columns])
        order = np.argsort(every, kind="stable")
        self.tokens, self.owners = every[order], owner[order]

    def of(self, query: int) -> np.ndarray:
        """Overlap of a column with each: int64[n]."""
        tokens = self.columns[query]
        low, high = np.searchsorted(self.tokens, tokens), np.searchsorted(self.tokens, tokens, side="right")
        length = high - low
        ends = np.cumsum(length)
        at = np.arange(ends[-1]) + np.repeat(low - (ends - length), length)
        return np.bincount(self.owners[at], minlength=len(self.columns))


class Windows:
    """Large columns with known overlaps: windows of a line of tokens, sizes log-uniform.

    A share of the columns start at a few common places, so that columns of very different sizes contain each other.
    """

    def __init__(self, count: int, smallest: float, largest: float, seed: int = 1):
        rng = np.random.default_rng(seed)
        self.sizes = np.exp(rng.uniform(np.log(smallest), np.log(largest), count)).astype(np.int64)
        anchors = rng.integers(0, 4 * int(largest), max(count // 8, 1))
        self.starts = rng.choice(anchors, count) - (rng.random(count) * 0.4 * self.sizes).astype(np.int64)
        self.starts = np.maximum(self.starts, 0)
        self.seed = seed

    def column(self, i: int) -> np.ndarray:
        """Tokens of column i: uint64, unsorted."""
        return tokens_of_numbers(np.arange(self.starts[i], self.starts[i] + self.sizes[i], dtype=np.uint64), self.seed)

    def overlap(self, i: int) -> np.ndarray:
        """Overlap of column i with each."""
        ends = self.starts + self.sizes
        return np.clip(np.minimum(ends[i], ends) - np.maximum(self.starts[i], self.starts), 0, None)


def tokens_of_numbers(numbers: np.ndarray, seed: int) -> np.ndarray:
    """A different-looking token for each number (SplitMix64's output function): a hash with a seed."""
    with np.errstate(over="ignore"):
        x = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed) * np.uint64(0xD1342543DE82EF95)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


def table(headers: list[str], rows: list[list]) -> None:
    """Print rows under headers, numbers right-aligned."""
    text = [headers, *[[f"{c:.3f}" if isinstance(c, float) else str(c) for c in row] for row in rows]]
    widths = [max(len(row[i]) for row in text) for i in range(len(headers))]
    for row in text:
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))
