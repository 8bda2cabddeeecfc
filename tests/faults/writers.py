"""Tables of five formats as their writers change them over time, and what their own readers then see."""

from __future__ import annotations

import csv
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

NAMES = ("id", "town", "price")
TOWNS = ("Rome", "Oslo", "Zoë", "007", "a,b", 'q"x', "Ürümqi", "N/B", None)
Row = tuple[int, str | None, float | None]


def drawn(draw: random.Random, n: int) -> list[Row]:
    """Some rows."""
    return [(draw.randrange(1000), draw.choice(TOWNS), draw.choice((None, 1.5, 2.0, 0.1, -7.25))) for _ in range(n)]


def frame(rows: list[Row]) -> pa.Table:
    schema = pa.schema([("id", pa.int64()), ("town", pa.string()), ("price", pa.float64())])
    return pa.table([list(column) for column in zip(*rows, strict=True)] or [[], [], []], schema=schema)


class Writer:
    """A table in a lake's folder. An event may leave it as it is; `path` is where it lies now."""

    ending = ""

    def __init__(self, folder: Path, draw: random.Random) -> None:
        self.folder, self.draw = folder, draw
        self.path = folder / f"t0{self.ending}"
        self.moves = 0
        self.create(drawn(draw, draw.randrange(1, 8)))

    def events(self) -> list[str]:
        return ["append", "overwrite", "delete", "compact", "vacuum", "rename", "half_written"]

    def step(self) -> str:
        """One event; its name."""
        event = self.draw.choice(self.events())
        if event in ("append", "overwrite"):
            getattr(self, event)(drawn(self.draw, self.draw.randrange(1, 6)))
        else:
            getattr(self, event)()
        return event

    def create(self, rows: list[Row]) -> None:
        raise NotImplementedError

    def truth(self) -> list[tuple] | None:
        """The rows as the format's own reader has them; None where it has none: it refuses, or there are no rows."""
        raise NotImplementedError

    def rename(self) -> None:
        self.moves += 1
        self.path = self.path.rename(self.folder / f"t{self.moves}{self.ending}")

    def compact(self) -> None:
        pass

    def vacuum(self) -> None:
        pass

    def close(self) -> None:
        pass


class Delta(Writer):
    def create(self, rows: list[Row]) -> None:
        self.write = pytest.importorskip("deltalake").write_deltalake
        self.partitions = self.draw.choice([None, ["town"]])
        self.write(str(self.path), frame(rows), partition_by=self.partitions)

    @property
    def table(self) -> Any:
        import deltalake

        return deltalake.DeltaTable(str(self.path))

    def append(self, rows: list[Row]) -> None:
        self.write(str(self.path), frame(rows), mode="append", partition_by=self.partitions)

    def overwrite(self, rows: list[Row]) -> None:
        self.write(str(self.path), frame(rows), mode="overwrite", partition_by=self.partitions)

    def delete(self) -> None:
        self.table.delete(f"id < {self.draw.randrange(1000)}")

    def compact(self) -> None:
        self.table.optimize.compact()
        self.table.create_checkpoint()

    def vacuum(self) -> None:
        self.table.vacuum(retention_hours=0, dry_run=False, enforce_retention_duration=False)

    def half_written(self) -> None:
        """A file that no commit names, and a commit that has no name yet."""
        files = sorted(self.path.rglob("*.parquet"))
        if files:
            shutil.copy(files[0], files[0].with_name(f"left-{self.draw.random()}.parquet"))
        (self.path / "_delta_log" / f"_commit_{self.draw.random()}.json.tmp").write_text('{"add":{"path":"le')

    def truth(self) -> list[tuple] | None:
        found = pa.table(self.table.scan())
        return list(zip(*(found[name].to_pylist() for name in NAMES), strict=True)) or None


class Iceberg(Writer):
    def create(self, rows: list[Row]) -> None:
        pytest.importorskip("sqlalchemy")
        memory = pytest.importorskip("pyiceberg.catalog.memory")
        catalog = memory.InMemoryCatalog("test", warehouse=f"file://{self.folder}")
        catalog.create_namespace("n")
        self.table = catalog.create_table("n.t", schema=frame(rows).schema)
        self.path, self.moved = self.folder / "n/t", False
        self.append(rows)

    def events(self) -> list[str]:  # its writer does not find it where it was moved to
        return ["copy"] if self.moved else super().events()

    def append(self, rows: list[Row]) -> None:
        self.table.append(frame(rows))

    def overwrite(self, rows: list[Row]) -> None:
        self.table.overwrite(frame(rows))

    def delete(self) -> None:
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that nothing is deleted
            self.table.delete(f"id < {self.draw.randrange(1000)}")

    def compact(self) -> None:
        self.table.overwrite(self.table.scan().to_arrow())

    def vacuum(self) -> None:
        """Files that the table does not name any more go."""
        named = {Path(task.file.file_path.removeprefix("file://")) for task in self.table.scan().plan_files()}
        for path in self.path.glob("data/*.parquet"):
            if path not in named:
                path.unlink()

    def rename(self) -> None:
        self.rows, self.moved = self.truth(), True
        self.path = self.path.rename(self.folder / "t1")

    def copy(self) -> None:
        self.moves += 1
        shutil.copytree(self.path, to := self.folder / f"c{self.moves}")
        shutil.rmtree(self.path)
        self.path = to

    def half_written(self) -> None:
        """A file that no metadata names."""
        for path in list(self.path.glob("data/*.parquet"))[:1]:
            shutil.copy(path, path.with_name(f"left-{self.draw.random()}.parquet"))

    def truth(self) -> list[tuple] | None:
        if self.moved:
            return self.rows
        found = self.table.scan().to_arrow()
        return list(zip(*(found[name].to_pylist() for name in NAMES), strict=True)) or None


