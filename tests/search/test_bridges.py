"""Bridges: what shares no values meets through tables of the lake that know both; what chance could meet makes none."""

from __future__ import annotations

import random
import string

import numpy as np
import pandas as pd
import pytest

import lakeview as lv
from lakeview.errors import InputError, NotFound

RNG = random.Random(5)
NAMES = sorted({"".join(RNG.choices(string.ascii_lowercase, k=9)).capitalize() for _ in range(60)})
CODES = sorted({"".join(RNG.choices(string.ascii_uppercase, k=3)) for _ in range(70)})[:60]
PLACES = [f"{name} Hills" for name in NAMES]
PEOPLE_THERE = RNG.sample(range(10**6, 10**8), 60)
CODE_OF, PLACE_OF = dict(zip(NAMES, CODES, strict=True)), dict(zip(CODES, PLACES, strict=True))


def tables() -> dict[str, pd.DataFrame]:
    numbers = np.random.default_rng(3)
    return {
        "countries.csv": pd.DataFrame(
            {"name": NAMES, "code": CODES, "rank": range(1, 61), "year": range(1950, 2010), "people": PEOPLE_THERE}
        ),
        "records.csv": pd.DataFrame({"label": [f"record {i}" for i in range(60)], "people": PEOPLE_THERE}),
        "towns.csv": pd.DataFrame({"place": PLACES, "land": CODES, "area": numbers.random(60)}),
        "sales.csv": pd.DataFrame({"code": CODES[10:50], "amount": numbers.integers(1, 10**6, 40)}),
        "fairs.csv": pd.DataFrame({"venue": PLACES[:45], "day": [f"d{i}" for i in range(45)]}),
        "years.csv": pd.DataFrame({"year": range(1950, 2020), "inflation": numbers.random(70)}),
        "ranks.csv": pd.DataFrame({"rank": range(1, 100), "prize": [f"p{i}" for i in range(99)]}),
        "loose.csv": pd.DataFrame({"name": NAMES * 3, "other": CODES * 2 + CODES[::-1]}),
    }


@pytest.fixture(scope="module")
def lake() -> lv.Lake:
    lake = lv.open(tables())
    lake.index(engine="local")
    return lake


def pairs(source, target, meaning):
    return {(i, j) for i, a in enumerate(source) for j, b in enumerate(target) if meaning.get(a) == b}


def met(plan):
    return set(plan.pairs.itertuples(index=False, name=None))


def test_a_column_meets_a_list_that_shares_no_value(lake):
    source, target = RNG.sample(NAMES, 40), RNG.sample(CODES, 40)
    frame = pd.DataFrame({"id": range(40), "country": [name.upper() for name in source]})
    plans = lake.bridge(frame, "country", to=pd.Series(target, name="iso"))
    plan = plans[0]
    assert plan.through == "countries.csv: name → code"
    assert met(plan) == pairs(source, target, CODE_OF)
    (one,) = plan.maps
    assert (one.table, one.source, one.target, one.coverage, one.functional) == ("countries.csv", "name", "code", 1, 1)
    assert plan.coverage == pytest.approx(len(met(plan)) / 40) and plan.hops == [1.0, plan.coverage]
    assert 0 < plan.score <= 1 and "countries.csv" in plan.reason
    assert list(plan.to_pandas().columns)[:3] == ["id", "country", "code"]
    assert plans.explain().startswith("1 bridge") and "through countries.csv" in repr(plans)


def test_a_column_meets_a_column_of_the_lake_and_any_key_of_it(lake):
    frame = pd.DataFrame({"country": NAMES[5:55]})
    named = lake.bridge(frame, "country", to="sales.csv.code")[0]
    found = lake.bridge(frame, "country")
    assert named.right.name == "sales.csv" and met(named) == pairs(NAMES[5:55], CODES[10:50], CODE_OF)
    assert [(plan.right.name, plan.right_on) for plan in found] == [("towns.csv", "land"), ("sales.csv", "code")], (
        "no year, no rank and no quantity leads anywhere"
    )
    table = found.to_pandas()
    assert list(table.columns) == ["table", "column", "through", "coverage", "score", "reason"]
    assert len(lake.bridge(frame, "country", k=1)) == 1


def test_two_maps_in_a_row(lake):
    source, target = NAMES[:40], PLACES[10:45]
    plans = lake.bridge(pd.Series(source, name="country"), to="fairs.csv.venue")
    plan = plans[0]
    assert plan.through == "countries.csv: name → code, towns.csv: land → place"
    meaning = {name: PLACE_OF[code] for name, code in CODE_OF.items()}
    assert met(plan) == pairs(source, PLACES[:45], meaning)
    assert len(plan.maps) == 2 and len(plan.hops) == 3
    assert met(lake.bridge(pd.Series(source), to=pd.Series(target))[0]) == pairs(source, target, meaning)


