"""A JupyterLab of its own and a real browser: a fresh home, a fresh profile, nothing of the developer's."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import forked_kernel
import pytest

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.ui)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The machine's Chromium; where there is none the tests are skipped, but for CI, where they fail."""
    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if program is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("tests/ui need Chromium: apt-get install chromium")
    args = [*QUIET, "--disable-sync", "--no-first-run"]
    return {**browser_type_launch_args, "executable_path": program, "args": args}


@dataclass
class Lab:
    """A running JupyterLab: its address, and the folder that it shows."""

    url: str
    folder: Path


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with kernels(tmp_path_factory) as env, serve(tmp_path_factory, **env) as running:
        yield running


@contextmanager
def kernels(places: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Who forks kernels, and the variables of a Lab whose kernels are such forks."""
    if sys.platform != "linux":  # elsewhere what is imported may not bear it
        yield {}
        return
    spec = places.mktemp("kernels") / "kernels" / "python3" / "kernel.json"
    spec.parent.mkdir(parents=True)
    spec.write_text(forked_kernel.kernelspec(sys.executable))
    with tempfile.TemporaryDirectory() as short:  # the path of a socket has a hundred letters at most
        asked = Path(short) / "asked"
        forks = subprocess.Popen([sys.executable, forked_kernel.__file__, "--serve", str(asked)])
        try:
            yield {"JUPYTER_PATH": str(spec.parents[2]), forked_kernel.SOCKET: str(asked)}
        finally:
            forks.terminate()
            forks.wait()


@contextmanager
def serve(places: pytest.TempPathFactory, python: Path | str = sys.executable, **env: str) -> Iterator[Lab]:
    """JupyterLab of this interpreter, in a home and a folder of its own; `env` goes to it and its kernels."""
    home, folder = places.mktemp("lab-home"), places.mktemp("lab")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(python), "-m", "jupyterlab", "--no-browser", "--allow-root", f"--ServerApp.root_dir={folder}"]
    command += [f"--ServerApp.port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token="]
    command += [
        "--LabApp.expose_app_in_browser=True",
        "--JupyterNotebookApp.expose_app_in_browser=True",
        "--LabApp.news_url=None",
    ]
    keep = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "IPYTHON"))}
    keep |= {"HOME": str(home), **env}
    quiet = home / ".jupyter" / "lab" / "user-settings" / "@jupyterlab" / "apputils-extension"
    quiet.mkdir(parents=True)
    (quiet / "notification.jupyterlab-settings").write_text('{"fetchNews": "false"}')
    # Or each load of Lab would start Node twice, to look whether Lab is to be built anew.
    config = home / ".jupyter" / "labconfig"
    config.mkdir(parents=True)
    (config / "page_config.json").write_text('{"buildCheck": false, "buildAvailable": false}')
    log = (home / "log").open("w")
    server = subprocess.Popen(command, env=keep, cwd=folder, stdout=log, stderr=log)
    try:
        _wait(f"http://127.0.0.1:{port}/api/status", server, home / "log")
        yield Lab(f"http://127.0.0.1:{port}", folder)
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
        log.close()


def _wait(url: str, server: subprocess.Popen, log: Path, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()[-4000:]}")


_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    item.stash[_FAILED] = item.stash.get(_FAILED, False) or report.failed
    return report


@pytest.fixture(scope="session")
def shared_page(browser: Any, lab: Lab) -> Iterator[Any]:
    from lab_page import LabPage

    shared = LabPage(browser, lab.url)
    yield shared
    shared.drop()


@pytest.fixture
def fresh_page(shared_page: Any) -> None:
    """For a test that looks at what a page does first: it is loaded anew."""
    shared_page.drop()


@pytest.fixture
def lab_page(shared_page: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """The page of Lab that `open_lab` and `open_book` open files in; after a test that failed there is another."""
    yield shared_page
    if request.node.stash.get(_FAILED, False):
        shared_page.drop()
    else:
        shared_page.tidy()


@pytest.fixture
def open_lab(lab_page: Any) -> Any:
    """A function that opens a file of the lab's folder (or none) and returns the page once the application is up."""
    return lab_page.open


@pytest.fixture
def open_in(lab: Lab, open_lab: Any, new_context: Any) -> Iterator[Any]:
    """A function that opens a notebook in "lab/tree" or in "notebooks", which is Notebook 7, and returns the page."""
    from panel_page import start, stop_kernels

    page = None

    def opened(where: str, path: str) -> Any:
        nonlocal page
        if where == "lab/tree":
            return open_lab(path)
        page = new_context().new_page()
        start(page, f"{lab.url}/{where}/{path}")
        return page

    yield opened
    if page:
        stop_kernels(page)


@pytest.fixture
def open_book(open_lab: Any, lab: Lab, request: pytest.FixtureRequest) -> Any:
    """A function that opens a notebook of these cells beside a small lake, and waits for its kernel: a `Book`.

    Each test has a notebook of its own, so that none meets another's kernel; they are all stopped at the end.
    """
    from panel_page import Book, write_lake, write_notebook

    def opened(*cells: str) -> Book:
        write_lake(lab.folder / "data")
        path = "".join(c if c.isalnum() else "-" for c in request.node.name) + ".ipynb"
        write_notebook(lab.folder / path, *cells)
        page = open_lab(path)
        page.set_default_timeout(60_000)
        return Book(page, path).ready()

    return opened
