"""What was done, written down and made again: another folder, another month, a stranger's file."""

from __future__ import annotations

import copy
import gc
import json
import re
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import pandas as pd
import pytest
from likeness import STATES

import lakeview as lv
from lakeview.errors import InputError, LakeviewError, NotFound
from lakeview.join.plan import equi_join
from lakeview.join.recipe import journal
from lakeview.join.side import Side
from lakeview.notebook import replays, sql
from lakeview.notebook.sql import run_sql
from lakeview.pipeline import session

CITIES = ["Berlin", "Lisbon", "Madrid", "Oslo", "Prague", "Rome", "Vienna", "Warsaw"]
NAMES = ["Doe, Ann", "Roe, Bo", "Poe, Cy", "Moe, Di", "Loe, Ed", "Noe, Flo", "Zoe, Gil", "Koe, Hal"]


def lake_at(folder: Path, cities: list[str] = CITIES) -> lv.Lake:
    folder.mkdir(parents=True)
    pd.DataFrame({"person": [" ".join(n.split(", ")[::-1]) for n in NAMES], "city": cities}).to_csv(
        folder / "people.csv", index=False
    )
    pd.DataFrame({"town": [f"{c} city" for c in CITIES] * 2, "sold": range(16)}).to_csv(
        folder / "towns.csv", index=False
    )
    lake = lv.open(folder, store=folder / ".store")
    lake.index(engine="local")
    return lake


def chain(lake: lv.Lake, who: pd.DataFrame) -> pd.DataFrame:
    """A program, a fuzzy join, and the first result's grain."""
    people, towns = lake.side("people.csv").to_pandas(), lake.side("towns.csv").to_pandas()
    first = lv.auto_join(who, people)[0].to_pandas()
    second = lv.fuzzy_join(first, towns, "city", "town", threshold=0.3).to_pandas()
    return equi_join(Side.frame(second, "second"), lake.side("towns.csv"), "town", "town").with_many(
        {"sold": "sum"}
    ).to_pandas()  # fmt: skip


WHO = pd.DataFrame({"name": NAMES, "n": range(8)})


@pytest.fixture
def written(tmp_path: Path) -> tuple[Path, pd.DataFrame]:
    result = chain(lake := lake_at(tmp_path / "then"), WHO.copy())
    return lv.recipe(tmp_path / "recipe.json", of=result, lake=lake).path, result


def test_the_table_is_made_again_elsewhere(tmp_path, written):
    path, result = written
    there = lake_at(tmp_path / "elsewhere" / "deep")
    again = lv.replay(path, there, frames={"who": WHO})
    pd.testing.assert_frame_equal(again.to_pandas(), result)
    assert again.changes == [] and "nothing changed since" in repr(again)
    assert str(tmp_path) not in path.read_text(), "no path of this machine"
    data = json.loads(path.read_text())
    assert [step.get("join", {}).get("kind") for step in data["steps"]] == ["program", "fuzzy", "equal"]
    assert {entry.get("table", entry.get("frame")) for entry in data["inputs"].values()} == {
        "who", "people.csv", "towns.csv"}  # fmt: skip


def test_the_script_makes_the_table_without_glue(tmp_path, written):
    """Wherever the lake lies: its folder is said once, at the top."""
    path, result = written
    script = path.with_suffix(".py").read_text()
    assert "lakeview" not in script.replace("# lakeview", "").replace("lv.replay", "")
    assert script.count(str(tmp_path)) == 1 and script.count("\nLAKE = ") == 1 and script.count("import pandas") == 1
    assert "# reads who\n" in script
    scope = {"who": WHO.copy()}
    exec(script, scope)
    pd.testing.assert_frame_equal(scope["result"], result)
    (tmp_path / "then").rename(tmp_path / "moved")
    scope = {"who": WHO.copy()}
    exec(script.replace(str(tmp_path / "then"), str(tmp_path / "moved")), scope)
    pd.testing.assert_frame_equal(scope["result"], result)


def test_a_script_of_odd_names(tmp_path):
    """Folders with braces and quotes, a table in a folder below, frames called as what the code would like to use."""
    folder = tmp_path / "a {b} 'c'"
    (folder / "x{1}").mkdir(parents=True)
    pd.DataFrame({"k": ["a", "b"], "v": [1, 2]}).to_csv(folder / "x{1}" / "pd.csv", index=False)
    pd.DataFrame({"k": ["a", "b"], "w": [3, 4]}).to_csv(folder / "LAKE.csv", index=False)
    lake = lv.open(folder, store=tmp_path / "store")
    lake.index(engine="local")
    from lakeview.join.plan import equi_join
    from lakeview.join.side import Side

    own = pd.DataFrame({"k": ["b", "a", "c"]})
    one = equi_join(Side.frame(own, "pd"), lake.side("x{1}/pd.csv"), "k", "k").to_pandas()
    two = equi_join(Side.frame(one, "str"), lake.side("LAKE.csv"), "k", "k").to_pandas()
    script = lv.recipe(tmp_path / "r.json", of=two, lake=lake).script.read_text()
    (given,) = [line.removeprefix("# reads ") for line in script.splitlines() if line.startswith("# reads ")]
    scope = {given: own}
    exec(script, scope)
    assert any(value.equals(two) for value in scope.values() if isinstance(value, pd.DataFrame)), script


