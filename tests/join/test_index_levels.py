"""A frame's index levels are its columns, and big-endian numbers join: in searches, all joins, and their code."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import lakeview as lv
from lakeview.guards import frames
from lakeview.join.model import HOWS

PLAIN = pd.DataFrame(
    {"roll": [1, 2, 3, 9], "term": ["a", "b", "a", "b"], "name": ["Ann Doe", "Bob Roe", "Cy Poe", "Di"]}
)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> lv.Lake:
    folder = tmp_path_factory.mktemp("lake")
    pd.DataFrame({"roll": [2, 1, 3, 3, 5], "term": list("bacab"), "mark": [5, 4, 3, 2, 1]}).to_csv(
        folder / "maths.csv", index=False)  # fmt: skip
    names = ["Doe, Ann", "Roe, Bob", "Poe, Cy", "Moe, Di"]
    pd.DataFrame({"who": names, "age": range(4)}).to_csv(folder / "people.csv", index=False)
    made = lv.open(folder)
    made.index(engine="local")
    return made


def as_little(frame: pd.DataFrame) -> pd.DataFrame:
    """The same numbers in the machine's order."""
    return frame.astype({c: t.newbyteorder("=") for c, t in frame.dtypes.items() if isinstance(t, np.dtype)})


def shapes() -> dict[str, pd.DataFrame]:
    """The plain frame, its columns in the index in several ways, or big-endian."""
    big = PLAIN.assign(roll=np.array(PLAIN["roll"], ">i4"), share=np.array([0.1, 0.2, np.nan, 0.4], ">f8"))
    return {
        "one level": PLAIN.set_index("roll"),
        "two levels": PLAIN.set_index(["roll", "term"]),
        "beside a nameless level": PLAIN.set_index(["roll", pd.Index(range(4))]),
        "a category": PLAIN.astype({"roll": "category"}).set_index("roll"),
        "repeated": pd.concat([PLAIN, PLAIN]).set_index("roll"),
        "big-endian": big,
        "big-endian level": big.set_index("roll"),
        "big-endian beside the key": PLAIN.assign(share=np.array([1, 2, 3, 4], ">f8")),
    }


def flattened(df: pd.DataFrame) -> pd.DataFrame:
    named = [level for level in df.index.names if level is not None]
    return as_little(df.reset_index(named).reset_index(drop=True))


def cells(frame: pd.DataFrame) -> list[tuple]:
    return [tuple("" if v is None or v != v else str(v) for v in row) for row in frame.itertuples(index=False)]


def run(code: str, **names: pd.DataFrame) -> pd.DataFrame:
    held = dict(names)
    before = {name: frame.copy() for name, frame in names.items()}
    exec(code, held)
    for name, frame in before.items():
        pd.testing.assert_frame_equal(held[name], frame)
    return held[next(name for name in reversed(held) if name.startswith("df_") and not name.endswith("_made"))]


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("shape", shapes())
def test_a_join_is_that_of_the_columns(lake, shape, how):
    df = shapes()[shape]
    flat = flattened(df)
    hits, expected = lake.search(df, "roll"), lake.search(flat, "roll")
    assert [(h.table, h.column, h.overlap) for h in hits] == [(h.table, h.column, h.overlap) for h in expected] != []
    plan, wanted = hits[0].join(how=how), expected[0].join(how=how)
    assert plan.counts() == wanted.counts()
    assert cells(plan.to_pandas()) == cells(wanted.to_pandas())
    assert list(plan.to_pandas().columns) == list(wanted.to_pandas().columns)
    assert cells(plan.preview(3)) == cells(wanted.preview(3))
    assert sorted(cells(run(plan.code(), df=df))) == sorted(cells(plan.to_pandas()))


