"""Learning from examples, evidence against chance, and the constrained fuzzy join."""

from __future__ import annotations

import math
import random
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeview.join.transform.evidence import Chance, tail
from lakeview.join.transform.fuzzy_rest import fuzzy_rest
from lakeview.join.transform.learn import try_learn
from lakeview.join.transform.program import Program


def learn(rows: list[tuple[str, ...]], outputs: list[str]) -> Program | None:
    found = try_learn(rows, outputs, range(len(rows[0])))
    names = tuple(f"c{i}" for i in range(len(rows[0])))
    return None if found is None else Program(tuple(place[0] for place in found), names)


PRESIDENTS = ["obama, barack(1961-)", "bush, george w.(1946-)", "clinton, bill(1946-)", "reagan, ronald(1911- 2004)"]


def test_first_and_last_name():
    """Example 4.4.6; the program holds for a row that was no example."""
    program = learn([(p, "47") for p in PRESIDENTS[:3]], ["barack obama", "george w. bush", "bill clinton"])
    assert program is not None
    assert program((PRESIDENTS[3], "52")) == "ronald reagan"


@pytest.mark.parametrize(
    ("rows", "outputs", "new", "result"),
    [
        ([("suhela chowdhury",), ("carolyn craddock",)], ["schowdhury@x.us", "ccraddock@x.us"], ("kelly moore",),
         "kmoore@x.us"),
        ([("ubax01", "axug session"), ("ubax02", "how2 session")], ["[ubax01] axug session", "[ubax02] how2 session"],
         ("ubax04", "reporting"), "[ubax04] reporting"),
        ([("france.01.mix",), ("united states.03.ps",)], ["france.01", "united states.03"], ("spain.7.x",), "spain.7"),
        ([("17.03.2024",), ("02.11.2021",)], ["2024-03-17", "2021-11-02"], ("09.12.1999",), "1999-12-09"),
        ([("7",), ("12",)], ["no-0007", "no-0012"], ("345",), "no-0345"),
        ([("march 2020",), ("april 2021",)], ["2020-03", "2021-04"], ("may 1999",), "1999-05"),
    ],
)  # fmt: skip
def test_programs_hold_beyond_their_examples(rows, outputs, new, result):
    program = learn(rows, outputs)
    assert program is not None
    assert program(new) == result


def test_what_cannot_be_made():
    assert learn([("brightwater ltd",), ("copperhill ltd",)], ["pemberton ltd", "quarry ltd"]) is None


def test_constants_are_whole_numbers_and_words():
    """19 before the last two digits of a year would be half a number."""
    program = learn([("a85",), ("b93",)], ["1985", "1993"])
    assert program is None


@given(st.lists(st.tuples(st.text("abc1 -.", max_size=8), st.text("abc1 -.", max_size=8)), min_size=2, max_size=3),
       st.data())  # fmt: skip
@settings(max_examples=80)
def test_a_program_makes_its_examples(rows, data):
    outputs = [data.draw(st.text("abc1 -.", min_size=1, max_size=8)) for _ in rows]
    found = try_learn(rows, outputs, [0, 1])
    if found is not None:
        for variants in found:
            values = {tuple(variant(row) for row in rows) for variant in variants}
            assert len(values) == 1  # variants do equally well on the examples
        program = Program(tuple(place[0] for place in found), ("x", "y"))
        assert [program(row) for row in rows] == outputs


def test_chance_meets_dense_numbers_only():
    years = Chance([str(year) for year in range(1950, 2000)])
    assert years("1960") == 1
    assert years("1300") == 0
    sparse = Chance(["10007", "48120", "77731", "91002"])
    assert sparse("50000") < 0.001
    assert Chance([f"2013-05-{day:02}" for day in range(1, 31)])("2013-05-07") > 0.9
    days = [str(date(2013, 1, 1) + timedelta(n)) for n in range(365)]
    assert all(Chance(days)(day) > 0.9 for day in ("2013-01-31", "2013-02-01", "2013-07-30"))
    assert Chance(days)("2013-02-30") < 0.1, "no day of the calendar"
    assert Chance(days[::4], rate=0.25)("2013-02-01") > 0.9, "a sample of them"
    assert Chance(["al", "ny", "ca", "or"])("tx") < 0.05
    assert Chance(["new york", "delaware", "ohio"])("virginia") < 0.001


