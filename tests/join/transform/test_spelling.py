"""What programs make of rows, in the rows' own spelling."""

from __future__ import annotations

import pandas as pd
import pytest

from lakeview.join.side import Side
from lakeview.join.transform.columns import Columns
from lakeview.join.transform.operators import Constant, Piece, Split
from lakeview.join.transform.program import Program
from lakeview.join.transform.spelling import Spelling, free

FIRST, LAST = Piece(0, (Split(", ", 1),)), Piece(0, (Split(", ", 0),))


def made(value: object, *operators: Piece | Constant, normalize: str = "fold") -> tuple[list[str], list[str], str]:
    """What the operators make of a value as it is written, what is marked of its cell, and the canonical key."""
    side = Side.frame(pd.DataFrame({"a": [value]}), "frame")
    columns, program = Columns.of(side, normalize), Program(operators, ("a",))
    spelling = Spelling(side, columns)
    cell = spelling.cell(0, 0)
    parts = spelling.made(program, 0)
    return [text for text, _ in parts], [cell.written[slice(*span)] for _, span in parts if span], program(
        columns.row(0)) or ""  # fmt: skip


@pytest.mark.parametrize(("value", "operators", "shown", "key"), [
    ("Obama, Barack", (FIRST, Constant(" "), LAST), ["Barack", " ", "Obama"], "barack obama"),
    (" Obama,\t Barack  Hussein", (FIRST, LAST), ["Barack Hussein", "Obama"], "barack husseinobama"),
    ("Ma\u200bry, ﬁlms", (FIRST, LAST), ["ﬁlms", "Ma\u200bry"], "filmsmary"),
    ("Ｌｉｎｄ, İda", (FIRST, LAST), ["İda", "Ｌｉｎｄ"], "idalind"),
    ("Mu\u0308ller, Zoe\u0308", (FIRST, LAST), ["Zoë", "Müller"], "zoëmüller"),
    ("ΟΔΟΣ, ẞ", (FIRST, LAST), ["ẞ", "ΟΔΟΣ"], "ßοδοσ"),
    ("1.50", (Piece(0),), ["1.50"], "1.5"),
    ("+7.250", (Piece(0, (Split(".", 0),)), Piece(0, (Split(".", 1),))), ["7", "25"], "725"),
    ("2024-05-01 10:00:00+02:00", (Piece(0),), ["2024-05-01 10:00:00+02:00"], "2024-05-01 08:00:00Z"),
    ("2024-05-01 10:00:00+02:00", (Piece(0, start=0, stop=4),), ["2024"], "2024"),
    (pd.Timestamp("2024-05-01"), (Piece(0, (Split("-", 0),)),), ["2024"], "2024"),
])  # fmt: skip
def test_what_is_written_is_shown(value: object, operators: tuple[Piece | Constant], shown: list[str], key: str):
    texts, marked, canonical = made(value, *operators)
    assert (texts, canonical) == (shown, key)
    assert set(marked) <= set(shown)


def test_what_is_reshaped_is_shown_as_made_of_what_is_written():
    assert made("Zoë van Dyke", Piece(0, shape="plain"))[:2] == (["Zoe van Dyke"], [])
    assert made("Zoë van Dyke", Piece(0, shape="initials"))[:2] == (["ZvD"], [])
    assert made("Ann Lee AND Co", Piece(0, (Split(" and ", 0),), "initials"))[0] == ["al"], "no such word is written"
    assert made("Ann Lee", Piece(0, shape="month_name"))[0] == [""]


def test_exact_text_and_none():
    assert made("Obama, Barack", FIRST, normalize="exact")[0] == ["Barack"]
    assert made(None, FIRST, Constant("!"))[:2] == (["", "!"], [])


def test_two_pieces_that_are_alike_have_a_place_each():
    first = Piece(0, (Split(" ", 0),))
    assert made("Anna Ann", Piece(0, (Split(" ", 1),)), first)[1] == ["Ann"], "all of the first word is taken"
    assert free("anna ann", "ann", []) == 0
    assert free("anna ann", "ann", [(0, 4)]) == 5
    assert free("anna", "ann", [(0, 4)]) == -1