def test_what_changed_since_is_said_before(tmp_path, written):
    path, _ = written
    later = lake_at(tmp_path / "later", [*CITIES[:4], "Xi", "Yo", "Zu", "Qa"])
    again = lv.replay(path, later, frames={"who": WHO.head(6)})
    said = "\n".join(again.changes)
    assert re.search(r"people.csv: \d+ bytes then, \d+ now\n", said) and "who: 8 rows then, 6 now" in said
    assert "100% of the keys matched then, " in said
    same_size = lv.replay(path, lake_at(tmp_path / "turned", CITIES[::-1]), frames={"who": WHO})
    assert "people.csv: other content of the same size" in same_size.changes


def test_steps_of_one_name_are_told_apart(tmp_path, written):
    data = json.loads(written[0].read_text())
    for step in data["steps"]:
        step["name"] = "joined"
    (tmp_path / "same.json").write_text(json.dumps(data))
    again = lv.replay(tmp_path / "same.json", lake_at(tmp_path / "there"), frames={"who": WHO})
    assert len(again.frames) == len(data["steps"]) > 1 and again.changes == []


def test_only_held_results_are_known():
    frame = pd.DataFrame({"a": ["x"]})
    made = lv.fuzzy_join(frame, frame.copy(), "a", "a", threshold=0.5).to_pandas()
    key = id(made)
    assert journal.made_by(made) is not None and journal.made_by(frame) is None
    del made
    gc.collect()
    assert key not in journal._made


def test_what_cannot_be_written_or_found_is_said(tmp_path, written, monkeypatch):
    path, _ = written
    with pytest.raises(NotFound, match="made this frame"):
        lv.recipe(tmp_path / "x.json", of=WHO)
    with pytest.raises(InputError, match="json"):
        lv.recipe(tmp_path / "x.py", of=WHO)
    with pytest.raises(NotFound, match="frame 'who'"):
        lv.replay(path, lake_at(tmp_path / "b"))
    with pytest.raises(NotFound, match="no recipe"):
        lv.replay(tmp_path / "nothing.json")
    monkeypatch.setattr(replays, "MOST", 10)
    with pytest.raises(InputError, match="is larger than a recipe is"):
        lv.replay(path)
    with pytest.raises(InputError, match="no 'left', or another kind of one"):
        replays._profile({"left": True, "right": 1, "met": 1, "met_sample": [], "alone_sample": []})
    with pytest.raises(InputError, match="samples of keys are texts"):
        replays._profile({"left": 1, "right": 1, "met": 1, "met_sample": [], "alone_sample": [1]})


def mutations(data: Any) -> list[Any]:
    """The recipe with one value after the other replaced by another kind of thing, or gone."""
    made = []

    def walk(node: Any, keys: tuple) -> None:
        items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        for key, child in items:
            for other in (None, 7, -1, "../../etc/passwd", [], {}, ["x"], {"constant": 3}, 1e99):
                changed = copy.deepcopy(data)
                at = changed
                for step in keys:
                    at = at[step]
                at[key] = other
                made.append(changed)
            walk(child, (*keys, key))

    walk(data, ())
    return made


