"""Whatever characters names and values have, the code that holds them is one cell of plain code, and joins the rows.

IPython cuts a cell where `str.splitlines` does and runs what then begins with "!" or "%"; a notebook, a terminal and a
reader may drop, turn or cut at others.
"""

from __future__ import annotations

import ast
from itertools import pairwise

import pandas as pd
import pytest
from IPython.core.inputtransformer2 import TransformerManager
from joining import in_order, lake, rows, run_pandas, run_pyspark, run_sql

from lakeview.errors import InputError
from lakeview.join.fuzzy.prepare import prepare
from lakeview.join.plan import CompositePlan, JoinPlan, equi_join
from lakeview.join.side import Side
from lakeview.join.transform.fuzzy_rest import Match, Rest
from lakeview.join.transform.operators import Constant, Piece, Split
from lakeview.join.transform.plan import TransformPlan
from lakeview.join.transform.program import Program

SAMPLES = "\ue000\ufdd0\ufeff\uffa0\ufffd\uffff\U000e0001\U000e0100\U0010ffff\U0001f600\U00020000"
CHARACTERS = [*map(chr, range(0x3000)), *SAMPLES]
GROUPS = [CHARACTERS[start : start + 192] for start in range(0, len(CHARACTERS), 192)]
RISKY = [chr(n) for n in (*range(0x21), 0x22, 0x24, 0x27, 0x2E, 0x5C, 0x60, 0x7B, 0x7F, 0x85, 0xA0, 0xAD, 0x300)]
RISKY += ["\u200b", "\u200e", "\u2028", "\u2029", "\u202e", "\u2066", "\u2069", *SAMPLES]
PAYLOADS = [
    "id\u2028!touch x",
    'a"; import os #',
    "a'; DROP TABLE x; --",
    "a\n%%bash\nls",
    "$" + "{x}",
    "a``b",
    "\\",
    "a\\",
]


