"""The wheel and the sdist: what is in them, and that the wheel alone works in another environment."""

from __future__ import annotations

import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest
from building import ROOT, run

pytestmark = pytest.mark.slow


def test_sdist_is_small_and_whole(sdist: Path):
    assert sdist.stat().st_size < 2_000_000
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    pieces = {piece for name in names for piece in name.split("/")}
    assert not pieces & {"node_modules", ".yarn", ".venv", "__pycache__", "demo-lake", ".lakeview", "screenshots"}
    wanted = ["lakeview/__init__.py", "lakeview/labextension/package.json", "labextension/yarn.lock", "LICENSE"]
    wanted += ["labextension/src/index.ts", "notebooks/01-first-join.ipynb", "tests/conftest.py", "Makefile"]
    built = ("style.css", "explore.js", "overview.js", "fuzzy.js", "transform.js")
    wanted += [f"lakeview/notebook/built/{name}" for name in built]
    assert set(wanted) <= names


def test_wheel_is_pure_and_carries_the_extension_once(sdist: Path, wheel: Path):
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    shared = f"{wheel.name.removesuffix('-py3-none-any.whl')}.data/data/share/"
    assert f"{shared}jupyter/labextensions/lakeview/package.json" in names
    assert f"{shared}jupyter/labextensions/lakeview/install.json" in names
    assert sum(name.endswith("static/style.js") for name in names) == 1
    with tarfile.open(sdist) as archive:
        sources = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    package = {name for name in sources if name.startswith("lakeview/")}
    assert {name for name in names if name.startswith("lakeview/")} == {
        name for name in package if not name.startswith("lakeview/labextension/")
    }


def test_every_tutorial_is_in_the_wheel(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        packed = {Path(name).name for name in archive.namelist() if "share/lakeview/notebooks/" in name}
    assert packed == {path.name for path in (ROOT / "notebooks").glob("*.ipynb")}


SMOKE = """
import csv, pathlib
import lakeview as lv
assert pathlib.Path(lv.__file__).is_relative_to({prefix!r}), lv.__file__
folder = pathlib.Path("lake"); folder.mkdir()
for name, keys in {{"orders": "abcde", "clients": "abcdef"}}.items():
    with (folder / f"{{name}}.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["client", name], *([f"client {{key}}", f"{{name}} {{key}}"] for key in keys)])
lake = lv.open(folder)
lake.index()
hits = lake.search("orders.csv.client", rank="join")
assert (hits[0].table, hits[0].column, hits[0].overlap) == ("clients.csv", "client", 5)
plan = hits[0].join(how="left")
assert len(plan.to_pandas()) == plan.counts().rows_out == 5
print("joined by", lv.__version__)
"""


@pytest.mark.spark
def test_wheel_alone_works(wheel: Path, tmp_path: Path):
    """In a new environment that borrows only the other packages of this one."""
    run(sys.executable, "-m", "venv", "--without-pip", "env", cwd=tmp_path)
    python = tmp_path / "env" / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel, cwd=tmp_path)
    site = tmp_path / "env" / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages"
    # A path in a .pth is searched last, and the .pth files behind it (this checkout's own) are not read.
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    assert "joined by" in run(python, "-c", SMOKE.format(prefix=str(tmp_path / "env")), cwd=tmp_path)
    assert run(tmp_path / "env" / "bin" / "lakeview", "--version", cwd=tmp_path).startswith("lakeview ")
    listed = run(python, "-m", "jupyterlab.labextensions", "list", cwd=tmp_path)
    assert any("lakeview v" in line and "OK" in line for line in listed.splitlines()), listed
