"""What names say of many pairs is what `KeyNames` says of each."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeview.evidence.key_names import KeyNames
from lakeview.relations.name_pairs import NamePairs

WORDS = (
    "id",
    "key",
    "team",
    "teams",
    "home",
    "cust",
    "customer",
    "order",
    "of",
    "number",
    "custkey",
    "x",
    "étage",
    "1",
)
names = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map("_".join), st.sampled_from(["column_1", "", "%"])
)
columns = st.lists(st.tuples(names.map(lambda stem: f"a/{stem}.csv"), names), min_size=1, max_size=12, unique=True)


@given(columns, st.data())
def test_of_each_pair(columns, data):
    agree(columns, data.draw(st.sets(st.integers(0, len(columns) - 1))))


def test_of_names_that_many_tables_have():
    tables = ("team", "x/teams.csv", "home_team", "customers", "order", "order_items", *(f"t{i}" for i in range(5)))
    called = (
        "id",
        "team_id",
        "rownames",
        "home_team_id",
        "custkey",
        "column_1",
        "name",
        "team_rownames",
        "t3_rownames",
    )
    columns = [(table, name) for table in tables for name in called]
    assert KeyNames(columns, range(len(columns))).common(2)
    agree(columns, set(range(len(columns))))
    agree(columns, set(range(0, len(columns), 2)))


def agree(columns: list[tuple[str, str]], unique: set[int]) -> None:
    one = KeyNames(columns, unique)
    many = NamePairs(one)
    n = len(columns)
    sources, targets = np.repeat(np.arange(n), n), np.tile(np.arange(n), n)
    agreement, about = many.agreements(sources, targets)
    linked = many.linked(sources, targets)
    for p, (i, j) in enumerate(zip(sources.tolist(), targets.tolist(), strict=True)):
        assert agreement[p] == pytest.approx(one.agreement(i, j)), (columns[i], columns[j])
        assert about[p] == pytest.approx(one.about(i, one.tables[j])), (columns[i], columns[j])
        assert linked[p] == one.linked(i, j)
    assert many.about_own == pytest.approx([one.about_own(i) for i in range(n)])
    assert many.keyed.tolist() == [one.keyed(i) for i in range(n)]
    assert many.subject.tolist() == [bool(one.subjects[i]) for i in range(n)]
