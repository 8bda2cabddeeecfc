from __future__ import annotations

import json
import os
import pickle
import socket
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import pytest

from lakeview.catalog.sources import File, Table, list_tables, text_format
from lakeview.errors import NotFound

DATA = "a,b\n1,2\n"


def names(*roots, skip=()) -> list[str]:
    return [table.name for table in list_tables([str(root) for root in roots], skip).tables]


def problems(root) -> dict[str, str]:
    return {problem.table: problem.detail for problem in list_tables([root]).problems}


def test_a_table_is_named_by_its_path(lake):
    for name in ["b.csv", "vcd/UKSoccer.csv", "vcd/deep/x.tsv", "a.parquet", "x.json.gz", "X.CSV", "y.psv", "z.ndjson"]:
        lake.write(name, DATA)
    assert names(lake.folder) == sorted(
        ["b.csv", "vcd/UKSoccer.csv", "vcd/deep/x.tsv", "a.parquet", "x.json.gz", "X.CSV", "y.psv", "z.ndjson"]
    )
    assert {name: table.kind for name, table in lake.tables().items()} == {
        "b.csv": "text", "vcd/UKSoccer.csv": "text", "vcd/deep/x.tsv": "text", "X.CSV": "text", "y.psv": "text",
        "a.parquet": "parquet", "x.json.gz": "json", "z.ndjson": "json",
    }  # fmt: skip
    assert problems(lake.folder) == {}


def test_a_file_is_what_tells_a_change(lake):
    path = lake.write("x.csv", DATA)
    [file] = lake.tables()["x.csv"].files
    assert file == File(str(path), len(DATA), path.stat().st_mtime_ns, (), place="x.csv")


def test_tables_travel(lake):
    lake.write("t/day=1/x.csv", DATA)
    table = lake.tables()["t"]
    assert pickle.loads(pickle.dumps(table)) == table
    plain = json.loads(json.dumps(asdict(table)))
    files = tuple(File(**{**file, "keys": tuple(map(tuple, file["keys"]))}) for file in plain["files"])
    assert Table(plain["name"], plain["kind"], files, plain["folder"]) == table


def test_hidden_and_marker_files_are_no_tables_and_no_problems(lake):
    lake.write("x.csv", DATA)
    for name in [".x.csv", "_x.csv", "_SUCCESS", ".git/x.csv", "_temporary/0.json", ".lakeview/segments/1/x.parquet"]:
        lake.write(name, DATA)
    assert names(lake.folder) == ["x.csv"]
    assert problems(lake.folder) == {}


def test_other_formats_are_problems(lake):
    for name in ["x.docx", "deep/x.pdf", "Makefile", "x.csv.7z", "x.xml", "x.html", "x.gz"]:
        lake.write(name, DATA)
    assert names(lake.folder) == []
    found = problems(lake.folder)
    assert set(found) == {"x.docx", "deep/x.pdf", "Makefile", "x.csv.7z", "x.xml", "x.html", "x.gz"}
    assert all("save it as CSV or Parquet" in detail for detail in found.values())


def test_empty_files_are_problems(lake):
    lake.write("x.csv", "")
    lake.write("t/day=1/x.csv", "")
    lake.write("s/part-0.csv", "")
    assert names(lake.folder) == []
    assert set(problems(lake.folder)) == {"x.csv", "t", "s"}


class TestRoots:
    def test_a_file(self, lake):
        path = lake.write("x.csv", DATA)
        assert names(path) == ["x.csv"]

    def test_several_are_told_apart_by_their_names(self, lake):
        for name in ["one/data/x.csv", "two/data/x.csv", "other/x.csv", "one/y.csv", "two/y.csv"]:
            lake.write(name, DATA)
        folder = lake.folder
        assert names(folder / "one/data", folder / "other") == ["data/x.csv", "other/x.csv"]
        assert names(folder / "one/data", folder / "two/data") == ["data/x.csv", "data_2/x.csv"]
        assert names(folder / "one/y.csv", folder / "two/y.csv") == ["y.csv", "y_2.csv"]

    def test_a_missing_one(self, lake):
        with pytest.raises(NotFound, match="no file or folder"):
            list_tables([lake.folder / "nowhere"])

    def test_a_hidden_one_is_meant(self, lake):
        lake.write(".cache/x.csv", DATA)
        assert names(lake.folder / ".cache") == ["x.csv"]

    def test_a_relative_one(self, lake, monkeypatch):
        lake.write("x.csv", DATA)
        monkeypatch.chdir(lake.folder)
        assert names(".") == ["x.csv"]
        assert names("x.csv") == ["x.csv"]

    def test_skipped(self, lake):
        for name in ["x.csv", "store/y.csv", "z.csv"]:
            lake.write(name, DATA)
        assert names(lake.folder, skip=[lake.folder / "store", lake.folder / "z.csv"]) == ["x.csv"]


