"""A stranger's name never becomes code: every cell that is written runs one call, and reads back what it was about."""

from __future__ import annotations

import ast
import csv
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from hostile import ENDS, NAMES, PAYLOADS, magic
from IPython.core.inputtransformer2 import TransformerManager

import lakeview as lv
from lakeview.errors import InputError
from lakeview.notebook import cells, completion, magics, namespace, state
from lakeview.notebook.output import shown


def test_they_hold_every_character_up_to_2fff_and_all_ends_of_lines() -> None:
    assert set(map(chr, range(0x3000))) <= set("".join(NAMES))
    assert len(("x".join(["", *map(chr, range(0x3000))])).splitlines()) == len(ENDS) + 1


def test_a_column_of_a_frame() -> None:
    frame = pd.DataFrame([range(len(NAMES))], columns=NAMES)
    for name in NAMES:
        code = cells.column("df", name)
        command, _, rest = magic(f"%load_ext lakeview\n%lakeview search {code}").partition(" ")
        assert command == "search"
        target, options = magics.split_options(rest, "search")
        query = namespace.find_query(target, {"df": frame})
        assert query.data is frame and query.column == name and not options


def test_ordinary_names_are_read_with_ease() -> None:
    names = {"dest": "df.dest", "air time": 'df["air time"]', "Größe": "df.Größe", "Länge (m)": 'df["Länge (m)"]',
             "名前": "df.名前", "it's": 'df["it\'s"]', 'say "x"': "df['say \"x\"']", "class": "df.class"}  # fmt: skip
    for name, code in names.items():
        assert cells.column("df", name) == code
    assert [cells.column("df", label) for label in (2020, -1, 1.5, True)] == [
        "df[2020]",
        "df[-1]",
        "df[1.5]",
        "df[True]",
    ]
    assert [cells.column("df", label) for label in (float("nan"), ("a", "b"), pd.Timestamp(0))] == [None] * 3
    assert cells.lake_column("vcd/UKSoccer.csv", "Home") == "vcd/UKSoccer.csv.Home"
    assert cells.lake_column("my data.csv", "Home team") == '"my data.csv"["Home team"]'


def test_letters_that_nobody_sees_are_escaped() -> None:
    for name in ("a\u115f", "a\u3164", "e\u0301"):
        codes = [cells.column("df", name), cells.word(name)]
        codes += [cells.lake_column("t.csv", name), cells.lake_column(f"{name}.csv", "a")]
        assert all(code and code.isascii() and ascii(name)[1:-1] in code for code in codes)


@pytest.mark.parametrize("other", ["plain.csv", "odd name"])
def test_a_column_of_the_lake(other: str) -> None:
    for name in NAMES:
        for table, column in ((name, "faa"), (f"{name}.csv", name), (other, name)):
            code = cells.lake_column(table, column)
            line = magic(f"%lakeview compare {code} --with {code}")
            target, options = magics.split_options(line.removeprefix("compare "), "compare")
            for text in (target, options["other"]):
                query = namespace.find_query(text, {})
                meant = (query.data, query.column) if query.exact else tuple(query.data.rsplit(".", 1))
                assert meant == (table, column)


def test_any_text_is_one_word() -> None:
    for name in NAMES:
        code = cells.word(name)
        target, options = magics.split_options(magic(f"%lakeview open {code}").removeprefix("open "), "open")
        assert namespace.unquote(target) == name and not options


