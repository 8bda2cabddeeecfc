"""What names say of keys."""

from __future__ import annotations

import pytest

from lakeview.evidence.key_names import KeyNames


def names(*columns: str, unique: tuple[int, ...] = ()) -> KeyNames:
    """Columns written as table.column."""
    return KeyNames([tuple(column.rsplit(".", 1)) for column in columns], unique)


@pytest.mark.parametrize(
    ("source", "target", "agreement"),
    [
        ("Album.ArtistId", "Artist.ArtistId", 1.0),
        ("orders.customer_id", "shop/customers.id", 0.9),
        ("orders.customer_id", "shop_customers.id", 0.9),
        ("orders.cust_id", "customers.id", 0.9),
        ("sections.group_id", "group_standings.key_id", 0.0),  # it is the standings that have this id
        ("matches.home_team_id", "teams.team_id", 0.8),
        ("matches.referee_team_name", "teams.team_id", 0.8 / 3),
        ("orders.id", "customers.id", 0.0),
        ("customers.billing_address", "customers.address", 0.4),
        ("Customer.SupportRepId", "Employee.EmployeeId", 0.0),
        ("a.column_1", "b.column_1", 0.0),
    ],
)
def test_agreement(source: str, target: str, agreement: float):
    assert names(source, target).agreement(0, 1) == pytest.approx(agreement)


def test_a_prefix_that_all_columns_of_a_table_have_is_no_part_of_their_names():
    schema = names("lineitem.l_partkey", "lineitem.l_tax", "part.p_partkey", "part.p_size")
    assert schema.agreement(0, 2) == 1.0
    assert schema.keyed(0) and schema.subjects[0] == {"part"}
    assert not schema.keyed(1)


def test_a_prefix_that_says_something_stays():
    schema = names("order_item.order_id", "order_item.order_line", "orders.id", "orders.date")
    assert schema.agreement(0, 2) == pytest.approx(0.9)


def test_a_key_word_is_cut_off_only_behind_what_a_table_is_called():
    assert names("customer.custkey").keyed(0)
    assert not names("zoo.monkey").keyed(0)


def test_how_many_of_something_is_no_key():
    assert names("customers.number").keyed(0)
    assert not names("customers.number_of_orders").keyed(0)


def test_a_name_that_is_the_key_of_many_tables_points_to_none():
    columns = [f"t{i}.rowno" for i in range(6)] + ["t7.rowno", "t7.t3_rowno"]
    schema = names(*columns, unique=tuple(range(6)))
    assert schema.common(0)
    assert schema.agreement(6, 2) == 0.0
    assert schema.agreement(7, 3) == pytest.approx(0.9), "but where the table is named as well"
    assert names(*columns).agreement(6, 2) == 1.0


def test_named_after_a_table():
    schema = names("customers.customer_id", "shop_customers.customer_id", "orders.cust")
    assert schema.about_own(0) == 1.0
    assert schema.about_own(1) == 0.5
    assert 0 < schema.about(2, "customers") < 0.6
    assert schema.about(2, "orders") == 0.0


def test_links():
    schema = names("a.rep_id", "b.employee_id", "c.stage_number", "d.age", "e.column_1", "f.column_2")
    assert schema.linked(0, 1)
    assert not schema.linked(2, 1) and not schema.linked(3, 1)
    assert schema.linked(4, 5) and not schema.linked(4, 1)


@pytest.mark.parametrize("seed", range(3))
def test_what_may_agree_is_all_that_does(seed: int):
    import numpy as np

    rng = np.random.default_rng(seed)
    parts = ["customer", "cust", "order", "item", "id", "key", "home", "team", "code", "x"]
    columns = [
        f"{'_'.join(rng.choice(parts, rng.integers(1, 3)))}.{'_'.join(rng.choice(parts, rng.integers(1, 4)))}"
        for _ in range(40)
    ]
    schema = names(*columns)
    source, target = (side.ravel() for side in np.meshgrid(range(40), range(40)))
    may = schema.may_agree(source, target)
    agreed = np.array([schema.agreement(i, j) > 0 for i, j in zip(source.tolist(), target.tolist(), strict=True)])
    assert not (agreed & ~may).any()
    assert may.mean() < 0.95
