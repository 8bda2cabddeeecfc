"""The index as one reader sees it: all columns of all segments, numbered through, as plain arrays."""

from __future__ import annotations

import fnmatch
import json
import time
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from lakeview.errors import NotFound
from lakeview.estimate.joint import Sketch
from lakeview.evidence.schema import KeyColumn, Schema
from lakeview.index import josie
from lakeview.index.dictionary import COMPILED_FROM
from lakeview.index.postings import Match
from lakeview.index.sketched import Sketched
from lakeview.sketch.membership import Membership
from lakeview.store.segment import Segment
from lakeview.store.shapes import LETTERS
from lakeview.store.store import Manifest

KEY_SLACK = 3.0  # standard errors of an estimated number of distinct values within which a column may be a key
_TEMPORARY = 9 << 20  # bytes; arrays that a search makes for a moment, which cost more to map than to fill
_READ_ONE_BY_ONE = 50  # columns up to which their sets are read rather than all lists


class Snapshot:
    """An immutable state of the index.

    A column's number counts through the segments, tombstones included; `alive` says which count.
    """

    def __init__(self, manifest: Manifest, segments: Sequence[Segment]) -> None:
        self.manifest, self.segments = manifest, list(segments)
        self._base = np.cumsum([0, *(len(s) for s in segments)])
        self._columns = pa.concat_tables(s.columns for s in segments) if segments else None
        self._arrays: dict[str, np.ndarray] = {}
        self._matched: tuple[tuple[np.ndarray, list[Match]], ...] = ()
        np.empty(_TEMPORARY, np.uint8)  # freed at once: the C library then keeps pages of this size at hand

    def __len__(self) -> int:
        return int(self._base[-1])

    @property
    def bases(self) -> list[int]:
        """The number of each segment's first column, and the number of columns."""
        return self._base.tolist()  # type: ignore[no-any-return]

    def array(self, name: str) -> np.ndarray:
        """A numeric field of `columns.parquet`, over all columns."""
        if name not in self._arrays:
            here = self._columns
            self._arrays[name] = here[name].to_numpy() if here is not None else np.zeros(0, np.int64)
        return self._arrays[name]

    @cached_property
    def alive(self) -> np.ndarray:
        return np.concatenate([s.alive for s in self.segments]) if self.segments else np.zeros(0, bool)

    @cached_property
    def names(self) -> list[str]:
        """Column names, by number."""
        return self._columns["name"].to_pylist() if self._columns is not None else []

    @cached_property
    def types(self) -> list[str]:
        """Profile types, by number."""
        return self._columns["type"].to_pylist() if self._columns is not None else []

    @cached_property
    def tables(self) -> list[str]:
        """Table names, by column number."""
        return [s.tables["name"][t] for s in self.segments for t in s.columns["table"].to_pylist()]

    @cached_property
    def rows(self) -> np.ndarray:
        return self.array("rows")

    @cached_property
    def nulls(self) -> np.ndarray:
        return self.array("nulls")

    @cached_property
    def distinct(self) -> np.ndarray:
        return self.array("distinct")

    @cached_property
    def key_like(self) -> np.ndarray:
        """Columns whose every value occurs once; of sketches, those for which that may well be."""
        unseen = self.rows - self.nulls - self.distinct
        return (unseen <= KEY_SLACK * self.array("distinct_error")) & (self.distinct > 0)

    @cached_property
    def sketched(self) -> np.ndarray:
        """Columns of which only a sketch is kept: bool[n]."""
        return np.concatenate([s.sketched for s in self.segments]) if self.segments else np.zeros(0, bool)

    @cached_property
    def large(self) -> np.ndarray:
        """Columns that have a sketch, with or without their tokens: bool[n]."""
        large = np.zeros(len(self), bool)
        for base, segment in zip(self._base.tolist(), self.segments, strict=False):
            large[base + segment.sketch_columns] = True
        return large

    @cached_property
    def letters(self) -> np.ndarray:
        """Distinct letter codes by length: int64[4, n]."""
        return np.stack([self.array(f"letters_{i + 1}") for i in range(LETTERS)])

    @cached_property
    def rank(self) -> np.ndarray:
        """Place of each column in the order (table, column)."""
        order = sorted(range(len(self)), key=lambda c: (self.tables[c], self.names[c]))
        rank = np.empty(len(self), np.int64)
        rank[order] = np.arange(len(self))
        return rank

    @cached_property
    def by_table(self) -> dict[str, dict[str, int]]:
        """Table → column → number, of what is alive, tables in order of their names and columns as they lie there."""
        tables: dict[str, dict[str, int]] = {}
        for number in np.lexsort((self.array("ordinal"), self.rank)) if len(self) else ():
            if self.alive[number]:
                tables.setdefault(self.tables[number], {})[self.names[number]] = int(number)
        ordinal = self.array("ordinal")
        return {
            table: dict(sorted(columns.items(), key=lambda item: ordinal[item[1]])) for table, columns in tables.items()
        }

    @cached_property
    def table_names(self) -> frozenset[str]:
        """The living tables, those without a readable column included."""
        return frozenset(name for s in self.segments for t, name in enumerate(s.tables["name"]) if t not in s.dead)

    @cached_property
    def schema(self) -> Schema:
        """The living columns, those of a table together, as a schema without its inclusions."""
        whole = self.array("integers") == self.array("values")
        counted = np.where(self.sketched & self.key_like, self.rows, self.distinct)
        return Schema(
            [
                KeyColumn(table, name, int(self.rows[n]), int(self.nulls[n]), int(counted[n]),
                          "integer" if whole[n] else self.types[n])
                for table, columns in self.by_table.items()
                for name, n in columns.items()
            ]
        )  # fmt: skip

    @cached_property
    def places(self) -> np.ndarray:
        """Of each column its place in `schema`, -1 for dead ones: int64[n]."""
        places = np.full(len(self), -1)
        numbers = [number for columns in self.by_table.values() for number in columns.values()]
        places[numbers] = np.arange(len(numbers))
        return places

    def matching(self, globs: Sequence[str]) -> np.ndarray:
        """The columns whose name or "table.column" one of the globs matches: bool[n]."""
        found = np.zeros(len(self), bool)
        for number in range(len(self)) if globs else ():
            name, whole = self.names[number], f"{self.tables[number]}.{self.names[number]}"
            found[number] = any(fnmatch.fnmatchcase(name, g) or fnmatch.fnmatchcase(whole, g) for g in globs)
        return found

    def _where(self, number: int) -> tuple[Segment, int]:
        segment = int(np.searchsorted(self._base, number, side="right")) - 1
        return self.segments[segment], number - int(self._base[segment])

    def tokens_of(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """A column's tokens (uint64, sorted) and the rows of each (uint32)."""
        segment, local = self._where(number)
        return segment.tokens_of(local)

    def counts_of(self, number: int) -> np.ndarray:
        """The rows of each of a column's tokens: uint32."""
        segment, local = self._where(number)
        return segment.counts_of(local)

    def sketch_of(self, number: int) -> Sketch:
        """A column's sketch, made from its tokens where it has none."""
        segment, local = self._where(number)
        return segment.sketch_of(local)

    def filter_of(self, number: int) -> Membership | None:
        """A column's membership filter, where it has one."""
        segment, local = self._where(number)
        return segment.filter_of(local)

    def sketches(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """The stored sketches, by segment: numbers int64[m], minima uint64[m, 256], registers uint8[m, 4096]."""
        for base, segment in zip(self._base.tolist(), self.segments, strict=False):
            if len(segment.sketch_columns):
                segment.check()
                yield base + segment.sketch_columns, segment.sketch_minima, segment.sketch_registers

    def searchable(self) -> Iterator[tuple[np.ndarray, Sketched]]:
        """The stored sketches as they are searched, by segment: numbers int64[m], and the m sketches."""
        for base, segment in zip(self._base.tolist(), self.segments, strict=False):
            if len(segment.sketch_columns):
                segment.check()
                yield base + segment.sketch_columns, segment.sketches

    def overlaps(self, query: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Overlap of a token set (uint64, sorted, distinct) with every column (int64[n], 0 for dead ones), and the
        number of columns that hold each query token (int64[q])."""
        return self.held(query), self.frequency(query)

    def held(self, query: np.ndarray) -> np.ndarray:
        """How many of a token set (uint64, sorted, distinct) each column holds: int64[n], 0 for dead ones."""
        found = zip(self.segments, self._match(query), strict=True)
        overlaps = [segment.postings.overlaps(match) for segment, match in found]
        overlap = np.concatenate(overlaps) if overlaps else np.zeros(0, np.int64)
        overlap[~self.alive] = 0
        return overlap

    def top_k(
        self, query: np.ndarray, k: int, skip: np.ndarray | None = None, plan: josie.Plan = "auto"
    ) -> tuple[np.ndarray, np.ndarray, josie.Statistics]:
        """The k columns that share most tokens with a token set (uint64, sorted, distinct), at least one: their
        numbers, overlaps and what was read. Ties go by (table, column). skip: bool[n], columns to leave out.

        The largest segment goes first, and what it finds tells how little of the others has to be read."""
        best = josie.Best.of(min(k, len(self)))
        skip = ~self.alive if skip is None else skip | ~self.alive
        started = time.perf_counter()
        matches = self._match(query)
        statistics = []
        for i in sorted(range(len(self.segments)), key=lambda i: -int(self.segments[i].set_offsets[-1])):
            inside = slice(int(self._base[i]), int(self._base[i + 1]))
            found = self.segments[i].search(matches[i], best, plan, skip[inside], self.rank[inside], inside.start)
            statistics.append(found)
        total = josie.Statistics.total(statistics)
        total.seconds = time.perf_counter() - started
        return *best.found(), total

    def warm(self) -> None:
        """Compile what queries by large columns need, where there are such columns: some seconds once an installation,
        that else the first search would take."""
        held = np.where(self.alive & ~self.sketched, self.distinct, 0)
        if len(held) and held.max() >= COMPILED_FROM:
            largest = int(held.argmax())
            # Some of its tokens do, however many it has.
            query = np.asarray(self.tokens_of(largest)[0][: 2 * COMPILED_FROM])
            self.top_k(query, 10, plan="probe")
            self.top_k(query, 10, plan="merge")
            _, frequency = self.overlaps(query)
            self.weighted(query, frequency.astype(float), np.array([largest]))

    def merged(self, query: np.ndarray) -> josie.Statistics:
        """What `overlaps` reads for a token set."""
        matches = zip(self.segments, self._match(query), strict=True)
        parts = [segment.merged(match) for segment, match in matches]
        total = josie.Statistics.total(parts)
        total.why = "as the overlap with every column is needed"
        return total

    def frequency(self, query: np.ndarray) -> np.ndarray:
        """The number of columns, dead ones included, that hold each token of a token set: int64[q]."""
        found = zip(self.segments, self._match(query), strict=True)
        return sum((s.postings.frequency(match) for s, match in found), np.zeros(len(query), np.int64))

    def weighted(self, query: np.ndarray, weights: np.ndarray, columns: np.ndarray | None = None) -> np.ndarray:
        """Sum of the weights of the query tokens that each of the columns (default: all) holds: float64."""
        matches = self._match(query)
        if columns is not None and len(columns) <= _READ_ONE_BY_ONE:
            where = [self._where(int(number)) for number in columns]
            of = {id(s): (match, match.by_group(weights)) for s, match in zip(self.segments, matches, strict=True)}
            return np.array([s.postings.weighted_of(*of[id(s)], c) for s, c in where], float)
        sums = [s.postings.weighted(match, weights) for s, match in zip(self.segments, matches, strict=True)]
        found = np.concatenate(sums) if sums else np.zeros(0)
        return found if columns is None else found[columns]

    def _match(self, query: np.ndarray) -> list[Match]:
        """A token set looked up in every segment; the last two are remembered, as a search asks for its query and for
        what stands in for it, in turns."""
        known = self._matched  # read once: other threads ask, too
        for held, matches in known:
            if held is query:
                return matches
        for segment in self.segments:
            segment.check()
        matches = [segment.postings.match(query) for segment in self.segments]
        self._matched = ((query, matches), *known[:1])
        return matches

    @cached_property
    def problems(self) -> list[list[Any]]:
        """Every problem as [table, problem, detail, count]."""
        of_tables = (p for s in self.segments for t, ps in enumerate(s.tables["problems"]) if t not in s.dead
                     for p in json.loads(ps))  # fmt: skip
        return [list(p) for p in (*self.manifest.problems, *of_tables)]

    def spec_of(self, table: str) -> dict[str, Any]:
        """What a live table was read from (`places`). Raises NotFound where there is no such table."""
        if table not in self._specs:
            raise NotFound(f"the lake has no table {table!r} any more: search again")
        return json.loads(self._specs[table])  # type: ignore[no-any-return]

    @cached_property
    def _specs(self) -> dict[str, str]:
        """What the living tables were read from, in JSON."""
        held = [(s, t) for s in self.segments for t in range(len(s.tables["name"])) if t not in s.dead]
        return {s.tables["name"][t]: s.tables["spec"][t] for s, t in held}

    def table_specs(self) -> list[dict[str, Any]]:
        """Every live table: name, spec (what it was read from), rows, problems, those without columns included."""
        found: dict[str, dict[str, Any]] = {}
        for segment in self.segments:
            for t, name in enumerate(segment.tables["name"]):
                if t in segment.dead:
                    continue
                spec, problems = json.loads(segment.tables["spec"][t]), json.loads(segment.tables["problems"][t])
                whole = {"name": name, "spec": spec, "rows": segment.tables["rows"][t], "problems": []}
                found.setdefault(name, whole)["problems"] += problems  # a large table is in several segments
        return [found[name] for name in sorted(found)]
