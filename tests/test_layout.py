"""How the house is built: imports run one way, heavy packages stay where they belong, importing is quick."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "lakeview"

# Each part and its floor; nothing imports from a floor above its own.
FLOORS = {
    "errors": 0,
    "guards": 1,
    "options": 2, "values": 2, "sketch": 2,
    "estimate": 3, "catalog": 3, "evidence": 3,
    "index": 4,
    "store": 5,
    "pipeline": 6,
    "join": 7,
    "search": 8,
    "relations": 9,
    "lake": 10,
    "notebook": 11,
    "demo": 12, "cli": 13,
}  # fmt: skip
IN_TASKS = 5  # the highest floor of what runs in Spark's tasks
JUPYTER = {
    *("IPython", "ipywidgets", "ipykernel", "anywidget", "comm", "traitlets"),
    *("nbclient", "nbformat", "jupyter_client", "jupyter_core", "jupyterlab"),
}
BUILT_IN = {"lakeview", "__future__", *sys.stdlib_module_names}
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "labextension" not in path.parts)


def part(path: Path) -> str:
    """The top-level part of lakeview that a file belongs to: `lakeview/join/plan.py` to join."""
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """The modules that a file imports, and whether it does so at its own import; those for type checkers left out."""
    yield from _imports(ast.parse(path.read_text(encoding="utf-8")), at_import=True, package=_package(path))


def _package(path: Path) -> list[str]:
    return list(path.relative_to(ROOT).parent.parts)


def _imports(node: ast.AST, at_import: bool, package: list[str]) -> Iterator[tuple[str, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from ((alias.name, at_import) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            base = package[: len(package) - child.level + 1] if child.level else []
            module = ".".join([*base, *([child.module] if child.module else [])])
            # `from lakeview import join` imports lakeview.join
            yield from (
                (f"{module}.{alias.name}" if module == "lakeview" else module, at_import) for alias in child.names
            )
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for other in child.orelse:
                yield from _imports(ast.Module([other], []), at_import, package)
        else:
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _imports(child, at_import and not inside, package)


def test_every_part_has_a_floor():
    assert {part(path) for path in MODULES} <= {*FLOORS, "__init__"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_run_one_way(path: Path):
    own = part(path)
    for name, at_import in imports(path):
        pieces = name.split(".")
        if pieces[0] != "lakeview":
            continue
        if own == "__init__":  # the public names: nothing but the options at import
            assert not at_import or pieces[1:2] == ["options"], f"lakeview imports {name} at once"
        elif len(pieces) == 1:
            assert FLOORS[own] >= 11, f"{own} imports the whole package"
        elif pieces[1] in FLOORS:
            assert FLOORS[pieces[1]] <= FLOORS[own], f"{own} imports {name}, which is above it"
        else:
            assert FLOORS[own] >= 11, f"{own} imports {name}, a public name"


def test_no_two_parts_import_each_other():
    arrows = {
        (part(path), name.split(".")[1])
        for path in MODULES
        for name, _ in imports(path)
        if name.startswith("lakeview.") and part(path) != "__init__"
    }
    assert [pair for pair in sorted(arrows) if pair[0] < pair[1] and pair[::-1] in arrows] == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_heavy_packages_stay_where_they_belong(path: Path):
    own = part(path)
    for name, at_import in imports(path):
        top = name.split(".")[0]
        if top == "pyspark":
            assert own in {"pipeline", "join"}, "pyspark is for the pipeline and for plans that run on Spark"
            assert not at_import, "pyspark is imported inside functions"
        elif top in JUPYTER:
            assert own == "notebook", f"{top} is for lakeview.notebook"
        elif top == "plotly":
            assert not at_import, "plotly is imported inside functions"
        elif (
            FLOORS.get(own, 0) <= IN_TASKS
            and at_import
            and top not in {"lakeview", "__future__", *sys.stdlib_module_names}
        ):
            assert top in {"numpy", "pyarrow", "numba"}, f"{own} runs in Spark's tasks, which may lack {top}"


def loaded_after(statement: str) -> set[str]:
    """The top-level modules in a fresh interpreter after a statement."""
    code = f"{statement}\nimport sys, json; print(json.dumps([m for m in sys.modules if '.' not in m]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


HEAVY = {"pyspark", "py4j", "pandas", "plotly", *JUPYTER}


def test_import_is_light():
    assert loaded_after("import lakeview") & {*HEAVY, "numba", "scipy", "pyarrow"} == set()


def test_what_runs_in_tasks_is_light():
    names = [
        path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
        for path in MODULES
        if FLOORS.get(part(path), 99) <= IN_TASKS
    ]
    assert loaded_after(f"import {', '.join(names)}") & HEAVY == set()


def test_import_is_quick():
    code = "import time; start = time.perf_counter(); import lakeview; print(time.perf_counter() - start)"
    seconds = [float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(5)]
    assert min(seconds) < 0.4


def test_public_names_are_listed_and_found():
    import lakeview as lv

    assert {"open", "compare", "auto_join", "fuzzy_join", "join_size", "Lake", "JoinPlan", "options"} <= set(dir(lv))
    for name in lv.__all__:
        assert not isinstance(getattr(lv, name), ModuleType), name
    assert lv.__version__ == json.loads((ROOT / "labextension" / "package.json").read_text())["version"]
    assert issubclass(lv.NotFound, lv.LakeviewError)
    with pytest.raises(AttributeError):
        lv.no_such_name


def test_no_demo_table_is_known_outside_the_demo():
    from lakeview import demo

    words = {*demo.PACKAGES, *demo._BASEBALL, "airlines", "tailnum"}
    for path in MODULES:
        if path.name != "demo.py":
            text = path.read_text(encoding="utf-8")
            assert [word for word in words if word in text] == [], path
