"""The tables of a lake as Arrow batches: what there is (`list_tables`), in which parts (`split`), and what is in them.

Text and JSON give strings, never cast; Parquet gives its own types; partition keys are text. Everything streams.
"""

from __future__ import annotations

import lzma
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise, product
from pathlib import Path

import pyarrow as pa

from lakeview import values
from lakeview.catalog.kinds import extension, is_compressed, kind_of
from lakeview.catalog.listing import list_tables
from lakeview.catalog.model import File, Kind, Listing, Part, Problem, ReadError, Table
from lakeview.catalog.naming import unique_names
from lakeview.catalog.reading import (
    archives,
    arrow_reader,
    delta_log,
    duckdb_tables,
    iceberg_log,
    json_lines,
    parquet_reader,
    sheets,
    sqlite_tables,
    text_cuts,
    text_reader,
)  # fmt: skip
from lakeview.catalog.reading.findings import Findings
from lakeview.catalog.reading.text_format import TextFormat, sniff, sniff_sample
from lakeview.catalog.reading.text_reader import Piece
from lakeview.catalog.reading.text_sample import Sample
from lakeview.catalog.reading.width import bounded_width

__all__ = [
    "File", "Kind", "Listing", "Part", "Problem", "ReadError", "Table", "TextFormat",
    "list_tables", "read_part", "read_table", "split", "text_format", "together",
]  # fmt: skip


def split(table: Table, target_bytes: int = 64 << 20, files: Sequence[File] | None = None) -> list[Part]:
    """The parts of a table, or of some of its files: of a Parquet file, runs of row groups of about `target_bytes`; of
    a text file, rows of as many, where it can be cut; of others one.

    The files of a folder agree with the first of them; of several files without a folder each is read by itself.
    """
    keys = tuple(dict.fromkeys(key for file in table.files for key, _ in file.keys))
    parts, first = [], None if table.folder is None else table.files[0].path
    for file in table.files if files is None else files:
        part = Part(table.name, table.kind, file, first=first, keys=keys, log=table.log_path)
        in_groups = table.kind == "parquet" or (table.kind == "delta" and not file.inner)
        groups = _row_groups(file, target_bytes) if in_groups else [None]
        spans = _spans(part, target_bytes) if table.kind == "text" else [None]
        n = max(len(groups), len(spans))
        pieces = enumerate(product(groups, spans))  # one of them is a single None
        parts += [replace(part, row_groups=run, span=span, share=(i, n)) for i, (run, span) in pieces]
    return parts


def _spans(part: Part, target_bytes: int) -> list[tuple[int, int] | None]:
    """Runs of rows of a text file, in bytes of it; one None where it is read as a whole."""
    path = part.file.path
    if part.file.size < 2 * target_bytes or is_compressed(path):
        return [None]
    try:
        found = _format(path, part.first)
        places = [] if found is None else text_cuts.cuts(path, found[0], target_bytes)
    except Exception:  # whatever a damaged file does to its reader: read_part will say it
        places = []
    return list(pairwise(places)) if len(places) > 2 else [None]


def _row_groups(file: File, target_bytes: int) -> list[tuple[int, ...] | None]:
    if file.size <= min(target_bytes, 1 << 20):  # not worth opening
        return [None]
    try:
        sizes = parquet_reader.row_group_bytes(file.path)
    except ReadError:
        return [None]  # read_part will say it
    runs: list[tuple[int, ...] | None] = []
    run: list[int] = []
    filled = 0
    for group, size in enumerate(sizes):
        if run and filled + size > target_bytes:
            runs.append(tuple(run))
            run, filled = [], 0
        run.append(group)
        filled += size
    return [*runs, tuple(run)] if runs else [None]


def read_part(part: Part, problems: list[Problem], columns: Sequence[str] | None = None,
              most: int | None = None) -> Iterator[pa.RecordBatch]:  # fmt: skip
    """The batches of a part, partition keys as last columns; all batches of a part have one schema.

    A table without rows gives one batch without rows; an empty file gives nothing but a problem.

    Args:
        problems: what is read past, with counts, is appended here (at the end of the reading).
        columns: the names wanted; those that the file lacks are left out.
        most: of all columns so many at most are given, the first ones and the partition keys; a problem tells the rest.

    Raises:
        ReadError: the file cannot be read at all, or not to its end.
    """
    names: list[str] = []
    any_batch = False
    for batch in _read(part, problems, columns, None if most is None else most - len(part.keys)):
        if not any_batch:
            names = unique_names([*batch.schema.names, *part.keys])
            any_batch = True
        yield _with_keys(batch, part, names, columns)


def _read(
    part: Part, problems: list[Problem], columns: Sequence[str] | None, most: int | None
) -> Iterator[pa.RecordBatch]:
    def report(problem: Problem) -> None:
        problems.append(replace(problem, table=part.table))

    path = part.file.path
    try:
        width = 0
        for batch in _batches(path, part, report, columns, most):
            width = width or bounded_width(batch.num_columns, most, report)
            yield batch if batch.num_columns <= width else batch.select(range(width))
    except (EOFError, OSError, UnicodeError, lzma.LZMAError, zlib.error, pa.ArrowException) as error:
        # The first look at the file found nothing wrong: it changed meanwhile, or the disk fails.
        raise ReadError(f"cannot be read to its end: {error}") from error