@pytest.mark.parametrize("how", ["left", "inner", "right"])
@pytest.mark.parametrize("shape", ["two levels", "big-endian level"])
def test_on_several_columns(lake, shape, how):
    df = shapes()[shape]
    plan = lake.search(df, ["roll", "term"])[0].join(how=how)
    assert sorted(cells(plan.to_pandas())) == sorted(
        cells(lake.search(flattened(df), ["roll", "term"])[0].join(how=how).to_pandas()))  # fmt: skip
    assert sorted(cells(run(plan.code(), df=df))) == sorted(cells(plan.to_pandas()))


def test_programs_and_similarity(lake):
    df = PLAIN.set_index(["name", "roll"])
    people = lake.side("people.csv").to_pandas()
    program = lv.auto_join(df, people)[0]
    assert len(program.pairs) == 4 and program.left_on == "name"
    assert sorted(cells(run(program.code(), df=df, people=people))) == sorted(cells(program.to_pandas()))
    fuzzy = lv.fuzzy_join(df, people, "name", "who", threshold=0.9, tokeniser="words")
    assert fuzzy.counts().left_matched == 3
    assert cells(run(fuzzy.code(), df=df, people=people)) == cells(fuzzy.to_pandas())
    found = lake.search(df, "name", transform=True)[0]
    assert found.name == "people.csv.who" and list(found.join().to_pandas().columns)[:2] == ["name", "roll"]


def test_lakes_of_frames_and_frames_beside_a_lake(lake):
    df = PLAIN.set_index("roll")
    made = lv.open({"marks": df})
    made.index()
    assert made.columns["column"].tolist() == ["roll", "term", "name"]
    assert made.search(PLAIN, "roll")[0].name == "marks.roll"
    assert len(made.search(PLAIN, "roll")[0].join(how="inner").to_pandas()) == 4
    lake.add(df, "beside")
    try:
        assert lake.search(PLAIN, "roll")[0].name == "beside.roll"
        hit = next(hit for hit in lake.search("beside.roll") if hit.column == "roll")
        assert len(hit.join().to_pandas()) == 5
    finally:
        lake.remove("beside")


def test_which_levels_are_columns():
    twice = PLAIN[["name"]].set_index(pd.MultiIndex.from_frame(PLAIN[["roll", "term"]], names=["x", "x"]))
    assert frames.labels(twice) == ["name"]
    assert frames.labels(PLAIN.set_index(["roll", "term"])) == ["roll", "term", "name"]
    assert frames.flat(PLAIN.set_index(["roll", "term"])).equals(PLAIN)
    assert frames.labels(PLAIN.set_index("roll", drop=False)) == ["roll", "term", "name"]
    assert frames.flat(PLAIN) is PLAIN, "nothing is copied"
    df = PLAIN.set_index("roll")
    frames.flat(df)["roll"] = 0
    assert df.index.tolist() == [1, 2, 3, 9]


def test_the_magic_and_the_panel_know_them(lake):
    from lakeview.notebook import magics, namespace, state

    df = PLAIN.set_index("roll")
    assert namespace.frame_columns(df) == ["roll", "term", "name"]
    state.set_lake(lake)
    try:
        assert magics.run("search df.roll", {"df": df})[0].name == "maths.csv.roll"
        assert magics.run('compare df["roll"] --with maths.csv.roll', {"df": df}).overlap.value == 3
    finally:
        state.set_lake(None)


def test_a_column_that_is_not_there_names_the_levels(lake):
    with pytest.raises(lv.NotFound, match="it has 'roll', 'term', 'name'"):
        lake.search(PLAIN.set_index("roll"), "rol")


def test_raw_bytes_in_a_type_of_numpys_join_as_text(lake):
    mine = pd.DataFrame({"n": [1, 2, 3]})
    mine["term"] = pd.Series(np.array([b"a", b"z", b"b"], "V1"))
    assert frames.flat(mine)["term"].tolist() == [b"a", b"z", b"b"]
    hit = next(hit for hit in lake.search(mine, "term") if hit.column == "term")
    made = hit.join(how="left").to_pandas()
    assert sorted(zip(made["n"], made["roll"].fillna(0), strict=True)) == [(1, 1), (1, 3), (2, 0), (3, 2), (3, 5)]
