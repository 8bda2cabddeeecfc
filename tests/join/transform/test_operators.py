"""Operators and programs: what they give, what they are called, and that they survive being written down."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeview.errors import InputError
from lakeview.join.transform.columns import Column, Columns
from lakeview.join.transform.operators import Constant, Piece, Split
from lakeview.join.transform.program import Program
from lakeview.join.transform.shapes import SHAPES

FIGURE = "obama, barack(1961-)"

splits = st.builds(Split, st.sampled_from([", ", "(", "-", ".", " "]), st.integers(-3, 3)) | st.builds(
    lambda sep, n, take: Split(sep, -n if take == "before" else n, take),
    st.sampled_from([", ", "(", "-", "."]), st.integers(1, 2), st.sampled_from(["before", "after"]),
)  # fmt: skip
pieces = st.builds(
    Piece, st.integers(0, 1), st.lists(splits, max_size=2).map(tuple), st.sampled_from(sorted(SHAPES)),
    st.none() | st.integers(-5, 5), st.none() | st.integers(-5, 5),
)  # fmt: skip
programs = st.builds(
    lambda ops: Program(tuple(ops), ("name", "note")),
    st.lists(pieces | st.builds(Constant, st.text(min_size=1, max_size=4)), min_size=1, max_size=4),
)


def table(*rows: tuple[str | None, str | None]) -> Columns:
    return Columns([Column("name", 0, [r[0] for r in rows]), Column("note", 1, [r[1] for r in rows])], len(rows))


def test_the_example_of_the_thesis():
    """Example 4.3.1: Obama, Barack(1961-) becomes Barack Obama."""
    program = Program(
        (Piece(0, (Split("(", 0), Split(", ", 1))), Constant(" "), Piece(0, (Split(", ", 0),))), ("name",)
    )
    assert program([FIGURE]) == "barack obama"
    assert program(["bush, george w.(1946-)"]) == "george w. bush"
    assert program(["nobody"]) is None
    assert program([None]) is None


@pytest.mark.parametrize(
    ("piece", "text", "result"),
    [
        (Piece(0, (Split(" ", -1),)), "ann b. cole", "cole"),
        (Piece(0, (Split(" ", -1, "before"),)), "new york n.y.", "new york"),
        (Piece(0, (Split(" ", 1, "after"),)), "gov. ann cole", "ann cole"),
        (Piece(0, (Split(" ", 1, "after"),)), "ann", None),
        (Piece(0, (Split("--", -1, "before"),)), "a---b", "a-"),
        (Piece(0, (Split(",", 3),)), "a,b", None),
        (Piece(0, (Split(",", -3),)), "a,b", None),
        (Piece(0, (), "", None, 7), "lee", "lee"),
        (Piece(0, (), "", -6, -2), "abcd", "ab"),
        (Piece(0, (), "", 5, None), "abc", None),
        (Piece(0, (), "letters"), "de-jesus o'neil", "dejesusoneil"),
        (Piece(0, (), "bare"), '"yes" (no)', 'yes" (no'),
        (Piece(0, (), "plain"), "josé łuk", "jose łuk"),
        (Piece(0, (), "initials"), "john ronald tolkien", "jrt"),
        (Piece(0, (), "unpad"), "000", "0"),
        (Piece(0, (), "unpad"), "x1", None),
        (Piece(0, (), "pad3"), "1234", "1234"),
        (Piece(0, (), "month_number"), "mar", "03"),
        (Piece(0, (), "month_name"), "3", "march"),
    ],
)
def test_pieces(piece: Piece, text: str, result: str | None):
    assert piece([text]) == result


@given(programs, st.lists(st.tuples(st.none() | st.text(max_size=12), st.none() | st.text(max_size=12)), max_size=5))
def test_columns_and_rows_agree(program: Program, rows: list[tuple[str | None, str | None]]):
    """A whole table at once gives what row by row gives; nothing is empty text."""
    results = program.apply(table(*rows))
    assert results == [program(row) for row in rows]
    assert "" not in results


@given(programs)
def test_json_keeps_a_program(program: Program):
    assert Program.from_json(program.to_json()) == program


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"columns": ["a"], "operators": [{"row": 1}]}'])
def test_what_is_no_program(text: str):
    with pytest.raises(InputError):
        Program.from_json(text)


def test_programs_read_as_words():
    program = Program(
        (Piece(0, (), "", None, 1), Constant(". "), Piece(0, (Split(" ", -1),)), Piece(1, (Split("(", 0),))),
        ("name", "note"),
    )
    assert str(program) == 'first letter of name + ". " + last word of name + note before "("'
