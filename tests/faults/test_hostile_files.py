"""Files that someone made to cost much: bounded in time and memory, named in problems, the rest indexed.

Each is indexed in a process of its own, beside a plain file of the same size: at most three times its processor time,
and 1 GB. `make faults` makes them as large as attackers do.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="measured by getrusage")

INDEX = """
import json, resource, sys
import lakeview as lv

lake = lv.open(sys.argv[1], store=sys.argv[2])
lake.index(engine="local")
used = resource.getrusage(resource.RUSAGE_SELF)
peak = used.ru_maxrss / (1 << (20 if sys.platform == "darwin" else 10))
if sys.platform == "linux":  # where that is at least what the process had which started this one
    peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) / 1024
print(json.dumps({
    "tables": lake.tables["table"].tolist(),
    "problems": lake.problems[["table", "detail"]].values.tolist(),
    "seconds": used.ru_utime + used.ru_stime,
    "megabytes": peak,
}))
"""
NEIGHBOUR = "a,b\n1,x\n2,y\n"
Made = Iterator[bytes]


def index(folder: Path) -> dict:
    """What indexing a folder found and took, in a process of its own."""
    (folder / "neighbour.csv").write_text(NEIGHBOUR)
    store = folder.parent / f"{folder.name}-store"
    done = subprocess.run(
        [sys.executable, "-c", INDEX, str(folder), str(store)], capture_output=True, text=True, check=True, timeout=600
    )
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def rows(size: int) -> Iterator[bytes]:
    """A plain table of so many bytes."""
    yield b"id,name,x,town\n"
    number = written = 0
    while written < size:
        block = b"".join(b"%d,name %d,%d.5,town %d\n" % (i, i * 7919 % 100_003, i * 3, i % 977)
                         for i in range(number, number + 1000))  # fmt: skip
        written += len(block)
        number += 1000
        yield block


def one_open_quote(size: int) -> Made:
    yield b'id,name,x,town\n1,"open,1,t\n'
    yield from rows(size)


def open_quotes(size: int) -> Made:
    """In every line a quote that closes the one before and opens one."""
    yield b"a,b\n"
    yield b'b","\n' * (size // 5)


def one_line(size: int) -> Made:
    yield b"x" * size


def a_late_long_line(size: int) -> Made:
    yield from rows(size // 8)
    yield b"x" * size


def a_long_quoted_cell(size: int) -> Made:
    yield b'a,b\n1,"'
    yield b"x" * size
    yield b'",2\n'


def one_line_of_cells(size: int) -> Made:
    yield b"abcdefgh," * (size // 9)


def wide(size: int) -> Made:
    columns = 50_000
    yield ",".join(f"c{i}" for i in range(columns)).encode() + b"\n"
    yield (",".join(str(i % 97) for i in range(columns)) + "\n").encode() * max(1, size // 140_000)


def wide_typed(write: Callable[[pa.Table, io.BytesIO], None]) -> Callable[[int], Made]:
    def made(size: int) -> Made:
        columns = size // 335  # 50,000 in `make faults`
        sink = io.BytesIO()
        write(pa.table({f"c{i}": pa.array(range(i, i + 5)) for i in range(columns)}), sink)
        yield sink.getvalue()

    return made


def short_rows(size: int) -> Made:
    """Nearly all have fewer cells than the header, among them lines of blanks."""
    yield b"a,b,c\n1,2,3\n"
    yield b"x\n \n" * (size // 4)


def doubled_quotes(size: int) -> Made:
    yield b"a,b\n1,2\n"
    yield b'""\n' * (size // 3)


def much_padding(size: int) -> Made:
    yield ",".join(f"c{i}" for i in range(2000)).encode() + b"\n"
    yield b"xy\n" * (size // 3)


def deep_json(size: int) -> Made:
    yield b'{"a":1}\n' * 30
    yield (b"[" * 100_000 + b"]" * 100_000 + b"\n") * max(1, size // 200_000)
    yield (b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"\n") * 2


def a_long_string_in_json(size: int) -> Made:
    yield b'{"a": "'
    yield b"x" * size
    yield b'"}\n'


def keys_that_are_values(size: int) -> Made:
    yield b"".join(b'{"k%d":1}\n' % (i % 1999) for i in range(size // 12))


MB = 1 << 20
# Name, maker, its size in `make test` (0: not there) and in `make faults`, and what is said of it.
FILES = [
    ("x.csv", one_open_quote, 1 * MB, 16 * MB, "is never closed"),
    ("x.csv", open_quotes, 1 * MB, 16 * MB, "is never closed"),
    ("x.csv", one_line, 20 * MB, 500 * MB, "no table has rows that long"),
    ("x.txt", one_line, 20 * MB, 500 * MB, "no table has rows that long"),
    ("x.csv", a_late_long_line, 20 * MB, 500 * MB, "no table has rows that long"),
    ("x.csv", a_long_quoted_cell, 20 * MB, 500 * MB, "no table has rows that long"),
    ("x.csv", one_line_of_cells, 20 * MB, 500 * MB, "no table has rows that long"),
    ("x.csv", wide, 1 * MB, 16 * MB, "the first 2,000 are indexed"),
    ("x.parquet", wide_typed(pa.parquet.write_table), 0, 16 * MB, "the first 2,000 are indexed"),
    ("x.feather", wide_typed(pa.feather.write_feather), 0, 16 * MB, "the first 2,000 are indexed"),
    ("x.csv", short_rows, 1 * MB, 16 * MB, "with too few cells"),
    ("x.csv", doubled_quotes, 1 * MB, 16 * MB, "with too few cells"),
    ("x.csv", much_padding, 1 * MB, 16 * MB, "far fewer cells than the header"),
    ("x.jsonl", deep_json, 1 * MB, 16 * MB, "not JSON objects were left out"),
    ("x.json", a_long_string_in_json, 20 * MB, 500 * MB, "more than 16 MB"),
    ("x.jsonl", keys_that_are_values, 1 * MB, 16 * MB, "its keys are values, not columns"),
]


def write(path: Path, made: Made) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.writelines(made)


def test_hostile_files_cost_what_plain_ones_do(tmp_path, rounds):
    """In `make test` all of them in one folder; in `make faults` each by itself, and larger."""
    groups = [[each] for each in FILES] if rounds(0, 1) else [[each for each in FILES if each[2]]]
    for number, group in enumerate(groups):
        folder, plain = tmp_path / f"hostile{number}", tmp_path / f"plain{number}"
        for place, (name, make, bounded, whole, _) in enumerate(group):
            size = rounds(bounded, whole)
            write(folder / f"{place}/{name}", make(size))
            write(plain / f"{place}.csv", rows(min(size, rounds(10 * MB, 64 * MB))))
        found, usual = index(folder), index(plain)
        assert "neighbour.csv" in found["tables"]
        for place, (name, _, _, _, said) in enumerate(group):
            told = [detail for table, detail in found["problems"] if table == f"{place}/{name}"]
            assert any(said in detail for detail in told), (place, name, told)
        assert found["megabytes"] < 1000, group
        assert found["seconds"] < 3 * usual["seconds"], (found["seconds"], usual["seconds"], group)


@pytest.mark.parametrize("name", ["x.csv.gz", "x.jsonl.gz", "x.parquet.gz"])
def test_a_file_that_inflates_without_end(tmp_path, rounds, name):
    blocks = rounds(18, 640)  # of 16 MB
    packer = zlib.compressobj(rounds(1, 9), zlib.DEFLATED, 31)
    row = b'{"a":1}\n' if "json" in name else b"1,2\n"

    def made() -> Made:
        for _ in range(blocks):
            yield packer.compress(row * (16 * MB // len(row)))
        yield packer.flush()

    write(tmp_path / "lake" / name, made())
    found = index(tmp_path / "lake")
    assert found["tables"] == ["neighbour.csv"]
    [[table, detail]] = found["problems"]
    assert (table, "times its size" in detail) == (name, True)
    assert found["megabytes"] < 1000


def test_what_is_no_file_is_never_opened(tmp_path):
    """Pipes, sockets, devices, loops, names that are no text, empty files, what may not be read: each is named."""
    lake = tmp_path / "lake"
    lake.mkdir()
    os.mkfifo(lake / "pipe.csv")
    (lake / "zero.csv").symlink_to("/dev/zero")
    (lake / "loop").symlink_to(lake)
    (lake / "self.csv").symlink_to(lake / "self.csv")
    (lake / "gone.csv").symlink_to(lake / "nowhere.csv")
    (lake / "empty.csv").touch()
    (lake / "empty.parquet").touch()
    odd = 0
    try:
        with open(os.fsencode(lake) + b"/bad\xff.csv", "wb") as file:  # noqa: PTH123 (bytes)
            file.write(NEIGHBOUR.encode())
        odd = 1
    except OSError:
        pass  # the file system takes Unicode names alone
    found = index(lake)
    assert found["tables"] == ["neighbour.csv"]
    assert len(found["problems"]) == 7 + odd


def test_a_file_that_becomes_a_pipe_or_vanishes_after_the_listing(tmp_path):
    from lakeview.catalog.sources import ReadError, list_tables, read_part, split

    for name in ("a.csv", "b.csv", "c.jsonl"):
        (tmp_path / name).write_text(NEIGHBOUR)
    parts = [part for table in list_tables([tmp_path]).tables for part in split(table)]
    (tmp_path / "a.csv").unlink()
    os.mkfifo(tmp_path / "a.csv")
    (tmp_path / "b.csv").unlink()
    (tmp_path / "c.jsonl").unlink()
    os.mkfifo(tmp_path / "c.jsonl")
    for part in parts:
        with pytest.raises(ReadError, match="cannot be opened"):
            list(read_part(part, []))
