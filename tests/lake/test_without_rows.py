"""A frame without rows, at each door: it joins with nothing, and nothing breaks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import lakeview as lv
from lakeview.join.model import HOWS
from lakeview.join.plan import CompositePlan, equi_join
from lakeview.join.recipe.drift import Keys
from lakeview.join.side import Side
from lakeview.notebook import state
from lakeview.notebook.output import display

FULL = pd.DataFrame({"id": ["a1", "b2", "c3"], "name": ["Doe, Ann", "Roe, Ben", "Poe, Cem"], "n": [1.0, 2.0, 3.0]})
EMPTY = {
    "objects": FULL.iloc[:0],
    "text": FULL.iloc[:0].astype({"id": "string", "name": "string"}),
    "no type": pd.DataFrame({"id": [], "name": [], "n": []}, dtype=object),
    "in the index": FULL.iloc[:0].set_index("id"),
}


@pytest.fixture(params=EMPTY)
def empty(request: pytest.FixtureRequest) -> pd.DataFrame:
    return EMPTY[request.param]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("lake")
    FULL.to_csv(folder / "full.csv", index=False)
    (folder / "bare.csv").write_text("id,name,n\n")
    made = lv.open(folder)
    made.index(engine="local")
    yield made
    state.set_lake(None)


def test_searches_find_nothing(lake: Any, empty: pd.DataFrame) -> None:
    for options in ({}, {"rank": "join"}, {"threshold": 0.5}, {"exact": False}, {"transform": True}):
        for hits in (lake.search(empty, "id", **options), lake.search(empty.reset_index()["id"], **options)):
            assert len(hits) == 0 and "no rows" in display.hits_bundle(hits)["text/html"]
    assert len(lake.search(empty, ["id", "name"])) == len(lake.search("bare.csv.id")) == 0
    assert len(lake.search(empty)) == len(lake.bridge(empty, "id")) == 0


def test_a_lake_without_tables_or_rows_has_no_answer(tmp_path: Path) -> None:
    for number, files in enumerate(({}, {"bare.csv": "id,name,n\n"})):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text)
        bare = lv.open(folder, store=tmp_path / f"store{number}")
        bare.index(engine="local")
        for column in ("id", ["id", "name"], None):
            assert len(bare.search(FULL, column)) == 0
        assert len(bare.search(FULL, "name", transform=True)) == len(bare.bridge(FULL, "id")) == 0
        assert len(bare.foreign_keys()) == 0
        more = bare.more_rows(FULL)
        assert [(plan.rows, plan.there) for plan in more] == [(0, 0)] * len(files), "which such a table may be for"


def test_a_table_without_columns_is_no_side(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("{}\n{}\n")
    bare = lv.open(tmp_path, store=tmp_path / "store")
    bare.index(engine="local")
    with pytest.raises(lv.NotFound, match=r"none\.jsonl has no column that could be read"):
        bare.side("none.jsonl")


@pytest.mark.filterwarnings("ignore::lakeview.errors.JoinWarning")
@pytest.mark.parametrize("how", HOWS)
def test_joins_have_the_rows_of_the_other_side(lake: Any, empty: pd.DataFrame, how: Any) -> None:
    for left, right in ((empty, FULL), (FULL, empty), (empty, empty)):
        rows = (len(left) if how in ("left", "outer") else 0) + (len(right) if how in ("right", "outer") else 0)
        sides = Side.frame(left, "left"), Side.frame(right, "right")
        for plan in (equi_join(*sides, "id", "id", how), CompositePlan(*sides, ("id", "name"), ("id", "name"), how)):
            assert plan.counts().rows_out == len(made := plan.to_pandas()) == rows
            assert list(made.columns) == plan.columns.names
            assert len(plan.preview()) == min(rows, 10)
            scope = {"left": left, "right": right}
            exec(plan.code("pandas"), scope)
            assert len(scope["left_right"]) == rows
        if how in ("left", "inner"):
            fuzzy = lv.fuzzy_join(left, right, on="name", threshold=0.8, how=how)
            assert fuzzy.counts().rows_out == len(fuzzy.to_pandas()) == rows
            assert len(fuzzy.preview(9, matched=True)) == 0 and fuzzy.explain()
            judged = lv.fuzzy_join(left, right, on="name")
            assert judged.counts().left_matched == 0 and all(display.fuzzy_bundle(judged).values())


def test_other_doors(lake: Any, empty: pd.DataFrame, tmp_path: Path) -> None:
    assert not lv.auto_join(empty, FULL) and not lv.auto_join(FULL, empty)
    plan = equi_join(Side.frame(empty, "left"), Side.frame(FULL, "right"), "id", "id", "left")
    assert "known" in plan.check("pandera") and plan.check("sql")
    assert Keys.of(plan.left.key("id"), plan.right.key("id")).rate == 1
    frames = lv.open({"t": empty, "u": FULL}, store=tmp_path / "store")
    frames.index(engine="local")
    assert frames.tables.set_index("table")["rows"].to_dict() == {"t": 0, "u": 3}
    frames.add(empty, name="added")
    assert len(frames.search(FULL, "id")) == 1
