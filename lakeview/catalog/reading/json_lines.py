"""JSON records as Arrow batches of strings: nested objects flat as "a.b", lists as compact JSON text."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence

import pyarrow as pa

from lakeview.catalog.kinds import extension
from lakeview.catalog.model import Problem, ReadError
from lakeview.catalog.naming import unique_names
from lakeview.catalog.reading.json_records import Bad, records
from lakeview.catalog.reading.text_bytes import TextBytes, encoding_problem, inspect, open_utf8
from lakeview.values.objects import json_of

BATCH_ROWS = 50_000
BATCH_CHARS = 8 << 20
MAX_COLUMNS = 2_000
BATCH_CELLS = 4 << 20
MIN_FILLED = 0.01  # of the cells of more than a hundred columns: with fewer, the keys are values
ENOUGH_ROWS = 200_000  # to tell that from

Path = tuple[str, ...]
Row = dict[Path, str | None]


def read_json(path: str, report: Callable[[Problem], None], columns: Sequence[str] | None = None,
              ) -> Iterator[pa.RecordBatch]:  # fmt: skip
    """Batches of all columns that any record has, in order of their first appearance.

    A file that fills more than one batch is read twice: first for its columns.

    Raises:
        ReadError: damaged, or no table.
    """
    text = inspect(path)
    if text.size == 0:
        report(Problem("", "empty", "the file is empty"))
        return
    flat = True
    paths, rows, bad, too_many = _survey(path, text, flat)
    if too_many:
        flat = False
        still = too_many
        if any(len(names) > 1 for names in paths):
            paths, rows, bad, still = _survey(path, text, flat)
        if still:
            raise ReadError(f"has {still}: its keys are values, not columns")
        report(Problem("", "nested objects", f"kept as JSON text: flat they are {too_many}"))
    _tell(text, bad, report)
    if not paths:
        raise ReadError("holds no JSON objects, so there is no table")
    names = unique_names([".".join(path) for path in paths])
    chosen = [(name, path) for name, path in zip(names, paths, strict=True) if columns is None or name in columns]
    batches = [rows] if rows is not None else _batches(_rows(path, text, flat, Bad()), BATCH_CELLS // len(paths))
    for batch in batches:
        arrays = [_strings([row.get(key) for row in batch]) for _, key in chosen]
        # The last column is there for the number of rows alone, which a batch without columns would not know.
        counted = pa.RecordBatch.from_arrays([*arrays, pa.nulls(len(batch))], names=[*(name for name, _ in chosen), ""])
        yield counted.select(range(len(arrays)))


def _survey(path: str, text: TextBytes, flat: bool) -> tuple[list[Path], list[Row] | None, Bad, str]:
    """All columns; the rows too, where one batch holds them; and what is wrong with the columns, in words."""
    paths: dict[Path, None] = {}
    bad = Bad()
    kept: list[Row] | None = None
    rows = cells = 0
    sparse = False
    for number, batch in enumerate(_batches(_rows(path, text, flat, bad))):
        kept = batch if number == 0 else None
        for row in batch:
            paths.update(dict.fromkeys(row))
            cells += len(row)
        rows += len(batch)
        if len(paths) > MAX_COLUMNS:
            return list(paths), kept, bad, f"more than {MAX_COLUMNS:,} columns"
        sparse = len(paths) > 100 and cells < MIN_FILLED * rows * len(paths)
        if sparse and rows >= ENOUGH_ROWS:
            break
    too_many = f"{len(paths):,} columns, most of them empty in nearly all rows" if sparse else ""
    return list(paths), kept, bad, too_many


def _rows(path: str, text: TextBytes, flat: bool, bad: Bad) -> Iterator[Row]:
    with open_utf8(path, text) as stream:
        document = extension(path) not in ("jsonl", "ndjson")
        for record in records(io.TextIOWrapper(io.BufferedReader(stream), "utf-8"), bad, document):
            row: Row = {}
            try:
                _flatten(record, (), row, flat)
            except RecursionError:
                bad.deep += 1
            else:
                yield row


def _flatten(record: dict, above: Path, row: Row, flat: bool) -> None:
    for key, value in record.items():
        here = (*above, key)
        if value is None or isinstance(value, str):
            row[here] = value
        elif isinstance(value, bool):
            row[here] = "true" if value else "false"
        elif isinstance(value, dict) and flat:
            if value:
                _flatten(value, here, row, flat)
        else:
            row[here] = value if isinstance(value, str) else json_of(value)


def _batches(rows: Iterable[Row], most: int = BATCH_ROWS) -> Iterator[list[Row]]:
    batch: list[Row] = []
    chars = 0
    for row in rows:
        batch.append(row)
        chars += sum(len(value) for value in row.values() if value)
        if len(batch) >= min(BATCH_ROWS, most) or chars >= BATCH_CHARS:
            yield batch
            batch, chars = [], 0
    if batch:
        yield batch


def _strings(values: list[str | None]) -> pa.Array:
    try:
        return pa.array(values, pa.string())
    except UnicodeEncodeError:  # "\ud800", half of a surrogate pair, is no character
        return pa.array([v and v.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for v in values])


def _tell(text: TextBytes, bad: Bad, report: Callable[[Problem], None]) -> None:
    if problem := encoding_problem(text):
        report(problem)
    if text.nul_bytes:
        report(Problem("", "NUL bytes", f"{text.nul_bytes:,} NUL bytes were left out", text.nul_bytes))
    if bad.lines:
        detail = f"{bad.lines:,} lines that are not JSON objects were left out (first: line {bad.first_line:,})"
        report(Problem("", "bad lines", detail, bad.lines))
    if bad.other:
        report(Problem("", "bad records", f"{bad.other:,} records that are not JSON objects were left out", bad.other))
    if bad.deep:
        report(Problem("", "bad records", f"{bad.deep:,} records that are nested too deeply were left out", bad.deep))
    if bad.below:
        key, others = bad.below
        report(
            Problem("", "records below a key", f"read the records below {key!r}; {others:,} keys beside it left out")
        )
    if bad.several:
        keys = " and ".join(map(repr, bad.several[:5]))
        report(Problem("", "records below keys", f"read as one record, but has records below {keys}"))
    if bad.shape:
        report(Problem("", "one document", f"is one JSON object, read as {bad.shape}"))
    if bad.end:
        report(Problem("", "damaged", bad.end))