def frames(characters: list[str], names: list[str] | None = None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Both sides hold each character in a value of the key, in the key's name, and in a name that they share; names:
    those that names hold, where not all can."""
    texts = [f"x{c}y {n}" for n, c in enumerate(characters)]
    named = characters if names is None else names
    name = "key " + "".join(named)
    shared = {f"{n}{c}|": texts for n, c in enumerate(named)}
    return pd.DataFrame({name: texts, **shared}), pd.DataFrame({**shared, f"{name}?": texts, "m": range(len(texts))})


def equi(left: Side, right: Side) -> JoinPlan:
    return equi_join(left, right, left.columns[0], right.columns[-2], "outer", "exact")


def composite(left: Side, right: Side) -> JoinPlan:
    on = left.columns[1]
    return CompositePlan(left, right, [left.columns[0], on], [right.columns[-2], on], "outer", "exact")


def transform(left: Side, right: Side) -> JoinPlan:
    """x…y of the left, made what the right has by a text with all characters, which near keys then name."""
    names = tuple(map(str, left.columns))
    key = left.to_pandas()[left.columns[0]]
    separator = next((c for c in key[0] if c not in "xy"), "x")
    program = Program((Piece(0, (Split(separator, 0),)), Constant(str(left.columns[0])), Piece(0)), names)
    again = Program((Piece(0),), names)
    plan = TransformPlan(left, right, (program, again), right.columns[-2], normalize="exact")
    keys = [text for text in plan.join.both_keys[1].whole.to_pylist() if text]
    rest = Rest(tuple(Match(f"{text}!", text, 1.0) for text in keys[:3]))
    return TransformPlan(
        left, right, (again, program), right.columns[-2], rest, normalize="exact", refused=tuple(keys[-3:])
    )


def fuzzy(left: Side, right: Side) -> JoinPlan:
    key, other = left.columns[0], right.columns[-2]
    plan = prepare(left, right, key, other, "left", "exact", 0.9, None, "3-grams", "jaccard", 0.0, "1:1")
    texts = plan.matched.left.text.to_pylist()
    for text, other in pairwise(texts[:5]):
        plan = plan.accept(text, other).reject(text, text)
    return plan


def is_one_cell(code: str) -> None:
    """Nothing is cut off, and IPython finds nothing to run."""
    assert len(code.splitlines()) == code.count("\n")
    assert TransformerManager().transform_cell(code) == code
    assert "\n".join(code.splitlines()) + "\n" == code
    for line in code.splitlines():
        assert line.isprintable()
        assert line.lstrip().startswith("#") or all(" " <= c <= "~" or c.isalpha() for c in line)


def texts_of(code: str) -> set[str]:
    return {node.value for node in ast.walk(ast.parse(code))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)}  # fmt: skip


def agrees(found: pd.DataFrame, plan: JoinPlan) -> None:
    expected = plan.to_pandas()
    assert list(found.columns) == list(map(str, expected.columns))
    assert in_order(rows(found)) == in_order(rows(expected))


@pytest.mark.parametrize("make, groups", [
    *((equi, GROUPS[start : start + 8]) for start in range(0, len(GROUPS), 8)),
    *((make, [*GROUPS[:2], RISKY, PAYLOADS]) for make in (equi, composite, transform, fuzzy)),
])  # fmt: skip
def test_pandas_code_of_every_character(make, groups):
    for characters in groups:
        left, right = frames(characters)
        plan = make(Side.frame(left, "people"), Side.frame(right, "others"))
        code = plan.code("pandas")
        is_one_cell(code)
        found = texts_of(code)
        assert set(plan.columns.renamed) | set(plan.columns.renamed.values()) <= found
        agrees(run_pandas(plan, code), plan)


def test_names_that_are_no_text_are_refused():
    with pytest.raises(InputError, match="whose name cannot be used") as error:
        Side.frame(pd.DataFrame({"a\ud800": ["x", "y"], "b": [1, 2]}), "people")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("make", [equi, composite, transform, fuzzy])
def test_pyspark_code_is_one_cell(make):
    for characters in (*GROUPS[:2], RISKY, PAYLOADS):
        left, right = frames(characters)
        code = make(Side.frame(left, "people"), Side.frame(right, "others")).code("pyspark")
        is_one_cell(code)
        assert set(left.columns) & {text.strip("`").replace("``", "`") for text in texts_of(code)}


@pytest.mark.parametrize("make", [equi, composite, transform])
@pytest.mark.parametrize("name", ["a\u2028b", "a\x85", "a\nb", "\u202ea", "a\u200bb", "a\x00", "a\ufeff", "$" + "{x}"])
def test_sql_has_no_way_to_write_what_is_not_seen(make, name):
    frame = pd.DataFrame({"k": ["x y"], name: ["x y"], "l": ["x y"], "m": [1]})
    with pytest.raises(InputError) as error:
        make(Side.frame(frame, "people"), Side.frame(frame[["k", name, "l", "m"]], "others")).code("sql")
    assert len(str(error.value).splitlines()) == 1 and str(error.value).isprintable()
    assert "rename it, or use PySpark" in str(error.value)


def test_paths_are_inert(tmp_path):
    names = [f"p{n}{c}q.csv" for n, c in enumerate(RISKY) if c not in "\x00/" and c.isprintable() is False][:40]
    tables = lake(tmp_path, dict.fromkeys(names, "k,v\nx,1\n"))
    assert len(tables) > 20
    for table in tables.values():
        plan = equi_join(Side.frame(pd.DataFrame({"k": ["x"]}), "people"), Side.lake(table), "k", "k")
        is_one_cell(plan.code("pandas"))
        agrees(run_pandas(plan), plan)


@pytest.mark.spark
@pytest.mark.parametrize("make", [equi, composite, transform])
def test_spark_joins_the_same_rows(spark, make):
    for characters in ([c for c in RISKY if c != "\x00"], PAYLOADS, list("Aé都ß€°·^~")):
        left, right = frames(characters)
        plan = make(Side.frame(left, "people"), Side.frame(right, "others"))
        agrees(run_pyspark(plan, spark), plan)
    named = list("\"'\\`;-/*.,%#!?é都€°{}")
    hostile = [c for c in (*RISKY, *PAYLOADS) if c != "\x00"]
    for characters, names in ((named, None), (hostile, [c for c in hostile if c.isprintable() and "$" not in c])):
        plan = make(
            *(
                Side.frame(frame, name)
                for frame, name in zip(frames(characters, names), ("people", "others"), strict=True)
            )
        )
        agrees(run_sql(plan, spark), plan)
