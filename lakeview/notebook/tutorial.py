"""The tutorial notebooks: where they are, and running them with or without a screen."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from lakeview.errors import LakeviewError, NotFound


def find_notebook(name: str) -> Path:
    """The notebook to open: that of a checkout, else a copy in this folder of the one that came with the package."""
    checkout = Path(__file__).parents[2] / "notebooks" / name
    if checkout.is_file():
        return checkout
    copy = Path(name).resolve()
    if not copy.exists():  # what the analyst made of it stays
        installed = Path(sys.prefix) / "share" / "lakeview" / "notebooks" / name
        if not installed.is_file():
            raise NotFound(f"The tutorial {name} is not installed with lakeview.")
        shutil.copy(installed, copy)
    return copy


def open_lab(folder: Path, notebook: Path | None = None) -> int:
    """JupyterLab in `folder`, until it is stopped; without a screen it prints its address. Returns its exit code."""
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={folder.resolve()}"]
    if notebook is not None:
        command.append(f"--LabApp.default_url=/lab/tree/{notebook.relative_to(folder).as_posix()}")
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        command.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    try:
        return subprocess.call(command)
    except KeyboardInterrupt:  # JupyterLab had it too, and has asked and stopped
        return 0


def run_notebook(path: Path, timeout: int = 600) -> None:
    """Run all cells in a new kernel, in memory: the file stays as it is. `timeout` is in seconds a cell.

    Raises LakeviewError naming the first cell that fails.
    """
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    book = nbformat.read(path, as_version=4)
    client = NotebookClient(
        book,
        timeout=timeout,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
        extra_arguments=["--log-level=40"],  # the kernel's warnings about its own ports are not the analyst's
    )
    try:
        client.execute()
    except CellExecutionError as error:
        last = [cell.source for cell in book.cells if cell.cell_type == "code" and cell.outputs][-1]
        raise LakeviewError(f"{path.name} failed at {last!r}: {error.ename}: {error.evalue}") from None
    except (CellTimeoutError, DeadKernelError) as error:
        raise LakeviewError(f"{path.name} failed: {error}") from None
