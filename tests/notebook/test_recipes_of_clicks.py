"""What was joined by cells that a click inserted is in the recipe as what `plan.to_pandas()` gave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from likeness import FIRMS, NAMES, SEEN, STATES, SUPPLIERS, TURNED

import lakeview as lv
from lakeview.errors import InputError, NotFound
from lakeview.join.naming import literal
from lakeview.join.recipe import clicked
from lakeview.notebook import cells, magics
from lakeview.notebook.output.recipe_html import again as again_line
from lakeview.notebook.output.recipe_html import recipe_bundle
from lakeview.notebook.widgets.steps import sights

TABLES = {
    "weather": pd.DataFrame(SEEN, columns=["place", "day"]).assign(degrees=range(60)),
    "staff": pd.DataFrame({"name": NAMES, "desk": range(12)}),
    "firms": pd.DataFrame({"firm": FIRMS, "seats": range(20)}),
    "codes": pd.DataFrame({"state": STATES.keys(), "abbreviation": STATES.values()}),
    "people": pd.DataFrame({"abbreviation": STATES.values(), "millions": range(12)}),
}
FLIGHTS = pd.DataFrame({"dest": ["ORD", "ORD", "ATL", "XXX"], "number": [1.5, 2.5, 3.5, 4.5]})


def lake_at(folder: Path) -> Any:
    folder.mkdir(parents=True)
    (folder / "airports.csv").write_text("faa,city\nORD,Chicago\nATL,Atlanta\nBOS,Boston\n")
    (folder / "cities.csv").write_text("city,people\nChicago,2700\nAtlanta,500\nBoston,650\n")
    lake = lv.open(folder, store=folder / ".store")
    lake.index(engine="local")
    return lake


@pytest.fixture
def lake(tmp_path: Path, shell: Any) -> Any:
    lake = lake_at(tmp_path / "then")
    shell.user_ns.update(flights=FLIGHTS.copy(), lake=lake)
    return lake


def join(shell: Any, lake: Any, frame: str, column: str, table: str = "airports", **options: Any) -> str:
    """Click Join in the grid and run the cell; what that is."""
    (hit,) = [hit for hit in lake.search(shell.user_ns[frame], column) if hit.table == f"{table}.csv"]
    code = cells.result(hit.join(), **options)
    assert shell.run_cell(code, store_history=True).success
    return code


def chain(shell: Any, lake: Any) -> pd.DataFrame:
    join(shell, lake, "flights", "dest")
    join(shell, lake, "flights_airports", "city", "cities", name="whole")
    return shell.user_ns["whole"]


def again(path: Path, tmp_path: Path) -> Any:
    return lv.replay(path, lake_at(tmp_path / "else" / "where"), frames={"flights": FLIGHTS})


def test_a_chain_of_clicks_is_made_again(shell: Any, lake: Any, tmp_path: Path) -> None:
    whole = chain(shell, lake)
    made = lv.recipe(tmp_path / "recipe.json")
    assert [line.partition(":")[0] for line in made.steps] == ["flights_airports", "whole"]
    assert (made.tables, made.frames, made.left_out) == (["airports.csv", "cities.csv"], ["flights"], {})
    replayed = again(made.path, tmp_path)
    pd.testing.assert_frame_equal(replayed.to_pandas(), whole)
    assert replayed.changes == []
    scope = {"flights": FLIGHTS}
    exec(made.script.read_text(), scope)
    pd.testing.assert_frame_equal(scope["whole"], whole)


def test_clicks_and_plans_in_one_chain(shell: Any, lake: Any, tmp_path: Path) -> None:
    """A click joins what a plan gave, and a plan what a click gave."""
    shell.user_ns["first"] = lake.search(shell.user_ns["flights"], "dest")[0].join().to_pandas()
    join(shell, lake, "first", "city", name="second")
    shell.user_ns["third"] = lake.search(shell.user_ns["second"], "dest")[0].join().to_pandas()
    made = lv.recipe(tmp_path / "recipe.json")
    assert [line.partition(":")[0] for line in made.steps] == ["first", "second", "third"]
    pd.testing.assert_frame_equal(again(made.path, tmp_path).to_pandas(), shell.user_ns["third"])


@pytest.mark.parametrize("options", [{"dropped": ["city"]}, {"unmatched": True}])
def test_what_a_cell_leaves_out(shell: Any, lake: Any, tmp_path: Path, options: Any) -> None:
    join(shell, lake, "flights", "dest", name="some", **options)
    made = lv.recipe(tmp_path / "recipe.json")
    pd.testing.assert_frame_equal(again(made.path, tmp_path).to_pandas(), shell.user_ns["some"])
    scope = {"flights": FLIGHTS}
    exec(made.script.read_text(), scope)
    pd.testing.assert_frame_equal(scope["some"], shell.user_ns["some"])
    for kept in ({"without": ["none"], "unmatched": False}, {"without": 3, "unmatched": True}, {"without": []}, "x"):
        data = json.loads(made.path.read_text())
        data["steps"][0]["kept"] = kept
        (tmp_path / "bad.json").write_text(json.dumps(data))
        with pytest.raises((InputError, NotFound)):
            lv.replay(tmp_path / "bad.json", lake, frames={"flights": FLIGHTS})


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('how="left"', 'how="inner"', "3 rows, and the join makes 4"),
        ("mine.head()", "mine['more'] = 1", "other columns"),
        ("mine.head()", "mine.loc[0, 'city'] = 'Nowhere'", "other values"),
        ("mine.head()", "mine = mine[::-1]", "other values"),
    ],
)
def test_a_cell_that_was_changed_is_left_out(
    shell: Any, lake: Any, tmp_path: Path, old: str, new: str, why: str
) -> None:
    code = cells.result(lake.search(shell.user_ns["flights"], "dest")[0].join(), name="mine")
    assert old in code and shell.run_cell(code.replace(old, new)).success
    with pytest.raises(NotFound, match=f"mine is left out: .*{why}"):
        lv.recipe(tmp_path / "recipe.json")
    join(shell, lake, "flights", "dest", name="good")
    made = lv.recipe(tmp_path / "recipe.json")
    assert len(made.steps) == 1 and why in made.left_out["mine"] and "left out: mine: " in repr(made)


def test_a_cell_that_did_not_run_or_whose_frame_is_gone_is_none(shell: Any, lake: Any, tmp_path: Path) -> None:
    cells.result(lake.search(shell.user_ns["flights"], "dest")[0].join())
    join(shell, lake, "flights", "dest", name="gone")
    del shell.user_ns["gone"]
    with pytest.raises(NotFound, match="nothing was joined here yet"):
        lv.recipe(tmp_path / "recipe.json")
    assert not (tmp_path / "recipe.json").exists()


def test_cells_that_run_again_on_another_frame(shell: Any, lake: Any, tmp_path: Path) -> None:
    """All cells of the notebook once more, today's flights being others."""
    codes = [
        join(shell, lake, "flights", "dest"),
        join(shell, lake, "flights_airports", "city", "cities", name="whole"),
    ]
    shell.user_ns["flights"] = FLIGHTS.head(2)
    for code in codes:
        assert shell.run_cell(code).success
    made = lv.recipe(tmp_path / "recipe.json")
    assert len(made.steps) == 2 and made.left_out == {}
    data = json.loads(made.path.read_text())
    assert [entry["rows"] for entry in data["inputs"].values() if "frame" in entry] == [2]
    pd.testing.assert_frame_equal(
        lv.replay(made.path, lake, {"flights": FLIGHTS.head(2)}).to_pandas(), shell.user_ns["whole"]
    )


