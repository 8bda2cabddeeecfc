"""A lake of files that a test writes itself."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from lakeview.catalog.sources import Problem, ReadError, Table, list_tables, read_part, read_table, split


class Lake:
    """A folder, its tables by name, and what reading them reports."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return path

    def tables(self) -> dict[str, Table]:
        return {table.name: table for table in list_tables([self.folder]).tables}

    def table(self, name: str) -> pa.Table:
        return read_table(self.tables()[name])

    def columns(self, name: str) -> list[str]:
        return self.table(name).column_names

    def rows(self, name: str) -> list[tuple]:
        return [tuple(row.values()) for row in self.table(name).to_pylist()]

    def read(self, name: str) -> tuple[list[pa.RecordBatch], list[Problem]]:
        """All batches of a table, part by part, and the problems met."""
        problems: list[Problem] = []
        batches = [batch for part in split(self.tables()[name]) for batch in read_part(part, problems)]
        return batches, problems

    def problems(self, name: str | None = None) -> list[Problem]:
        """What is reported of the whole lake, or of one table; a file that cannot be read counts, too."""
        listing = list_tables([self.folder])
        found = list(listing.problems)
        for table in listing.tables:
            try:
                for part in split(table):
                    for _ in read_part(part, found):
                        pass
            except ReadError as error:
                found.append(Problem(table.name, "unreadable", str(error)))
        return [problem for problem in found if name in (None, problem.table)]


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")
