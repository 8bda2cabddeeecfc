"""Publishing to a bucket: over HTTP, by Arrow's S3 client, to `bucket.Bucket`."""

from __future__ import annotations

from pathlib import Path

import bucket
import pandas as pd
import pytest

import lakeview as lv
from lakeview.errors import InputError, LakeviewError, NotFound, StoreError
from lakeview.store import publishing, urls


@pytest.fixture
def team():
    with bucket.serving() as server:
        yield server


@pytest.fixture
def lake(tmp_path):
    (tmp_path / "data").mkdir()
    pd.DataFrame({"key": [f"k{n}" for n in range(300)]}).to_csv(tmp_path / "data" / "a.csv", index=False)
    lake = lv.open(tmp_path / "data", store=tmp_path / "store")
    lake.index(engine="local")
    return lake


def other(tmp_path: Path) -> lv.Lake:
    return lv.open(tmp_path / "data", store=tmp_path / "other")


def test_the_same_answers_from_a_bucket(team, lake, tmp_path):
    first = lake.publish(team.url("some/index"))
    assert first > 0 and lake.publish(team.url("some/index/")) == 0
    assert {key.split("/")[2] for key in team.objects} == {"manifest.json", "segments"}
    mine = other(tmp_path)
    assert mine.pull(team.url("some/index")) == first
    asked = pd.Series([f"k{n}" for n in range(100, 900)])
    assert mine.search(asked).to_pandas().equals(lake.search(asked).to_pandas())
    pd.DataFrame({"key": ["new"]}).to_csv(tmp_path / "data" / "b.csv", index=False)
    lake.index(engine="local")
    more = lake.publish(team.url("some/index"))
    assert 0 < more == mine.pull(team.url("some/index"))
    assert sorted(mine.tables["table"]) == ["a.csv", "b.csv"]
    for _ in range(3):
        lake.publish(team.url("some/index"), partitions=2)
    there = {key.split("/")[3] for key in team.objects if key.endswith(".npy")}
    assert len(there) == 4, "of this time and of the last"
    assert mine.pull(team.url("some/index")) > 0 and len(mine.store.manifest().segments) == 2
    assert not any(key.endswith(".part") for key in team.objects)


def test_keys_come_from_the_environment_too(team, lake, tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", bucket.KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", bucket.SECRET)
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{team.server_port}")
    assert lake.publish("s3://team/index?region=us-east-1") == other(tmp_path).pull("s3://team/index?region=us-east-1")


def test_keys_are_kept_for_the_session_and_never_written(team, lake, tmp_path):
    url = team.url("index")
    lake.publish(url)
    other(tmp_path).pull(url)
    kept = publishing.published(lake.store)
    assert kept and kept.url == url
    publishing._as_given.clear()  # as in a new session
    assert publishing.published(lake.store).url == url.replace(url[5 : url.index("@") + 1], "")
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()] + list(team.objects.values())
    assert not [file for file in files if b"secret" in file or bucket.KEY.encode() in file]


def told(kind: type[LakeviewError], what) -> str:
    """The error's one line, which has no key."""
    with pytest.raises(kind) as raised:
        what()
    said = str(raised.value)
    assert "secret" not in said and bucket.KEY not in said and "\n" not in said
    return said


def test_what_cannot_be_is_said(team, lake, tmp_path, monkeypatch):
    url, mine = team.url("index"), other(tmp_path)
    assert "no published index at s3://team/index?" in told(NotFound, lambda: mine.pull(url))
    assert "no published index" in told(NotFound, lambda: mine.pull(team.url("index", name="nobody")))
    assert "NO_SUCH_BUCKET" in told(StoreError, lambda: lake.publish(team.url("index", name="nobody")))
    for what in (lake.publish, mine.pull):
        said = told(StoreError, lambda what=what: what(team.url("index", key="WRONG")))
        assert "ACCESS_DENIED" in said and said.endswith("AWS_SECRET_ACCESS_KEY) and the network")
    assert "%2F" in told(InputError, lambda: lake.publish(url.replace("%2F", "/")))

    first = lake.publish(url)
    key = next(key for key in team.objects if key.endswith("postings_tokens.npy"))
    whole = team.objects[key]
    team.objects[key] = whole[:-8]
    assert f"s3://team/{key}?endpoint" in (said := told(StoreError, lambda: mine.pull(url)))
    assert said.endswith("is damaged; delete it and publish the index again")
    del team.objects[key]
    assert "postings_tokens.npy?" in (said := told(StoreError, lambda: mine.pull(url))) and "is missing; pull" in said
    assert lake.publish(url) == len(whole) and mine.pull(url) == first
    team.objects["index/manifest.json"] = team.objects["index/manifest.json"][:-9]
    assert said_of_manifest(team) in told(StoreError, lambda: mine.pull(url))

    monkeypatch.setattr(urls, "_ATTEMPTS", 1)
    team.shutdown()
    team.server_close()
    for what in (lake.publish, mine.pull):
        assert "Could not connect to server" in told(StoreError, lambda what=what: what(url))


def said_of_manifest(team: bucket.Bucket) -> str:
    return (
        f"s3://team/index/manifest.json?endpoint_override=127.0.0.1:{team.server_port}&scheme=http&region=us-east-1 is"
    )
