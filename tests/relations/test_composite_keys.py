"""Foreign keys of two to four columns."""

from __future__ import annotations

import numpy as np
import pytest
from schemas import Tables

from lakeview.evidence import evidence
from lakeview.relations import composite_evidence, composite_keys
from lakeview.relations.name_pairs import NamePairs

PARTS = [p for p in range(20) for _ in range(4)]
SUPPLIERS = [(p + s * 5) % 20 for p in range(20) for s in range(4)]
LINES = {"l_partkey": PARTS[:50] * 3, "l_suppkey": SUPPLIERS[:50] * 3, "l_no": [1, 2, 3] * 50}
PARTSUPP = {"ps_partkey": PARTS, "ps_suppkey": SUPPLIERS, "ps_cost": [i % 9 for i in range(80)]}
KEYS = {"part": {"p_partkey": list(range(20)), "p_size": [1] * 20}, "supplier": {"s_suppkey": list(range(20))}}
FOUND = ("lineitem.l_partkey, lineitem.l_suppkey", "partsupp.ps_partkey, partsupp.ps_suppkey")


def test_a_key_of_two_columns():
    tables = Tables({"partsupp": PARTSUPP, "lineitem": LINES, **KEYS})
    assert tables.named(tables.several()) == {FOUND}


def test_each_column_alone_is_not_enough():
    mixed = {"m_partkey": PARTS * 2, "m_suppkey": [*SUPPLIERS[:-16], *SUPPLIERS[:16]] * 2, "m_no": [1, 2] * 80}
    tables = Tables({"partsupp": PARTSUPP, "mixed": mixed, **KEYS})
    assert not any("partsupp" in target for _, target in tables.named(tables.several()))


def test_the_pair_referred_to_is_unique():
    twice = {name: [*values, values[0]] for name, values in PARTSUPP.items()}
    tables = Tables({"partsupp": twice, "lineitem": LINES, **KEYS})
    assert tables.several() == []


def test_plots_of_land_are_numbered_alike():
    grid = {
        "row": [r for r in range(9) for _ in range(7)],
        "col": list(range(7)) * 9,
        "crop": [i / 9 for i in range(63)],
    }
    part = {"row": [1, 1, 2, 2] * 3, "col": [3, 4, 3, 4] * 3, "crop": [i / 7 for i in range(12)]}
    assert Tables({"wheat": grid, "barley": part}).several() == []
    texts = {"row": [f"r{r}" for r in part["row"]], "col": part["col"], "crop": part["crop"]}
    named = {"row": [f"r{r}" for r in grid["row"]], "col": grid["col"], "crop": grid["crop"]}
    assert len(Tables({"wheat": named, "barley": texts}).several()) == 1


def test_one_column_that_refers_already_is_enough():
    orders = {
        "order_id": list(range(30)),
        "city": [f"c{i % 5}" for i in range(30)],
        "street": [f"s{i}" for i in range(15)] * 2,
    }
    lines = {name: values * 2 for name, values in orders.items()}
    tables = Tables(
        {"orders": {**orders, "total": [0.5] * 30}, "lines": {**lines, "price": [i / 7 for i in range(60)]}}
    )
    assert tables.several() == []


@pytest.mark.parametrize("shared", [2, 4])
def test_copies_refer_to_nothing(shared: int):
    tables = {"partsupp": PARTSUPP, "lineitem": LINES, **KEYS}
    more = {f"extra{n}": [(i * n) % 7 for i in range(80)] for n in range(shared - 2)}
    tables["partsupp"] = {"ps_partkey": PARTS, "ps_suppkey": SUPPLIERS, **{f"ps_{k}": v for k, v in more.items()}}
    tables["lineitem"] = {**LINES, **{f"l_{k}": v[:50] * 3 for k, v in more.items()}}
    found = Tables(tables)
    assert (FOUND in found.named(found.several())) == (shared == 2)


