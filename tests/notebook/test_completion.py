"""Completion through IPython's own completer, as Tab in a notebook asks for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from IPython.core.completer import provisionalcompleter
from test_magics import Lake

from lakeview.notebook import magics, namespace, state


@pytest.fixture
def complete(shell: Any) -> Any:
    shell.user_ns["df"] = pd.DataFrame({"dest": [1], "distance": [1], "a b": [1], "with.dot": [1]})
    shell.user_ns["other"] = pd.DataFrame({"x": [1]})

    def propose(line: str) -> set[str]:
        """As the kernel does it: the whole text that the proposals put in place of the word under the cursor."""
        with provisionalcompleter():
            return {completion.text for completion in shell.Completer.completions(line, len(line))}

    return propose


def test_commands(complete: Any) -> None:
    assert complete("%lakeview se") == {"search"}
    assert {"open", "index", "search", "explore", "status", "help", "sql"} <= complete("%lakeview ")


def test_frames_and_columns(complete: Any) -> None:
    assert {"df.", "other."} <= complete("%lakeview search ")
    assert complete("%lakeview search df.di") == {"df.distance"}
    assert {"df.dest", "df.distance", "df.with.dot"} <= complete("%lakeview search df.")
    assert complete("%lakeview search df.with.d") == {"df.with.dot"}
    assert complete("hits = %lakeview search df.de") == {"df.dest"}
    assert complete("%lakeview explore o") == {"other"}


def test_labels_that_a_point_cannot_name(complete: Any, shell: Any) -> None:
    assert complete("%lakeview search df.a") == {"df.a b"}
    assert complete('%lakeview search df["a ') == {'df["a b"]'}
    assert complete("%lakeview search df[") == {'df["dest"]', 'df["distance"]', 'df["a b"]', 'df["with.dot"]'}
    shell.user_ns["odd"] = pd.DataFrame({"a -k 3": [1], 'q"': [1], 7: [1]})
    proposals = complete("%lakeview search odd[")
    assert proposals == {'odd["a -k 3"]', "odd['q\"']", "odd[7]"}
    for text in proposals:
        target, options = magics.split_options(text, "search")
        assert not options and namespace.find_query(target, shell.user_ns).column in shell.user_ns["odd"].columns


def test_any_case(complete: Any) -> None:
    assert complete("%lakeview search df.DEST") == {"df.dest"}


def test_other_lines_are_left_to_ipython(complete: Any) -> None:
    assert "df.shape" not in complete("%lakeview search df.s")
    assert any("shape" in text for text in complete("df.sh"))


def test_lake_columns(complete: Any) -> None:
    state.set_lake(Lake())
    assert complete("%lakeview search airports.csv.f") == {"airports.csv.faa"}


def test_options(complete: Any) -> None:
    assert complete("%lakeview search df.dest --t") == {"--threshold", "--target"}
    assert complete("%lakeview open x --") == {"--store", "--exclude", "--exact"}


def test_targets(complete: Any) -> None:
    assert complete("%lakeview search df.dest --target di") == {"distance"}
    assert complete('%lakeview search df[["dest", "a b"]] -k 3 --target ') == {"dest", "distance", '"a b"', "with.dot"}


def test_folders(complete: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data" / "sub").mkdir(parents=True)
    (tmp_path / "data" / ".hidden").mkdir()
    (tmp_path / "data.csv").touch()
    monkeypatch.chdir(tmp_path)
    assert complete("%lakeview open da") == {"data/"}
    assert complete("%lakeview open data/") == {"data/sub/"}


def test_completion_reads_no_value(complete: Any, shell: Any) -> None:
    class DataFrame:
        """As a Spark frame: only its labels may be looked at."""

        __module__ = "pyspark.sql.dataframe"

        def __init__(self) -> None:
            self.columns = ["city"]

        def __getattr__(self, name: str) -> Any:
            raise AssertionError(f"completion touched {name}")

    shell.user_ns["sdf"] = DataFrame()
    assert complete("%lakeview search sdf.") >= {"sdf.city"}