class TestHive:
    def test_one_table_with_its_keys_as_text(self, lake):
        for name in ["t/month=01/x.csv", "t/month=02/x.csv", "t/month=02/y.csv", "t/_SUCCESS", "t/month=01/.x.csv.crc"]:
            lake.write(name, DATA)
        [table] = lake.tables().values()
        assert table.name == "t"
        assert [file.keys for file in table.files] == [(("month", "01"),), (("month", "02"),), (("month", "02"),)]
        assert lake.rows("t")[0] == ("1", "2", "01")
        assert lake.columns("t") == ["a", "b", "month"]
        assert problems(lake.folder) == {}

    def test_nested_keys_escapes_and_the_default_partition(self, lake):
        lake.write("deep/t/c=New%20York%2FNY/d=x=y/x.csv", DATA)
        lake.write("deep/t/c=__HIVE_DEFAULT_PARTITION__/d=/x.csv", DATA)
        lake.write("deep/u.csv", DATA)
        assert names(lake.folder) == ["deep/t", "deep/u.csv"]
        assert sorted(lake.rows("deep/t"), key=str) == [("1", "2", "New York/NY", "x=y"), ("1", "2", None, "")]

    def test_a_key_that_is_also_a_column(self, lake):
        lake.write("t/a=9/x.csv", DATA)
        assert lake.columns("t") == ["a", "b", "a_2"]
        assert lake.rows("t") == [("1", "2", "9")]

    def test_the_root_itself(self, lake):
        lake.write("t/a=9/x.csv", DATA)
        assert names(lake.folder / "t") == ["t"]
        assert names(lake.folder / "t", lake.folder) == ["lake/t", "t"]

    def test_keys_that_begin_with_an_underscore(self, lake):
        lake.write("t/_day=1/x.csv", DATA)
        assert lake.columns("t") == ["a", "b", "_day"]

    def test_files_beside_the_partitions_are_tables_of_their_own(self, lake):
        lake.write("t/day=1/x.csv", DATA)
        lake.write("t/notes.csv", DATA)
        assert names(lake.folder) == ["t", "t/notes.csv"]

    def test_files_of_other_columns_are_joined_by_name(self, lake):
        lake.write("t/day=1/x.csv", "a,b\n1,2\n")
        lake.write("t/day=2/x.csv", "b,c\n3,4\n")
        assert lake.table("t").to_pylist() == [
            {"a": "1", "b": "2", "day": "1", "c": None}, {"a": None, "b": "3", "day": "2", "c": "4"},
        ]  # fmt: skip

    def test_kinds_are_not_mixed(self, lake):
        lake.write("t/day=1/x.csv", DATA)
        lake.write("t/day=1/x.jsonl", '{"a":1}\n')
        assert names(lake.folder) == ["t (json)", "t (text)"]


class TestSparkOutput:
    def test_part_files_are_one_table(self, lake):
        for name in ["out/part-00000-a.csv", "out/part-00001-a.csv", "out/_SUCCESS", "out/.part-00000-a.csv.crc"]:
            lake.write(name, DATA)
        lake.write("out.csv/part-00000", DATA)
        lake.write("out/part-00002-a.csv", "")
        assert "out" in names(lake.folder)
        assert lake.rows("out") == [("1", "2"), ("1", "2")]
        assert lake.problems("out") == []

    def test_a_folder_named_like_a_file(self, lake):
        lake.write("orders.csv/part-00000.csv", DATA)
        lake.write("folder.csv/x.csv", DATA)
        assert names(lake.folder) == ["folder.csv/x.csv", "orders.csv"]

    def test_other_files_make_it_a_folder(self, lake):
        lake.write("out/part-1.csv", DATA)
        lake.write("out/x.csv", DATA)
        assert names(lake.folder) == ["out/part-1.csv", "out/x.csv"]

    def test_parts_without_a_header_agree(self, lake):
        """The first part tells: rows of words in a further one are data."""
        lake.write("out/part-0.csv", "1,x\n2,y\n")
        lake.write("out/part-1.csv", "u,v\nw,z\n")
        assert lake.table("out").to_pylist()[2] == {"column_1": "u", "column_2": "v"}
        first, second = (str(lake.folder / f"out/part-{number}.csv") for number in range(2))
        assert text_format(second).header
        assert text_format(second, first).names == ("column_1", "column_2")
        assert text_format(second, first).rows == 2

    def test_parts_with_a_header_agree(self, lake):
        lake.write("out/part-0.csv", "name,n\nx,5\n")
        lake.write("out/part-1.csv", "name,n\n")
        assert lake.rows("out") == [("x", "5")]