def test_a_name_that_the_next_join_takes(shell: Any, lake: Any, tmp_path: Path) -> None:
    join(shell, lake, "flights", "dest", name="mine")
    join(shell, lake, "mine", "city", "cities", name="other")
    join(shell, lake, "other", "dest", name="mine")
    made = lv.recipe(tmp_path / "recipe.json", of=shell.user_ns["mine"])
    assert len(made.steps) == 3 and made.frames == ["flights"]
    pd.testing.assert_frame_equal(again(made.path, tmp_path).to_pandas(), shell.user_ns["mine"])


def test_a_name_that_was_another_frames_before(shell: Any, lake: Any, tmp_path: Path) -> None:
    shell.user_ns["mine"] = FLIGHTS.head(2)
    join(shell, lake, "mine", "dest", name="other")
    join(shell, lake, "flights", "dest", name="mine")
    made = lv.recipe(tmp_path / "recipe.json")
    assert made.left_out == {} and len(made.steps) == 2


def test_a_result_that_grew_is_not_what_was_joined(shell: Any, lake: Any, tmp_path: Path) -> None:
    made = lake.search(shell.user_ns["flights"], "dest")[0].join().to_pandas()
    shell.user_ns["grown"] = made
    shell.user_ns["_7"] = made  # as a cell's output
    made["more"] = 1
    with pytest.raises(NotFound, match=r"^grown is left out: its rows or columns were changed since it was joined$"):
        lv.recipe(tmp_path / "recipe.json")


