"""The store: what is published is whole, whatever happens to the writer or to the files."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lakeview.errors import StoreError
from lakeview.store import segment_writer
from lakeview.store.manifest import FORMAT
from lakeview.store.profiles import Column, Shape
from lakeview.store.sealed import seal, unseal
from lakeview.store.segment_writer import SegmentWriter
from lakeview.store.snapshot import Snapshot
from lakeview.store.store import Manifest, SegmentEntry, Store


def column(table: str, name: str, tokens: list[int], rows: int | None = None) -> Column:
    rows = len(tokens) if rows is None else rows
    return Column(
        table, name, 0, "text", rows, 0, Shape(values=len(tokens)), np.array(sorted(tokens), np.uint64),
        np.ones(len(tokens), np.int64),
    )  # fmt: skip


def publish(store: Store, tables: dict[str, dict[str, list[int]]], replacing: tuple[str, ...] = ()) -> None:
    """Add tables in a new segment, with tombstones for those replaced."""
    with store.writing() as writer:
        _, segments = store.read()
        entries = [SegmentEntry(e.id, e.files, list(e.dead)) for e in writer.manifest.segments]
        for entry, segment in zip(entries, segments, strict=True):
            entry.dead += [i for i, name in enumerate(segment.tables["name"]) if name in replacing]
        segment_writer = writer.segment()
        for name, columns in tables.items():
            segment_writer.add_table(name, {"v": 1}, 3, [], [column(name, c, t) for c, t in columns.items()])
        writer.publish(Manifest(writer.manifest.parameters, 0, entries, [], "now"), [segment_writer])


def contents(store: Store) -> dict[tuple[str, str], list[int]]:
    snapshot = Snapshot(*store.read())
    return {
        (table, name): snapshot.tokens_of(number)[0].tolist()
        for table, columns in snapshot.by_table.items()
        for name, number in columns.items()
    }


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "store")
    publish(store, {"a": {"x": [1, 2, 3], "y": [7]}, "b": {"z": [2**64 - 1, 5]}})
    return store


def test_what_is_published_is_read(store: Store):
    assert contents(store) == {("a", "x"): [1, 2, 3], ("a", "y"): [7], ("b", "z"): [5, 2**64 - 1]}
    snapshot = Snapshot(*store.read())
    overlap, frequency = snapshot.overlaps(np.array([1, 5, 9], np.uint64))
    assert overlap.tolist() == [1, 0, 1]
    assert frequency.tolist() == [1, 1, 0]


def test_an_empty_folder_is_an_empty_index(tmp_path: Path):
    manifest, segments = Store(tmp_path / "none").read()
    assert (manifest.indexed_at, segments) == (None, [])


def test_a_later_segment_replaces_tables(store: Store):
    publish(store, {"a": {"x": [9]}}, replacing=("a",))
    assert contents(store) == {("a", "x"): [9], ("b", "z"): [5, 2**64 - 1]}
    overlap, _ = Snapshot(*store.read()).overlaps(np.array([1, 2, 3, 9], np.uint64))
    assert overlap.tolist() == [0, 0, 0, 1]


def test_a_writer_that_publishes_nothing_leaves_no_trace(store: Store):
    before = sorted(p.relative_to(store.folder) for p in store.folder.rglob("*"))
    with pytest.raises(RuntimeError), store.writing() as writer:
        writer.segment().add_table("c", {}, 1, [], [column("c", "c", [1])])
        raise RuntimeError
    assert sorted(p.relative_to(store.folder) for p in store.folder.rglob("*")) == before


def test_a_second_writer_is_told(store: Store):
    with store.writing(), pytest.raises(StoreError, match="another process is writing"), Store(store.folder).writing():
        pass


def test_an_unwritable_folder_is_told(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="open the lake with store="), Store(tmp_path / "file" / "s").writing():
        pass


@pytest.mark.parametrize("name", ["columns.parquet", "set_ids.npy", "postings_columns.npy", "tables.parquet"])
@pytest.mark.parametrize("harm", ["flip", "cut", "remove"])
def test_a_damaged_file_is_named(store: Store, name: str, harm: str):
    path = next(store.folder.rglob(name))
    content = bytearray(path.read_bytes())
    if harm == "flip":
        content[-1] ^= 1
        path.write_bytes(content)
    elif harm == "cut":
        path.write_bytes(content[:-1])
    else:
        path.unlink()
    with pytest.raises(StoreError, match=name):
        store.read()


@pytest.mark.parametrize("name", ["set_ids", "set_counts", "postings_tokens", "postings_columns"])
def test_large_files_are_checked_at_their_first_use(store: Store, monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.setattr("lakeview.store.store.CHECKED_AT_OPEN", 0)
    path = next(store.folder.rglob(f"{name}.npy"))
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    snapshot = Snapshot(*store.read())
    with pytest.raises(StoreError, match=f"{name}.npy is damaged; delete the folder {store.folder} and index the lake"):
        snapshot.tokens_of(2), snapshot.overlaps(np.array([1, 5], np.uint64))
    with pytest.raises(StoreError, match=name):
        store.verify()


def test_what_is_held_is_held_on_but_verified_anew(store: Store):
    publish(store, {"held": {"x": [1, 2]}})
    before = {name: file for segment in store.read()[1] for name, file in segment.files.items()}
    publish(store, {"more": {"x": [3]}})
    again = store.read()[1]
    assert all(before[name] is file for name, file in again[-2].files.items())
    path = again[-2].folder / "set_ids.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"9")
    assert contents(store)["held", "x"] == [1, 2]
    for ask in (store.verify, Store(store.folder).read):
        with pytest.raises(StoreError, match=r"set_ids.npy is damaged"):
            ask()


def test_a_column_is_written_alike_whether_it_was_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    tokens = np.arange(9, dtype=np.uint64) << np.uint64(60)
    slices = [(tokens[:4], np.array([1, 2, 3, 1 << 40])), (tokens[4:], np.ones(5, np.int64))]
    written = []
    for least, rows in ((1, 20), (1, 1 << 40), (1 << 60, 20)):
        monkeypatch.setattr(segment_writer, "_LAID_FROM", least)
        writer = SegmentWriter(tmp_path / f"{least}-{rows}")
        found, counts = writer.end_to_end(iter(slices), 9, rows)
        assert found.tolist() == tokens.tolist()
        assert counts[3] == ((1 << 32) - 1 if (least, rows) == (1, 20) else 1 << 40)
        columns = [replace(column("t", "a", []), tokens=found, counts=counts), column("t", "b", [1, 1 << 60])]
        writer.add_table("t", {}, 20, [], columns)
        written.append({name: told for name, told in writer.finish().items() if name != "costs.npy"})
    assert written[0] == written[1] == written[2]


@pytest.mark.parametrize("name", ["tables", "columns"])
def test_tables_are_checked_before_they_are_read(store: Store, monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.setattr("lakeview.store.store.CHECKED_AT_OPEN", 0)
    path = next(store.folder.rglob(f"{name}.parquet"))
    content = path.read_bytes()
    path.write_bytes(content[:-1] + b"2")
    with pytest.raises(StoreError, match=f"{name}.parquet is damaged; delete the folder"):
        store.read()


def test_what_is_whole_is_told(store: Store):
    files = [path for path in (store.folder / "segments").rglob("*") if path.is_file()]
    found = store.verify()
    assert (found.segments, found.files) == (1, len(files))
    assert found.bytes == sum(path.stat().st_size for path in files)
    assert repr(found).endswith("all as they were written")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"[" * 100_000, b"\xff", b'{"format": %d}' % FORMAT])
def test_a_broken_manifest_is_named(store: Store, content: bytes):
    (store.folder / "manifest.json").write_bytes(content)
    with pytest.raises(StoreError, match=r"manifest\.json is damaged"):
        store.read()


def test_every_bit_of_the_manifest_is_vouched_for(store: Store):
    publish(store, {"a": {"x": [9]}}, replacing=("a",))
    path = store.folder / "manifest.json"
    content = path.read_bytes()
    for place in range(len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1 << place % 8]) + content[place + 1 :])
        with pytest.raises(StoreError, match=r"manifest\.json is damaged"):
            store.manifest()


def test_a_manifest_that_was_sealed_otherwise_tells_its_format(store: Store):
    (store.folder / "manifest.json").write_bytes(b'{"format": 4, "parameters": {}}')
    with pytest.raises(
        StoreError, match=f"has format 4, this lakeview reads {FORMAT}; delete that folder and index again"
    ):
        store.read()


def _entry(store: Store, **change: object) -> dict:
    return {"segments": [{**vars(store.manifest().segments[0]), **change}]}


def test_a_manifest_names_what_segments_have_and_nothing_else(store: Store):
    files = store.manifest().segments[0].files
    sizes = {"costs.npy": [-1, files["costs.npy"][1]]}
    for change in (
        *({"id": name} for name in ("..", "../../data", "/tmp", "a" * 11, "A" * 12, "a" * 12 + "\n", 7, None)),
        *({"files": {**files, name: [1, ["0" * 16]]}} for name in ("../x.npy", "/x.npy", "x.npy", "bands_keys.npy")),
        {"files": {name: told for name, told in files.items() if name != "costs.npy"}},
        *(
            {"files": {**files, "costs.npy": told}}
            for told in (None, [], [1], [True, ["0" * 16]], [1, []], [1, [0]], [1, ["x"]])
        ),
        {"files": {**files, **sizes}},
        *({"dead": dead} for dead in (None, 3, [-1], ["0"], [0.0], [True], [2**70])),
        {"more": 1},
    ):
        path = store.folder / "manifest.json"
        content = path.read_bytes()
        path.write_bytes(seal({**unseal(content), **_entry(store, **change)}))
        with pytest.raises(StoreError, match=r"manifest\.json is damaged \(segments\)"):
            store.read()
        path.write_bytes(content)


def test_each_field_of_a_manifest_has_its_type_and_bounds(store: Store):
    path = store.folder / "manifest.json"
    content = path.read_bytes()
    said = unseal(content)
    for field, values in {
        "parameters": (None, []),
        "generation": (None, "1", 1.0, True, -1, 2**70),
        "indexed_at": (5, [], "x" * 100),
        "problems": (None, {}, ["t"], [["t", "p", "d"]], [["t", "p", "d", -1]], [["t", "p", 3, 1]]),
        "segments": (None, {}, said["segments"] * 2),
    }.items():
        for value in values:
            path.write_bytes(seal({**said, field: value}))
            with pytest.raises(StoreError, match=rf"manifest\.json is damaged \({field}\)"):
                store.read()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"format": 99}, "format 99"),
        ({"parameters": {"rule": 0, "hash": "xxh64 seed 42", "normalize": "fold", "minima": 4096}}, "another rule"),
        ({"parameters": {"rule": 1, "hash": "md5", "normalize": "fold", "minima": 4096}}, "hash"),
        ({"segments": [{"id": "x"}]}, "damaged"),
    ],
)
def test_another_version_is_refused_with_the_way_out(store: Store, change: dict, says: str):
    path = store.folder / "manifest.json"
    path.write_bytes(seal({**unseal(path.read_bytes()), **change}))
    with pytest.raises(StoreError, match=says) as error:
        store.read()
    assert re.search("index (the lake )?again", str(error.value))


def test_another_normalization_is_refused(store: Store):
    with pytest.raises(StoreError, match="normalize='fold'"):
        Store(store.folder, "exact").read()


def test_a_reader_keeps_what_it_opened(store: Store):
    snapshot = Snapshot(*store.read())
    assert snapshot.tokens_of(0)[0].tolist() == [1, 2, 3]  # mapped
    publish(store, {"a": {"x": [9]}}, replacing=("a", "b"))
    for entry in store.manifest().segments[:1]:
        shutil.rmtree(store.folder / "segments" / entry.id)
    assert snapshot.tokens_of(0)[0].tolist() == [1, 2, 3]


def test_a_reader_that_is_overtaken_reads_the_new_index(store: Store, monkeypatch: pytest.MonkeyPatch):
    """Between its look at the manifest and at the segments, these are replaced and cleared."""
    found = store.manifest()

    def overtaken() -> Manifest:
        monkeypatch.undo()
        with store.writing() as writer:
            segment = writer.segment()
            segment.add_table("a", {"v": 1}, 3, [], [column("a", "x", [9])])
            writer.publish(Manifest(found.parameters, 0, [], [], "now"), [segment])
        return found

    monkeypatch.setattr(store, "manifest", overtaken)
    assert contents(store) == {("a", "x"): [9]}


@pytest.mark.parametrize("from_the_end", [12, 5, 2, 1, 0])
def test_a_failure_at_any_write_leaves_the_old_index(store: Store, monkeypatch: pytest.MonkeyPatch, from_the_end: int):
    """The disk fails at the n-th file that is made durable: the segment's first, and the manifest last."""
    files = len(store.manifest().segments[0].files)
    fails_at, calls = files + 1 - from_the_end, 0  # the manifest comes after them

    def fsync(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls >= fails_at:
            raise OSError("disk full")

    before, generation = contents(store), store.manifest().generation
    monkeypatch.setattr("os.fsync", fsync)
    with pytest.raises(OSError, match="disk full"):
        publish(store, {"a": {"x": [9]}}, replacing=("a",))
    monkeypatch.undo()
    assert contents(store) == before
    assert store.manifest().generation == generation
    publish(store, {"a": {"x": [9]}}, replacing=("a",))
    assert contents(store)["a", "x"] == [9]
