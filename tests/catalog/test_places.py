"""Where an index says that files are: places under the lake's roots, which lead nowhere else."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lakeview.catalog.listing import labelled, list_tables
from lakeview.catalog.places import file_called, spec_of, table_of
from lakeview.errors import StoreError


def files(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("k,v\n1,2\n")
    return folder


def stored(table: Any) -> Any:
    return json.loads(json.dumps(spec_of(table)))


LAYOUTS = {
    "a folder": (["lake/t.csv", "lake/deep/er/u.csv"], ["lake"]),
    "odd names": (["lake/a\nb.csv", "lake/c:d\\e.csv", "lake/é ‮.csv", "lake/_k=1/x.csv"], ["lake"]),
    "partitions": (["lake/sales/k=1/x.csv", "lake/sales/k=2/y.csv", "lake/t.csv"], ["lake"]),
    "partitions of two kinds": (["lake/s/k=1/x.csv", "lake/s/k=2/y.jsonl"], ["lake"]),
    "parts": (["lake/out/part-0.csv", "lake/out/part-1.csv"], ["lake"]),
    "the root is a table": (["lake/k=1/x.csv", "lake/k=2/y.csv"], ["lake"]),
    "a file": (["lake/t.csv"], ["lake/t.csv"]),
    "a hidden file, as it was asked for": (["lake/.t.csv"], ["lake/.t.csv"]),
    "several roots": (["a/lake/t.csv", "b/lake/t.csv", "c/k=1/x.csv"], ["a/lake", "b/lake", "c"]),
    "several files": (["a/t.csv", "b/t.csv"], ["a/t.csv", "b/t.csv"]),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_was_listed_is_found_again_wherever_the_lake_went(layout: str, tmp_path: Path):
    names, roots = LAYOUTS[layout]
    here, there = files(tmp_path / "here", *names), files(tmp_path / "there", *names)
    listed = list_tables([here / root for root in roots]).tables
    elsewhere = list_tables([there / root for root in roots]).tables
    assert len(listed) == len(elsewhere) > 0
    for table, same in zip(listed, elsewhere, strict=True):
        spec = stored(table)
        assert str(tmp_path) not in json.dumps(spec)
        assert table_of(table.name, spec, labelled([here / root for root in roots])) == table
        found = table_of(table.name, spec, labelled([there / root for root in roots]))
        assert [file.path for file in found.files] == [file.path for file in same.files]


def test_a_lake_of_partitions_may_have_another_name(tmp_path: Path):
    [table] = list_tables([files(tmp_path / "sales", "k=1/x.csv")]).tables
    files(tmp_path / "other", "k=1/x.csv")
    [file] = table_of(table.name, stored(table), labelled([tmp_path / "other"])).files
    assert file.path == str(tmp_path / "other" / "k=1" / "x.csv")


ALTERED: dict[str, dict[str, Any]] = {
    "above": {"place": "../t.csv"},
    "above, later": {"place": "x/../../t.csv"},
    "absolute": {"place": "/etc/t.csv"},
    "here": {"place": "./t.csv"},
    "nothing": {"place": ""},
    "doubled": {"place": "x//t.csv"},
    "hidden": {"place": ".ssh/t.csv"},
    "the index itself": {"place": ".lakeview/t.csv"},
    "of another kind": {"place": "t.parquet"},
    "of no kind": {"place": "id_rsa"},
    "another table's": {"place": "u.csv"},
    "a NUL": {"place": "t\0.csv"},
    "not UTF-8": {"place": "t\udcff.csv"},
    "another root": {"root": "other"},
    "no text": {"place": 5},
    "no number": {"size": "8"},
    "no keys": {"keys": [["k"]]},
    "no content": {"content": None},
    "more": {"path": "/etc/t.csv"},
}


@pytest.mark.parametrize("how", ALTERED)
def test_an_altered_place_is_refused_by_name(how: str, tmp_path: Path):
    root = files(tmp_path / "lake", "t.csv", "u.csv", "x/t.csv", ".ssh/t.csv", "t.parquet", "id_rsa")
    table = list_tables([root]).tables[0]
    assert table.name == "t.csv"
    spec = stored(table)
    spec["files"][0] |= ALTERED[how]
    with pytest.raises(StoreError, match=r"t\.csv.*: lake\.index\(\)$"):
        table_of("t.csv", spec, labelled([root]))


@pytest.mark.parametrize("spec", [None, [], {}, {"frame": "0"}, {"kind": "text", "folder": None, "files": []}, "x", 5,
                                  {"kind": "exe", "folder": None, "files": []}])  # fmt: skip
def test_what_is_no_table_of_files_is_refused_by_name(spec: Any, tmp_path: Path):
    with pytest.raises(StoreError, match=r"which files t\.csv is made of"):
        table_of("t.csv", spec, labelled([tmp_path]))


def test_a_folder_holds_its_own_files_alone(tmp_path: Path):
    root = files(tmp_path / "lake", "sales/k=1/x.csv", "pay/k=1/x.csv")
    pay, sales = list_tables([root]).tables
    for spec in (stored(pay) | {"folder": "sales"}, stored(pay), stored(sales) | {"folder": None}):
        with pytest.raises(StoreError, match="sales"):
            table_of("sales", spec, labelled([root]))
    beside = stored(sales)
    beside["files"][0]["place"] = "sales2/k=1/x.csv"
    for spec in (stored(sales) | {"folder": "sale"}, beside):
        with pytest.raises(StoreError, match="sales"):
            table_of("sales", spec, labelled([root]))


@pytest.mark.parametrize("log", [None, "", 5, "t", "u/_delta_log/0.json", "../t/0.json", "t/../u/0.json", "t//0.json"])
def test_a_log_lies_in_the_folder_of_its_table(log: Any, tmp_path: Path):
    file = {"size": 8, "mtime_ns": 1, "keys": [], "root": "", "place": "t/x.parquet", "content": ""}
    spec = {"kind": "delta", "folder": "t", "log": "t/_delta_log/0.json", "files": [file]}
    assert table_of("t", spec, labelled([tmp_path])).log_path == str(tmp_path / "t/_delta_log/0.json")
    with pytest.raises(StoreError, match="which files t is made of"):
        table_of("t", spec | {"log": log}, labelled([tmp_path]))


@pytest.mark.parametrize("place", ["t/x.csv", "t/x", "t/x.parquet/key.pem"])
def test_a_table_with_a_log_is_of_parquet_files(place: str, tmp_path: Path):
    file = {"size": 8, "mtime_ns": 1, "keys": [], "root": "", "place": place, "content": ""}
    spec = {"kind": "delta", "folder": "t", "log": "t/_delta_log/0.json", "files": [file]}
    with pytest.raises(StoreError, match="which is not in this lake"):
        table_of("t", spec, labelled([tmp_path]))


def test_a_root_that_is_a_file_leads_to_that_file_alone(tmp_path: Path):
    root = files(tmp_path / "lake", "t.csv", "u.csv")
    [table] = list_tables([root / "t.csv"]).tables
    with pytest.raises(StoreError, match=r"'t\.csv' as a file of t\.csv"):
        table_of("t.csv", stored(table), labelled([root / "u.csv"]))
    moved = replace(table, files=(replace(table.files[0], place="u.csv"),))
    with pytest.raises(StoreError, match=r"u\.csv"):
        table_of("t.csv", stored(moved), labelled([root / "t.csv"]))


def test_a_link_of_the_lake_is_followed_as_its_listing_follows_it(tmp_path: Path):
    files(tmp_path, "far/t.csv", "lake/x.csv")
    (tmp_path / "lake" / "link").symlink_to(tmp_path / "far")
    table = list_tables([tmp_path / "lake"]).tables[0]
    assert table.name == "link/t.csv"
    assert table_of(table.name, stored(table), labelled([tmp_path / "lake"])) == table


LEADS_ELSEWHERE = ["../t.csv", "x/../../t.csv", "./t.csv", "x//t.csv", "/t.csv", ".ssh/t.csv", "_log/t.csv",
                   ".lakeview/t.csv", "t.parquet", "id_rsa", "t\0.csv", "t\udcff.csv"]  # fmt: skip


@pytest.mark.parametrize("place", LEADS_ELSEWHERE)
def test_a_place_is_refused_whatever_the_table_is_called(place: str, tmp_path: Path):
    root = files(tmp_path / "lake", "t.csv", "sales/k=1/x.csv")
    one, folder = (stored(table) for table in reversed(list_tables([root]).tables))
    one["files"][0]["place"] = place
    with pytest.raises(StoreError, match="which is not in this lake"):
        table_of(place, one, labelled([root]))
    folder["files"][0]["place"] = f"sales/{place}"
    with pytest.raises(StoreError, match="of sales, which is not in this lake"):
        table_of("sales", folder, labelled([root]))


def test_a_member_of_a_file_that_has_none_is_refused(tmp_path: Path):
    [table] = list_tables([files(tmp_path / "lake", "t.csv")]).tables
    spec, roots = stored(table), labelled([tmp_path / "lake"])
    assert table_of("t.csv", spec, roots) == table
    spec["files"][0]["inner"] = "Sheet1"
    with pytest.raises(StoreError, match="which is not in this lake"):
        table_of("t.csv/Sheet1", spec, roots)


def test_what_a_problem_is_called_after_is_found(tmp_path: Path):
    folder = files(tmp_path, "lake/deep/book.xlsx", "lake/t.csv", "out.csv", "other/t.csv", "other/-u.csv")
    one = labelled([folder / "lake"])
    assert file_called("deep/book.xlsx/Sheet1", one) == folder / "lake" / "deep" / "book.xlsx"
    assert file_called("deep", one) == folder / "lake" / "deep"
    for name in ("gone.csv", "../out.csv", "deep/../../out.csv", str(folder / "out.csv"), "", "t.csv\0"):
        assert file_called(name, one) is None, name
    two = labelled([folder / "lake", folder / "other"])
    assert file_called("other/t.csv", two) == folder / "other" / "t.csv" and file_called("t.csv", two) is None
    assert file_called("other/-u.csv", two) is not None and file_called("other-u.csv", two) is None
    assert file_called("out.csv", labelled([folder / "out.csv"])) == folder / "out.csv"
