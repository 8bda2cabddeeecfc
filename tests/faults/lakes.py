"""Lakes and indexes of all kinds for faults to fall on, and what is asked of them before and after."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import lakeview as lv
from lakeview.errors import LakeviewError

Question = Callable[[Any], Any]


def write_tables(folder: Path) -> None:
    """Five tables: two with large columns, dates, numbers, uneven rows."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(3)
    cities = [f"city {n % 97}" for n in range(6_000)]
    pd.DataFrame({"key": [f"k{n}" for n in range(6_000)], "city": cities}).to_csv(folder / "a.csv", index=False)
    pd.DataFrame({"ref": [f"k{n}" for n in range(900, 7_000)], "price": rng.random(6_100).round(3)}).to_csv(
        folder / "b.csv", index=False
    )
    pd.DataFrame(
        {"city": [f"City {n}" for n in range(120)], "day": pd.date_range("2024-01-01", periods=120), "n": range(120)}
    ).to_csv(folder / "c.csv", index=False)
    pd.DataFrame({"k": [f"k{n}" for n in range(0, 500, 3)], "code": ["ab", "cd", None, "e"] * 41 + ["zz"] * 3}).to_csv(
        folder / "d.csv", index=False
    )
    (folder / "uneven.csv").write_text("x,y\n1,2\n3\n4,5,6\nk7,city 3\n")


def indexed(data: Path, store: Path, kind: str) -> None:
    """Index the tables: "exact", "sketches" (with filters), or "segments", some of whose tables are dead."""
    lake = lv.open(data, store=store)
    exact = kind != "sketches"
    with quiet():
        lake.index(engine="local", exact=exact, filters=not exact)
        if kind == "segments":
            for n in range(3):
                pd.DataFrame({"k": [f"k{n}" for n in range(n, 400)]}).to_csv(data / "d.csv", index=False)
                pd.DataFrame({"new": [f"k{i}" for i in range(n + 1, 5_000)]}).to_csv(data / f"e{n}.csv", index=False)
                lake.index(engine="local")


def answers(lake: lv.Lake) -> dict[str, Any]:
    """What the lake says to everything that is asked; a question that it refuses is told as such."""
    asked = pd.Series([f"k{n}" for n in range(50, 3_000, 7)] + ["City 5", "2024-01-09"])
    questions: dict[str, Question] = {
        "tables": lambda lake: lake.tables,
        "columns": lambda lake: lake.columns,
        "problems": lambda lake: lake.problems,
        "top": lambda lake: lake.search("a.csv.key").to_pandas(),
        "threshold": lambda lake: lake.search(asked, threshold=0.1).to_pandas(),
        "join": lambda lake: lake.search("c.csv.city", rank="join").to_pandas(),
        "sketches": lambda lake: lake.search("b.csv.ref", exact=False, threshold=0.3).to_pandas(),
        "few": lambda lake: lake.search(asked[:5], k=3).to_pandas(),
        "compared": lambda lake: repr(lake.compare("a.csv.key", "b.csv.ref")),
        "joined": lambda lake: lake.search("d.csv.k", k=2)[0].join().preview(3),
        "version": lambda lake: [lake.indexed_at, len(lake.store.manifest().segments)],
    }
    return {name: _answer(question, lake) for name, question in questions.items()}


def outcome(before: dict[str, Any], ask: Callable[[], dict[str, Any]]) -> str:
    """ "same", "told" (a LakeviewError of one line, for all or for some questions), or what went wrong."""
    try:
        found = ask()
    except LakeviewError as error:
        return _told(error)
    except BaseException as error:
        return f"foreign: {type(error).__name__}: {error}"
    wrong = [name for name in before if found[name] not in (before[name], "told")]
    if wrong:
        return f"wrong: {wrong[0]}: {str(found[wrong[0]])[:300]}"
    return "same" if found == before else "told"


def _answer(question: Question, lake: lv.Lake) -> Any:
    try:
        found = question(lake)
    except LakeviewError as error:
        return _told(error)
    except Exception as error:
        return f"foreign: {type(error).__name__}: {error}"
    return json.loads(found.to_json(orient="split")) if isinstance(found, pd.DataFrame) else found


def _told(error: LakeviewError) -> str:
    return "told" if str(error) and "\n" not in str(error) else f"more than a line: {error!r}"


@contextlib.contextmanager
def quiet() -> Any:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield
