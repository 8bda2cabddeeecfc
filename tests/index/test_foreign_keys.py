import numpy as np
import pytest

from lakeview.index.foreign_keys import (
    KeyColumn,
    composite_keys,
    foreign_keys,
    name_agreement,
    pair_tokens,
)


class Schema:
    """Columns of integers or texts as this question sees them, with all inclusions."""

    def __init__(self, tables):
        self.columns, self.values = [], []
        for table, columns in tables.items():
            for name, values in columns.items():
                known = [v for v in values if v is not None]
                integer = all(isinstance(v, int) for v in known)
                self.columns.append(
                    KeyColumn(table, name, len(values), len(values) - len(known), len(set(known)), integer)
                )
                self.values.append(values)

    def inclusions(self, least=0.95):
        sets = [{v for v in values if v is not None} for values in self.values]
        shares = ((i, j, len(a & b) / len(a)) for i, a in enumerate(sets) for j, b in enumerate(sets) if i != j)
        return [entry for entry in shares if entry[2] >= least]

    def named(self, keys):
        def name(numbers):
            return ", ".join(f"{self.columns[n].table}.{self.columns[n].name}" for n in numbers)

        return {(name(key.columns), name(key.references)) for key in keys}

    def tokens(self, number):
        return np.array([hash(v) & (2**63 - 1) for v in self.values[number]], np.uint64)

    def pairs(self, a, b):
        return pair_tokens(self.tokens(a), self.tokens(b))


@pytest.fixture
def shop():
    return Schema(
        {
            "artists.csv": {"artist_id": list(range(1, 101)), "name": [f"a{i}" for i in range(100)]},
            "albums.csv": {"album_id": list(range(1, 61)), "artist_id": [i % 50 + 1 for i in range(60)]},
            "genres.csv": {"id": list(range(1, 11)), "name": [f"g{i}" for i in range(10)]},
            "tracks.csv": {
                "track_id": list(range(1, 301)),
                "album_id": [i % 60 + 1 for i in range(300)],
                "genre_id": [i % 10 + 1 for i in range(300)],
                "stars": [i % 2 + 1 for i in range(300)],
            },
            "staff.csv": {"staff_id": list(range(1, 9)), "boss": [None, 1, 1, 1, 5, 5, 7, 4]},
        }
    )


def test_keys_are_told_from_accidents_of_row_numbers(shop):
    inclusions = shop.inclusions()
    assert len(inclusions) > 25  # 1..n in 1..m, many times over
    assert shop.named(foreign_keys(shop.columns, inclusions)) == {
        ("albums.csv.artist_id", "artists.csv.artist_id"),
        ("tracks.csv.album_id", "albums.csv.album_id"),
        ("tracks.csv.genre_id", "genres.csv.id"),
        ("staff.csv.boss", "staff.csv.staff_id"),
    }


def test_best_first_and_the_cut_is_a_score(shop):
    keys = foreign_keys(shop.columns, shop.inclusions(), cut=0.0)
    assert [key.score for key in keys] == sorted((key.score for key in keys), reverse=True)
    assert len(foreign_keys(shop.columns, shop.inclusions(), cut=0.9)) == 3


def test_only_unique_columns_are_referred_to():
    schema = Schema({"a": {"city_id": [1, 2, 2, 3]}, "city": {"city_id": [1, 2, 3, 3]}})
    assert foreign_keys(schema.columns, schema.inclusions()) == []


def test_a_line_number_is_not_a_reference_to_its_own_table():
    schema = Schema(
        {
            "invoice": {"InvoiceId": list(range(20))},
            "line": {"LineId": list(range(90)), "InvoiceId": list(range(20)) * 4 + [0] * 10},
        }
    )
    assert schema.named(foreign_keys(schema.columns, schema.inclusions())) == {("line.InvoiceId", "invoice.InvoiceId")}


def test_a_key_of_two_columns():
    parts, suppliers = [p for p in range(20) for _ in range(4)], [(p + s * 5) % 20 for p in range(20) for s in range(4)]
    schema = Schema(
        {
            "partsupp": {"ps_partkey": parts, "ps_suppkey": suppliers, "ps_cost": list(range(80))},
            "lineitem": {"l_partkey": parts[:50] * 3, "l_suppkey": suppliers[:50] * 3, "l_no": [1, 2, 3] * 50},
            "mixed": {"m_partkey": parts, "m_suppkey": suppliers[::-1]},
        }
    )
    found = composite_keys(schema.columns, schema.inclusions(), schema.pairs)
    assert schema.named(found) >= {
        ("lineitem.l_partkey, lineitem.l_suppkey", "partsupp.ps_partkey, partsupp.ps_suppkey")
    }
    assert not any("mixed" in source for source, target in schema.named(found) if "partsupp" in target)


@pytest.mark.parametrize(
    ("source", "target", "table", "agreement"),
    [
        ("ArtistId", "ArtistId", "Artist.csv", 1.0),
        ("customer_id", "id", "shop/customers.csv", 0.9),
        ("id", "id", "customers.csv", 0.0),
        ("billing_address", "address", "customers.csv", 0.8 / 3),
        ("SupportRepId", "EmployeeId", "Employee.csv", 0.0),
    ],
)
def test_names(source, target, table, agreement):
    assert name_agreement(source, target, table) == pytest.approx(agreement)
