"""How the house is built: imports run one way, heavy packages stay where they belong, importing is quick."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from types import ModuleType

import pytest
from house import FLOORS, MODULES, PICTURE, ROOT, arrows, module_of, picture, room, uses

IN_TASKS = 5  # the highest floor of what runs in Spark's tasks
JUPYTER = {
    *("IPython", "ipywidgets", "ipykernel", "anywidget", "comm", "traitlets"),
    *("nbclient", "nbformat", "jupyter_client", "jupyter_core", "jupyterlab"),
}
BUILT_IN = {"lakeview", "__future__", *sys.stdlib_module_names}


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """The names that a file imports, and whether it does so at its own import; those for type checkers left out."""
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


def test_no_two_test_files_share_a_name():
    """pytest takes the second for the first, and does not run it."""
    names = Counter(path.name for path in Path(__file__).parent.rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []


def test_every_room_has_a_floor():
    assert {room(module_of(path)) for path in MODULES} == set(FLOORS)


def test_imports_run_down():
    """From room to room, all imports counted: those in functions and for type checkers, too."""
    assert [(user, used) for user, used in sorted(arrows()) if FLOORS[user] <= FLOORS[used]] == []


def test_no_files_import_each_other_in_a_circle():
    graph = TopologicalSorter(uses())
    try:
        graph.prepare()
    except CycleError as error:
        pytest.fail(f"a circle: {' <- '.join(error.args[1])}")


def test_the_house_stays_easy_to_enter():
    assert len(FLOORS) <= 20 and len(arrows()) <= 80


def test_the_picture_is_of_this_house():
    assert PICTURE.read_text(encoding="utf-8") == picture(), "run: python tests/house.py"


def test_public_names_alone_are_imported_at_once():
    """`import lakeview` loads the options and what they need; all else when a name is first used."""
    here = [name for name, at_import in imports(ROOT / "lakeview" / "__init__.py") if at_import and "lakeview" in name]
    assert here == ["lakeview.options"]


@pytest.mark.parametrize("path", MODULES, ids=module_of)
def test_heavy_packages_stay_where_they_belong(path: Path):
    own = room(module_of(path))
    for name, at_import in imports(path):
        top = name.split(".")[0]
        if top == "pyspark":
            assert own in {"pipeline", "join"}, "pyspark is for the pipeline and for plans that run on Spark"
            assert not at_import, "pyspark is imported inside functions"
        elif top in JUPYTER:
            assert own == "notebook", f"{top} is for lakeview.notebook"
        elif top == "plotly":
            assert not at_import, "plotly is imported inside functions"
        elif FLOORS[own] <= IN_TASKS and at_import and top not in {"lakeview", "__future__", *sys.stdlib_module_names}:
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
    names = [module_of(path) for path in MODULES if FLOORS[room(module_of(path))] <= IN_TASKS]
    assert loaded_after(f"import {', '.join(names)}") & HEAVY == set()


def test_import_is_quick():
    code = "import time; start = time.process_time(); import lakeview; print(time.process_time() - start)"
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
