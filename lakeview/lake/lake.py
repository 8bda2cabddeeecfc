"""`Lake`: what the analyst holds. Opening reads the index that is there; Spark starts only to scan."""

from __future__ import annotations

import copy
import os
import threading
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from lakeview import values
from lakeview.catalog import naming, sources
from lakeview.catalog.listing import labelled
from lakeview.catalog.places import table_of
from lakeview.errors import LakeviewError, NotFound
from lakeview.estimate.joint import Sketch
from lakeview.guards import checks
from lakeview.join.side import Side
from lakeview.lake.origin import Origin
from lakeview.lake.session_frames import SessionFrames
from lakeview.lake.status import Status, status
from lakeview.pipeline import build, progress
from lakeview.pipeline.build import IndexReport
from lakeview.relations import graph, references
from lakeview.search import transforming
from lakeview.search.answering import ENGINES, Engine, answer
from lakeview.search.comparing import Comparison, compare, compare_columns, named
from lakeview.search.hits import Hits
from lakeview.search.query import Query
from lakeview.search.ranking import Rank
from lakeview.store import compaction, contents, publishing, session_segment
from lakeview.store.snapshot import Snapshot
from lakeview.store.store import Store, Verified
from lakeview.values import Normalize

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

__all__ = ["Comparison", "IndexReport", "Lake", "compare", "open"]

MOST_PARTITIONS = 100_000


def open(
    lake: Any,
    store: str | os.PathLike[str] | None = None,
    spark: Any = None,
    normalize: Normalize = "fold",
    exclude: Sequence[str] = (),
) -> Lake:
    """Open a lake: a folder, a list of folders or files, a dict name → DataFrame, or "catalog:database".

    store: the folder of the index (default: `.lakeview` in the lake's folder, or the user's cache folder). spark: the
    session to scan with (default: one is found or started when needed). exclude: column names or "table.column" globs
    that are never suggested. Raises NotFound where there is no such lake, StoreError where its index cannot be read.
    """
    return Lake(lake, store, spark, normalize, exclude)


