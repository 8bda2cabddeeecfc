"""A lake as one search sees it: a snapshot of its index, and the tables behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lakeview.catalog import naming
from lakeview.errors import NotFound
from lakeview.guards import checks
from lakeview.join.side import Side
from lakeview.search.candidates import Signatures
from lakeview.search.query import Query
from lakeview.store.snapshot import Snapshot
from lakeview.store.store import Store
from lakeview.values import Normalize


@dataclass(frozen=True)
class View:
    """What a search needs to know of a lake. What others add, remove or index meanwhile does not reach it.

    side: a table as one side of a join, as it was when this view was made. live_side, live_change: the same, and what
    became of it since it was indexed, at the time of asking: a join is of what there is when it is made.
    """

    snapshot: Snapshot
    normalize: Normalize
    exclude: Sequence[str]
    side: Callable[[str], Side]
    live_side: Callable[[str], Side]
    live_change: Callable[[str], str]
    store: Store
    spark: Any
    signatures: Signatures

    def require_index(self) -> None:
        """Raises NotFound before the first `lake.index()`."""
        if self.snapshot.manifest.indexed_at is None:
            raise NotFound("this lake is not indexed yet: call lake.index() first")

    def hidden(self, snapshot: Snapshot | None = None) -> np.ndarray:
        """bool[n]: the columns that are never suggested, of the snapshot or of another."""
        return (snapshot or self.snapshot).matching(self.exclude)

    def resolve(self, text: str) -> tuple[str, str]:
        """As `Lake.resolve`."""
        self.require_index()
        return naming.resolve(checks.text("a column of the lake", text), self.snapshot.by_table)

    def query_of(self, table: str, column: str) -> Query:
        """As `Lake.query_of`."""
        table = checks.text("table", table)
        columns = self.snapshot.by_table.get(table, {})
        if not checks.label(column, columns):
            raise NotFound(f"no column {checks.said(column)} in table {table!r} of this lake")
        return Query.of_lake(self.snapshot, columns[column])
