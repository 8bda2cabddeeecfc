"""What was renamed, moved or copied is not read again: the index holds it under another name."""

from __future__ import annotations

import shutil

import pandas as pd

import lakeview as lv


def build(folder, names: dict[str, str]) -> lv.Lake:
    for name, text in names.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    lake = lv.open(folder)
    lake.index(engine="local")
    return lake


def rows(n: int) -> str:
    return "id,town\n" + "".join(f"{i},t{i}\n" for i in range(n)) + "7,a,b\n"


def test_renamed_files_and_folders_are_not_read(tmp_path):
    lake = build(tmp_path, {"a.csv": rows(5), "b.csv": rows(9), "f/y=1/x.csv": rows(3), "f/y=2/x.csv": rows(4)})
    before = lake.columns
    (tmp_path / "a.csv").rename(tmp_path / "z.csv")
    (tmp_path / "f").rename(tmp_path / "g")
    shutil.copy(tmp_path / "b.csv", tmp_path / "deep.csv")
    report = lake.index(engine="local")
    assert (report.added, report.removed, report.skipped, len(report.tasks)) == (3, 2, 1, 0)
    assert sorted(lake.tables["table"]) == ["b.csv", "deep.csv", "g", "z.csv"]
    for old, new in (("a.csv", "z.csv"), ("f", "g"), ("b.csv", "deep.csv")):
        wanted, found = (frame[frame.table == name].drop(columns="table").reset_index(drop=True)
                         for frame, name in ((before, old), (lake.columns, new)))  # fmt: skip
        pd.testing.assert_frame_equal(wanted, found)
    assert set(lake.problems["table"]) == {"b.csv", "deep.csv", "g", "z.csv"}
    fresh = lv.open(tmp_path, store=tmp_path.parent / "fresh")
    fresh.index(engine="local")
    assert fresh.columns.equals(lake.columns) and fresh.problems.equals(lake.problems)
    assert len(lake.search("z.csv.town")) == len(fresh.search("z.csv.town")) > 0
    assert lake.side("g").to_pandas().equals(fresh.side("g").to_pandas())
    assert lake.index(engine="local").skipped == 4


def test_what_is_merely_of_the_same_size_or_read_otherwise_is_read(tmp_path):
    lake = build(tmp_path, {"a.csv": "id,town\n1,x\n", "b.tsv": "id\ttown\n1\tx\n", "f/y=1/x.csv": rows(3)})
    (tmp_path / "a.csv").rename(tmp_path / "a.txt")  # another extension may be read otherwise
    (tmp_path / "b.tsv").unlink()
    (tmp_path / "c.tsv").write_text("id\ttown\n2\ty\n")
    (tmp_path / "f/y=1").rename(tmp_path / "f/y=2")  # the key is a column
    report = lake.index(engine="local")
    assert len(report.tasks) == 3
    assert lake.search(pd.Series(["2"]), k=9).to_pandas()["table"].tolist().count("f") == 2