@pytest.mark.parametrize(
    "name", ["a b.csv", "new\nline.csv", "quo'te\".csv", "Łódź.csv", "a#b.csv", "50%.csv", "a=b.csv", "a;b,c.csv"]
)
def test_odd_file_names(lake, name):
    lake.write(name, DATA)
    lake.write(f"folder {name}/{name}", DATA)
    assert names(lake.folder) == sorted([name, f"folder {name}/{name}"])
    assert lake.rows(name) == [("1", "2")]


def test_a_name_that_is_not_unicode(lake):
    lake.write("x.csv", DATA)
    try:
        with open(os.fsencode(lake.folder) + b"/bad\xff.csv", "wb") as file:  # noqa: PTH123 (bytes)
            file.write(DATA.encode())
    except OSError:
        pytest.skip("the file system takes Unicode names alone")
    assert names(lake.folder) == ["x.csv"]
    assert "not valid UTF-8" in next(iter(problems(lake.folder).values()))


class TestLinks:
    def test_a_link_to_a_file_or_folder_is_followed(self, lake, tmp_path):
        lake.write("x.csv", DATA)
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "elsewhere/y.csv").write_text(DATA)
        (lake.folder / "link.csv").symlink_to(lake.folder / "x.csv")
        (lake.folder / "far").symlink_to(tmp_path / "elsewhere")
        assert names(lake.folder) == ["far/y.csv", "link.csv", "x.csv"]

    def test_a_link_to_nothing(self, lake):
        lake.write("x.csv", DATA)
        (lake.folder / "gone.csv").symlink_to(lake.folder / "nowhere.csv")
        assert names(lake.folder) == ["x.csv"]
        assert problems(lake.folder) == {"gone.csv": "a link to nothing"}

    def test_a_loop_of_folders(self, lake):
        lake.write("deep/x.csv", DATA)
        (lake.folder / "deep/up").symlink_to(lake.folder)
        (lake.folder / "t").mkdir()
        (lake.folder / "t/day=1").symlink_to(lake.folder / "t")
        assert names(lake.folder) == ["deep/x.csv"]
        assert problems(lake.folder)["deep/up"] == "a link to a folder above itself"

    def test_a_link_to_itself(self, lake):
        lake.write("x.csv", DATA)
        (lake.folder / "me.csv").symlink_to(lake.folder / "me.csv")
        assert names(lake.folder) == ["x.csv"]
        assert set(problems(lake.folder)) == {"me.csv"}


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read(lake):
    lake.write("x.csv", DATA).chmod(0)
    lake.write("folder/y.csv", DATA)
    (lake.folder / "folder").chmod(0)
    try:
        assert names(lake.folder) == []
        assert set(problems(lake.folder)) == {"x.csv", "folder"}
    finally:
        (lake.folder / "folder").chmod(0o700)


def test_a_pipe_is_not_opened(lake):
    lake.write("x.csv", DATA)
    os.mkfifo(lake.folder / "pipe.csv")
    assert names(lake.folder) == ["x.csv"]
    assert problems(lake.folder) == {"pipe.csv": "is neither a file nor a folder"}


def test_a_socket_and_a_device_are_not_opened(lake, tmp_path, monkeypatch):
    lake.write("x.csv", DATA)
    monkeypatch.chdir(lake.folder)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as there:
        there.bind("socket.csv")
    (lake.folder / "zero.csv").symlink_to("/dev/zero")
    assert names(lake.folder) == ["x.csv"]
    assert problems(lake.folder) == dict.fromkeys(["socket.csv", "zero.csv"], "is neither a file nor a folder")


@contextmanager
def within(folder: Path, name: str, levels: int):
    """In the last of `levels` folders of one name, each in the one before, however long the path becomes."""
    before = Path.cwd()
    os.chdir(folder)
    for _ in range(levels):
        Path(name).mkdir(exist_ok=True)
        os.chdir(name)
    try:
        yield
    finally:
        for _ in range(levels):  # shutil.rmtree goes as deep as the folders do, and too deep
            for file in Path().iterdir():
                file.unlink()
            os.chdir("..")
            Path(name).rmdir()
        os.chdir(before)


def test_a_folder_may_be_as_deep_as_the_system_has_it(lake):
    lake.write("x.csv", DATA)
    lake.write("t/day=1/y.csv", DATA)
    with within(lake.folder, "e", 1100):
        Path("z.csv").write_text(DATA)
        with within(lake.folder / "t/day=1", "f", 1100):
            Path("z.csv").write_text(DATA)
            found = list_tables([lake.folder])
    assert [(table.name, len(table.files)) for table in found.tables] == [
        ("e/" * 1100 + "z.csv", 1), ("t", 2), ("x.csv", 1)
    ]  # fmt: skip
    assert found.problems == []