class Lake:
    """A lake of tables and its index."""

    def __init__(
        self,
        source: Any,
        store: str | os.PathLike[str] | None = None,
        spark: Any = None,
        normalize: Normalize = "fold",
        exclude: Sequence[str] = (),
    ) -> None:
        self.normalize: Normalize = checks.normalize(normalize)
        self.exclude = checks.texts("exclude", exclude)
        self._spark = checks.session("spark", spark)
        given = None if store is None else checks.folder("store", store)
        self._origin = Origin(source, spark)
        self._roots = labelled(self._origin.roots)
        self.store = Store(given or self._origin.store_folder(), self.normalize)
        self.session = SessionFrames()
        self._reading, self._changing = threading.Lock(), threading.Lock()
        self.refresh()
        self._signatures = transforming.Signatures(normalize)

    def __repr__(self) -> str:
        tables, columns = len(self._snapshot.by_table), int(self._snapshot.alive.sum())
        state = f"{tables:,} tables, {columns:,} columns" if self.indexed_at else "not indexed yet: lake.index()"
        return f"Lake({self._origin}: {state})"

    @property
    def roots(self) -> list[str]:
        """The folders and files that the lake was opened on."""
        return list(self._origin.roots)

    @property
    def indexed_at(self) -> str | None:
        """When the index was last brought up to date: ISO 8601, UTC."""
        return self._snapshot.manifest.indexed_at

    # ---- indexing ----------------------------------------------------------------------------------------------

    def index(self, exact: bool = True, engine: Engine = "spark", filters: bool = False) -> IndexReport:
        """Bring the index up to the lake; what did not change is not read again.

        exact: keep every column's tokens; False: above 4,096 distinct values only a sketch of 5 KB, which answers with
        estimates and their intervals. filters: keep 1 to 2 bytes a value beside such a sketch, which tell of small
        queries too. engine: "spark", or "local" to scan in this process. Interrupting it leaves the index as it was.
        Raises StoreError where another process writes the index, SparkUnavailable, JobCancelled.
        """
        exact, filters = checks.flag("exact", exact), checks.flag("filters", filters)
        checks.choice("engine", engine, *ENGINES)
        started = time.monotonic()
        with progress.reporting() as reporter:
            reporter.update(0, 1, "listing files")
            if self.roots:
                listing = sources.list_tables(self.roots, skip=(str(self.store.folder),))
                report = build.index_files(self.store, listing, self._spark, engine, exact, filters, reporter, started)
            else:
                report = build.index_frames(self.store, self._origin.frames(), exact, filters, reporter, started)
        self.refresh()
        self._snapshot.warm()
        reporter.close(f"{report.tables:,} tables, {report.columns:,} columns indexed in {report.seconds:.1f} s")
        return report

    def compact(self) -> None:
        """Merge the index's segments into one and drop what was replaced; searches get a little quicker."""
        with self.store.writing() as writer:
            compaction.compact(self.store, writer)
        self.refresh()

    def publish(self, url: str, partitions: int | None = None) -> int:
        """Copy the index to a folder of any file system that Arrow reaches (a path, s3://, gs://, hdfs://), for others
        to `pull` and for `search(engine="spark")`; what is there already is not copied again. Returns the bytes copied.

        partitions: cut it into so many, about equal, each of which a Spark task can search by itself (default: as the
        index was built); all of them are copied anew each time.

        What only the index published before used stays there, for those who still read it; what older ones used is
        deleted. One lake at a time should publish to a url. Keys in a url (s3://key:secret@bucket/folder) are
        remembered for this session alone and never written; a later one has them from the environment
        (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), as Spark's workers may too. Raises StoreError where the url cannot
        be written."""
        if partitions is not None:
            partitions = checks.whole("partitions", partitions, 1, MOST_PARTITIONS)
        return publishing.publish(self.store, checks.url("url", url), partitions)

    def pull(self, url: str) -> int:
        """Take over the index that `publish` left at `url`; this lake's own is replaced once it is whole. Returns the
        bytes copied. Raises NotFound where there is none, StoreError where it is damaged; the old index then stays."""
        copied = publishing.pull(self.store, checks.url("url", url))
        self.refresh()
        return copied

    def verify(self) -> Verified:
        """Check every byte of the index against the checksums that it was written with, and how its parts fit together;
        says how much that was.
        Opening checks the manifest, all sizes and up to 256 MB; what is larger is checked when it is first used. Raises
        StoreError where something is damaged, naming it and the way out."""
        return publishing.verify(self.store)

    def status(self) -> Status:
        """Segments, what of them is dead, bytes, and whether `compact()` pays, by some searches made for that."""
        return status(self._stored)

    def refresh(self) -> None:
        """Look at the index as it is on disk now (another process may have written it)."""
        with self._reading:  # one after another, so that nobody's older look comes last
            stored = Snapshot(*self.store.read())
            with self._changing:
                self._stored, self._snapshot = stored, self.session.beside(stored)
                self._contents = contents.Contents(self.store.folder)

    def still(self) -> Lake:
        """The lake as it is now: what other threads add, remove or index meanwhile does not reach it."""
        with self._changing:
            lake, lake.session = copy.copy(self), copy.copy(self.session)
        return lake

    # ---- frames of this session --------------------------------------------------------------------------------

    def add(self, frame: Any, name: str | None = None) -> None:
        """Make a pandas or Spark DataFrame searchable beside the lake, as it is now, until the process ends or it is
        removed. Nothing is written, and indexing or compacting keeps it.

        name: of its table (default: its variable's); a frame that was added under it is replaced. `engine="spark"`
        asks the published index, so it leaves such frames out. Raises InputError where the lake has a table so named.
        """
        table = self.session.read(frame, name, self._stored.table_names, self.store)
        with self._changing:
            self.session.put(table)
            self._snapshot = self.session.beside(self._stored)

    def remove(self, name: str) -> None:
        """Take out a frame that was added. Raises NotFound, naming those there are."""
        with self._changing:
            self.session.remove(name)
            self._snapshot = self.session.beside(self._stored)

    # ---- what there is -----------------------------------------------------------------------------------------

    @property
    def tables(self) -> pd.DataFrame:
        """One row a table: table, columns, rows, format, problems."""
        import pandas as pd

        s = self._snapshot
        by_table = s.by_table
        rows = [
            (t["name"], len(by_table[t["name"]]), t["rows"], t["spec"].get("kind", "frame"), len(t["problems"]))
            for t in s.table_specs()
            if t["name"] in by_table
        ]
        return pd.DataFrame(rows, columns=["table", "columns", "rows", "format", "problems"])

    @property
    def columns(self) -> pd.DataFrame:
        """One row a column: table, column, type, rows, nulls, distinct, key_like."""
        import pandas as pd

        s = self._snapshot
        numbers = [number for columns in s.by_table.values() for number in columns.values()]
        return pd.DataFrame(
            {
                "table": [s.tables[n] for n in numbers],
                "column": [s.names[n] for n in numbers],
                "type": [s.types[n] for n in numbers],
                "rows": s.rows[numbers] if numbers else np.zeros(0, np.int64),
                "nulls": s.nulls[numbers] if numbers else np.zeros(0, np.int64),
                "distinct": s.distinct[numbers] if numbers else np.zeros(0, np.int64),
                "key_like": s.key_like[numbers] if numbers else np.zeros(0, bool),
            }
        )

    @property
    def problems(self) -> pd.DataFrame:
        """What could not be read, or not as it stands: table, problem, detail, count."""
        import pandas as pd

        return pd.DataFrame(sorted(self._snapshot.problems), columns=["table", "problem", "detail", "count"])

    def resolve(self, text: str) -> tuple[str, str]:
        """The (table, column) that "table.column" means. Raises NotFound, naming what comes near."""
        self._require_index()
        return naming.resolve(checks.text("a column of the lake", text), self._snapshot.by_table)

    def _require_index(self) -> None:
        if self.indexed_at is None:
            raise NotFound("this lake is not indexed yet: call lake.index() first")

    # ---- asking ------------------------------------------------------------------------------------------------

    @overload
    def search(self, data: Any, column: Any = None, *, k: int | None = None, threshold: float | None = None,
               rank: Rank | None = None, exact: bool = True, transform: bool = False,
               stream: Literal[False] = False, engine: Engine = "local") -> Hits: ...  # fmt: skip

    @overload
    def search(self, data: Any, column: Any = None, *, k: int | None = None, threshold: float | None = None,
               rank: Rank | None = None, exact: bool = True, transform: bool = False,
               stream: Literal[True], engine: Engine = "local") -> Iterator[Hits]: ...  # fmt: skip

    def search(
        self,
        data: Any,
        column: Any = None,
        *,
        k: int | None = None,
        threshold: float | None = None,
        rank: Rank | None = None,
        exact: bool = True,
        transform: bool = False,
        stream: bool = False,
        engine: Engine = "local",
    ) -> Hits | Iterator[Hits]:
        """The columns of the lake that share values with a column, or the tables that agree with several together.

        data: a DataFrame with `column` one of its names; a Series, list or array; or "table.column" of the lake itself,
        which is then left out. column: a list of names (of a DataFrame, or of a table of the lake by its name) asks for
        tables whose rows agree on all of them; the hits' columns are tuples, in that order.
        k: how many hits (default 10; with a threshold, all). threshold: least containment.
        rank: "overlap" (the default), exactly the top k, ties by (table, column); or "join" (the default for several
        columns): by how well they join, accidents last.
        exact: False answers from sketches where a column is large: containment comes with its 95 % interval. Where the
        store keeps a sketch alone that is always so.
        transform: find columns that a learned program joins, such as "Doe, Ann" with "Ann Doe"; the hits' joins run it.
        stream: yield the answer of the sketches first, then, where that was no exact one, the exact answer.
        engine: "spark" asks the published index, cut into partitions, as Spark jobs; the answer is the same.
        """
        return answer(self, data, column, k, threshold, rank, exact, transform, stream, engine)

    def query_of(self, table: str, column: str) -> Query:
        """A column of the lake as a query, as `search` and `compare` take it too. Raises NotFound where none is."""
        table = checks.text("table", table)
        columns = self._snapshot.by_table.get(table, {})
        if not checks.label(column, columns):
            raise NotFound(f"no column {checks.said(column)} in table {table!r} of this lake")
        return Query.of_lake(self._snapshot, columns[column])

    def side(self, table: str) -> Side:
        """A table of the lake as one side of a join; what reads it says where its files changed since it was indexed.

        Raises LakeChanged where a frame did, StoreError where the index names files that are not in this lake.
        """
        s, table = self._snapshot, checks.text("table", table)
        spec = s.spec_of(table)
        if spec.get("kind") == session_segment.KIND:
            return self.session.side(table)
        columns = s.by_table.get(table)
        if columns is None:
            raise NotFound(f"{table} has no column that could be read; lake.problems says why")
        if not self.roots:
            return self._origin.side(table, int(s.rows[next(iter(columns.values()))]), list(columns))
        held = table_of(table, spec, self._roots)
        change = partial(contents.change, held, self._contents)
        return Side.lake(held, {c: s.types[n] for c, n in columns.items()}, change)

    def change_of(self, table: str) -> str:
        """What became of a table since it was indexed, as a glance tells: a stat of its files. "" where it is as it
        was, or a database's."""
        if self._origin.database:
            return ""
        try:
            spec = self._snapshot.spec_of(table)
            if self.roots and spec.get("kind") != session_segment.KIND:
                return contents.change(table_of(table, spec, self._roots), self._contents, glance=True)
            self.side(table)
        except LakeviewError as error:
            return str(error)
        return ""

    def compare(self, a: Any, b: Any) -> Comparison:
        """Two columns side by side: Series, lists, or "table.column" of the lake. Exact unless one has but a sketch."""
        return named(compare_columns(self._column(a), self._column(b)), a, b)

    def foreign_keys(self, min_containment: float = 0.95) -> pd.DataFrame:
        """Which columns refer to which, best first.

        One row a key: table, column, references_table, references_column, containment (of the column's values in what
        it references), score (0 to 1; what is below 0.3 is left out). column and references_column are pairs of names
        for a key of two columns, for which the rows of both tables are read.
        """
        least = checks.share("min_containment", min_containment)
        self._require_index()
        s, side = (lake := self.still())._snapshot, lake.side
        return references.foreign_keys(s, s.matching(self.exclude), side, self.normalize, least)

    def graph(self, min_containment: float = 0.95) -> go.Figure:
        """The lake's join graph as a plotly figure: tables, and between them the joins of `foreign_keys`."""
        return graph.figure(self.foreign_keys(min_containment), self.tables)

    def _column(self, data: Any) -> np.ndarray | Sketch:
        if isinstance(data, Query):
            return data.tokens if data.sketch is None else data.sketch
        if isinstance(data, str):
            lake = self.still()
            table, column = lake.resolve(data)
            s, number = lake._snapshot, lake._snapshot.by_table[table][column]
            return s.sketch_of(number) if s.sketched[number] else np.asarray(s.tokens_of(number)[0])
        return values.distinct_tokens(values.as_arrow(data), self.normalize)[0]
