"""More rows: tables of the frame's own kind are found, families whole; those of its topic that list others are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import lakeview as lv
from lakeview.errors import InputError, NotFound

RNG = np.random.default_rng(2)
TEAMS = [f"team {i}" for i in range(30)]


def matches(n: int, start: int) -> pd.DataFrame:
    return pd.DataFrame({
        "match_id": [f"M-{i:04d}" for i in range(start, start + n)], "home_team": RNG.choice(TEAMS, n),
        "away_team": RNG.choice(TEAMS, n), "city": RNG.choice([f"city {i}" for i in range(9)], n),
        "attendance": RNG.integers(10_000, 90_000, n), "day": pd.date_range("2001-01-01", periods=n).astype(str),
    })  # fmt: skip


def goals(n: int) -> pd.DataFrame:
    return pd.DataFrame({
        "goal_id": [f"G-{i:05d}" for i in range(n)], "match_id": [f"M-{i:04d}" for i in RNG.integers(0, 300, n)],
        "home_team": RNG.choice(TEAMS, n), "away_team": RNG.choice(TEAMS, n), "player": [f"p{i}" for i in range(n)],
        "minute": RNG.integers(1, 90, n), "city": RNG.choice([f"city {i}" for i in range(9)], n),
    })  # fmt: skip


@pytest.fixture(scope="module")
def lake() -> lv.Lake:
    other_names = {"match_id": "MatchId", "home_team": "HOME TEAM", "attendance": "attend", "city": "town"}
    tables = {
        "games/elsewhere.csv": matches(80, 500).rename(columns=other_names)[
            ["attend", "HOME TEAM", "MatchId", "away_team", "town", "day"]
        ],
        **{f"cup/matches_{y}.csv": matches(60, 1000 * (y - 2000)) for y in range(2001, 2006)},
        "cup/goals.csv": goals(300),
        "cup/cards.csv": goals(200)
        .rename(columns={"goal_id": "card_id"})
        .assign(card_id=[f"C{i}" for i in range(200)]),
        "cup/stadiums.csv": pd.DataFrame(
            {"city": [f"city {i}" for i in range(9)], "capacity": range(9), "x": range(9)}
        ),
        "noise.csv": pd.DataFrame({"a": range(50), "b": RNG.random(50)}),
    }
    lake = lv.open(tables)
    lake.index(engine="local")
    return lake


def test_the_same_kind_of_thing_is_found_and_no_other_of_its_topic(lake):
    rows = lake.more_rows(matches(50, 0))
    assert [set(one.tables) for one in rows] == [
        {f"cup/matches_{y}.csv" for y in range(2001, 2006)}, {"games/elsewhere.csv"}
    ]  # fmt: skip
    assert rows[0].rows == 300 and rows[0].new == 300 and rows[0].there == 0
    assert all(one.score >= 0.45 for one in rows)
    assert list(rows.to_pandas()["table"]) == [one.table for one in rows]
    assert len(lake.more_rows(matches(50, 0), k=1)) == 1 and "stacked under" in repr(rows)


def test_goals_are_not_matches_though_they_share_columns(lake):
    assert [one.tables for one in lake.more_rows(goals(100))] == [["cup/goals.csv"]]


def test_names_that_drifted_are_shown(lake):
    drifted = lake.more_rows(matches(50, 0))[1]
    assert drifted.drifted == {"attendance": "attend", "city": "town"}, "case and blanks are no drift"
    assert drifted.columns.set_index("column")["theirs"].to_dict() == {
        "match_id": "MatchId", "home_team": "HOME TEAM", "away_team": "away_team", "city": "town",
        "attendance": "attend", "day": "day",
    }  # fmt: skip
    found = drifted.to_pandas()
    assert len(found) == 130 and list(found.columns) == list(matches(1, 0).columns) and not found.isna().any().any()


def test_what_is_there_already_is_counted(lake):
    again = lake.side("cup/matches_2001.csv").to_pandas().iloc[:30]
    rows = lake.more_rows(again.reset_index(drop=True))
    assert rows[0].rows == 300 and rows[0].new == 270 and rows[0].there == pytest.approx(0.1)


def test_numbers_of_another_size_do_not_go_together(lake):
    frame = pd.DataFrame({"a": RNG.random(40) * 1e9, "b": RNG.random(40) * 1e9})
    assert [one.table for one in lake.more_rows(frame)] == []


def test_wrong_questions_get_one_line(lake):
    for wrong, error in [
        (lambda: lake.more_rows([1, 2]), InputError),
        (lambda: lake.more_rows(matches(5, 0)["city"]), InputError),
        (lambda: lake.more_rows(matches(5, 0), k=0), InputError),
        (lambda: lv.open({"a": matches(5, 0)}).more_rows(matches(5, 0)), NotFound),
    ]:
        with pytest.raises(error) as raised:
            wrong()
        assert "\n" not in str(raised.value)
    assert list(lake.more_rows(pd.DataFrame())) == []
    assert list(lake.more_rows(matches(5, 0).iloc[:0])) is not None


def people(n: int, first: int, **more: object) -> pd.DataFrame:
    return pd.DataFrame({"age": np.arange(n) % 40 + 20, "wage": np.arange(first, first + n), "city": "x", **more})


def test_of_two_that_are_alike_the_one_with_more_of_her_values_is_first():
    lake = lv.open(
        {
            "cps.csv": people(90, 4).assign(wage=[0, *range(1, 178, 2)]),
            "psid.csv": people(90, 3).assign(wage=range(0, 180, 2)),
        }
    )
    lake.index(engine="local")
    hers = people(40, 0).assign(wage=range(0, 80, 2))
    assert [(one.table, f"{one.score:.2f}") for one in lake.more_rows(hers)] == [
        ("psid.csv", "1.00"), ("cps.csv", "1.00")
    ]  # fmt: skip


def test_a_family_comes_whole_whatever_its_size_and_whichever_of_its_columns_are_keys():
    tables = {f"staff/staff_{n}.csv": people(60, 100 * n, id=[f"{n}-{i}" for i in range(60)]) for n in range(90)}
    for n in (3, 50):  # in which no id is unique, or every column is
        repeated = people(60, 100 * n, id=[f"{n}-{i // 2}" for i in range(60)])
        tables[f"staff/staff_{n}.csv"] = repeated if n == 3 else repeated.drop_duplicates("id").head(1)
    lake = lv.open(tables)
    lake.index(engine="local")
    rows = lake.more_rows(people(50, 20_000, id=[f"new {i}" for i in range(50)]))
    assert [set(one.tables) for one in rows] == [set(tables)]