@pytest.mark.parametrize(("outputs", "missed", "chance"), [(10, 0, 0.5), (10, 3, 0.5), (40, 2, 0.8), (5, 5, 0.3)])
def test_the_tail_is_binomial(outputs: int, missed: int, chance: float):
    exact = sum(math.comb(outputs, k) * (1 - chance) ** k * chance ** (outputs - k) for k in range(missed + 1))
    assert tail(outputs, missed, outputs - missed - outputs * chance) == pytest.approx(exact)


def test_fuzzy_rest_joins_near_names_once():
    joined = ["john mcdougal", "peter burnett", "milton latham", "leland stanford", "newton booth", "earl warren",
              "hiram johnson", "george stoneman", "washington bartlett", "henry haight"]  # fmt: skip
    missed = ["frank finley merriam", "goodwin jess knight", "no such man"]
    rest = fuzzy_rest({text: [text] for text in missed},
                      ["frank f. merriam", "goodwin j. knight", "robert waterman"], joined)  # fmt: skip
    found = {(m.text, m.key) for m in rest.matches}
    assert found == {("frank finley merriam", "frank f. merriam"), ("goodwin jess knight", "goodwin j. knight")}


@given(st.integers(0, 1_000))
@settings(max_examples=25)
def test_fuzzy_rest_joins_no_text_twice(seed: int):
    draw = random.Random(seed)

    def some(count: int) -> list[str]:
        return list({" ".join("".join(draw.choices("abcd", k=4)) for _ in range(2)) for _ in range(count)})

    rest = fuzzy_rest({text: [text] for text in some(8)}, some(8), some(15))
    assert len({m.text for m in rest.matches}) == len({m.key for m in rest.matches}) == len(rest.matches)


def test_fuzzy_rest_needs_witnesses():
    assert not fuzzy_rest({"ann lee": ["ann lee"]}, ["ann lea"], []).matches


SINGERS = [f"{song} - {name}" for song in ("silent night", "white winter", "jingle bells", "holy morning", "red nose")
           for name in ("ann carter", "bob dylan", "carl orff", "dora kent")]  # fmt: skip


@pytest.mark.parametrize(
    ("pieces", "key", "joins"),
    [
        (("little drummer boy", "eva stone"), "little drumer boy - eva stone", True),
        (("little drummer boy", "eva stone"), "little drummer boy - john mellon", False),
        (("1859", "viscount palmerston"), "1858 - viscount palmerston", False),
    ],
)
def test_fuzzy_rest_wants_every_piece_and_number(pieces: tuple[str, str], key: str, joins: bool):
    """The right title by another singer is another song, and another year is no slip of the pen."""
    found = fuzzy_rest({" - ".join(pieces): pieces}, [key], SINGERS).matches
    assert [m.key for m in found] == ([key] if joins else [])


def test_fuzzy_rest_wants_likeness_beyond_that_of_others():
    """Where texts that have their partner look as much like what is left, nothing is joined."""
    streets = [f"{n} street" for n in ("ash", "oak", "elm", "yew", "fir", "bay", "box", "ivy", "fig", "gum")]
    alike = {"ask street": ["ask street"], "oat street": ["oat street"]}
    assert not fuzzy_rest(alike, ["axe street", "owl street"], streets).matches


def test_backtracking():
    """The longest piece leads nowhere: "ab" is all of the first column, but then "c" comes from no place."""
    rows = [("ab", "a-bc"), ("xy", "x-yz"), ("mn", "m-no")]
    program = learn(rows, ["abc", "xyz", "mno"])
    assert program is not None and program(("pq", "p-qr")) == "pqr"
