"""An index that is published and pulled: the same answers elsewhere, copied once, whole or not at all."""

from __future__ import annotations

import errno

import numpy as np
import pandas as pd
import pyarrow.fs
import pytest

import lakeview as lv
from lakeview.catalog.blocks import checksums
from lakeview.errors import InputError, NotFound, StoreError
from lakeview.store.sealed import seal, unseal
from lakeview.store.store import Store


@pytest.fixture
def lake(tmp_path):
    (tmp_path / "data").mkdir()
    pd.DataFrame({"key": [f"k{n}" for n in range(300)]}).to_csv(tmp_path / "data" / "a.csv", index=False)
    lake = lv.open(tmp_path / "data")
    lake.index(engine="local")
    return lake


def other(tmp_path, **options):
    return lv.open(tmp_path / "data", store=tmp_path / "other", **options)


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_the_same_answers_elsewhere(lake, tmp_path, scheme):
    url = f"{scheme}{tmp_path / 'shared'}"
    assert lake.publish(url) > 0
    mine = other(tmp_path)
    assert mine.pull(url) > 0 and mine.indexed_at == lake.indexed_at
    asked = pd.Series([f"k{n}" for n in range(100, 900)])
    assert mine.search(asked).to_pandas().equals(lake.search(asked).to_pandas())
    assert mine.verify() == lake.verify()
    assert mine.index(engine="local").changed == 0


def test_only_what_is_new_is_copied(lake, tmp_path):
    first = lake.publish(str(tmp_path / "shared"))
    assert lake.publish(str(tmp_path / "shared")) == 0
    mine = other(tmp_path)
    assert mine.pull(str(tmp_path / "shared")) == first
    pd.DataFrame({"key": ["new"]}).to_csv(tmp_path / "data" / "b.csv", index=False)
    lake.index(engine="local")
    more = lake.publish(str(tmp_path / "shared"))
    assert more > 0 and mine.pull(str(tmp_path / "shared")) == more
    assert sorted(mine.tables["table"]) == ["a.csv", "b.csv"]
    assert mine.pull(str(tmp_path / "shared")) == 0


def test_a_damaged_index_leaves_the_old_one(lake, tmp_path):
    lake.publish(str(tmp_path / "shared"))
    mine = other(tmp_path)
    mine.index(engine="local")
    before = mine.search("a.csv.key", threshold=0.5).to_pandas()
    file = max((tmp_path / "shared" / "segments").rglob("*.npy"), key=lambda path: path.stat().st_size)
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(StoreError, match=f"{file} is damaged; delete it and publish the index again"):
        mine.pull(str(tmp_path / "shared"))
    assert mine.search("a.csv.key", threshold=0.5).to_pandas().equals(before)
    mine.verify()
    assert not list((tmp_path / "other" / "segments").glob("*.tmp"))
    file.unlink()
    with pytest.raises(StoreError, match=f"{file} is missing; .* publish it again"):
        mine.pull(str(tmp_path / "shared"))
    assert lake.publish(str(tmp_path / "shared")) == len(content)
    assert mine.pull(str(tmp_path / "shared")) > 0
    file.write_bytes(content[:-5])  # what shows by its size is copied anew
    assert lake.publish(str(tmp_path / "shared")) == len(content)


def test_what_the_manifest_before_named_stays_and_what_older_ones_named_goes(lake, tmp_path):
    shared = tmp_path / "shared"

    def there():
        return {path.name for path in (shared / "segments").iterdir()}

    named = []
    for _ in range(4):
        lake.publish(str(shared), partitions=2)
        named.append({entry.id for entry in Store(shared).manifest().segments})
        assert there() == set().union(*named[-2:])
    (shared / "segments" / "another").mkdir()  # of one who publishes now
    lake.publish(str(shared))
    for _ in range(2):
        lake.publish(str(shared))
        assert there() == {"another", *named[-1], *(entry.id for entry in lake.store.manifest().segments)}
    (shared / "manifest.json").write_text("{")
    lake.publish(str(shared))
    assert other(tmp_path).pull(str(shared)) > 0


def test_two_indexes_that_take_turns_at_one_url(lake, tmp_path):
    shared = str(tmp_path / "shared")
    pd.DataFrame({"key": ["x", "y"]}).to_csv(tmp_path / "data" / "b.csv", index=False)
    mine = other(tmp_path)
    mine.index(engine="local")
    for published in (lake, mine, lake, mine, mine):
        published.publish(shared)
        third = lv.open(tmp_path / "data", store=tmp_path / "third")
        third.pull(shared)
        assert third.tables["table"].tolist() == published.tables["table"].tolist()


def test_a_damaged_manifest_is_said(lake, tmp_path):
    shared = tmp_path / "shared"
    lake.publish(str(shared))
    whole = (shared / "manifest.json").read_text()
    (shared / "manifest.json").write_text(whole[:-20])
    with pytest.raises(StoreError, match=f"^{shared}/manifest.json is damaged .*; publish it again"):
        other(tmp_path).pull(str(shared))
    leads_away = unseal(whole.encode())
    leads_away["segments"][0]["id"] = "../../data"
    (shared / "manifest.json").write_bytes(seal(leads_away))
    with pytest.raises(StoreError, match="damaged"):
        other(tmp_path).pull(str(shared))
    assert (tmp_path / "data" / "a.csv").exists()


