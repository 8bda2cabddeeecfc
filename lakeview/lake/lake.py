"""`Lake`: what the analyst holds. Opening reads the index that is there; Spark starts only to scan."""

from __future__ import annotations

import copy
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from lakeview.catalog import sources
from lakeview.catalog.listing import labelled
from lakeview.guards import checks
from lakeview.join.side import Side
from lakeview.lake import inventory
from lakeview.lake.origin import Origin
from lakeview.lake.session_frames import SessionFrames
from lakeview.lake.status import Status, status
from lakeview.lake.tables import Tables
from lakeview.lake.watching import Watch
from lakeview.pipeline import build, pairs_on_spark, progress, search_on_spark, within
from lakeview.pipeline.build import IndexReport
from lakeview.relations import declared, graph, references, written
from lakeview.relations.written import FORMS, Form
from lakeview.search import bridging
from lakeview.search.answering import answer
from lakeview.search.bridging import Bridges
from lakeview.search.candidates import Signatures
from lakeview.search.comparing import Comparison, compare, compare_in
from lakeview.search.hits import Hits
from lakeview.search.more_rows import MoreRows, more_rows
from lakeview.search.query import Query
from lakeview.search.question import ENGINES, Engine, Rank
from lakeview.search.view import View
from lakeview.store import compaction, contents, publishing
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
    """Open a lake: a folder, a list of folders or files, a dict name → DataFrame, "catalog:database", or the url of a
    database ("postgresql://…").

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
        self._signatures = Signatures(normalize)
        self._watch: Watch | None = None

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

    def index(self, exact: bool = True, engine: Engine | None = None, filters: bool = False) -> IndexReport:
        """Bring the index up to the lake; what did not change is not read again.

        exact: keep every column's tokens; False: above 4,096 distinct values only a sketch of 5 KB, which answers with
        estimates and their intervals. filters: keep 1 to 2 bytes a value beside such a sketch, which tell of small
        queries too. engine: "spark", or "local" to scan in this process; None takes what is done sooner: Spark has to
        start, so that what takes less than half a minute is read here. Both keep to about `lv.options.memory`, or
        to what a part of a file or the largest column needs. Interrupting it leaves the index as it was. Raises
        StoreError where another process writes the index, SparkUnavailable, JobCancelled.
        """
        exact, filters = checks.flag("exact", exact), checks.flag("filters", filters)
        if engine is not None:
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
        reporter.close(f"{report.tables:,} tables indexed in {report.seconds:.1f} s", f"{report.columns:,} columns")
        return report

    def watch(
        self, seconds: float = 60.0, load: float = 0.1, engine: Engine = "local", exact: bool = True,
        filters: bool = False,
    ) -> Watch:  # fmt: skip
        """Keep the index fresh in the background until `stop()` is called on what it returns, or the lake is closed.

        seconds: between looks at the files, at the least. load: the share of the time that looking and indexing may
        take; after a long run it waits the longer. engine, exact, filters: as for `index`. What goes wrong is told in
        `problem` and tried again. A second call takes the place of the first. Raises InputError where the lake is not
        made of files.
        """
        checks.choice("engine", engine, *ENGINES)
        options = {"exact": checks.flag("exact", exact), "filters": checks.flag("filters", filters), "engine": engine}
        if self._watch is not None:
            self._watch.stop()
        self._watch = Watch(self, seconds, load, **options)
        return self._watch

    def compact(self) -> None:
        """Merge the index's segments into one and drop what was replaced; searches get a little quicker."""
        with self.store.writing() as writer:
            compaction.compact(self.store, writer, most=within.postings())
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

    def view(self) -> View:
        """The lake as a search sees it now: what other threads add, remove or index meanwhile does not reach it."""
        tables = self._tables()
        return View(
            tables.snapshot, self.normalize, self.exclude, tables.side, self.side, self.change_of,
            self.store, self._spark, self._signatures,
        )  # fmt: skip

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
        return inventory.tables(self._snapshot)

    @property
    def columns(self) -> pd.DataFrame:
        """One row a column: table, column, type, rows, nulls, distinct, key_like."""
        return inventory.columns(self._snapshot)

    @property
    def problems(self) -> pd.DataFrame:
        """What could not be read, or not as it stands: table, problem, detail, count."""
        return inventory.problems(self._snapshot)

    def resolve(self, text: str) -> tuple[str, str]:
        """The (table, column) that "table.column" means. Raises NotFound, naming what comes near."""
        return self.view().resolve(text)

    # ---- asking ------------------------------------------------------------------------------------------------

    @overload
    def search(self, data: Any, column: Any = None, *, k: int | None = None, threshold: float | None = None,
               rank: Rank | None = None, exact: bool = True, transform: bool = False,
               stream: Literal[False] = False, engine: Engine = "local",
               fold: bool | None = None, target: Any = None) -> Hits: ...  # fmt: skip

    @overload
    def search(self, data: Any, column: Any = None, *, k: int | None = None, threshold: float | None = None,
               rank: Rank | None = None, exact: bool = True, transform: bool = False,
               stream: Literal[True], engine: Engine = "local",
               fold: bool | None = None, target: Any = None) -> Iterator[Hits]: ...  # fmt: skip

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
        fold: bool | None = None,
        target: Any = None,
    ) -> Hits | Iterator[Hits]:
        """The columns of the lake that share values with a column, or the tables that agree with several together.

        data: a DataFrame with `column` one of its names; a Series, list or array; or "table.column" of the lake itself,
        which is then left out. column: a list of names (of a DataFrame, or of a table of the lake by its name) asks for
        tables whose rows agree on all of them; the hits' columns are tuples, in that order. A DataFrame alone asks
        which tables could add something to it: by all of its columns, and by pairs that go together, the likeliest
        joins first; each hit says by which (`hit.asked`), and `hits.copies` which tables are the frame itself. A text
        always means a column, so a whole table of the lake is asked about as a frame.
        k: how many hits (default 10; with a threshold, all). threshold: least containment.
        rank: "overlap" (the default), exactly the top k, ties by (table, column); or "join" (the default for several
        columns): by how well they join, accidents last.
        exact: False answers from sketches where a column is large: containment comes with its 95 % interval. Where the
        store keeps a sketch alone that is always so.
        transform: find columns that a learned program joins, such as "Doe, Ann" with "Ann Doe"; the hits' joins run it.
        stream: yield the answer of the sketches first, then, where that was no exact one, the exact answer; by
            transformation what two seconds find, and then what further tables bring; of a DataFrame alone the answer
            after each of its columns (`hits.answers`), whole at the end.
        engine: "spark" asks the published index, cut into partitions, as Spark jobs; the answer is the same.
        fold: whether columns of one family (the years of one table, copies of one list: `search.families`) are one hit,
        with the others in `hit.alike`; k then counts families. The default is to fold what is ranked "join"; the top k
        by overlap are columns, exactly, unless families are asked for.
        target: another column of the DataFrame, a number, a flag or a category: the hits that join come in the order of
        how much of it their columns explain once joined, one row each (`hit.tells`; `search.telling`). Their tables are
        read for that.
        """
        return answer(self.view(), data, column, target, k=k, threshold=threshold, rank=rank, exact=exact,
                      transform=transform, stream=stream, engine=engine, fold=fold)  # fmt: skip

    def bridge(self, data: Any, column: Any = None, to: Any = None, k: int = 10) -> Bridges:
        """Plans that join a column with one that it shares no values with, through maps of the lake: state names with
        a table by codes, where a table has both. At most two maps, the best plans first; each is a JoinPlan.

        data, column: as for `search`, one column. to: where it is to arrive: "table.column", a Series, or any key of
        the lake. What chance could meet makes no bridge: small numbers, flags, years. Where there is none,
        `explain()` says why.
        """
        return bridging.bridge(self.view(), data, column, to, k)

    def more_rows(self, frame: Any, k: int = 10) -> MoreRows:
        """Tables that could be stacked under a DataFrame, as they list the same kind of thing; best first, a family of
        tables (the years of one) as one. Each says which columns go together, what would be added, what would be
        missing and how much is there already."""
        return more_rows(self.view(), frame, k)

    def query_of(self, table: str, column: str) -> Query:
        """A column of the lake as a query, as `search` and `compare` take it too. Raises NotFound where none is."""
        return self.view().query_of(table, column)

    def side(self, table: str) -> Side:
        """A table of the lake as one side of a join; what reads it says where its files changed since it was indexed.

        Raises LakeChanged where a frame did, StoreError where the index names files that are not in this lake.
        """
        return self._tables().side(table)

    def change_of(self, table: str) -> str:
        """What became of a table since it was indexed, as a glance tells: a stat of its files. "" where it is as it
        was, or a database's."""
        return self._tables().change_of(table)

    def _tables(self) -> Tables:
        with self._changing:
            return Tables(self._snapshot, self._origin, self._roots, copy.copy(self.session), self._contents)

    def compare(self, a: Any, b: Any) -> Comparison:
        """Two columns side by side: Series, lists, or "table.column" of the lake. Exact unless one has but a sketch."""
        return compare_in(self.view(), a, b)

    def foreign_keys(self, min_containment: float = 0.95, engine: Engine = "local") -> pd.DataFrame:
        """Which columns refer to which, best first.

        One row a key: table, column, references_table, references_column, containment (of the column's values in what
        it references), score (0 to 1; what is below 0.3 is left out). column and references_column are tuples of names
        for a key of two to four columns, for which the rows of both tables are read.

        engine: "spark" asks the published index, cut into partitions, as Spark jobs; the answer is the same. Keys that
        a database behind a url declares are known: they come first, with a score of 1.
        """
        least = checks.share("min_containment", min_containment)
        checks.choice("engine", engine, *ENGINES)
        view = self.view()
        view.require_index()
        with progress.reporting() as reporter:
            found = self._foreign_keys(view, least, engine, reporter.update)
            reporter.close(f"{len(found):,} foreign keys found")
        return declared.known(found, self._origin.declared_keys(set(view.snapshot.by_table)))

    def _foreign_keys(
        self, view: View, least: float, engine: Engine, tell: Callable[[int, int, str], None]
    ) -> pd.DataFrame:
        if engine == "spark":
            snapshot = search_on_spark.published(view.store, view.spark)
            of_both = snapshot, view.hidden(snapshot), view.side, self.normalize, least
            return references.foreign_keys(*of_both, pairs_on_spark.PairsOnSpark, tell=tell)
        return references.foreign_keys(view.snapshot, view.hidden(), view.side, self.normalize, least, tell=tell)

    def graph(self, min_containment: float = 0.95, engine: Engine = "local", form: Form = "plotly") -> go.Figure | str:
        """The lake's join graph: tables, and between them the joins of `foreign_keys`.

        form: "plotly" is a figure; "mermaid" an ER diagram, "dbml" a schema, "dbt" relationships for a schema.yml, as
        text. dbt knows no keys of several columns; models are called as tables are, in letters, digits, underscores.
        """
        checks.choice("form", form, *FORMS)
        keys = self.foreign_keys(min_containment, engine)
        return graph.figure(keys, self.tables) if form == "plotly" else written.text(form, keys, self.columns)
