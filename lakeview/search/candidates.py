"""The tables that a search by transformation looks into, likeliest first.

A column's worth is the share of the query, rare parts weighing more, that its signature holds in the kind of parts
that holds most: what is left of whole values says more than words, and words more than 3-grams. Whole numbers that lie
close together hold the digits of anything, so they come later; measurements are looked at for amounts alone. One table
of each family, those with the same columns, comes before all others.
"""

from __future__ import annotations

import threading
import uuid
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lakeview import values
from lakeview.errors import LakeviewError
from lakeview.join.side import Side
from lakeview.join.transform import amounts
from lakeview.join.transform.affixes import without_affixes
from lakeview.search.signatures import CLASSES, FORMS, GRAM, LIMITS, VALUES, WORD, hashes, signature
from lakeview.store.session_segment import SessionSegment
from lakeview.store.snapshot import Snapshot
from lakeview.values import Normalize

ROWS = 20_000  # rows of a table that are read
FILE = "signatures-3.npz"  # in the folder of a segment, made at the first search
TYPED = ("integer", "number", "date", "timestamp")  # of these types, columns that are nearly keys
KEYED = 0.5  # distinct values by rows of such a column
LEAST = 3  # parts that a column must share
COLUMNS = 4  # columns of a table
TRUST = {GRAM: 0.5, WORD: 0.8}  # what a share of these parts says, beside one of whole values
DENSE = 0.1  # share of the whole numbers from its least to its largest from which on a column holds any by chance
COUNTED = 0.5  # what a share says of such a column

Sides = Callable[[str], Side]


class Likely(NamedTuple):
    """A table, its columns that share parts with the query, the likeliest first, and how likely that one is: 0 to 1."""

    table: str
    columns: list[int]
    worth: float


class Signatures:
    """The signatures of the lake's columns, read from the tables at the first search and kept beside their segment."""

    def __init__(self, normalize: Normalize) -> None:
        self.normalize: Normalize = normalize
        self._of: dict[Path, dict[int, np.ndarray]] = {}  # by a segment's file, by column in it
        self._held: tuple[Snapshot, Postings] | None = None
        self._reading = threading.Lock()  # what one thread reads, another that asks waits for

    def likely(self, texts: list[str], snapshot: Snapshot, sides: Sides, hidden: np.ndarray) -> list[Likely]:
        """The tables that share parts with some texts, likeliest first, each with its columns that do."""
        with self._reading:
            if self._held is None or self._held[0] is not snapshot:
                found = self._signatures(snapshot, sides)
                share = VALUES / np.maximum(snapshot.distinct, VALUES)
                self._held = snapshot, Postings(found, {number: float(share[number]) for number in found})
            worth = self._held[1].worth(texts)
        counted, measured = _counted(snapshot), snapshot.array("decimals") > 0
        of_amounts = amounts.mark_of(texts) is not None
        columns: dict[str, list[tuple[float, int]]] = defaultdict(list)
        for number, value in worth.items():
            if snapshot.alive[number] and not hidden[number] and (of_amounts or not measured[number]):
                value *= COUNTED if counted[number] else 1
                columns[snapshot.tables[number]].append((value, number))
        ranked = sorted(columns.items(), key=lambda item: (-max(item[1])[0], item[0]))
        seen: set[tuple[str, ...]] = set()
        first: list[Likely] = []
        others: list[Likely] = []
        for table, shared in ranked:
            family = tuple(snapshot.by_table[table])
            best = sorted(shared, reverse=True)[:COLUMNS]
            (others if family in seen else first).append(Likely(table, [n for _, n in best], best[0][0]))
            seen.add(family)
        return first + others

    def _signatures(self, snapshot: Snapshot, sides: Sides) -> dict[int, np.ndarray]:
        """The signatures of all columns that may be joined; those of new segments are read and kept."""
        keyed = snapshot.distinct >= KEYED * np.maximum(1, snapshot.rows - snapshot.nulls)
        numbers = [
            int(n)
            for n in np.flatnonzero(snapshot.alive & (snapshot.distinct >= 3))
            if snapshot.types[n] == "text" or (snapshot.types[n] in TYPED and keyed[n])
        ]
        found: dict[int, np.ndarray] = {}
        base = 0
        for segment in snapshot.segments:
            file: Path | None = None
            if isinstance(segment, SessionSegment):  # nothing of it is written
                held = segment.signatures
            else:
                file = segment.folder / FILE
                if file not in self._of:
                    self._of[file] = _load(file)
                held = self._of[file]
            here = [n for n in numbers if base <= n < base + len(segment)]
            unread: dict[str, list[int]] = defaultdict(list)
            for number in here:
                if number - base not in held:
                    unread[snapshot.tables[number]].append(number)
            known = len(held)
            for table, columns in unread.items():
                read = self._read(sides, table, [snapshot.names[n] for n in columns])
                held.update(zip((n - base for n in columns), read, strict=False))
            if len(held) > known and file is not None:
                _save(file, held)
            found |= {number: held[number - base] for number in here if number - base in held}
            base += len(segment)
        return found

    def _read(self, sides: Sides, table: str, names: list[str]) -> list[np.ndarray]:
        """The signatures of some columns of a table; none where it cannot be read, as its files changed."""
        try:
            side = sides(table).here(ROWS)
            texts = [values.canonical(side.key(name), self.normalize).unique().drop_null() for name in names]
        except (LakeviewError, OSError):
            return []
        return [signature(column.slice(0, VALUES).to_pylist()) for column in texts]


