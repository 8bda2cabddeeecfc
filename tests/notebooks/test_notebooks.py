"""Each tutorial runs from its first cell to its last, and is stored without outputs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.fixture(scope="session")
def demo_lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One lake for all tutorials; the first that runs indexes it."""
    return tmp_path_factory.mktemp("tutorials") / "demo-lake"


def test_there_are_tutorials():
    assert "01-first-join.ipynb" in {path.name for path in NOTEBOOKS}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_without_outputs(path: Path):
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    assert cells
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs(path: Path, demo_lake: Path, monkeypatch: pytest.MonkeyPatch):
    from lakeview.notebook.tutorial import run_notebook

    monkeypatch.setenv("LAKEVIEW_DEMO_LAKE", str(demo_lake))
    before = path.read_bytes()
    run_notebook(path)
    assert path.read_bytes() == before
