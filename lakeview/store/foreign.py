"""A segment that somebody else wrote: what is read of it is proved first, so that its reader trusts no one."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa

from lakeview.store import structure
from lakeview.store.held import Held
from lakeview.store.segment import Segment


class ForeignSegment(Segment):
    """As `Segment`. Raises StoreError, naming the file, where `structure` finds it unsound."""

    def __init__(self, folder: Path, dead: Collection[int] = (), files: Mapping[str, Held] | None = None) -> None:
        self._proved: set[str] = set()
        self._proving = threading.RLock()
        super().__init__(folder, dead, files)
        for name in ("tables", "columns"):
            self._prove(name)

    def prove(self) -> None:
        """Every byte, and the structure of all that the segment holds."""
        super().prove()
        for name in structure.PROOFS:
            if name != "bands" or len(self.sketch_columns):
                self._prove(name)

    def array(self, name: str) -> np.ndarray:
        self._prove(structure.proof_of(name))
        return super().array(name)

    def part(self, name: str, start: int, stop: int) -> np.ndarray:
        return self.array(name)[start:stop]

    def _parquet(self, name: str) -> pa.Table:
        return structure.parquet(self, name)

    def _prove(self, name: str) -> None:
        with self._proving:
            if name in self._proved:
                return
            self._proved.add(name)  # a proof reads what it is about
            try:
                structure.PROOFS[name](self)
            except BaseException:
                self._proved.discard(name)
                raise
