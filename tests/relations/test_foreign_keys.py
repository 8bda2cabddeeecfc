"""Foreign keys told from accidents, by what speaks for them."""

from __future__ import annotations

import pytest
from schemas import Tables


def shop(**more):
    return Tables(
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
            **more,
        }
    )


KEYS = {
    ("albums.csv.artist_id", "artists.csv.artist_id"),
    ("tracks.csv.album_id", "albums.csv.album_id"),
    ("tracks.csv.genre_id", "genres.csv.id"),
    ("staff.csv.boss", "staff.csv.staff_id"),
}


def test_keys_are_told_from_accidents_of_row_numbers():
    tables = shop()
    assert len(tables.schema.inclusions.source) > 25  # 1..n in 1..m, many times over
    assert tables.named(tables.single()) == KEYS


def test_best_first_and_the_cut_is_a_score():
    keys = shop().single(cut=0.0)
    assert [key.score for key in keys] == sorted((key.score for key in keys), reverse=True)
    assert 0 < len(shop().single(cut=0.99)) < len(shop().single(cut=0.3))


def test_only_unique_columns_are_referred_to():
    tables = Tables({"a": {"city_id": [1, 2, 2, 3]}, "city": {"city_id": [1, 2, 3, 3]}})
    assert tables.single() == []
    tables = Tables({"a": {"city_id": [1, 2, 2, 3]}, "city": {"city_id": [1, 2, 3, 4]}})
    assert tables.named(tables.single()) == {("a.city_id", "city.city_id")}


def test_a_line_number_is_not_a_reference_to_its_own_table():
    tables = Tables(
        {
            "invoice": {"InvoiceId": list(range(20))},
            "line": {"LineId": list(range(90)), "InvoiceId": list(range(20)) * 4 + [0] * 10},
        }
    )
    assert tables.named(tables.single()) == {("line.InvoiceId", "invoice.InvoiceId")}


def test_measures_refer_to_nothing_even_under_one_name():
    years = list(range(1990, 2020))
    tables = Tables(
        {
            "budget": {"n": list(range(30)), "year": years, "spent": [i / 3 for i in range(30)]},
            "rain": {"n": list(range(60)), "year": [years[i % 30] for i in range(60)], "spent": [1.0] * 60},
        }
    )
    assert tables.single() == []
    # What stands first in its table is its key, though.
    tables = Tables({"budget": {"year": years, "spent": [0.5] * 30}, "rain": {"station": [7] * 60, "year": years * 2}})
    assert ("rain.year", "budget.year") in tables.named(tables.single())


def test_gaps_in_a_key_speak_where_no_name_does():
    ids = [i * i + 17 for i in range(1, 200)]
    tables = Tables(
        {
            "planes": {"plane_id": ids, "seats": [i % 7 for i in ids]},
            "routes": {"carrier_id": [ids[i % 50] for i in range(300)], "stops": [i % 3 for i in range(300)]},
        }
    )
    found = tables.single()
    assert tables.named(found) == {("routes.carrier_id", "planes.plane_id")}
    assert found[0].score > 0.9


def test_what_no_name_supports_stays_in_its_folder():
    codes = [f"{a}{b}{c}" for a in "XYZ" for b in "KLM" for c in "ABCD"]
    airports = {"faa": codes, "feet": [1.5] * 36}
    routes = {"origin": codes[:9] * 4, "miles": [2.5] * 36}
    near = Tables({"air/airports": airports, "air/routes": routes})
    assert near.named(near.single()) == {("air/routes.origin", "air/airports.faa")}
    others = {f"{folder}/t{i}": {"x": [0.5]} for folder in ("air", "sea") for i in range(2)}
    far = Tables({"air/airports": airports, "sea/routes": routes, **others})
    assert far.single() == []
    told = {"airport_of_origin": routes["origin"], "miles": routes["miles"]}
    assert len(Tables({"air/airports": airports, "sea/routes": told, **others}).single()) == 1


def test_a_reference_within_a_table_makes_its_rows_a_forest():
    tables = shop()
    assert tables.named(tables.single(forests=False)) == KEYS - {("staff.csv.boss", "staff.csv.staff_id")}


def test_what_ten_tables_hold_alike_refers_to_none():
    codes = [f"code {i}" for i in range(40)]

    def lists(n):
        data = {f"list{i}": {"area": codes, "share": [j / 7 + i for j in range(40)]} for i in range(n)}
        return Tables({**data, "people": {"area": codes[:20] * 3, "age": [j % 9 for j in range(60)]}})

    assert [key.score for key in lists(1).single() if key.columns[0] == 2] == [pytest.approx(1.0, abs=0.01)]
    assert [key.score for key in lists(2).single() if key.columns[0] == 4] == [pytest.approx(0.5, abs=0.01)] * 2
    assert lists(10).single() == []


def test_roles_of_one_key_stay_together_and_second_names_go():
    names = [f"team {i}" for i in range(20)]
    tables = Tables(
        {
            "teams": {"team_id": [f"T-{i}" for i in range(20)], "team_name": names},
            "matches": {
                "match_id": [f"M-{i}" for i in range(50)],
                "home_team_id": [f"T-{i % 20}" for i in range(50)],
                "away_team_id": [f"T-{(i + 3) % 20}" for i in range(50)],
                "team_name": [names[i % 20] for i in range(50)],
            },
            "prizes": {"prize": ["a", "b", "c"], "team_name": names[:3]},
        }
    )
    assert tables.named(tables.single()) == {
        ("matches.home_team_id", "teams.team_id"),
        ("matches.away_team_id", "teams.team_id"),
        ("prizes.team_name", "teams.team_name"),
    }
