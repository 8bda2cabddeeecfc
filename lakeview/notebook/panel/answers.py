"""What the side panel is told of frames, lake, problems and Spark. No value of a frame is read, no Spark job is run."""

from __future__ import annotations

import threading
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lakeview.guards.frames import types as types_of
from lakeview.notebook import cells, namespace, state
from lakeview.notebook.output.html import MAX_TEXT, clip
from lakeview.notebook.panel import jobs, messages, places
from lakeview.notebook.panel.problems import told as said
from lakeview.notebook.panel.problems import worst_first
from lakeview.notebook.panel.shapes import shape

MOST_PROBLEMS = 500
MOST_OF_A_NAME = 6 * MAX_TEXT  # each may be an escape: the page tells columns by the first that can be read

_java: bool | None = None  # whether there is one; None until somebody has looked


def frames(names: dict[str, Any]) -> messages.Frames:
    """The DataFrames among the kernel's variables."""
    return {"frames": [_frame(name, frame) for name, frame in namespace.frames(names).items()]}


def _frame(name: str, frame: Any) -> messages.Frame:
    library = "Spark" if type(frame).__module__.startswith("pyspark") else "pandas"
    try:
        # The schema of a Spark frame is known without a job; of one whose session is dead, it is not.
        types = frame.dtypes if library == "Spark" else types_of(frame)
        columns = [_column(name, label, str(kind)) for label, kind in types]
        note = None
    except Exception as error:
        columns, note = [], f"its columns cannot be read: {clip(str(error).strip().partition(chr(10))[0])}"
    rows = len(frame) if library == "pandas" else None
    stamp = f"{id(frame)} {rows} {len(columns)}"
    return {"name": name, "code": cells.frame(name), "stamp": stamp, "library": library, "rows": rows,  # type: ignore[typeddict-item]
            "columns": columns, "note": note}  # fmt: skip


def _column(frame: str, label: Any, kind: str) -> messages.FrameColumn:
    return {"name": clip(label, MOST_OF_A_NAME), "type": kind, "code": cells.column(frame, label)}


def lake(names: dict[str, Any], refresh: bool = False) -> messages.LakeAnswer:
    """The lake that `%lakeview` means, with all its columns; `refresh` reads the index on disk again."""
    found = state.find_lake(names)
    if found is None:
        return {"lake": None}
    if refresh:
        found.refresh()
    columns = found.columns
    tables: dict[str, messages.LakeTable] = {
        name: {"name": name, "format": form, "rows": int(rows), "columns": []}
        for name, form, rows in zip(*(found.tables[c].tolist() for c in ("table", "format", "rows")), strict=True)
    }
    fields = (columns[c].tolist() for c in ("table", "column", "type", "distinct", "nulls", "key_like"))
    for table, name, kind, distinct, nulls, key in zip(*fields, strict=True):
        column: messages.LakeColumn = {"name": name, "type": kind, "distinct": distinct, "nulls": nulls, "key": key}
        tables[table]["columns"].append(column)
    ordered = sorted(tables.values(), key=lambda table: table["name"])
    path = places.note(found.roots, len(tables), found.indexed_at)
    return {"lake": {"name": _lake_name(found), "path": path, "indexed_at": found.indexed_at, "tables": ordered}}


def shapes(names: dict[str, Any], table: str) -> messages.Shapes:
    """How often the values of each column of a table occur, from the index alone."""
    found = state.the_lake(names)
    columns = found.columns
    queries = [found.query_of(table, name) for name in columns["column"][columns["table"] == table]]
    return {"table": table, "bars": [shape(query.counts) if query.sketch is None else [] for query in queries]}


def _lake_name(found: Any) -> str:
    roots = [Path(root) for root in found.roots]
    if not roots:
        return repr(found).removeprefix("Lake(").partition(":")[0]
    return ", ".join(root.name or str(root) for root in roots)


def problems(names: dict[str, Any]) -> messages.Problems:
    """Files of the lake that could not be read as they stand."""
    found = state.find_lake(names)
    if found is None:
        return {"problems": [], "total": 0}
    table = found.problems
    columns = (table[name].tolist() for name in ("table", "problem", "detail", "count"))
    told = worst_first([said(*row) for row in zip(*columns, strict=True)])
    return {"problems": told[:MOST_PROBLEMS], "total": len(told)}


def status(names: dict[str, Any], magics: bool) -> messages.Status:
    """Spark, jobs, and a stamp that changes with the lake."""
    found = state.find_lake(names)
    return {
        "version": version("lakeview"),
        "protocol": messages.PROTOCOL,
        "spark": _spark(),
        "jobs": jobs.listed(),
        "lake": f"{id(found)} {found.indexed_at} {found.session.changes}" if found is not None else "",
        "magics": magics,
    }


def _spark() -> messages.Spark:
    from lakeview.pipeline import session

    now = session.state()
    runs = now == "running"
    where = session.master() if runs else ""
    return {"state": now, "detail": where, "own": session.is_own(), "java": runs or _java}  # type: ignore[typeddict-item]


def look_for_java() -> None:
    """Begin to find out whether Spark could start: it runs `java -version`, so not in the thread that answers."""

    def look() -> None:
        global _java
        from lakeview.pipeline import java

        _java = java.find_java() is not None
        jobs.tell()

    threading.Thread(target=look, name="lakeview: java", daemon=True).start()


def stop_spark() -> None:
    """Begin to stop Spark, which takes a second: what it runs fails, and says that Spark has stopped."""

    def work() -> None:
        from lakeview.pipeline import session

        session.stop()
        jobs.tell()

    threading.Thread(target=work, name="lakeview: stopping Spark", daemon=True).start()