class Sqlite(Writer):
    ending = ".db"

    def create(self, rows: list[Row]) -> None:
        self.held: sqlite3.Connection | None = None
        with closing(sqlite3.connect(self.path)) as database, database:
            database.execute("CREATE TABLE t (id INTEGER, town TEXT, price REAL)")
        self.append(rows)

    def run(self, statement: str, rows: list[Row] | None = None) -> None:
        self.close()
        with closing(sqlite3.connect(self.path)) as database, database:
            database.executemany(statement, rows) if rows is not None else database.execute(statement)

    def append(self, rows: list[Row]) -> None:
        self.run("INSERT INTO t VALUES (?, ?, ?)", rows)

    def overwrite(self, rows: list[Row]) -> None:
        self.run("DELETE FROM t")
        self.append(rows)

    def delete(self) -> None:
        self.run(f"DELETE FROM t WHERE id < {self.draw.randrange(1000)}")

    def compact(self) -> None:
        self.close()
        with closing(sqlite3.connect(self.path)) as database:
            database.execute("VACUUM")

    def rename(self) -> None:
        self.close()
        super().rename()

    def half_written(self) -> None:
        """Rows that were committed and are not in the file yet, and some that were not committed."""
        self.close()
        self.held = sqlite3.connect(self.path)
        self.held.execute("PRAGMA journal_mode=WAL")
        with self.held:
            self.held.executemany("INSERT INTO t VALUES (?, ?, ?)", drawn(self.draw, 3))
        self.held.executemany("INSERT INTO t VALUES (?, ?, ?)", drawn(self.draw, 3))

    def truth(self) -> list[tuple] | None:
        with closing(sqlite3.connect(self.path)) as database:
            return database.execute("SELECT * FROM t").fetchall()

    def close(self) -> None:
        if self.held is not None:
            self.held.rollback()
            self.held.execute("PRAGMA journal_mode=DELETE")
            self.held.close()
            self.held = None


class Workbook(Writer):
    ending = ".xlsx"

    def create(self, rows: list[Row]) -> None:
        self.rows, self.whole = rows, True
        self.save()

    def save(self) -> None:
        import openpyxl

        book = openpyxl.Workbook()
        for row in [NAMES, *self.rows]:
            book.active.append(row)
        book.save(self.path)
        self.whole = True

    def append(self, rows: list[Row]) -> None:
        self.overwrite(self.rows + rows)

    def overwrite(self, rows: list[Row]) -> None:
        self.rows = rows
        self.save()

    def delete(self) -> None:
        least = self.draw.randrange(1000)
        self.overwrite([row for row in self.rows if row[0] >= least])

    def compact(self) -> None:
        self.save()

    def half_written(self) -> None:
        data = self.path.read_bytes()
        self.path.write_bytes(data[: self.draw.randrange(len(data))])
        self.whole = False

    def truth(self) -> list[tuple] | None:
        import openpyxl

        if not self.whole:
            return None
        _, *rows = openpyxl.load_workbook(self.path, read_only=True).active.iter_rows(values_only=True)
        return [row for row in rows if any(cell is not None for cell in row)]


class Csv(Writer):
    ending = ".csv"

    def create(self, rows: list[Row]) -> None:
        self.rows = rows
        self.save()

    def save(self) -> None:
        with self.path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([NAMES, *self.rows])

    append, overwrite, delete, compact = Workbook.append, Workbook.overwrite, Workbook.delete, Workbook.compact

    def half_written(self) -> None:
        """The file ends at a byte that is in a row, outside of quotes."""
        text = self.path.read_text(encoding="utf-8")
        cuts = [at for at in range(text.find("\n") + 1, len(text)) if text[:at].count('"') % 2 == 0]
        if cuts:
            self.path.write_bytes(text[: self.draw.choice(cuts)].encode())

    def truth(self) -> list[tuple] | None:
        with self.path.open(newline="", encoding="utf-8") as file:
            _, *rows = csv.reader(file)
        return [(*row, *[None] * (3 - len(row))) for row in rows if row]


WRITERS = {"delta": Delta, "iceberg": Iceberg, "sqlite": Sqlite, "xlsx": Workbook, "csv": Csv}