def drafts(copies: int = 3) -> dict[str, dict[str, list]]:
    """Copies of drafts of documents, of which each two numbers come together several times, and who had them."""
    every = [(d, n, c) for d in range(6) for n in range(4) for c in range(copies)]
    had = [every[i * 7 % len(every)] for i in range(150)]
    names = ("document_id", "draft_number", "copy_number")
    more = {name: [i / 7 for i in range(150)] for name in ("days", "hours", "fee")}
    return {
        "draft_copies": {name: [row[i] for row in every] for i, name in enumerate(names)},
        "circulation": {**{name: [row[i] for row in had] for i, name in enumerate(names)}, **more},
    }


def test_a_key_of_three_columns():
    tables = Tables(drafts())
    referring = ", ".join(f"circulation.{name}" for name in drafts()["draft_copies"])
    assert tables.named(tables.several()) == {(referring, referring.replace("circulation", "draft_copies"))}


def test_a_key_of_three_columns_keeps_rows_together():
    data = drafts()
    data["circulation"]["copy_number"] = [(c + 1) % 3 for c in data["circulation"]["copy_number"]]
    some = {**data, "draft_copies": {name: values[::2] for name, values in data["draft_copies"].items()}}
    assert Tables(some).several() == []


def test_further_columns_are_looked_at_only_where_fewer_are_no_key():
    data = drafts(copies=1)  # document and draft are the key
    data["draft_copies"]["copy_number"] = [i % 2 for i in range(24)]
    data["circulation"]["copy_number"] = [0, 1] * 75
    (key,) = Tables(data).several()
    assert len(key.columns) == 2


def test_what_comes_too_often_is_no_key_before_any_row_is_read():
    data = drafts()
    # Document 0 has 16 rows, and there are but 12 drafts and copies of it; all together may be as many as 60.
    for name, column in data["draft_copies"].items():
        data["draft_copies"][name] = [*column[:12], *column[:4], *column[12:56]]
    data["circulation"]["document_id"] = [d % 4 for d in data["circulation"]["document_id"]]
    tables = Tables(data)
    tables.rows = lambda numbers: pytest.fail("rows were read")
    assert tables.several() == []


def test_whoever_has_all_columns_of_a_table_that_is_nothing_but_its_key_is_no_copy_of_it():
    data = drafts()
    for name in ("days", "hours", "fee"):  # three columns of four are the other's: of a copy it would be enough
        data["circulation"].pop(name)
    data["circulation"]["employee_id"] = [n % 11 for n in range(150)]
    referring = ", ".join(f"circulation.{name}" for name in data["draft_copies"])
    tables = Tables(data)
    assert len(tables.schema.copies)
    assert tables.named(tables.several()) == {(referring, referring.replace("circulation", "draft_copies"))}
    for table in data.values():  # with a column beside the key both are as copies are
        table["weight"] = [n % 7 for n in range(len(table["copy_number"]))]
    assert Tables(data).several() == []


def test_where_too_little_speaks_for_a_key_no_row_is_read(monkeypatch: pytest.MonkeyPatch):
    tables = Tables({"partsupp": PARTSUPP, "lineitem": LINES, **KEYS})
    names = NamePairs(tables.schema.names)
    ((key,),) = [tables.several()]
    ways = [tuple((i, j, 1.0) for i, j in zip(key.columns, key.references, strict=True))]
    (most,) = composite_evidence.odds(tables.schema, names, ways)
    for share, own in ((1.0, False), (0.97, False), (1.0, True)):  # rows may only turn out as well, or worse
        (found,) = composite_evidence.odds(tables.schema, names, ways, np.array([share]), np.array([own]))
        assert found <= most
    monkeypatch.setattr(composite_keys, "CUT", float(evidence.probability(most)) + 1e-9)
    tables.rows = lambda numbers: pytest.fail("rows were read")
    assert tables.several() == []


def test_a_pair_of_columns_refers_to_one_table():
    """Where several fit as well, none of them is more likely than not."""
    copies = {f"partsupp{n}": PARTSUPP for n in range(3)}
    assert Tables({"lineitem": LINES, **copies, **KEYS}).several() == []
