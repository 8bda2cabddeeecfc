"""What the panel does with one table of the lake: the code that reads it, and where its file lies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakeview.catalog.listing import labelled
from lakeview.catalog.places import file_called
from lakeview.errors import InputError, NotFound
from lakeview.guards import checks
from lakeview.join.export.pandas_read import folder_of, path_of
from lakeview.notebook import cells, state
from lakeview.notebook.panel import messages

if TYPE_CHECKING:
    import pandas as pd

PREVIEWED = 20  # rows


def preview(names: dict[str, Any], table: str, rows: int = PREVIEWED) -> pd.DataFrame:
    """The first rows of a table, as the lake holds them: no more of it is read than they take."""
    rows = checks.whole("how many rows to show", rows, 1)
    side = state.the_lake(names).side(table)
    if side.kind == "spark":
        return side.ask(lambda: side.held.limit(rows).toPandas())
    if side.kind == "pandas":
        return side.to_pandas().head(rows)
    import pyarrow as pa

    held = side.lake_table
    batches = (batch for batch in held.batches(held.columns) if batch.num_rows)
    first = next(batches, None)
    if first is None:
        return held.head.to_pandas()
    found = pa.Table.from_batches([first.slice(0, rows)])
    while found.num_rows < rows and (more := next(batches, None)) is not None:
        more_rows = pa.Table.from_batches([more.slice(0, rows - found.num_rows)])
        found = pa.concat_tables([found, more_rows], promote_options="default")
    return found.to_pandas()


def read(names: dict[str, Any], table: str) -> messages.Code:
    """A cell that reads a table as the lake does."""
    side = state.the_lake(names).side(table)
    if side.kind != "lake":
        raise InputError(f"{table} is no file: it is a DataFrame already")
    code = cells.reading(side, names)
    return {"code": code}


def path(names: dict[str, Any], table: str) -> messages.Path:
    """The file or folder of a table, or of a problem, as code here names it."""
    lake = state.the_lake(names)
    try:
        side = lake.side(table)
    except NotFound:
        found = file_called(table, labelled(lake.roots))
        if found is None:
            raise
        return {"path": path_of(str(found))}
    if side.kind != "lake":
        raise InputError(f"{table} is no file: it is a DataFrame")
    files = side.table.files
    return {"path": path_of(files[0].path if len(files) == 1 else folder_of(side.table))}