def test_what_is_completed_is_inert(shell: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame([range(len(NAMES))], columns=NAMES)
    lake = SimpleNamespace(columns=pd.DataFrame({"table": NAMES, "column": NAMES}))
    monkeypatch.setattr(state, "find_lake", lambda names: lake)
    for payload in PAYLOADS:
        if payload.strip(".") and "\0" not in payload and "/" not in payload and "\ud800" not in payload:
            (tmp_path / f"f{payload}").mkdir(exist_ok=True)
    monkeypatch.chdir(tmp_path)
    proposed = [text for line in ("search df[", "search df.", "search id", "search x", "open f", "search \"")
                for text in completion.complete(f"%lakeview {line}", {"df": frame})[1]]  # fmt: skip
    assert len(proposed) > 400
    for text in proposed:
        magic(f"%lakeview search {text}")
        assert cells.checked(text) == text


def test_compared_columns(tmp_path: Path) -> None:
    frame = pd.DataFrame([range(len(NAMES) + 1)], columns=[*NAMES, ("a", "b")])
    lake = SimpleNamespace(resolve=lambda text: tuple(text.rsplit(".", 1)))
    hits = [SimpleNamespace(table=name, column=name) for name in NAMES]
    for place, hit in enumerate([*hits, hits[0]]):
        code = cells.comparison(lake, frame, list(frame.columns), place, [hit])
        assert TransformerManager().transform_cell(code) == f"{code}\n"
        call = ast.parse(code, mode="eval").body
        assert isinstance(call, ast.Call) and ast.unparse(call.func) == "lake.compare"
        mine, theirs = call.args
        assert eval(ast.unparse(mine), {"frame": frame}).tolist() == [place]
        if isinstance(theirs, ast.Constant):
            assert theirs.value == f"{hit.table}.{hit.column}"
        else:
            assert ast.literal_eval(ast.unparse(ast.Tuple(theirs.args, ast.Load()))) == (hit.table, hit.column)
    code = cells.comparison(lake, frame, ["x"], 0, hits)
    (statement,) = ast.parse(TransformerManager().transform_cell(code)).body
    assert len(statement.value.args) == len(hits)  # nothing is bound


def test_a_name_that_reads_as_another_columns() -> None:
    """`a.b` with `c`, and `a` with `b.c`: both read as `a.b.c`."""
    frames = {"a": pd.DataFrame({"b.c": ["x", "y"]}), "a.b": pd.DataFrame({"c": ["y", "z", "w"]})}
    lake = lv.open(frames)
    lake.index(engine="local")
    mine = pd.DataFrame({"k": ["x", "y"]})
    found = {}
    for table, column in (("a", "b.c"), ("a.b", "c")):
        code = cells.comparison(lake, mine, ["k"], 0, [SimpleNamespace(table=table, column=column)])
        found[table] = eval(code, {"lake": lake, "mine": mine}).overlap.value
        target = cells.lake_column(table, column)
        state.set_lake(lake)
        try:
            assert magics.run(f"search {target}", {}).query.distinct == len(frames[table])
            assert magics.run(f"compare mine.k --with {target}", {"mine": mine}).overlap.value == found[table]
        finally:
            state.set_lake(None)
    assert found == {"a": 2, "a.b": 1}
    assert lake.search("a.b.c").query.distinct == 3
    with pytest.raises(lv.NotFound):
        lake.query_of("a", "c")


def test_a_lakes_column_is_not_taken_for_a_frames() -> None:
    """A table of the lake and a frame may have one name; what was clicked is the lake's."""
    lake = lv.open({"trips": pd.DataFrame({"dest": ["a", "b", "c"]})})
    lake.index(engine="local")
    names = {"trips": pd.DataFrame({"dest": ["q"]})}
    state.set_lake(lake)
    try:
        assert magics.run(f"search {cells.lake_column('trips', 'dest')}", names).query.distinct == 3
        assert magics.run("search trips.dest", names).query.distinct == 1
    finally:
        state.set_lake(None)


def test_frames_that_code_cannot_name_are_not_offered() -> None:
    frame = pd.DataFrame({"a": [1]})
    names = {"df": frame, "a b": frame, "x\u2028!touch canary": frame, "class": frame, "ﬁ": frame, "größe": frame}
    assert list(namespace.frames(names)) == ["df", "größe"]
    for name in names:
        if name not in ("df", "größe"):
            with pytest.raises(InputError, match="no code can name"):
                cells.frame(name)


def test_joins_of_a_lake_of_such_names(tmp_path: Path) -> None:
    """The code of every join, as the widgets insert it, is the same to IPython as to Python, and does what it says."""
    odd = [
        name for name in NAMES if not set(name) & {"\0", "\n", "\r"} and "\ud800" not in name and "\udcff" not in name
    ]
    table = tmp_path / "lake" / f"t{ENDS[2]}!touch canary{ENDS[8]}!touch canary.csv"
    table.parent.mkdir()
    with table.open("w", newline="") as file:
        csv.writer(file).writerows([["key", *odd], *([f"k{i}", *(f"v{i}" for _ in odd)] for i in range(5))])
    lake = lv.open(table.parent, store=tmp_path / "store")
    lake.index(engine="local")
    mine = pd.DataFrame([[f"k{i}", *(i for _ in odd)] for i in range(3)], columns=["key", *odd])
    hits = lake.search(mine, "key")
    code = shown.code(shown.keep(hits), 0)
    assert TransformerManager().transform_cell(code) == code
    names: dict[str, Any] = {"mine": mine}
    exec(code, names)
    assert list(names.values())[-1].equals(hits[0].join().to_pandas())
    assert "canary" not in names and not list(Path.cwd().glob("canary*"))


def test_code_that_is_not_seen_as_it_runs_is_refused() -> None:
    for end in ENDS[1:]:
        with pytest.raises(InputError, match="cannot go into a cell"):
            cells.checked(f"x = 1{end}!touch canary")
    assert cells.checked("x = 1\ny = 2\n") == "x = 1\ny = 2\n"
