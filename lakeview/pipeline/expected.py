"""What indexing will take, and so where it is done: in this process, or by Spark, which has to start first.

Seconds are those of `tests/benchmarks/small_lakes.py` on two cores; they tell a second from a minute, not 8 from 9.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from lakeview.catalog import sources
from lakeview.catalog.model import File
from lakeview.catalog.places import spec_of
from lakeview.pipeline import java, scan, session
from lakeview.pipeline.known import known_tables
from lakeview.pipeline.progress import START
from lakeview.store.store import Store

RATE = 6 << 20  # bytes that one core scans in a second, `scan.PART_BYTES` added for every file
JOB = 2.0  # seconds that a first job takes beside its work: Python workers, what they import


@dataclass(frozen=True)
class Expected:
    """Of what is new or changed: files, their bytes, about how many seconds. spark: seconds of them until Spark
    stands; None where no Spark is needed."""

    files: int
    bytes: int
    seconds: float
    spark: float | None


def expect(store: Store, roots: Iterable[str], spark: Any = None) -> Expected:
    """What `Lake.index` will take; nothing is read but the listing. spark: the session that was given."""
    _, segments = store.read()
    known = known_tables(segments)
    listing = sources.list_tables(roots, skip=(str(store.folder),))
    stale = [t for t in listing.tables if t.name not in known or _files(spec_of(t)) != _files(known[t.name].spec)]
    files = list({file.path: file for table in stale for file in table.files}.values())
    work = load(files)
    starts = 0.0 if spark is not None or session.state() == "running" else START
    by_spark = engine(work, spark) == "spark"
    seconds = starts + JOB + work / RATE / cores(spark) if by_spark else work / RATE
    return Expected(len(files), sum(file.size for file in files), seconds, starts if by_spark else None)


def load(files: Iterable[File]) -> int:
    """What reading some files costs, in bytes (`scan.part_sizes`)."""
    return sum(file.size + scan.PART_BYTES for file in files)


def _files(spec: Any) -> list[tuple[Any, ...]]:
    return [(file["place"], file["size"], file["mtime_ns"]) for file in spec.get("files", ())]


def engine(work: int, spark: Any = None) -> str:
    """Where so many bytes (`scan.part_sizes`) are scanned sooner: "local", in this process, or "spark". A session that
    was given is taken, as somebody wants that; without Java there is none to start."""
    if spark is not None:
        return "spark"
    running = session.state() == "running"
    here = work / RATE
    there = (0.0 if running else START) + JOB + here / cores()
    if here <= there:
        return "local"
    return "spark" if running or java.find_java() is not None else "local"


def cores(spark: Any = None) -> int:
    """How many tasks a session runs at a time; without one, that which would be started."""
    return scan.cores_of(spark) if spark is not None else os.cpu_count() or 1