def test_a_path_that_is_too_long_is_named(lake):
    lake.write("x.csv", DATA)
    with within(lake.folder, "e" * 200, 25):
        found = list_tables([lake.folder])
    assert [table.name for table in found.tables] == ["x.csv"]
    assert [problem.detail for problem in found.problems] == ["File name too long"]


def test_links_to_links_do_not_multiply(lake, tmp_path):
    """Six folders with five links each to the next: 15,625 ways, each folder is entered once."""
    for level in range(6):
        folder = tmp_path / f"far/{level}"
        folder.mkdir(parents=True)
        (folder / "x.csv").write_text(DATA)
        for link in range(5):
            (folder / f"l{link}").symlink_to(tmp_path / f"far/{level + 1}")
    lake.write("x.csv", DATA)
    (lake.folder / "in").symlink_to(tmp_path / "far/0")
    (tmp_path / "far/6").mkdir()
    found = list_tables([lake.folder])
    assert {table.name for table in found.tables} == {
        "x.csv",
        *("in/" + "l0/" * level + "x.csv" for level in range(6)),
    }
    [detail] = {problem.detail for problem in found.problems}
    assert detail == "another link leads to this folder, under which it is read"


LOGS = {
    "Delta": ["_delta_log/00000000000000000000.json", "part-0.parquet", "day=1/part-1.parquet"],
    "Hudi": [".hoodie/hoodie.properties", "day=1/x.parquet", "x.parquet"],
    "Iceberg": ["metadata/v1.metadata.json", "data/x.parquet", "data/day=1/y.parquet"],
    "Iceberg of a catalog": ["metadata/00000-5f8c.gz.metadata.json", "metadata/snap-1.avro", "x.parquet"],
    "Paimon": ["snapshot/snapshot-1", "schema/schema-0", "bucket-0/x.parquet"],
}


class TestTablesByLog:
    """Which files and rows of such a table count, its log alone says."""

    @pytest.mark.parametrize("name", LOGS)
    @pytest.mark.parametrize("where", ["t", "deep/er/t", "hive/day=1/t", "hive/day=1"])
    def test_none_of_its_files_is_a_table(self, lake, name, where):
        for file in LOGS[name]:
            lake.write(f"{where}/{file}", DATA)
        lake.write("plain/x.csv", DATA)
        lake.write("plain/t/day=1/x.csv", DATA)
        assert names(lake.folder) == ["plain/t", "plain/x.csv"]
        [(table, detail)] = problems(lake.folder).items()
        assert where.startswith(table)
        assert f" {name.split()[0]} table" in detail
        if where == "hive/day=1/t" or name in ("Hudi", "Paimon"):  # the others are read by their logs, not of another's
            assert "save it as plain Parquet" in detail

    @pytest.mark.parametrize("name", LOGS)
    def test_nor_is_a_piece_of_it_that_is_opened_or_linked(self, lake, name, tmp_path):
        for file in LOGS[name]:
            lake.write(f"t/{file}", DATA)
        files = [lake.folder / "t" / file for file in LOGS[name] if file.endswith(".parquet")]
        (tmp_path / "links").mkdir()
        (tmp_path / "links/x.csv").write_text(DATA)
        for number, path in enumerate(files):
            assert names(path) == []
            assert f"is a piece of a {name.split()[0]} table" in problems(path)[path.name]
            assert names(path.parent) == []
            (tmp_path / f"links/{number}.parquet").symlink_to(path)
            (tmp_path / f"links/folder{number}").symlink_to(path.parent)
        assert names(tmp_path / "links") == ["x.csv"]
        assert len(problems(tmp_path / "links")) == 2 * len(files)

    def test_numbered_metadata_alone_is_no_log(self, lake):
        for file in ["t/metadata/2020.metadata.json", "t/x.csv"]:
            lake.write(file, DATA)
        assert names(lake.folder) == ["t/metadata/2020.metadata.json", "t/x.csv"]

    def test_files_that_describe_others_are_no_log(self, lake):
        for file in ["metadata/sales.metadata.json", "metadata/2020.json", "data/x.csv", "snapshot/snapshot.csv"]:
            lake.write(file, DATA)
        assert names(lake.folder) == [
            "data/x.csv", "metadata/2020.json", "metadata/sales.metadata.json", "snapshot/snapshot.csv"
        ]  # fmt: skip
