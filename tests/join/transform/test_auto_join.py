"""auto_join as the analyst calls it: names, dates, what has no answer, and tables that are odd."""

from __future__ import annotations

import random

import numpy as np
import pandas as pd
import pytest

import lakeview as lv

PEOPLE = ["Mara Quist", "Ivo Dahl", "Tess M. Renner", "Olu Adeyemi", "Sana Mirza", "Pia L. Kern", "Hugo Brandt",
          "Lena Sorensen", "Abel Costa", "Nadia Petrova", "Erik Holm", "Zoe Laurent"]  # fmt: skip


def last_first(name: str) -> str:
    first, _, last = name.rpartition(" ")
    return f"{last}, {first}"


def shuffled(values: list, seed: int = 3) -> list:
    return random.Random(seed).sample(values, len(values))


def truth(source: list[str], target: list[str], make) -> list[list[int]]:  # type: ignore[no-untyped-def]
    return [[i, target.index(make(v))] for i, v in enumerate(source) if make(v) in target]


def test_last_name_first():
    roster = [*map(last_first, shuffled(PEOPLE)), "Prince"]
    full = shuffled([*PEOPLE, "Ivy Dahl", "Mario Quist"], 5)
    plans = lv.auto_join(pd.DataFrame({"person": roster, "room": [f"R{i}" for i in range(13)]}),
                         pd.DataFrame({"no": [f"E{i}" for i in range(14)], "full_name": full}))  # fmt: skip

    def full_name(text: str) -> str:
        return " ".join(reversed(text.split(", ")))

    assert plans[0].pairs.to_numpy().tolist() == truth(roster, full, full_name)
    assert plans[0].counts().left_matched == 12
    assert "word" in plans[0].program or "before" in plans[0].program


def test_days_before_months():
    """Month first would fit some rows too."""
    days = ["2018-01-14", "2019-09-09", "2020-06-30", "2021-11-12", "2021-12-11", "2022-02-28", "2023-08-17",
            "2024-03-05", "2024-05-03"]  # fmt: skip
    dated = ["/".join(reversed(day.split("-"))) for day in shuffled(days)]
    plans = lv.auto_join(pd.DataFrame({"dated": dated}), pd.DataFrame({"day": days}))
    assert plans[0].pairs.to_numpy().tolist() == truth(dated, days, lambda text: "-".join(reversed(text.split("/"))))


HOUSES = ("Alderbrook", "Cresthaven", "Dovewood", "Elmfield", "Fernhill", "Glenmore")
TOWNS = ("Northgate", "Quayside", "Riverbend", "Stonecross", "Tideway", "Upland")


@pytest.mark.parametrize(("here", "there"), [
    ("{} Ltd", "{} Ltd"), ("{} Holding Company", "{} Holding Company"), ("The {} Inn", "The {} Inn, est. 1890"),
    ("https://shop.example/{}", "https://shop.example/{}"), ("{}@mail.example", "{}@mail.example"),
    ("img_{}_front.jpg", "img_{}_back.jpg"),
])  # fmt: skip
def test_unrelated_tables_have_no_program(here: str, there: str):
    """What they share is what each row has."""
    buyers, sellers = [here.format(name) for name in HOUSES], [there.format(name) for name in TOWNS]
    plans = lv.auto_join(pd.DataFrame({"buyer": buyers}), pd.DataFrame({"seller": sellers}))
    assert list(plans) == []
    said = plans.explain()
    assert "No program" in said and ("buyer" in said or "No two columns" in said)


@pytest.mark.parametrize("shift", [0, 3])
def test_ranges_of_numbers_are_no_join(shift: int):
    a = pd.DataFrame({"id": range(100), "year": [1950 + i % 50 for i in range(100)]})
    b = pd.DataFrame({"rank": range(shift, 90 + shift), "since": range(1940, 2030)})
    assert not lv.auto_join(a, b)


def test_two_columns_make_a_login():
    firsts = ["Ada", "Ben", "Cyd", "Dov", "Eva", "Fay", "Gus", "Hal"]
    lasts = ["Marlowe", "Winterbottom", "Okonkwo", "Lindqvist", "Ferreira", "Castellanos", "Novak", "Abernathy",
             "Tsukamoto", "Grünwald", "Pereira", "Haverford"]  # fmt: skip
    people = [(firsts[(i + k * 3) % 8], last) for i, last in enumerate(lasts) for k in range(2)]
    logins = shuffled([(f[0] + last[:6]).lower() for f, last in people])
    source = pd.DataFrame(people, columns=["first", "last"])
    plans = lv.auto_join(source, pd.DataFrame({"login": logins}))
    assert plans[0].pairs.to_numpy().tolist() == [[i, logins.index((f[0] + last[:6]).lower())]
                                                  for i, (f, last) in enumerate(people)]  # fmt: skip
    assert plans[0].program == "first letter of first + first 6 letters of last"


