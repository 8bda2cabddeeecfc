"""The command line: one line an error, exit codes, and output that no name can spoil."""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import lakeview
from lakeview import cli, errors
from lakeview.store.manifest import FORMAT, MANIFEST
from lakeview.store.sealed import seal, unseal


@pytest.fixture
def small_lake(tmp_path: Path) -> Path:
    folder = tmp_path / "lake"
    folder.mkdir()
    for name, keys in {"orders": "abcde", "clients": "abcdef", "odd": "vwxyz"}.items():
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["client", name], *([f"client {key}", f"{name} {key}"] for key in keys)])
    return folder


@pytest.mark.parametrize("arguments", [[], ["serch"], ["search", "lake"], ["search", "lake", "t.c", "--rank", "luck"]])
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as stopped:
        cli.main(arguments)
    assert stopped.value.code == 2
    assert "usage: lakeview" in capsys.readouterr().err


def test_version(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out.startswith("lakeview ")


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (errors.NotFound("no such table"), 1, "lakeview: no such table\n"),
        (PermissionError(13, "Permission denied", "lake"), 1, "lakeview: Permission denied: lake\n"),
        (KeyboardInterrupt(), 130, "lakeview: interrupted\n"),
    ],
)
def test_errors_are_one_line(
    error: BaseException, code: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def fail(*_: Any) -> Any:
        raise error

    monkeypatch.setattr(cli, "_open", fail)
    assert cli.main(["index", "lake"]) == code
    assert capsys.readouterr().err == said


def test_the_demo_makes_an_index_of_another_version_anew(small_lake: Path, monkeypatch: pytest.MonkeyPatch):
    lakeview.open(small_lake).index(engine="local")
    manifest = small_lake / ".lakeview" / MANIFEST
    manifest.write_bytes(seal({**unseal(manifest.read_bytes()), "format": FORMAT - 1}))
    with pytest.raises(errors.StoreError, match="delete that folder"):
        lakeview.open(small_lake)
    monkeypatch.setattr("lakeview.demo.write_demo_lake", lambda folder, say: folder)
    open_ = lakeview.open
    monkeypatch.setattr(lakeview, "open", lambda *paths, **options: LocalLake(open_(*paths, **options)))
    assert cli.main(["demo", str(small_lake), "--no-open"]) == 0
    assert len(open_(small_lake).tables) == 3


class LocalLake:
    """A lake that is indexed without Spark."""

    def __init__(self, lake: Any):
        self.index = partial(lake.index, engine="local")


def test_hits_are_printed_on_a_line_each(capsys: pytest.CaptureFixture[str]):
    hit = SimpleNamespace(table="a\nb.csv", column="c\x1b[31m", overlap=3, containment=0.75, reason="Zürich")
    cli._print_hits(FakeHits([hit], closest=[]))
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert r"a\nb.csv.c\x1b[31m" in out
    assert "3 of 4 values" in out and "Zürich" in out


def test_nothing_found_shows_the_closest(capsys: pytest.CaptureFixture[str]):
    hit = SimpleNamespace(table="t.csv", column="c", overlap=1, containment=0.25, reason="far")
    cli._print_hits(FakeHits([], closest=[hit]))
    assert "nothing joins" in capsys.readouterr().out
    cli._print_hits(FakeHits([], closest=[]))
    assert capsys.readouterr().out == "  nothing joins with it\n"


class FakeHits(list):
    query = SimpleNamespace(distinct=4)

    def __init__(self, hits: list[Any], closest: list[Any]):
        super().__init__(hits)
        self.closest = closest


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_index_and_search(small_lake: Path, capsys: pytest.CaptureFixture[str]):
    assert cli.main(["index", str(small_lake)]) == 0
    assert "3 tables" in capsys.readouterr().out
    assert cli.main(["search", str(small_lake), "orders.csv.client"]) == 0
    out = capsys.readouterr().out
    assert "clients.csv.client" in out and "5 of 5 values" in out
    assert "odd.csv" not in out
    assert cli.main(["search", str(small_lake), "orders.csv.nothing"]) == 1
    assert capsys.readouterr().err.startswith("lakeview: ")
