"""A shell of IPython's own, in this process."""

from __future__ import annotations

import atexit
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # standins.py, reading.py


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator:
    """A fresh IPython shell with lakeview loaded; what it held and which lake was open is forgotten afterwards."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    from lakeview.notebook import state

    InteractiveShell.clear_instance()
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    ip = InteractiveShell.instance(config=config)
    ip.run_line_magic("load_ext", "lakeview")
    yield ip
    atexit.unregister(ip.atexit_operations)  # or all shells of a run would be cleared at its end, for half a minute
    state.set_lake(None)
    InteractiveShell.clear_instance()


@pytest.fixture(autouse=True)
def _nothing_is_remembered(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lakes of tests are not among those that a developer opened last."""
    from lakeview.notebook.panel import places

    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setattr(places, "_file", lambda: folder / "recent.json")


@pytest.fixture(autouse=True)
def _no_cell_of_another_test() -> None:
    """Cells that were written are remembered, for recipes."""
    from lakeview.join.recipe import clicked

    clicked._cells.clear()