def test_a_plans_result_under_the_name_of_a_cell_is_what_the_plan_made(shell: Any, lake: Any, tmp_path: Path) -> None:
    join(shell, lake, "flights", "dest", name="mine")
    shell.user_ns["mine"] = lake.search(shell.user_ns["flights"], "dest")[0].join("inner").to_pandas()
    made = lv.recipe(tmp_path / "recipe.json")
    assert made.left_out == {} and made.frames == ["flights"]
    pd.testing.assert_frame_equal(again(made.path, tmp_path).to_pandas(), shell.user_ns["mine"])


def test_a_kernel_that_did_not_write_the_cell_says_so(shell: Any, lake: Any, tmp_path: Path) -> None:
    join(shell, lake, "flights", "dest")
    clicked._cells.clear()
    with pytest.raises(NotFound, match=r"flights_airports is left out: .*Join once more"):
        lv.recipe(tmp_path / "recipe.json")


def test_no_file_of_hers_is_overwritten(shell: Any, lake: Any, tmp_path: Path) -> None:
    chain(shell, lake)
    for name in ("mine.json", "mine.py"):
        (tmp_path / name).write_text("{}")
        with pytest.raises(InputError, match=f"{name} is there"):
            lv.recipe(tmp_path / "mine.json")
        assert (tmp_path / name).read_text() == "{}"
        (tmp_path / name).unlink()
    lv.recipe(tmp_path / "mine.json")
    lv.recipe(tmp_path / "mine.json")
    with pytest.raises(InputError, match="cannot be written"):
        lv.recipe(tmp_path / "no folder" / "mine.json")


NAMES_OF_BOOKS = ("a b", "é\u2028!x", "-n", "a=b", "q\"u'o", "{x}$y%z;", "# x", "\u202e.ipynb")