def test_a_column_of_the_lake_is_asked_for_by_name(lake):
    plan = lake.bridge("sales.csv.code", to="fairs.csv.venue")[0]
    assert plan.through == "towns.csv: land → place" and len(plan.to_pandas()) == 40
    assert [plan.right.name for plan in lake.bridge("sales.csv.code")] == ["fairs.csv"]
    assert list(lake.bridge("countries.csv.name")) == [], "its own columns lead on without a bridge"


@pytest.mark.parametrize(
    "source, target",
    [
        (list(range(1, 50)), CODES),  # ranks: any rows are numbered so
        (NAMES, list(range(1, 50))),
        (list(range(1950, 2000)), NAMES),  # years
        (NAMES, list(range(1960, 2000))),
        (["yes", "no"], CODES),
        (NAMES, [f"nothing {i}" for i in range(40)]),
        ([f"nothing {i}" for i in range(40)], CODES),
        (NAMES[:2], CODES[:2]),  # too few to tell
    ],
)
def test_what_chance_could_meet_makes_no_bridge(lake, source, target):
    found = lake.bridge(pd.Series(source), to=pd.Series(target))
    assert list(found) == [] and found.explain()


def test_a_table_in_which_values_have_many_meanings_is_no_map(lake):
    hidden = lv.open(tables(), exclude=["countries.csv.code"])
    hidden.index(engine="local")
    assert list(hidden.bridge(pd.Series(NAMES), to=pd.Series(CODES))) == []


def test_wrong_questions_get_one_line(lake):
    frame = pd.DataFrame({"country": NAMES})
    for wrong, error in [
        (lambda: lake.bridge(frame), InputError),
        (lambda: lake.bridge(frame, ["country", "x"]), InputError),
        (lambda: lake.bridge(frame, "nowhere"), NotFound),
        (lambda: lake.bridge(frame, "country", to="nowhere.csv.x"), NotFound),
        (lambda: lake.bridge(frame, "country", to=frame), InputError),
        (lambda: lake.bridge(frame, "country", k=0), InputError),
        (lambda: lake.bridge(frame, "country", to=5), InputError),
    ]:
        with pytest.raises(error) as raised:
            wrong()
        assert "\n" not in str(raised.value)
    assert list(lake.bridge(frame.iloc[:0], "country", to="sales.csv.code")) == []
    with pytest.raises(NotFound, match=r"lake\.index"):
        lv.open({"a": frame}).bridge(frame, "country")


FIRST, LAST = (RNG.sample([n[k : k + 6].capitalize() for n in NAMES], 60) for k in (0, 3))
PEOPLE = [f"{first} {last}son" for first, last in zip(FIRST, LAST, strict=True)]
TURNED = {f"{last}son, {first}": code for first, last, code in zip(FIRST, LAST, CODES, strict=True)}


@pytest.fixture(scope="module")
def people() -> lv.Lake:
    lake = lv.open({"people": people_frame()})
    lake.index(engine="local")
    return lake


def people_frame() -> pd.DataFrame:
    return pd.DataFrame({"person": PEOPLE, "code": CODES, "n": range(60)})


def test_the_first_hop_may_be_a_program(people):
    source, target = list(TURNED)[:40], pd.Series(CODES[10:], name="code")
    frame = pd.DataFrame({"id": range(40), "who": source})
    plan = people.bridge(frame, "who", to=target)[0]
    assert met(plan) == pairs(source, list(target), TURNED)
    assert plan.through == "people: person → code" and "by a program" in plan.reason
    scope = {"frame": frame, "target": target, "people": people_frame()}
    exec(plan.code(), scope)
    pd.testing.assert_frame_equal(list(scope.values())[-1], plan.to_pandas())


def test_the_last_hop_may_be_a_program(people):
    source, target = pd.Series(CODES[10:], name="code"), pd.Series(list(TURNED)[:40], name="who")
    plan = people.bridge(source, to=target)[0]
    meaning = {code: name for name, code in TURNED.items()}
    assert met(plan) == pairs(list(source), list(target), meaning)
    scope = {"source": source.to_frame(), "target": target.to_frame(), "people": people_frame()}
    exec(plan.code(), scope)
    pd.testing.assert_frame_equal(list(scope.values())[-1], plan.to_pandas())
