"""Where a lake is indexed, and how far that is: small lakes in this process, progress by bytes from the start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import lakeview as lv
from lakeview.pipeline import expected, progress, scan, session, task
from lakeview.store import scanning


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two cores, Java, and Spark asleep."""
    monkeypatch.setattr(expected.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(expected.java, "find_java", lambda: Path("java"))
    monkeypatch.setattr(session, "state", lambda: "asleep")


def test_spark_is_worth_its_start_where_there_is_enough_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    enough = 2 * (expected.START + expected.JOB) * expected.RATE  # half of it is done in the time of the start
    assert expected.engine(1000) == "local" and expected.engine(int(0.99 * enough)) == "local"
    assert expected.engine(int(1.01 * enough)) == "spark"
    assert expected.engine(1000, spark=object()) == "spark", "a session that is given is meant"
    monkeypatch.setattr(session, "state", lambda: "running")
    assert expected.engine(int(0.5 * enough)) == "spark"
    assert expected.engine(1000) == "local"
    monkeypatch.setattr(session, "state", lambda: "asleep")
    monkeypatch.setattr(expected.java, "find_java", lambda: None)
    assert expected.engine(int(10 * enough)) == "local", "without Java there is nothing to wait for"


def test_two_small_files_are_indexed_without_spark_in_a_moment(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("key,value\n" + "".join(f"k{i},{i}\n" for i in range(100)))
    code = (
        "import sys, time, lakeview as lv\n"
        "lake = lv.open(sys.argv[1])\n"
        "started = time.process_time()\n"
        "report = lake.index()\n"
        "print(report.tables, 'pyspark' in sys.modules, time.process_time() - started)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True)
    tables, spark, seconds = done.stdout.split()
    assert (tables, spark) == ("2", "False")
    print(f"two small files: indexed in {float(seconds):.2f} CPU s")
    assert float(seconds) < 3


class Heard(progress.Silent):
    def __init__(self) -> None:
        self.said: list[tuple[int, int, str]] = []

    def update(self, done: int, total: int, message: str, how: str = "") -> None:
        self.said.append((done, total, progress.sentence(message, how)))


@pytest.fixture
def heard() -> object:
    made, before = Heard(), progress._make_reporter
    progress.set_reporter(lambda: made)
    yield made
    progress.set_reporter(before)


def test_progress_counts_bytes_and_says_where_it_is_done(tmp_path: Path, heard: Heard) -> None:
    sizes = [1000, 1000, 400_000]
    for i, size in enumerate(sizes):
        (tmp_path / f"t{i}.csv").write_text("n\n" + "12345678\n" * (size // 9))
    lv.open(tmp_path).index()
    scanned = [said for said in heard.said if "files, in this kernel" in said[2]]
    total = sum((tmp_path / f"t{i}.csv").stat().st_size + scan.PART_BYTES for i in range(3))
    assert [message for _, _, message in scanned] == [f"{n} of 3 files, in this kernel" for n in range(3)]
    assert {all_ for _, all_, _ in scanned} == {total}
    shares = [done / total for done, *_ in scanned]
    assert shares[0] == 0 and shares == sorted(shares)
    assert shares[2] < 0.3, "two of three files are the smallest part of the bytes"


def test_one_large_file_moves_while_it_is_read(tmp_path: Path, heard: Heard, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is one part however large it is, and comes in many batches."""
    (tmp_path / "large.csv").write_text("n\n" + "12345678\n" * 200_000)
    batch = pa.record_batch({"n": pa.array(["12345678"] * 20_000)})
    monkeypatch.setattr(task, "read_part", lambda part, problems, most: iter([batch] * 10))
    monkeypatch.setattr(scanning, "GATHERED", batch.nbytes)
    lv.open(tmp_path).index()
    shares = [done / all_ for done, all_, said in heard.said if "of 1 files" in said]
    assert len(shares) > 9 and shares == sorted(shares) and 0 < shares[1] < 0.2 and shares[-1] > 0.8, shares


def test_what_is_expected_is_said_of_what_is_new(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("key\n1\n")
    (tmp_path / "b.csv").write_text("key\n2\n3\n")
    lake = lv.open(tmp_path)
    found = expected.expect(lake.store, lake.roots)
    assert (found.files, found.bytes, found.spark) == (2, 14, None) and found.seconds < 1
    lake.index()
    (tmp_path / "b.csv").write_text("key\n2\n3\n4\n")
    assert (expected.expect(lake.store, lake.roots).files, expected.expect(lake.store, lake.roots).bytes) == (1, 10)