def test_what_cannot_be_is_said(lake, tmp_path):
    with pytest.raises(NotFound, match="no published index"):
        lake.pull(str(tmp_path / "nowhere"))
    with pytest.raises(NotFound, match="index to publish yet"):
        lv.open(tmp_path / "data", store=tmp_path / "empty").publish(str(tmp_path / "shared"))
    with pytest.raises(InputError, match="give a folder"):
        lake.publish("nonsense://x")
    lake.publish(str(tmp_path / "shared"))
    with pytest.raises(StoreError, match="normalize"):
        other(tmp_path, normalize="exact").pull(str(tmp_path / "shared"))


def test_a_disk_without_room_is_that_of_the_url(lake, tmp_path, monkeypatch):
    def put(*_):  # as Arrow says it, which names no file
        raise OSError(errno.ENOSPC, "[Errno 28] Error writing bytes to file. Detail: No space left on device")

    monkeypatch.setattr("lakeview.store.publishing._put", put)
    for partitions in (None, 2):
        with pytest.raises(StoreError, match=r"cannot publish the index to .*/shared: .*No space left on device"):
            lake.publish(str(tmp_path / "shared"), partitions)


def test_a_stranger_cannot_name_a_segment_of_ones_own(lake, tmp_path):
    """It would be taken for copied, and the manifest would tell of other files than are there."""
    mine = other(tmp_path)
    mine.index(engine="local")
    before = mine.search("a.csv.key", threshold=0.5).to_pandas()
    pd.DataFrame({"key": ["x", "y"]}).to_csv(tmp_path / "data" / "b.csv", index=False)
    lake.index(engine="local")
    lake.publish(str(tmp_path / "shared"))
    path = tmp_path / "shared" / "manifest.json"
    said = unseal(path.read_bytes())
    said["segments"][-1]["id"] = mine.store.manifest().segments[0].id
    path.write_bytes(seal(said))
    with pytest.raises(StoreError, match=f"is damaged.*; open the lake with another store= and pull {tmp_path}/shared"):
        mine.pull(str(tmp_path / "shared"))
    assert mine.search("a.csv.key", threshold=0.5).to_pandas().equals(before)
    mine.verify()


@pytest.mark.parametrize("what", ["tombstones", "checksums"])
def test_what_is_said_of_a_segment_that_one_has_is_proved(lake, tmp_path, what):
    lake.publish(str(tmp_path / "shared"))
    mine = other(tmp_path)
    mine.pull(str(tmp_path / "shared"))
    path = tmp_path / "shared" / "manifest.json"
    said = unseal(path.read_bytes())
    if what == "tombstones":
        said["segments"][0]["dead"] = [99]
    else:
        said["segments"][0]["files"]["costs.npy"][1] = ["0" * 16]
    path.write_bytes(seal(said))
    with pytest.raises(StoreError, match=r"is damaged.*; open the lake with another store="):
        mine.pull(str(tmp_path / "shared"))
    mine.verify()


def test_a_manifest_without_end_is_not_read(lake, tmp_path, monkeypatch):
    lake.publish(str(tmp_path / "shared"))
    monkeypatch.setattr("lakeview.store.published.LARGEST", 1_000)
    with pytest.raises(StoreError, match="no manifest has more than 1,000"):
        other(tmp_path).pull(str(tmp_path / "shared"))


def test_what_is_pulled_is_proved_before_it_is_taken(lake, tmp_path):
    lake.publish(str(tmp_path / "shared"))
    mine = other(tmp_path)
    mine.index(engine="local")
    manifest, file = tmp_path / "shared" / "manifest.json", next((tmp_path / "shared").rglob("postings_columns.npy"))
    columns = np.load(file)
    columns[-1] = 2**32 - 1
    np.save(file, columns)
    said = unseal(manifest.read_bytes())
    said["segments"][0]["files"][file.name] = [file.stat().st_size, checksums(file)]
    manifest.write_bytes(seal(said))
    whole = {path: path.read_bytes() for path in (tmp_path / "other").rglob("*") if path.is_file()}
    with pytest.raises(StoreError, match=f"{file} is damaged \\(numbers\\); delete it and publish the index again"):
        mine.pull(str(tmp_path / "shared"))
    assert {path: path.read_bytes() for path in (tmp_path / "other").rglob("*") if path.is_file()} == whole


def test_no_more_is_copied_than_the_manifest_says(lake, tmp_path, monkeypatch):
    lake.publish(str(tmp_path / "shared"))
    file = next((tmp_path / "shared").rglob("costs.npy"))
    with file.open("ab") as end:
        end.write(bytes(1 << 20))
    copied, copy = [], pyarrow.fs.copy_files
    monkeypatch.setattr("pyarrow.fs.copy_files", lambda *given: (copied.append(given[0]), copy(*given)))
    with pytest.raises(StoreError, match=f"{file} is damaged"):
        other(tmp_path).pull(str(tmp_path / "shared"))
    assert str(file) not in copied


@pytest.mark.parametrize("name", ["published.json", "contents.json"])
def test_what_lies_beside_the_index_is_verified(lake, tmp_path, name):
    lake.publish(str(tmp_path / "shared"))
    path = lake.store.folder / name
    path.write_bytes(seal({"files": [], "url": "x", "version": "y", "generation": 1}))
    lake.verify()
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(StoreError, match=f"{path} is damaged; delete it, and call lake"):
        lake.verify()
