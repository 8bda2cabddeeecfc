"""Names and values in code are inert: whatever their characters, a literal is read as the text that it was made of."""

from __future__ import annotations

import ast
import unicodedata
from decimal import Decimal
from enum import StrEnum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from IPython.core.inputtransformer2 import TransformerManager

from lakeview.errors import InputError
from lakeview.join.naming import comment, identifier, literal, one_line, sql_string

SAMPLES = "\ud800\udfff\ue000\ufdd0\ufeff\uffa0\ufffd\uffff\U000e0001\U000e0100\U0010ffff\U0001f600\U00020000"
CHARACTERS = [*map(chr, range(0x3000)), *SAMPLES]
TEXTS = [
    "", "plain", "it's", 'say "hi"', "both ' and \"", "back\\slash\\", "\\u0041", "{brace}", "${var}", "$" + "{x",
    "id\u2028!touch x", "id\u2029%rm -rf", "a\x85b\x1cc\x1dd\x1ee\x0bf\x0cg\rh\ni", "\u202etxt.exe", "%%bash\nls",
    "what?", "??", "'''", '"""', "\\N{DIGIT ONE}", "हिन्दी", "e\u0301", "日本語", "Ünï",
]  # fmt: skip


def is_inert(source: str) -> bool:
    return all(" " <= c <= "~" or unicodedata.category(c)[0] == "L" for c in source)


@pytest.mark.parametrize("make", [lambda c: c, lambda c: f"a{c}!ls", lambda c: f"\\{c}", lambda c: f"{c}'{c}\"{c}"])
def test_every_character_comes_back_from_its_literal(make):
    texts = list(map(make, CHARACTERS))
    source = "\n".join(f"x = {literal(text)}" for text in texts)
    assert is_inert(source.replace("\n", " "))
    assert len(source.splitlines()) == len(texts), "no literal is cut"
    assert TransformerManager().transform_cell(source) == source + "\n", "IPython finds nothing to run"
    found = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
    assert found == texts


@given(st.recursive(
    st.one_of(st.text(), st.sampled_from(TEXTS), st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(
        st.lists(inner), st.lists(inner).map(tuple), st.dictionaries(st.text() | st.integers(), inner)
    ),
))  # fmt: skip
def test_what_a_literal_is_of_it_means(value):
    assert eval(literal(value), {}) == value
    assert is_inert(literal(value))


def test_what_prints_as_it_likes_is_told_by_its_value():
    class Text(str):
        __repr__ = __str__ = lambda self: "__import__('os').abort()"

    class Number(int):
        __repr__ = __str__ = lambda self: "__import__('os').abort()"

    class Kind(StrEnum):
        A = "a"

    assert literal([Text("x"), Number(5), Kind.A, np.str_("y"), np.float64(0.5)]) == '["x", 5, "a", "y", 0.5]'
    for number in (float("inf"), float("-inf")):
        assert eval(literal(number)) == number
    assert np.isnan(eval(literal(float("nan"))))
    for value in (b"bytes", {1}, Decimal(1), np.int64(1), object()):
        with pytest.raises(InputError, match="code cannot write a name"):
            literal(value)


def test_a_literal_is_as_readable_as_it_may_be():
    assert literal("Flug-Nr. (Wien)") == '"Flug-Nr. (Wien)"'
    assert literal("Größe") == '"Größe"' and literal("都市") == '"都市"'
    assert literal('the "key"') == "'the \"key\"'"
    assert literal("a\tb") == '"a\\tb"'


def test_a_variable_is_no_word_of_python_and_no_name_that_code_has():
    names = {"class": "class_table", "list": "list_table", "pd": "pd_table", "F": "F_table", "2020": "table_2020",
             "ﬁ ne": "fi_ne", "a\ufe0fb": "ab", "\u2028!": "table", "": "table"}  # fmt: skip
    assert {name: identifier(name) for name in names} == names


@pytest.mark.parametrize("mark", ["#", "--"])
def test_a_comment_stays_one_line_of_one_language(mark):
    for text in (*TEXTS, *(f"a{c}b" for c in CHARACTERS), "ends in \\", "\\", "-*- coding: utf-7 -*-", "coding=utf-7"):
        line = comment(text, mark)
        assert line.startswith(f"{mark} ") and len(line.splitlines()) == 1 and not line.endswith("\\")
        assert "coding:" not in line and "coding=" not in line
        assert line.isprintable() and one_line(text).isprintable()


def test_sql_has_the_same_literals():
    assert sql_string("it's") == r"'it\'s'" and sql_string("a\\b") == r"'a\\b'" and sql_string('"') == "'\"'"
    assert sql_string("a\u2028b\x85\x00") == r"'a\u2028b\u0085\u0000'"
    assert sql_string("\U0001f600 ${x}") == r"'\U0001f600 \u0024{x}'"
    assert all(is_inert(sql_string(c)) for c in CHARACTERS)
