from __future__ import annotations

import gzip
import io
import json
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakeview.catalog.model import ReadError
from lakeview.catalog.reading import json_lines, json_records
from lakeview.catalog.reading.json_records import Bad, records
from lakeview.catalog.sources import read_part, split
from lakeview.values.objects import Number, json_of


def test_numbers_keep_their_text(lake):
    lake.write("x.jsonl", '{"a": 1.10, "b": 12345678901234567890, "c": -0.0, "d": 1e5, "e": 2.5E-3, "f": 1e999}\n')
    assert lake.table("x.jsonl").to_pylist() == [
        {"a": "1.10", "b": "12345678901234567890", "c": "-0.0", "d": "100000", "e": "0.0025", "f": "1e999"}
    ]
    assert set(lake.table("x.jsonl").schema.types) == {pa.string()}


def test_values_of_every_kind(lake):
    lake.write(
        "x.jsonl",
        '{"a": "007", "b": {"c": true, "d": {"e": null}}, "f": [1, 2.50, {"x": null, "y": "é"}], "g": NaN, "h": {}}\n',
    )
    assert lake.table("x.jsonl").to_pylist() == [
        {"a": "007", "b.c": "true", "b.d.e": None, "f": '[1,2.5,{"y":"é"}]', "g": None}
    ]


def test_a_record_that_is_nested_too_deeply_is_left_out(lake):
    lake.write("x.jsonl", '{"a":1}\n{"a":' + "[" * 500 + "]" * 500 + '}\n{"a":2}\n')
    batches, [problem] = lake.read("x.jsonl")
    assert [row["a"] for batch in batches for row in batch.to_pylist()] == ["1", "2"]
    assert problem.detail == "1 records that are nested too deeply were left out"


ROWS = [{"a": "1", "b": None}, {"a": "2", "b": "x"}]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.jsonl", '{"a":1}\n{"a":2,"b":"x"}\n'),
        ("x.ndjson", '{"a":1}\r\n\r\n{"a":2,"b":"x"}'),
        ("x.json", '{"a":1}\n{"a":2,"b":"x"}\n'),
        ("x.json", '[{"a":1},{"a":2,"b":"x"}]'),
        ("x.json", '\n [\n  {"a": 1},\n  {"a": 2,\n   "b": "x"}\n]\n'),
        ("x.json", '{\n "a": 1\n}\n{\n "a": 2,\n "b": "x"\n}\n'),
        ("x.jsonl", '\x1e{"a":1}\n\x1e{"a":2,"b":"x"}\n'),
        ("x.json", '\ufeff[{"a":1},{"a":2,"b":"x"}]'),
    ],
)
@pytest.mark.parametrize("form", ["plain", "gz", "utf-16"])
def test_layouts(lake, name, text, form):
    data = text.encode("utf-8")
    if form == "gz":
        name, data = f"{name}.gz", gzip.compress(data)
    elif form == "utf-16":
        data = text.lstrip("\ufeff").encode("utf-16")
    lake.write(name, data)
    assert lake.table(name).to_pylist() == ROWS
    assert lake.problems() == []


@pytest.mark.parametrize(
    ("text", "problem", "count", "rows"),
    [
        ('{"a":1}\nbad\n{"a":2}\n[3]\n', "bad lines", 2, 2),
        ('{"a":1}\n{"a":2}\n{"a":3', "bad lines", 1, 2),
        ('[{"a":1}, 5, {"a":2}, null]', "bad records", 2, 2),
        ('[{"a":1}, {"a":2}, {"a":', "damaged", 1, 2),
        ('[{"a":1}, {"a":2} ', "damaged", 1, 2),
        ('[{"a":1}, {a:2}, {"a":3}]', "damaged", 1, 1),
    ],
)
def test_bad_records_are_counted(lake, text, problem, count, rows):
    lake.write("x.json", text)
    assert lake.table("x.json").num_rows == rows
    assert [(found.table, found.problem, found.count) for found in lake.problems()] == [("x.json", problem, count)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{\n "a": 1,\n "b": [\n{"x": 1}\n]\n}', "one JSON object"),
        ("[1, 2, 3]", "no JSON objects"),
        ("hello\nworld\n", "no JSON objects"),
        ('{"a":' * 10_000, "no JSON objects"),
        ("[" * 10_000, "no JSON objects"),
        ("[]", "no JSON objects"),
    ],
)
def test_what_is_no_table(lake, text, message):
    lake.write("x.json", text)
    assert message in lake.problems("x.json")[-1].detail


def test_half_a_surrogate_pair_is_no_character(lake):
    lake.write("x.jsonl", '{"a": "x\\ud800y"}\n{"a": "\\ud83d\\ude00"}\n')
    assert lake.rows("x.jsonl") == [("x\ufffdy",), ("😀",)]


def test_a_key_with_a_dot_and_a_nested_one(lake):
    lake.write("x.jsonl", '{"a.b": 1, "a": {"b": 2}}\n')
    assert lake.table("x.jsonl").to_pylist() == [{"a.b": "1", "a.b_2": "2"}]


def test_a_large_file_is_read_in_batches_of_one_schema(lake, monkeypatch):
    monkeypatch.setattr(json_lines, "BATCH_ROWS", 10)
    lake.write("x.jsonl", "".join(json.dumps({"a": n, **({"late": n} if n == 34 else {})}) + "\n" for n in range(35)))
    batches, problems = lake.read("x.jsonl")
    assert [batch.num_rows for batch in batches] == [10, 10, 10, 5]
    assert {tuple(batch.schema.names) for batch in batches} == {("a", "late")}
    assert batches[-1].to_pylist()[-1] == {"a": "34", "late": "34"}
    assert problems == []


