"""Sorted runs of band tables: an index that grows and shrinks without loss, and memory-maps.

Columns come in batches; a batch becomes one immutable run. Removing marks a column dead in its run, updating is
removing and inserting. Each run has size partitions of its own, so what comes late is found as well as what came
first. `compact` merges all runs to one, without the dead, and partitions anew.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lakeview.index.bands import Bands, build


class Runs:
    """Band tables of many columns, each known by a number that the caller chooses.

    partitions: size partitions of a run (LSH Ensemble).
    """

    def __init__(self, partitions: int = 16):
        self.partitions = partitions
        self.runs: list[tuple[Bands, np.ndarray]] = []  # tables, and which of their columns still count: bool[n]

    def __len__(self) -> int:
        return sum(int(alive.sum()) for _, alive in self.runs)

    def insert(self, ids: np.ndarray, signatures: np.ndarray, sizes: np.ndarray) -> None:
        """Add columns: int64[n], undensified sketches uint64[n, k], distinct tokens [n].

        A column that is there already is replaced. All sketches have the same k (ValueError otherwise).
        """
        ids, signatures = np.asarray(ids, np.int64), np.asarray(signatures, np.uint64)
        if self.runs and signatures.shape[1] != self.runs[0][0].signatures.shape[1]:
            raise ValueError("sketches of another number of buckets than those of the index")
        if len(np.unique(ids)) != len(ids):
            raise ValueError("a column comes twice in one batch")
        if len(ids):
            self.remove(ids)
            self.runs.append((build(ids, signatures, sizes, self.partitions), np.ones(len(ids), bool)))

    def remove(self, ids: np.ndarray) -> None:
        """Forget columns; those that are not there are passed over."""
        self.runs = [(bands, alive & ~np.isin(bands.ids, ids)) for bands, alive in self.runs]

    def compact(self) -> None:
        """Merge all runs to one: what building from the living columns, in the order of their numbers, gives."""
        if not self.runs:
            return
        ids = np.concatenate([bands.ids[alive] for bands, alive in self.runs])
        signatures = np.concatenate([bands.signatures[alive] for bands, alive in self.runs])
        sizes = np.concatenate([bands.sizes[alive] for bands, alive in self.runs])
        order = np.argsort(ids)
        bands = build(ids[order], signatures[order], sizes[order], self.partitions)
        self.runs = [(bands, np.ones(len(ids), bool))] if len(ids) else []

    def save(self, folder: str | Path) -> None:
        """Write every array as `.npy` under `folder`, one sub-folder a run."""
        for number, (bands, alive) in enumerate(self.runs):
            run = Path(folder) / f"{number:04d}"
            run.mkdir(parents=True)
            for name, array in {**bands.arrays(), "alive": alive}.items():
                np.save(run / f"{name}.npy", array)

    @classmethod
    def open(cls, folder: str | Path, partitions: int = 16) -> Runs:
        """The index that `save` wrote, memory-mapped."""
        index = cls(partitions)
        for run in sorted(path for path in Path(folder).iterdir() if path.is_dir()):
            arrays = {
                path.stem: np.load(path, mmap_mode="r", allow_pickle=False).view(np.ndarray)
                for path in run.glob("*.npy")
            }
            index.runs.append((Bands(**{k: v for k, v in arrays.items() if k != "alive"}), arrays["alive"]))
        return index