def _counted(snapshot: Snapshot) -> np.ndarray:
    """bool[n]: columns of whole numbers that lie close together, such as row numbers."""
    span = snapshot.array("high") - snapshot.array("low") + 1
    whole = np.array([type == "integer" for type in snapshot.types], bool)
    return whole & (snapshot.distinct >= DENSE * np.where(np.isfinite(span), span, np.inf))


class Postings:
    """The signatures of some columns by hash: which columns hold one is a look into a sorted array.

    seen: by number, the share of its values that a column's signature is of (none: all)."""

    def __init__(self, signatures: dict[int, np.ndarray], seen: Mapping[int, float] | None = None) -> None:
        self._numbers = np.array(list(signatures), np.int64)
        self._seen = np.array([seen[number] if seen else 1.0 for number in signatures])
        both = list(signatures.values())
        owners = np.repeat(np.arange(len(both), dtype=np.int32), [len(one) for one in both])
        hashed = np.concatenate([np.zeros(0, np.uint64), *both])
        order = np.argsort(hashed, kind="stable")
        self._hashes, self._owners = hashed[order], owners[order]
        # Up to which hash a column holds all of a class.
        self._reach = np.full((len(CLASSES), len(both)), np.iinfo(np.uint64).max, np.uint64)
        for column, one in enumerate(both):
            kinds = one & np.uint64(7)
            for place, (members, limit) in enumerate(zip(CLASSES, LIMITS, strict=True)):
                own = one[np.isin(kinds, np.array(members, np.uint64))]
                if len(own) >= limit:
                    self._reach[place, column] = own[-1]

    def worth(self, texts: list[str]) -> dict[int, float]:
        """By number, the columns that share parts with some texts, and how likely each is."""
        best = np.zeros(len(self._numbers))
        for one in (texts, without_affixes(texts)):
            asked = hashes(one)
            for place, members in enumerate(CLASSES):
                for kind in members:
                    told = min(1.0, len(asked[kind]) / max(1, len(one)))  # values that have such a part
                    share = told * self._share(asked[kind], self._reach[place], kind in FORMS)
                    np.maximum(best, TRUST.get(kind, 1.0) * share, out=best)
        return {int(self._numbers[i]): float(best[i]) for i in np.flatnonzero(best)}

    def _share(self, asked: np.ndarray, reach: np.ndarray, whole: bool) -> np.ndarray:
        """The share of some hashes, by rarity, that each column holds: float[n], 0 where it holds too few.

        whole: each is of one value, so of a column that was seen in part more are to be expected, less what as few may
        be off by (a standard deviation)."""
        n = len(self._numbers)
        low, high = np.searchsorted(self._hashes, asked), np.searchsorted(self._hashes, asked, "right")
        times = high - low
        weight = np.log1p(n / np.maximum(1, times))
        hits = np.concatenate([np.zeros(0, np.int64), *map(np.arange, low, high)])
        owners = self._owners[hits]
        met = np.bincount(owners, np.repeat(weight, times), n)
        within = np.concatenate(([0.0], np.cumsum(weight)))[np.searchsorted(asked, reach, "right")]
        count = np.bincount(owners, minlength=n)
        share = met / np.maximum(within, 1e-9)
        if whole:
            more = (1 - 1 / np.sqrt(np.maximum(count, 1))) / self._seen
            share = np.where(self._seen < 1, np.clip(share * more, share, 1.0), share)
        return np.where(count >= LEAST, share, 0.0)


def _load(path: Path) -> dict[int, np.ndarray]:
    """Signatures by column in the segment; none where the file is not there or damaged."""
    try:
        with np.load(path) as file:
            columns, stops, kept = file["columns"], file["stops"], file["hashes"]
        return dict(zip(columns.tolist(), np.split(kept, stops[:-1]), strict=True))
    except Exception:  # its parts have checksums, and a damaged archive raises what it likes: they are read once more
        return {}


def _save(path: Path, held: dict[int, np.ndarray]) -> None:
    """Write them at once; where that is not allowed, they are read again by the next process."""
    part = path.with_name(f"{path.stem}-{uuid.uuid4().hex[:8]}.tmp.npz")
    try:
        np.savez(part, columns=np.array(list(held)), stops=np.cumsum([len(one) for one in held.values()]),
                 hashes=np.concatenate(list(held.values())))  # fmt: skip
        part.replace(path)
    except OSError:
        with suppress(OSError):
            part.unlink()
