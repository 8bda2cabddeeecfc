"""Foreign keys as text for other tools; names of strangers stay names."""

from __future__ import annotations

import json

import pandas as pd

from lakeview.relations.written import dbml, dbt, mermaid

ODD = 'x"]; evil("{{ 7 }}\\<b>'
KEYS = pd.DataFrame({
    "table": ["orders.csv", "lines.csv", ODD],
    "column": ["customer id", ("order", "line"), "id"],
    "references_table": ["customers.csv", "orders.csv", "customers.csv"],
    "references_column": ["id", ("order", "line"), "{{ 7 }}"],
    "containment": [1.0, 1.0, 0.98], "score": [0.9, 0.8, 0.7],
})  # fmt: skip
COLUMNS = pd.DataFrame({"table": ["orders.csv", ODD], "column": ["customer id", "id"], "type": ["text", "integer"]})


def test_mermaid_shows_every_key_and_no_markup():
    text = mermaid(KEYS, COLUMNS)
    assert text.startswith("erDiagram\n") and text.count("}o--||") == 3
    assert 't3["orders.csv"]' in text and '"customer id → id"' in text
    quoted = [line.split('"') for line in text.splitlines()[1:]]
    assert all(len(parts) == 3 for parts in quoted), "a name ends no quotes"
    assert not any(sign in parts[1] for parts in quoted for sign in '<>{}[];"'.replace(";", ""))


def test_dbml_quotes_names():
    text = dbml(KEYS, COLUMNS)
    assert 'Ref: "orders.csv"."customer id" > "customers.csv"."id"' in text
    assert 'Ref: "lines.csv".("order", "line") > "orders.csv".("order", "line")' in text
    assert all(line.count('"') % 2 == 0 and "\\" not in line for line in text.splitlines())


def test_dbt_has_relationships_and_nothing_that_it_would_run():
    text = dbt(KEYS, COLUMNS)
    assert "{{" not in text
    [orders] = json.loads(text)["models"]
    assert orders["name"] == "orders" and orders["columns"][0]["quote"]
    assert orders["columns"][0]["data_tests"] == [{"relationships": {"to": "ref('customers')", "field": "id"}}]


def test_names_of_models_are_told_apart():
    keys = pd.DataFrame({
        "table": ["a/x.csv", "b/x.csv"], "column": ["k", "k"], "references_table": ["y.csv"] * 2,
        "references_column": ['k"k', "k"], "containment": [1.0, 0.97], "score": [0.9, 0.9],
    })  # fmt: skip
    models = json.loads(dbt(keys, COLUMNS))["models"]
    assert [model["name"] for model in models] == ["x", "x_2"]
    first, second = (model["columns"][0]["data_tests"][0]["relationships"] for model in models)
    assert first["field"] == '"k""k"' and "config" not in first and second["config"] == {"severity": "warn"}
