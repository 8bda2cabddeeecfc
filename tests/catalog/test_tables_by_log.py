"""Delta and Iceberg tables are what their logs say: never the files that lie there."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import logged
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lakeview as lv

ROWS = {"id": [1, 2, 3, 4], "p": ["x y", "é/=%", None, "x y"], "price": [1.5, None, 2.0, 7.0]}


def seen(lake, name: str) -> list[tuple]:
    """The rows of a table, sorted."""
    table = lake.table(name)
    return sorted(zip(*(table[column].to_pylist() for column in table.column_names), strict=True), key=repr)


def detail(lake) -> str:
    [problem] = lake.problems()
    assert problem.problem == "not read"
    return problem.detail


@pytest.fixture
def library():
    pytest.importorskip("deltalake")
    pytest.importorskip("pyiceberg")


class TestDelta:
    def test_rows_are_those_of_the_log(self, lake):
        table = lake.folder / "deep/t"
        logged.delta(table, ROWS, partition_by=["p"])
        deltalake = pytest.importorskip("deltalake")
        deltalake.DeltaTable(str(table)).delete("id = 4")
        logged.delta(table, {**ROWS, "id": [5, 6, 7, 8]}, mode="append")
        assert list(lake.tables()) == ["deep/t"]
        wanted = deltalake.DeltaTable(str(table)).to_pandas()
        assert len(wanted) == 7
        assert seen(lake, "deep/t") == sorted(
            ((row.id, None if pd.isna(row.price) else row.price, row.p) for row in wanted.itertuples()), key=repr
        )
        assert lake.problems() == []

    def test_deleted_rows_are_not_read(self, lake):
        table = lake.folder / "t"
        logged.delta(table, {"id": list(range(10))})
        [add] = [action["add"] for action in logged.actions(table) if "add" in action]
        logged.delete_rows(table, add, [0, 7])
        assert [id_ for (id_,) in seen(lake, "t")] == [1, 2, 3, 4, 5, 6, 8, 9]

    def test_mapped_columns_have_the_names_of_the_table(self, lake):
        table = lake.folder / "t"
        logged.delta(table, {"c1": [1, 2], "c2": [{"c3": "a"}, {"c3": "b"}]})
        [metadata] = [action["metaData"] for action in logged.actions(table) if "metaData" in action]
        schema = json.loads(metadata["schemaString"])
        names = {"c1": "id", "c2": "owner", "c3": "name"}

        def rename(fields: list[dict]) -> None:
            for field in fields:
                field["metadata"] = {
                    "delta.columnMapping.physicalName": field["name"],
                    "delta.columnMapping.id": int(field["name"][1:]),
                }
                field["name"] = names[field["name"]]
                if isinstance(field["type"], dict):
                    rename(field["type"]["fields"])

        rename(schema["fields"])
        said = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "3"}
        mapped = {**metadata, "schemaString": json.dumps(schema), "configuration": said}
        logged.commit(table, logged.protocol("columnMapping"), {"metaData": mapped})
        assert lake.table("t").to_pydict() == {"id": [1, 2], "owner.name": ["a", "b"]}
        said["delta.columnMapping.mode"] = "id"
        logged.commit(table, {"metaData": mapped})
        assert "mapped by id" in detail(lake)

    def test_features_it_does_not_know_are_refused(self, lake):
        logged.delta(lake.folder / "t", {"id": [1]})
        logged.commit(lake.folder / "t", logged.protocol("typeWidening"))
        assert "typeWidening" in detail(lake)

    def test_a_table_without_rows_and_a_broken_log_are_named(self, lake, library):
        logged.delta(lake.folder / "t", {"id": [1]})
        import deltalake

        deltalake.DeltaTable(str(lake.folder / "t")).delete()
        assert [(p.table, p.problem) for p in lake.problems()] == [("t", "empty")]
        (lake.folder / "t/_delta_log/00000000000000000002.json").write_text('{"add":{"pa')
        assert "cannot be read" in detail(lake)

    @pytest.mark.parametrize("place", ["../x.parquet", "/etc/passwd", "file:///etc/passwd", "s3://b/k", "gone.parquet"])
    def test_files_elsewhere_are_refused(self, lake, place, library):
        pq.write_table(pa.table({"id": [1]}), lake.folder.parent / "x.parquet")
        logged.delta(lake.folder / "t", {"id": [1]})
        [add] = [action["add"] for action in logged.actions(lake.folder / "t") if "add" in action]
        logged.commit(lake.folder / "t", {"add": {**add, "path": place}})
        assert "its log names" in detail(lake)

    def test_links_out_are_refused(self, lake, library):
        logged.delta(lake.folder / "t", {"id": [1]})
        [file] = (lake.folder / "t").glob("*.parquet")
        file.rename(lake.folder.parent / "x.parquet")
        file.symlink_to(lake.folder.parent / "x.parquet")
        assert "its log names" in detail(lake)


class TestIceberg:
    def test_rows_are_those_of_the_log(self, lake):
        table = logged.iceberg(lake.folder, ROWS)
        table.delete("id = 2")
        table.append(pa.table({**ROWS, "id": [5, 6, 7, 8]}))
        with table.update_schema() as schema:
            schema.rename_column("p", "place")
        wanted = table.scan().to_pandas()
        assert list(lake.tables()) == ["n/t"] and lake.table("n/t").column_names == ["id", "place", "price"]
        rows = ((row.id, row.place, None if pd.isna(row.price) else row.price) for row in wanted.itertuples())
        assert seen(lake, "n/t") == sorted(rows, key=repr)
        assert lake.problems() == []

    def test_a_copied_table_is_read_where_it_lies(self, lake):
        logged.iceberg(lake.folder, ROWS)
        there = seen(lake, "n/t")
        shutil.move(lake.folder / "n/t", lake.folder / "moved")
        assert list(lake.tables()) == ["moved"] and seen(lake, "moved") == there

    def test_two_newest_are_refused(self, lake, library):
        logged.iceberg(lake.folder, ROWS)
        newest = max((lake.folder / "n/t/metadata").glob("*.metadata.json"))
        shutil.copy(newest, newest.with_name(f"{newest.name[:5]}-other.metadata.json"))
        assert "several metadata files" in detail(lake)

    def test_metadata_without_end_is_refused(self, lake, library, monkeypatch):
        logged.iceberg(lake.folder, ROWS)
        monkeypatch.setattr("lakeview.catalog.reading.iceberg_log.MAX_METADATA", 100)
        assert "MB of metadata" in detail(lake)

    def test_code_that_a_log_names_is_not_run(self, lake, library, tmp_path, monkeypatch):
        ran = tmp_path / "ran"
        (tmp_path / "hostile.py").write_text(f"open({str(ran)!r}, 'w')")
        monkeypatch.syspath_prepend(str(tmp_path))
        logged.iceberg(lake.folder, ROWS)
        newest = max((lake.folder / "n/t/metadata").glob("*.metadata.json"))
        metadata = json.loads(newest.read_text())
        newest.write_text(json.dumps({**metadata, "properties": {"py-io-impl": "hostile.IO"}}))
        assert "names code" in detail(lake)
        assert not ran.exists()

    @pytest.mark.parametrize("place", ["file:///etc/passwd", "/n/../../x.parquet", "s3://bucket/key"])
    def test_files_elsewhere_are_refused(self, lake, place, library):
        logged.iceberg(lake.folder, ROWS)
        newest = max((lake.folder / "n/t/metadata").glob("*.metadata.json"))
        metadata = json.loads(newest.read_text())
        metadata["snapshots"][-1]["manifest-list"] = place
        newest.write_text(json.dumps(metadata))
        assert "its" in detail(lake) and "cannot be read" not in detail(lake)


@pytest.mark.parametrize("library", ["deltalake", "pyiceberg"])
def test_without_its_library_a_table_is_refused(lake, library, monkeypatch):
    if library == "deltalake":
        logged.delta(lake.folder / "t", ROWS)
    else:
        logged.iceberg(lake.folder, ROWS)
    loaded = [name for name in sys.modules if name.split(".")[0] == library]
    for name in [library, *loaded]:
        monkeypatch.setitem(sys.modules, name, None)
    assert f"pip install lakeview[{'delta' if library == 'deltalake' else 'iceberg'}]" in detail(lake)


def test_they_join_and_know_what_changed(tmp_path: Path):
    logged.delta(tmp_path / "delta", ROWS, partition_by=["p"])
    table = logged.iceberg(tmp_path, ROWS)
    pd.DataFrame({"id": [1, 3, 99]}).to_csv(tmp_path / "c.csv", index=False)
    lake = lv.open(tmp_path)
    assert lake.index(engine="local").tables == 3
    hits = {hit.table: hit for hit in lake.search("c.csv.id")}
    assert {name: hit.overlap for name, hit in hits.items()} == {"delta": 2, "n/t": 2}
    for name, hit in hits.items():
        plan = hit.join(how="inner")
        assert len(plan.to_pandas()) == 2
        scope: dict = {}
        exec(plan.code("pandas"), scope)
        assert any(isinstance(found, pd.DataFrame) and len(found) == 2 for found in scope.values()), name
        assert "createDataFrame" in plan.code("pyspark")
    assert lake.index(engine="local").skipped == 3
    assert lake.change_of("delta") == lake.change_of("n/t") == ""

    import deltalake

    deltalake.DeltaTable(str(tmp_path / "delta")).delete("id = 3")
    table.delete("id = 3")
    for name, hit in hits.items():
        assert f"{name} changed since it was indexed" in lake.change_of(name)
        with pytest.raises(lv.LakeviewError, match="changed since"):
            hit.join(how="inner").to_pandas()
    again = lake.index(engine="local")
    assert (again.changed, again.skipped) == (2, 1)
    assert {hit.table: hit.overlap for hit in lake.search("c.csv.id")} == {"delta": 1, "n/t": 1}

    deltalake.DeltaTable(str(tmp_path / "delta")).create_checkpoint()
    logged.commit(tmp_path / "delta", {"commitInfo": {"operation": "nothing"}})
    assert lake.change_of("delta") == ""
    assert lake.index(engine="local").skipped == 3