def test_keys_that_are_values_do_not_become_columns(lake, monkeypatch):
    monkeypatch.setattr(json_lines, "MAX_COLUMNS", 20)
    lake.write("x.jsonl", "".join(json.dumps({"id": n, "prices": {f"day {n}": n}}) + "\n" for n in range(30)))
    lake.write("y.jsonl", "".join(json.dumps({f"key {n}": n}) + "\n" for n in range(30)))
    assert lake.rows("x.jsonl")[3] == ("3", '{"day 3":3}')
    assert {(problem.table, problem.problem) for problem in lake.problems()} == {
        ("x.jsonl", "nested objects"), ("y.jsonl", "unreadable"),
    }  # fmt: skip


def test_chosen_columns(lake):
    lake.write("x.jsonl", '{"a":1,"b":{"c":2}}\n')
    [part] = split(lake.tables()["x.jsonl"])
    assert next(read_part(part, [], columns=["b.c"])).to_pylist() == [{"b.c": "2"}]


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5).filter(lambda text: text.isprintable())),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)),
    max_leaves=6,
)
objects = st.lists(st.dictionaries(st.sampled_from(["a", "b", "c d"]), values, min_size=1, max_size=3), max_size=6)


@settings(deadline=None)
@given(objects, st.sampled_from([None, 1]), st.integers(2, 9))
def test_any_array_comes_back_wherever_chunks_end(rows, indent, chunk):
    text = json.dumps(rows, indent=indent)
    bad = Bad()
    with patch.object(json_records, "CHUNK", chunk):
        found = [as_json_has_it(record) for record in records(io.StringIO(text), bad)]
    assert found == rows
    assert bad == Bad()


@settings(deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(objects.filter(lambda rows: len(rows) > 1), st.integers(2, 9))
def test_objects_one_after_another_come_back(rows, chunk):
    bad = Bad()
    with patch.object(json_records, "CHUNK", chunk):
        text = "\n".join(json.dumps(row, indent=1) for row in rows)
        assert [as_json_has_it(record) for record in records(io.StringIO(text), bad)] == rows


def as_json_has_it(value: object) -> object:
    """The value with Python's numbers in place of their texts."""
    if isinstance(value, dict):
        return {key: as_json_has_it(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_json_has_it(item) for item in value]
    return json.loads(value) if isinstance(value, Number) else value


def test_nested_numbers_print_as_typed_ones_do():
    made = json_of({"b": [Number("1.10"), "1.10", None, True, Number("inf")], "a": Number("-0"), "c": None})
    assert made == '{"a":0,"b":[1.1,"1.10",null,true,"inf"]}'


class TestRecordsBelowAKey:
    RECORDS = '[{"id": 1, "name": "ann"}, {"id": 2, "name": "bo"}, {"id": 3, "name": "cy"}]'

    @pytest.mark.parametrize(
        "document",
        [
            '{"meta": {"version": 2}, "data": %s}',
            '{"data": %s}',
            '{"response": {"count": 3, "rows": %s}, "ok": true}',
            '{"a": {"b": {"people": %s}}, "tags": ["x", "y"], "none": [], "one": [{}]}',
            '{"type": "list", "page": 1, "people": %s, "links": [{"next": "x"}]}',
            '{\n  "meta": {},\n  "people": %s\n}\n',
        ],
    )
    @pytest.mark.parametrize("name", ["x.json", "x.json.gz"])
    def test_are_the_table(self, lake, document, name):
        data = (document % self.RECORDS).encode()
        lake.write(name, gzip.compress(data) if name.endswith(".gz") else data)
        assert lake.table(name).to_pylist() == [
            {"id": str(n), "name": who} for n, who in enumerate(["ann", "bo", "cy"], 1)
        ]
        assert [problem.problem for problem in lake.problems()] == ["records below a key"]

    def test_in_json_lines_each_line_is_a_record(self, lake):
        lake.write("x.jsonl", '{"id": 1, "items": [{"a": 1}, {"a": 2}]}\n')
        assert lake.columns("x.jsonl") == ["id", "items"]
        assert lake.problems() == []

    def test_many_lines_are_records(self, lake):
        lake.write("x.json", '{"id": 1, "items": [{"a": 1}, {"a": 2}]}\n' * 2)
        assert lake.table("x.json").num_rows == 2

    def test_below_several_keys_is_told(self, lake):
        lake.write("x.json", f'{{"users": {self.RECORDS}, "orders": {self.RECORDS}}}')
        assert lake.table("x.json").num_rows == 1
        assert [problem.problem for problem in lake.problems()] == ["records below keys"]

    @pytest.mark.parametrize("text", ['{"id": 1, "tags": [{"a": 1}]}', '{"id": 1, "n": [1, 2]}', '{"a": {"b": 1}}'])
    def test_a_record_is_one(self, lake, text):
        lake.write("x.json", text)
        assert lake.table("x.json").num_rows == 1
        assert lake.problems() == []


def test_keys_that_are_values_are_told_without_reading_all(lake, monkeypatch):
    monkeypatch.setattr(json_lines, "BATCH_ROWS", 500)
    monkeypatch.setattr(json_lines, "ENOUGH_ROWS", 1000)
    lake.write("x.jsonl", "".join(f'{{"k{n % 500}":1}}\n' for n in range(3000)))
    read = []
    rows = json_lines._rows
    monkeypatch.setattr(json_lines, "_rows", lambda *given: (read.append(row) or row for row in rows(*given)))
    with pytest.raises(ReadError, match="500 columns, most of them empty in nearly all rows: its keys are values"):
        lake.read("x.jsonl")
    assert len(read) == 1000
