"""`%%lakeview sql`: Spark SQL over the kernel's DataFrames and the lake's tables, each a view under its own name."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from lakeview.errors import InputError
from lakeview.join.recipe.journal import Sql, note
from lakeview.notebook import namespace, state
from lakeview.notebook.output.html import clip

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 100  # rows
# A piece of a statement: quoted, a comment, a semicolon, or anything else.
_PIECE = re.compile(
    r"""'(?:\\.|[^'\\])*' | "(?:\\.|[^"\\])*" | `(?:``|[^`])*` | --[^\n]* | /\*.*?\*/ | ; | [^'"`;/-]+ | .""",
    re.VERBOSE | re.DOTALL,
)
_made: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()  # the views that cells have made, by session


def run_sql(text: str, target: str, names: dict[str, Any]) -> pd.DataFrame | None:
    """Run the statements of a cell; the first rows of the last one's result come back.

    target: a variable that keeps the whole result, a Spark DataFrame. names: the kernel's variables. Only what the
    text mentions becomes a view: a frame by its variable, a lake table by its name in backticks or, where that is
    free, by its name without folder and extension. Cases are not told apart, as Spark does not.
    """
    if target and not target.isidentifier():
        raise InputError(f"%%lakeview sql NAME keeps the result in a variable; {clip(target)!r} cannot be one")
    parts = statements(text)
    if not parts:
        raise InputError("there is no statement: write SQL below the line %%lakeview sql")
    from lakeview.pipeline import progress, session

    reporter = progress.reporter()
    reporter.update(0, 0, "starting Spark")
    try:
        spark = session.get()
        logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)  # pyspark prints each error as JSON too
        job = progress.Job(spark, lambda: _run(spark, parts, names), "SQL")
        result, rows = job.wait(lambda done, total: reporter.update(done, total, "running SQL"))
    except BaseException as error:
        reporter.close(f"stopped: {clip(error) or type(error).__name__}")
        raise
    if result is None:
        reporter.close("SQL: done")
        return None
    if target:
        names[target] = result
    more = len(rows) > SHOWN
    kept = f"; {target} is all of them" if target else "; %%lakeview sql NAME keeps all" if more else ""
    reporter.close(f"SQL: the first {SHOWN} rows{kept}" if more else f"SQL: {len(rows)} rows{kept}")
    return rows.head(SHOWN)


def statements(text: str) -> list[str]:
    """The statements of a text, split at semicolons that stand in no quotes and no comment."""
    parts = [""]
    for match in _PIECE.finditer(text):
        if match.group() == ";":
            parts.append("")
        elif not match.group().startswith(("--", "/*")):
            parts[-1] += match.group()
    return [part.strip() for part in parts if part.strip()]


def is_hers(spark: Any, view: str) -> bool:
    """Whether Spark has a view or a table of such a name, in quotes, that the analyst made."""
    return view.lower() not in _made.get(spark, ()) and bool(spark.catalog.tableExists(view))


def make_view(spark: Any, view: str, frame: Any) -> None:
    """Make a view, in place of another of its name."""
    frame.createOrReplaceTempView(view)
    _made.setdefault(spark, set()).add(view.lower())


def _run(spark: Any, parts: list[str], names: dict[str, Any]) -> tuple[Any, pd.DataFrame | None]:
    """Make the views, run the statements; the last one's frame and its first rows, if it has any columns."""
    reads = {}
    for view, (frame, held) in views("\n".join(parts), names):
        if isinstance(held, str) and is_hers(spark, view):
            continue  # she means that
        make_view(spark, view, frame(spark))
        reads[view] = held
    for part in parts:
        result = spark.sql(part)
    if not result.columns:
        return None, None
    note(result, Sql(tuple(parts), reads))
    return result, result.limit(SHOWN + 1).toPandas()


def views(text: str, names: dict[str, Any]) -> Iterator[tuple[str, tuple[Callable[[Any], Any], Any]]]:
    """What the text mentions: the view's name, quoted for SQL, what makes its frame in a Spark session, and what it is
    of: a frame or the name of a table. Raises InputError for names that differ in case alone."""
    found = dict(_mentioned(text, names))  # a table may be meant by its name and by its stem, which are one
    known: dict[str, str] = {}
    for view in found:
        if (other := known.setdefault(view.lower(), view)) != view:
            raise InputError(f"{other} and {view} differ in case alone, which Spark takes for one name: "
                             "give one of them another first")  # fmt: skip
    yield from found.items()


def _mentioned(text: str, names: dict[str, Any]) -> Iterator[tuple[str, tuple[Callable[[Any], Any], Any]]]:
    frames = namespace.frames(names)
    held = Counter(name.lower() for name in frames)
    used = set()
    for name, frame in frames.items():
        exactly = re.search(rf"(?<![\w`]){re.escape(name)}(?!\w)|`{re.escape(name)}`", text)
        if exactly or (held[name.lower()] == 1 and _is_read(name, text)):
            used.add(name.lower())
            yield f"`{name}`", (_of_frame(name, frame), frame)
    lake = state.find_lake(names)
    if lake is None:
        return
    from lakeview.join.export.spark_read import quoted
    from lakeview.join.naming import stem

    tables = list(lake.tables["table"])
    stems = Counter(stem(table).lower() for table in tables)
    for table in tables:
        if quoted(table) in text and table.lower() not in used:
            yield quoted(table), (_of_lake(lake, table), table)
        short = stem(table)
        free = short.isidentifier() and short.lower() not in held and stems[short.lower()] == 1
        if free and (re.search(rf"(?<![\w`/.]){re.escape(short)}(?!\w)", text) or _is_read(short, text)):
            yield f"`{short}`", (_of_lake(lake, table), table)


def _is_read(name: str, text: str) -> bool:
    """Whether a text reads from such a name in any case; elsewhere LEFT would name a frame `left`."""
    return re.search(rf"\b(?:FROM|JOIN)\s+`?{re.escape(name)}`?(?![\w.])", text, re.IGNORECASE) is not None


def _of_frame(name: str, frame: Any) -> Callable[[Any], Any]:
    from lakeview.join.side import Side

    return lambda spark: _to_spark(Side.frame(frame, name), spark)


def _of_lake(lake: Any, table: str) -> Callable[[Any], Any]:
    return lambda spark: _to_spark(lake.side(table), spark)


def _to_spark(side: Any, spark: Any) -> Any:
    """One side as a Spark frame; a large table of the lake is read by Spark itself."""
    from lakeview.join.spark.sides import read_table, sent

    return sent(side, spark) if side.kind != "lake" or side.lake_table.is_small else read_table(side, (), spark)