def _batches(path: str, part: Part, report: Callable[[Problem], None],
             columns: Sequence[str] | None, most: int | None) -> Iterator[pa.RecordBatch]:  # fmt: skip
    if part.kind == "parquet":
        yield from parquet_reader.read_parquet(
            path, list(part.row_groups) if part.row_groups else None, report, columns, most
        )
    elif part.kind == "json":
        yield from json_lines.read_json(path, report, columns)
    elif part.kind == "duckdb":
        yield from duckdb_tables.read_duckdb(path, part.file.inner, report, columns, most)
    elif part.kind == "zip":
        with archives.unpacked(path, part.file.inner) as member:
            inside = replace(part, kind=kind_of(member) or "text", first=None)
            yield from _batches(member, inside, report, columns, most)
    elif part.kind == "delta":
        yield from delta_log.read_delta(part, report, columns, most)
    elif part.kind == "iceberg":
        yield from iceberg_log.read_iceberg(part, report, columns)
    elif part.kind == "arrow":
        yield from arrow_reader.read_arrow(path, report, columns, most)
    elif part.kind == "orc":
        yield from arrow_reader.read_orc(path, report, columns, most)
    elif part.kind == "sheet":
        yield from sheets.read_sheet(path, part.file.inner, report, columns)
    elif part.kind == "sqlite":
        yield from sqlite_tables.read_sqlite(path, part.file.inner, report, columns)
    else:
        found = _format(path, part.first, part.span is not None)
        if found is None:
            report(Problem("", "empty", "the file is empty"))
            return
        form, sample = found
        if columns is None:
            columns = form.names[: bounded_width(len(form.names), most, report)]
        findings = Findings()
        piece = None if part.span is None else Piece(*part.span, *part.share)
        yield from text_reader.read_text(path, form, findings, columns, sample=sample, piece=piece)
        for problem in text_reader.describe(form, findings, part.table, piece):
            report(problem)


def _with_keys(batch: pa.RecordBatch, part: Part, names: list[str], columns: Sequence[str] | None) -> pa.RecordBatch:
    if not part.keys and columns is None and names == batch.schema.names:
        return batch  # there may be many columns
    given = dict(part.file.keys)
    arrays = list(batch.columns)
    for key in part.keys:
        arrays.append(pa.array([given.get(key)], pa.string()).take(pa.nulls(0, pa.int32())) if not batch.num_rows
                      else pa.repeat(pa.scalar(given.get(key), pa.string()), batch.num_rows))  # fmt: skip
    batch = pa.RecordBatch.from_arrays(arrays, names=names)
    return batch if columns is None else batch.select([name for name in names if name in columns])


def read_table(table: Table, columns: Sequence[str] | None = None) -> pa.Table:
    """A whole table in memory; columns that some files lack are null there. Problems are not told.

    Raises:
        ReadError: a file of it cannot be read.
    """
    parts = split(table, target_bytes=sys.maxsize)
    tables = [pa.Table.from_batches([batch]) for part in parts for batch in read_part(part, [], columns)]
    return together(tables)


def together(tables: Sequence[pa.Table]) -> pa.Table:
    """Tables one after another; a column takes the widest of its types, or is text where they have none in common."""
    if not tables:
        return pa.table({})
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowTypeError:
        wanted = dict.fromkeys(name for table in tables for name in table.schema.names)
        return pa.table({name: _stacked([table[name] if name in table.schema.names else pa.nulls(table.num_rows)
                                         for table in tables]) for name in wanted})  # fmt: skip


def _stacked(columns: Sequence[pa.Array | pa.ChunkedArray]) -> pa.ChunkedArray:
    named = [pa.table({"": column}) for column in columns]
    try:
        return pa.concat_tables(named, promote_options="permissive")[""]
    except pa.ArrowTypeError:
        return pa.chunked_array([values.text(column).cast(pa.large_string()) for column in columns])


def text_format(path: str, first: str | None = None) -> TextFormat | None:
    """The format of a text file, with the counts of a whole reading; None: it is empty.

    Args:
        first: the first file of the same table, with which the others agree on delimiter and header.

    Raises:
        ReadError: the file cannot be read at all.
    """
    found = _format(path, first)
    return None if found is None else text_reader.count(path, found[0])


def _format(path: str, first: str | None, is_utf8: bool = False) -> tuple[TextFormat, Sample] | None:
    """is_utf8: nobody has to read the whole file to tell."""
    like = _of_first(first) if first and first != path else None
    return sniff_sample(path, extension(path), like, is_utf8)


def _of_first(path: str) -> TextFormat | None:
    """The format of a table's first file, for which each part of the table asks and which is read to its end."""
    try:
        seen = Path(path).stat()
    except OSError:
        return sniff(path, extension(path))  # which says what is wrong
    return _sniffed(path, (seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns))


@lru_cache(maxsize=16)
def _sniffed(path: str, seen: tuple[int, ...]) -> TextFormat | None:
    return sniff(path, extension(path))
