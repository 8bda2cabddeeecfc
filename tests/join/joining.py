"""What the join's tests share: a reference by nested loops, and a runner of exported code."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lakeview.catalog.sources import list_tables
from lakeview.join.export.draft import names
from lakeview.join.export.fitted import bare
from lakeview.join.plan import JoinPlan
from lakeview.join.side import Side

MARKS = {"", "-", "\\n", "n/a", "nan", "none", "null"}


def canonical(column: list[Any], normalize: str = "fold") -> list[str | None]:
    """The rule for a column of text (or None), in plain Python and on its own."""
    folded = [None if value is None else _fold(value, normalize) for value in column]
    others = {text for text in folded if text is not None and text.lower() not in MARKS | {"na"}}
    codes = sum(bool(re.fullmatch("[A-Za-z]{2}", text)) for text in others)
    marks = MARKS if 2 * codes > len(others) else MARKS | {"na"}
    return [None if text is None or text.lower() in marks else text for text in folded]


def _fold(text: str, normalize: str) -> str:
    if normalize == "fold":
        text = unicodedata.normalize("NFKC", text)
        text = re.sub("[\u200b-\u200d\u2060\ufeff]", "", text)
        text = " ".join(re.split(r"[\s\x85]+", text)).strip(" ")
        text = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)
    if re.fullmatch(r"[+-]?(0|[1-9][0-9]*)(\.[0-9]*)?", text):
        text = text.lstrip("+")
        if "." in text:
            text = text.rstrip("0").rstrip(".")
        text = "0" if text == "-0" else text
        assert Decimal(text) is not None
    return text


def nested_loops(left: pd.DataFrame, right: pd.DataFrame, left_on: str, right_on: str, how: str, left_keys: list,
                 right_keys: list) -> list[tuple]:  # fmt: skip
    """The rows of a join, from keys (None: none), by comparing every pair."""
    one_key = left_on == right_on
    left_rows, right_rows = rows(left), rows(right)
    keep = [place for place, column in enumerate(right.columns) if not (one_key and column == right_on)]
    key_place = list(left.columns).index(left_on)
    right_place = list(right.columns).index(right_on)

    def made(i: int | None, j: int | None) -> tuple:
        here = list(left_rows[i]) if i is not None else [None] * left.shape[1]
        if one_key and j is not None and (how == "right" or i is None):
            here[key_place] = right_rows[j][right_place]
        there = right_rows[j] if j is not None else [None] * right.shape[1]
        return (*here, *(there[place] for place in keep))

    met = [(i, j) for i, a in enumerate(left_keys) for j, b in enumerate(right_keys) if a is not None and a == b]
    out = []
    if how == "right":
        for j in range(len(right)):
            partners = [i for i, other in met if other == j]
            out += [made(i, j) for i in partners or [None]]
        return out
    for i in range(len(left)):
        partners: list[int | None] = [j for other, j in met if other == i]
        if not partners and how != "inner":
            partners = [None]
        out += [made(i, j) for j in partners]
    if how == "outer":
        out += [made(None, j) for j in range(len(right)) if j not in {other for _, other in met}]
    return out


def rows(frame: pd.DataFrame) -> list[tuple]:
    """The rows of a frame; what is missing is None, numbers and stamps compare by value."""
    return [tuple(map(plain, row)) for row in frame.astype(object).itertuples(index=False, name=None)]


def plain(value: Any) -> Any:
    if value is None or value is pd.NaT or value is pd.NA or (isinstance(value, float) and np.isnan(value)):
        return None
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, pd.Timestamp):
        return (value.tz_convert("UTC").tz_localize(None) if value.tz else value).isoformat()
    return value.isoformat() if hasattr(value, "isoformat") else value


def in_order(found: list[tuple]) -> list[tuple]:
    """Rows in an order of their own, for comparing what comes in no order."""
    return sorted(found, key=lambda row: [(value is not None, str(value)) for value in row])


def lake(folder: Path, files: dict[str, str | bytes]) -> dict[str, Any]:
    """Files written below a folder; the tables that they are, by name."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return {table.name: table for table in list_tables([str(folder)]).tables}


def run_pandas(plan: JoinPlan, code: str | None = None) -> pd.DataFrame:
    """What the pandas code makes, run in a namespace that holds the left frame alone."""
    scope: dict[str, Any] = _frames(plan, held=True)
    return _last(code or plan.code("pandas"), scope)


def run_pyspark(plan: JoinPlan, spark: Any) -> pd.DataFrame:
    """What the PySpark code makes of Spark frames, or where a side is one, of the frames as they are."""
    frames = _frames(plan)
    if plan.dialect != "pyspark":
        frames = {name: to_spark(spark, frame) for name, frame in frames.items()}
    return _last(plan.code("pyspark"), {"spark": spark, **frames}).toPandas()


def run_sql(plan: JoinPlan, spark: Any) -> pd.DataFrame:
    for name, frame in _frames(plan).items():
        to_spark(spark, frame).createOrReplaceTempView(name)
    code, statements = plan.code("sql"), plan.statements("sql")
    written = "".join(f"{statement};\n" for statement in statements)
    heading = code.removesuffix(written).splitlines()
    assert code.startswith("-- lakeview: ") and code.endswith(written)
    assert all(line.startswith("-- ") for line in heading)
    for statement in statements:
        found = spark.sql(statement)
    return found.toPandas()


def to_spark(spark: Any, frame: Any) -> Any:
    if not isinstance(frame, pd.DataFrame):
        return frame
    return spark.createDataFrame(frame.rename(columns=str).reset_index(drop=True))


def _frames(plan: JoinPlan, held: bool = False) -> dict[str, Any]:
    """The frames of a join by the variable or view that its code knows them by; held: as the analyst has them."""
    sides: list[tuple[str, Side]] = list(zip(map(bare, names(plan).given), (plan.left, plan.right), strict=True))
    return {name: side.held if held else side._frame for name, side in sides if side.is_frame}


def _last(code: str, scope: dict[str, Any]) -> Any:
    assert "import lakeview" not in code and "lv." not in code, "the code needs no lakeview"
    before = dict(scope)
    exec(compile(code, "<exported>", "exec"), scope)
    assert all(scope[name] is held for name, held in before.items()), "the analyst's frames stay"
    last = re.findall(r"^(\w+)(?:\[.*)? = ", code, re.MULTILINE)[-1]
    assert last not in before
    return scope[last]
