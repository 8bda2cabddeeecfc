"""Files that are compressed or packed are read as what is in them, within bounds."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import zipfile

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lakeview as lv
from lakeview.catalog.kinds import COMPRESSIONS
from lakeview.catalog.reading import archives, compressed

PACK = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": lambda data: pa.compress(
    data, "zstd", asbytes=True)}  # fmt: skip
DATA = "".join(["id,town\n", *(f"{n:05},Zoë{n}\n" for n in range(5000))]).encode()


@pytest.mark.parametrize("end", PACK)
class TestCompressed:
    def test_it_is_what_is_in_it(self, lake, end):
        lake.write(f"a.csv.{end}", PACK[end](DATA))
        lake.write("b.csv", PACK[end](DATA))  # told by its bytes
        lake.write("c.csv", DATA)
        lake.write(f"d.jsonl.{end}", PACK[end](b'{"id": "00000", "town": "Rome"}\n' * 3))
        assert lake.table(f"a.csv.{end}").equals(lake.table("c.csv")) and lake.table("b.csv").equals(
            lake.table("c.csv")
        )
        assert lake.table(f"d.jsonl.{end}").num_rows == 3
        pq.write_table(lake.table("c.csv"), lake.folder / "x")
        lake.write(f"e.parquet.{end}", PACK[end]((lake.folder / "x").read_bytes()))
        (lake.folder / "x").unlink()
        assert lake.table(f"e.parquet.{end}").equals(lake.table("c.csv"))
        assert lake.problems() == []

    def test_two_streams_are_one_file(self, lake, end):
        half = DATA.index(b"\n", 3000) + 1
        lake.write(f"a.csv.{end}", PACK[end](DATA[:half]) + PACK[end](DATA[half:]))
        assert lake.table(f"a.csv.{end}").num_rows == 5000

    def test_damage_is_named(self, lake, end):
        packed = PACK[end](DATA)
        lake.write(f"a.csv.{end}", packed[: len(packed) // 2])
        lake.write(f"b.csv.{end}", packed[:40] + b"\xff" * 40 + packed[80:])
        assert {(p.table[0], p.detail.split(":")[0]) for p in lake.problems()} == {
            (name, f"damaged {COMPRESSIONS[end]}") for name in "ab"
        }

    def test_a_bomb_is_refused(self, lake, end, monkeypatch):
        monkeypatch.setattr(compressed, "MAX_INFLATED", 1 << 20)
        lake.write(f"a.csv.{end}", PACK[end](b"1,2\n" * (2 << 20)))
        assert "100 times its size" in lake.problems()[0].detail

    def test_pandas_code_reads_it(self, tmp_path, end):
        if end == "zst":
            pytest.importorskip("zstandard")
        (tmp_path / f"a.csv.{end}").write_bytes(PACK[end](DATA))
        (tmp_path / f"b.jsonl.{end}").write_bytes(PACK[end](b'{"id": "00007", "n": 1}\n{"id": "00008", "n": 2}\n'))
        runs(tmp_path, {f"a.csv.{end}": 2, f"b.jsonl.{end}": 2})


def runs(folder, found: dict[str, int]) -> None:
    """The pandas code that joins each table of a lake with a frame runs, with so many rows."""
    lake = lv.open(folder)
    lake.index(engine="local")
    frame = pd.DataFrame({"key": ["00007", "00008"]})
    hits = {hit.table: hit for hit in lake.search(frame, "key")}
    assert set(hits) == set(found)
    for table, rows in found.items():
        plan = hits[table].join(how="inner")
        assert len(plan.to_pandas()) == rows
        scope: dict = {"frame": frame}
        exec(plan.code("pandas"), scope)
        assert len(scope[plan.code("pandas").splitlines()[-1].split(" = ")[0]]) == rows


class TestZip:
    def pack(self, lake, *members: tuple[str, bytes], name: str = "x.zip") -> None:
        lake.write(name, b"")
        with zipfile.ZipFile(lake.folder / name, "w", zipfile.ZIP_DEFLATED) as packed:
            for member, data in members:
                packed.writestr(member, data)

    def test_every_member_is_a_table(self, lake):
        records = json.dumps([{"id": "1", "n": 2}, {"id": "3"}]).encode()
        self.pack(lake, ("a b.csv", DATA), ("deep/r.json", records), ("__MACOSX/._a.csv", b"x"), ("empty.csv", b""))
        self.pack(lake, ("other.csv.gz", gzip.compress(DATA)), name="one.zip")
        assert list(lake.tables()) == ["one.zip", "x.zip/a b.csv", "x.zip/deep/r.json"]
        assert lake.table("one.zip").equals(lake.table("x.zip/a b.csv"))
        assert lake.table("x.zip/deep/r.json").to_pydict() == {"id": ["1", "3"], "n": ["2", None]}
        assert lake.problems() == []

    def test_what_is_not_read_is_named(self, lake):
        link = zipfile.ZipInfo("link.csv")
        link.external_attr = 0o120777 << 16
        with pytest.warns(UserWarning, match="Duplicate name"):
            self.pack(lake, ("a.csv", DATA), ("../up.csv", DATA), ("/etc/x.csv", DATA), ("x.parquet", b"PAR1"),
                      (link, b"/etc/passwd"), ("b.csv", DATA), ("b.csv", b"x,y\n1,2\n"))  # fmt: skip
        assert list(lake.tables()) == ["x.zip"]
        [problem] = lake.problems()
        assert problem.problem == "members not read"
        for said in ("../up.csv has a path", "/etc/x.csv has a path", "x.parquet is not text", "link.csv is a link",
                     "b.csv is there twice"):  # fmt: skip
            assert said in problem.detail

    def test_very_many_members_are_refused_at_once(self, lake, monkeypatch):
        """Each would read the names of all."""
        monkeypatch.setattr(archives, "MAX_MEMBERS", 20)
        for count, refused in ((20, False), (21, True)):
            self.pack(lake, *((f"t{n}.csv", b"a,b\n1,2\n") for n in range(count)))
            assert [problem.detail for problem in lake.problems()] == (
                ["holds 21 files, of which 20 are read at most: unpack it"] if refused else []
            )

    def test_encryption_damage_and_bombs_are_named(self, lake, monkeypatch):
        self.pack(lake, ("a.csv", DATA), ("b.csv", b"a,b\n1,2\n"))
        data = bytearray((lake.folder / "x.zip").read_bytes())
        where = data.index(b"PK\x01\x02")
        data[where + 8] |= 1
        lake.write("x.zip", bytes(data))
        assert "a.csv is encrypted" in lake.problems()[0].detail
        data[where + 8] &= 0xFE
        data[60:90] = b"\0" * 30
        lake.write("x.zip", bytes(data))
        assert {(p.table, p.detail.split(":")[0]) for p in lake.problems()} == {("x.zip/a.csv", "damaged zip")}
        lake.write("x.zip", b"PK\x03\x04 no zip")
        assert "damaged zip" in lake.problems()[0].detail
        monkeypatch.setattr(compressed, "MAX_INFLATED", 1 << 20)
        self.pack(lake, ("a.csv", b"1,2\n" * (2 << 20)))
        assert "100 times its size" in lake.problems()[0].detail

    def test_members_join_and_pandas_code_reads_them(self, tmp_path):
        with zipfile.ZipFile(tmp_path / "x.zip", "w") as packed:
            packed.writestr('it\'s "a".csv', DATA)
            packed.writestr("b.jsonl", '{"id": "00007", "n": 1}\n{"id": "00008", "n": 2}\n')
        runs(tmp_path, {'x.zip/it\'s "a".csv': 2, "x.zip/b.jsonl": 2})