def test_a_strangers_file_is_a_recipe_or_an_error_of_one_line(tmp_path, written):
    path, _ = written
    lake = lake_at(tmp_path / "there")
    every = mutations(json.loads(path.read_text()))
    bad = tmp_path / "bad.json"
    for changed in every[:: max(1, len(every) // 150)]:
        bad.write_text(json.dumps(changed))
        try:
            lv.replay(bad, lake, frames={"who": WHO}).to_pandas()
        except LakeviewError as error:
            assert len(str(error).splitlines()) == 1
    for text in ("", "[]", "{}", "[" * 100_000, '{"recipe": 2}', "\ud800".encode("utf-8", "surrogatepass")):
        bad.write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(InputError):
            lv.replay(bad, lake)


def test_a_bridge_goes_through_its_table_again(tmp_path):
    def lake_of(folder: Path) -> lv.Lake:
        folder.mkdir()
        pd.DataFrame({"state": STATES.keys(), "short": STATES.values()}).to_csv(folder / "codes.csv", index=False)
        pd.DataFrame({"short": STATES.values(), "n": range(12)}).to_csv(folder / "people.csv", index=False)
        lake = lv.open(folder, store=folder / ".store")
        lake.index(engine="local")
        return lake

    homes, then = pd.DataFrame({"home": list(STATES)}), lake_of(tmp_path / "then")
    made = then.bridge(homes, "home", to="people.csv.short")[0].to_pandas()
    found = lv.recipe(tmp_path / "recipe.json", of=made, lake=then)
    assert found.frames == ["homes"] and found.tables == ["codes.csv", "people.csv"]
    there = lake_of(tmp_path / "there")
    again = lv.replay(found, there, frames={"homes": homes})
    pd.testing.assert_frame_equal(again.to_pandas(), made)
    assert again.changes == [] and len(again.frames) == 2
    scope = {"homes": homes}
    exec(found.script.read_text(), scope)
    pd.testing.assert_frame_equal(scope["result"], made)
    bad = tmp_path / "bad.json"
    data = json.loads(found.path.read_text())
    for changed in [*mutations(data), {**data, "steps": data["steps"][:1]}]:
        bad.write_text(json.dumps(changed))
        try:
            lv.replay(bad, there, frames={"homes": homes}).to_pandas()
        except LakeviewError as error:
            assert len(str(error).splitlines()) == 1


SQL = [
    "DROP TABLE x", "SELECT reflect('java.lang.Runtime', 'x')", "SELECT * FROM csv.`/etc/passwd`",
    "INSERT INTO x SELECT 1",
    "SELECT java_method('a', 'b')", "SELECT * FROM text.`s3://x`", "CREATE VIEW a AS SELECT 1",
]  # fmt: skip


@pytest.mark.parametrize("statement", SQL)
def test_sql_of_a_stranger_does_not_run(tmp_path, statement):
    path = tmp_path / "r.json"
    step = {"id": "step1", "name": "x", "sql": [statement], "reads": {}}
    path.write_text(json.dumps({"recipe": 1, "inputs": {}, "steps": [step]}))
    with pytest.raises(InputError, match="nothing else"):
        lv.replay(path, sql=True)
    step["sql"] = ["SELECT 1"]
    path.write_text(json.dumps({"recipe": 1, "inputs": {}, "steps": [step]}))
    with pytest.raises(InputError, match="sql=True"):
        lv.replay(path)


@pytest.mark.parametrize("reads", [
    {"who": "input1"}, {"`who": "input1"}, {"`a` b`": "input1"}, {"``": "input1"}, {f"`{'x' * 501}`": "input1"},
    {"`who`": "input2"}, {"`who`": None}, {"`who`": ["input1"]}, {"`who`": {}},
])  # fmt: skip
def test_sql_reads_what_is_there_by_quoted_names_alone(tmp_path, monkeypatch, reads):
    monkeypatch.setattr(session, "get", object)  # it is not asked for anything
    step = {"id": "step1", "name": "x", "sql": ["SELECT 1"], "reads": reads}
    path = tmp_path / "r.json"
    path.write_text(json.dumps({"recipe": 1, "inputs": {"input1": {"frame": "who"}}, "steps": [step]}))
    with pytest.raises(InputError, match="by quoted names"):
        lv.replay(path, frames={"who": WHO}, sql=True)


@pytest.mark.spark
def test_sql_that_fails_is_told_in_a_line(tmp_path, spark):
    path = tmp_path / "r.json"
    for statements, said in (([], "one statement"), (["SELECT * FROM `who`", "SELECT nothing FROM `who`"], "nothing"),
                             (["SELECT raise_error('no\n\nmore') FROM `who`"], "Spark failed: ")):  # fmt: skip
        step = {"id": "step1", "name": "x", "sql": statements, "reads": {"`who`": "input1"}}
        path.write_text(json.dumps({"recipe": 1, "inputs": {"input1": {"frame": "who"}}, "steps": [step]}))
        with pytest.raises(LakeviewError, match=said) as caught:
            lv.replay(path, frames={"who": WHO}, sql=True)
        assert "\n" not in str(caught.value)
        spark.catalog.dropTempView("who")


@pytest.mark.spark
def test_sql_and_what_joins_its_rows_are_steps(tmp_path, spark, monkeypatch):
    lake, names = lake_at(tmp_path / "then"), {"who": WHO}
    run_sql("SELECT lower(name) AS name, n FROM who WHERE n < 6", "few", names)
    people = pd.DataFrame({"name": [name.lower() for name in NAMES], "city": CITIES})
    second = equi_join(Side.frame(names["few"], "few"), Side.frame(people, "people"), "name", "name")
    third = second.to_pandas()
    path = lv.recipe(tmp_path / "recipe.json", of=third, lake=lake).path
    assert ["sql" in step for step in json.loads(path.read_text())["steps"]] == [True, False]
    monkeypatch.setattr(sql, "_made", WeakKeyDictionary())  # as if `who` were a view of the analyst's
    with pytest.raises(InputError, match="would replace `who`, which Spark has already"):
        lv.replay(path, lake, frames={"WHO": WHO, "people": people}, sql=True)
    spark.catalog.dropTempView("who")
    again = lv.replay(path, lake, frames={"WHO": WHO, "people": people}, sql=True)
    pd.testing.assert_frame_equal(*(f.sort_values("n", ignore_index=True) for f in (again.to_pandas(), third)))
    assert again.changes == []
