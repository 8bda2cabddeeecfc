"""JSON documents that are tables without a list of records."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import lakeview as lv

FRAME = pd.DataFrame({"code": ["AK", "AL", "AZ"], "n": [1, 2, 30]})
MAP = {"AK": "Alaska", "AL": "Alabama", "AZ": "Arizona"}
TEXTS = {"code": ["AK", "AL", "AZ"], "n": ["1", "2", "30"]}
SHAPES = {
    "a map": (json.dumps(MAP), {"key": list(MAP), "value": list(MAP.values())}),
    "a map of numbers": ('{"10": 1.50, "20": null, "30": 2}',
                         {"key": ["10", "20", "30"], "value": ["1.50", None, "2"]}),
    "a long map": (json.dumps({f"town {'x' * n}": str(n) for n in range(6)}),
                   {"key": [f"town {'x' * n}" for n in range(6)], "value": list("012345")}),
    "columns": (json.dumps(FRAME.to_dict("list")), TEXTS),
    "pandas' columns": (FRAME.to_json(), TEXTS),
    "pandas' index": (FRAME.set_index("code").to_json(orient="index"), {"key": TEXTS["code"], "n": TEXTS["n"]}),
    "pandas' split": (FRAME.to_json(orient="split"), TEXTS),
    "records of a key": ('{"a": {"x": 1, "key": 5}, "b": {"x": 2}}', {"_key": ["a", "b"], "x": ["1", "2"],
                                                                     "key": ["5", None]}),
}  # fmt: skip


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", SHAPES)
def test_a_document_is_the_table_that_it_means(lake, name, indent):
    text, wanted = SHAPES[name]
    lake.write("x.json", json.dumps(json.loads(text), indent=indent).replace("1.5,", "1.50,"))
    assert lake.table("x.json").to_pydict() == wanted
    [problem] = lake.problems()
    assert problem.problem == "one document" and "is one JSON object, read as " in problem.detail


@pytest.mark.parametrize("text", [
    '{"name": "x", "version": "1", "by": "me"}',
    '{"a": 1, "b": "two", "cc": 3, "d": 4, "e": 5}', '{"a": [1], "b": [2]}',
    '{"a": [1, 2], "b": [1, 2, 3]}', '{"a": {"x": 1}, "b": {"y": 2}, "c": {"z": 3}}',
])  # fmt: skip
def test_a_record_stays_one(lake, text):
    lake.write("x.json", text)
    assert lake.table("x.json").num_rows == 1
    lake.write("x.jsonl", json.dumps(MAP) + "\n")
    assert lake.table("x.jsonl").column_names == list(MAP)


def test_pandas_code_reads_them_and_spark_is_not_asked_to(tmp_path):
    for number, (text, _) in enumerate(SHAPES.values()):
        (tmp_path / f"{number}.json").write_text(text)
    lake = lv.open(tmp_path)
    lake.index(engine="local")
    hits = {hit.table: hit for hit in lake.search(pd.DataFrame({"q": ["AK", "AL"]}), "q")}
    assert set(hits) == {"0.json", "3.json", "4.json", "5.json", "6.json"}
    for table, hit in hits.items():
        plan = hit.join(how="inner")
        assert len(plan.to_pandas()) == 2
        if table == "6.json":  # pandas has no call for it that keeps texts
            with pytest.raises(lv.InputError, match="use to_pandas"):
                plan.code("pandas")
            continue
        scope: dict = {"df": pd.DataFrame({"q": ["AK", "AL"]})}
        exec(plan.code("pandas"), scope)
        assert "createDataFrame" in plan.code("pyspark")