def test_the_line_of_the_button(shell: Any, lake: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the notebook is called."""
    chain(shell, lake)
    monkeypatch.chdir(tmp_path)
    said = repr(magics.run('recipe "a b.recipe.json"', shell.user_ns))
    assert said.splitlines()[0] == "Recipe of 2 steps: a b.recipe.json, and a b.recipe.py as plain code"
    assert magics.run("recipe", shell.user_ns).path.name == "recipe.json"
    for name in NAMES_OF_BOOKS:
        made = magics.run(f"recipe {literal(f'{name}.recipe.json')}", shell.user_ns)
        assert (made.path, made.path.is_file()) == (tmp_path / f"{name}.recipe.json", True)
        assert made.script.name == f"{name}.recipe.py" and len(repr(made).splitlines()) == 5


def test_what_it_says_is_escaped(shell: Any, lake: Any, tmp_path: Path) -> None:
    chain(shell, lake)
    made = lv.recipe(tmp_path / "<b>.json")
    made.left_out = {"x": "<script>"}
    html = recipe_bundle(made)["text/html"]
    assert "<b>.json" not in html and "<script>" not in html and "&lt;b&gt;.json" in html
    assert again_line(made) == 'lv.replay("<b>.json", lake, frames={"flights": flights})'


def test_what_the_editors_of_steps_insert(shell: Any, tmp_path: Path) -> None:
    """The code of a plan as it stands in its widget, of two frames of hers."""
    shell.user_ns["reference"] = pd.DataFrame({"name": ["dune hotel", "fern cove", "salt creek"]})
    shell.user_ns["matches"] = pd.DataFrame({"name": ["dune hotex", "fern cove inn", "salt crook"], "n": [1, 2, 3]})
    frames = [shell.user_ns[name] for name in ("reference", "matches")]
    assert shell.run_cell(cells.join(lv.fuzzy_join(*frames, on="name", threshold=0.5))).success
    made = lv.recipe(tmp_path / "recipe.json")
    assert made.frames == ["reference", "matches"] and made.tables == []
    found = lv.replay(made, frames=dict(zip(made.frames, frames, strict=True))).to_pandas()
    pd.testing.assert_frame_equal(found, shell.user_ns["reference_matches"])


KINDS: dict[str, tuple[pd.DataFrame, list[str], str]] = {
    "composite": (pd.DataFrame(SEEN[::-2], columns=["town", "when"]), ["town", "when"], "weather"),
    "bridge": (pd.DataFrame({"home": list(STATES)}), ["home"], "people"),
    "transform": (pd.DataFrame({"who": TURNED}), ["who"], "staff"),
    "fuzzy": (pd.DataFrame({"supplier": SUPPLIERS}), ["supplier"], "firms"),
    "equi": (pd.DataFrame({"place": ["Bonn", "Rome", "Oslo"]}), ["place"], "weather"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_join(shell: Any, tmp_path: Path, kind: str) -> None:
    mine, columns, table = KINDS[kind]

    def lake_of(folder: Path) -> Any:
        folder.mkdir()
        for name, frame in TABLES.items():
            frame.to_csv(folder / f"{name}.csv", index=False)
        lake = lv.open(folder, store=folder / ".store")
        lake.index(engine="local")
        return lake

    lake = lake_of(tmp_path / "then")
    shell.user_ns.update(mine=mine.copy(), lake=lake)
    hits = lake.search(shell.user_ns["mine"], columns if len(columns) > 1 else columns[0], rank="join")
    further = [hit for sight in (sights(hits) if hits.further is not None else ()) for hit in sight.found]
    hit = next(hit for hit in [*hits, *further] if hit.table == f"{table}.csv" and hit.kind == kind)
    many = "aggregate" if kind == "equi" else "all"
    assert shell.run_cell(cells.result(hit.join(many=many), name="whole")).success
    made = lv.recipe(tmp_path / "recipe.json")
    assert made.frames == ["mine"] and made.left_out == {}
    again = lv.replay(made, lake_of(tmp_path / "there"), frames={"mine": mine})
    pd.testing.assert_frame_equal(again.to_pandas(), shell.user_ns["whole"])
    assert again.changes == []


@pytest.mark.spark
def test_a_click_that_joins_in_spark(shell: Any, lake: Any, tmp_path: Path, spark: Any) -> None:
    """Its rows stay in Spark: it is known by its columns."""
    shell.user_ns.update(flights=spark.createDataFrame(FLIGHTS), spark=spark)
    join(shell, lake, "flights", "dest", name="whole")
    assert shell.run_cell(cells.result(lake.search(shell.user_ns["flights"], "dest")[0].join(), name="cut")).success
    shell.user_ns["cut"] = shell.user_ns["cut"].drop("city")
    made = lv.recipe(tmp_path / "recipe.json")
    assert len(made.steps) == 1 and "other columns" in made.left_out["cut"]
    found = again(made.path, tmp_path).to_pandas()
    expected = shell.user_ns["whole"].toPandas()
    pd.testing.assert_frame_equal(*(f.sort_values("number", ignore_index=True) for f in (found, expected)))