def test_several_programs_for_one_key():
    """Half of the list writes names one way and half the other."""
    mixed = [name if i % 2 else last_first(name) for i, name in enumerate(PEOPLE)]
    keys = [f"Dr. {name}" for name in shuffled(PEOPLE)]
    plans = lv.auto_join(pd.DataFrame({"who": mixed}), pd.DataFrame({"doctor": keys}))
    assert plans[0].pairs.to_numpy().tolist() == [[i, keys.index(f"Dr. {name}")] for i, name in enumerate(PEOPLE)]


@pytest.mark.parametrize("sep", [".", "|", "(", "\\", "$", "^", "*", "+", "?", "[", "{"])
def test_regex_characters_split_as_themselves(sep: str):
    values = [f"{name.split()[-1]}{sep}{i * 7 + 1000}" for i, name in enumerate(PEOPLE)]
    plans = lv.auto_join(pd.DataFrame({"v": values}), pd.DataFrame({"k": [n.split()[-1] for n in reversed(PEOPLE)]}),
                         how="inner")  # fmt: skip
    assert plans[0].pairs.to_numpy().tolist() == [[i, 11 - i] for i in range(12)]
    scope = {"source": plans[0].left.to_pandas(), "target": plans[0].right.to_pandas()}
    exec(plans[0].code("pandas"), scope)
    assert list(scope["source_target"]["v"]) == values


ODD = {
    "no rows": pd.DataFrame({"a": pd.Series([], dtype=object)}),
    "no columns": pd.DataFrame(),
    "one row": pd.DataFrame({"a": ["Mara Quist"]}),
    "nulls alone": pd.DataFrame({"a": [None, np.nan, "", "-"]}),
    "long cells": pd.DataFrame({"a": ["x" * 2000 + str(i) for i in range(30)]}),
    "typed": pd.DataFrame({"a": pd.date_range("2020-01-01", periods=5), "b": np.linspace(0, 1, 5), "c": [True] * 5}),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("reverse", [False, True])
def test_odd_tables_have_no_plan_and_a_reason(name: str, reverse: bool):
    tables = [ODD[name], pd.DataFrame({"who": PEOPLE})]
    plans = lv.auto_join(*(reversed(tables) if reverse else tables))
    assert list(plans) == []
    assert plans.explain()


def test_200_columns():
    draw = random.Random(4)

    def noise() -> list[str]:
        return ["".join(draw.choices("abcdefghij", k=6)) for _ in PEOPLE]

    a = pd.DataFrame({f"a{i}": noise() for i in range(200)})
    b = pd.DataFrame({f"b{i}": noise() for i in range(200)})
    a["a77"], b["b133"] = [*map(last_first, PEOPLE)], PEOPLE[::-1]
    plans = lv.auto_join(a, b)
    assert plans[0].pairs.to_numpy().tolist() == [[i, 11 - i] for i in range(12)]


def test_duplicates_unicode_and_nulls():
    names = ["Łukasz Żak", "Zoë Brontë", "Đorđe Ćosić", "Søren Ødegård", "Ōe Kenzaburō", "Jürgen Groß"]
    source = [*map(last_first, names), None, "", *map(last_first, names[:2])]
    target = [*names, None, names[0]]
    plans = lv.auto_join(pd.DataFrame({"a": source}), pd.DataFrame({"b": target}))
    expected = [[i, j] for i, a in enumerate(source) for j, b in enumerate(target) if a and b and a == last_first(b)]
    assert plans[0].pairs.to_numpy().tolist() == expected


def test_answers_are_the_same_every_time():
    a, b = pd.DataFrame({"a": [*map(last_first, PEOPLE)]}), pd.DataFrame({"b": PEOPLE})
    first, second = lv.auto_join(a, b), lv.auto_join(a, b)
    assert [p.program for p in first] == [p.program for p in second]


def test_large_tables_are_sampled():
    draw = random.Random(8)
    made = [(f"{draw.choice(PEOPLE)} {i * 7919 % 100003}", f"{draw.randrange(10**9):09d}") for i in range(5_000)]
    source = pd.DataFrame(made, columns=["author", "code"])
    target = pd.DataFrame({"entry": [f"{code} by {author}" for author, code in shuffled(made)]})
    plan = lv.auto_join(source, target)[0]
    assert plan.counts().left_matched == 5_000


def test_bad_arguments():
    frame = pd.DataFrame({"a": ["x"]})
    with pytest.raises(lv.InputError):
        lv.auto_join(frame, frame, how="cross")
    with pytest.raises(lv.InputError):
        lv.auto_join(frame, 5)
    with pytest.raises(lv.InputError):
        lv.auto_join(pd.DataFrame([["x", "y"]], columns=["a", "a"]), frame)
