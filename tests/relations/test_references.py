"""Foreign keys through the lake: against a count of inclusions with sets, and of a schema whose keys are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lakeview as lv
from lakeview.relations.references import FIELDS, inclusions, is_hierarchy, row_pairs
from lakeview.search import scoring
from lakeview.search.query import Query


def shop(seed: int = 5) -> dict[str, pd.DataFrame]:
    """Customers, orders and their lines, offers with a key of two columns; every table has row numbers."""
    rng = np.random.default_rng(seed)
    parts, suppliers = 60, 20
    offers = [(p, (p + 5 * i) % suppliers + 1) for p in range(1, parts + 1) for i in range(4)]
    chosen = [offers[i] for i in rng.integers(0, len(offers), 900)]
    return {
        "customers": pd.DataFrame({"id": range(1, 81), "name": [f"Customer {i}" for i in range(80)]}),
        "orders": pd.DataFrame({"order_id": range(1, 301), "customer_id": rng.integers(1, 81, 300)}),
        "parts": pd.DataFrame({"id": range(1, parts + 1), "size": rng.integers(1, 9, parts)}),
        "suppliers": pd.DataFrame({"id": range(1, suppliers + 1), "city": [f"City {i % 7}" for i in range(suppliers)]}),
        "offers": pd.DataFrame(
            {"part_id": [p for p, _ in offers], "supplier_id": [s for _, s in offers], "price": rng.random(240)}
        ),
        "lines": pd.DataFrame(
            {
                "line": range(1, 901),
                "order_id": rng.integers(1, 301, 900),
                "part_id": [p for p, _ in chosen],
                "supplier_id": [s for _, s in chosen],
            }
        ),
    }


def named(found: pd.DataFrame) -> set[tuple]:
    return set(found[FIELDS[:4]].itertuples(index=False, name=None))


def indexed(frames: dict[str, pd.DataFrame], **options) -> lv.Lake:
    lake = lv.open(frames, **options)
    lake.index()
    return lake


OFFERED = ("lines", ("part_id", "supplier_id"), "offers", ("part_id", "supplier_id"))


def test_the_keys_of_a_schema():
    found = indexed(shop()).foreign_keys()
    assert list(found) == FIELDS
    assert named(found) == {
        ("orders", "customer_id", "customers", "id"),
        ("lines", "order_id", "orders", "order_id"),
        ("lines", "part_id", "parts", "id"),
        ("lines", "supplier_id", "suppliers", "id"),
        ("offers", "part_id", "parts", "id"),
        ("offers", "supplier_id", "suppliers", "id"),
        OFFERED,
    }
    assert found["score"].is_monotonic_decreasing
    assert found["containment"].eq(1.0).all()


def test_files_answer_as_frames_do(tmp_path: Path):
    for name, frame in shop().items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    lake = lv.open(tmp_path)
    lake.index(engine="local")
    found = {
        tuple(str(x).removesuffix(".csv") if i % 2 == 0 else x for i, x in enumerate(k))
        for k in named(lake.foreign_keys())
    }
    assert found == named(indexed(shop()).foreign_keys())


def test_a_name_that_is_the_key_of_many_tables_refers_to_none():
    frames = {f"t{i}": pd.DataFrame({"rownames": range(1, 20 + i), "x": f"v{i}"}) for i in range(12)}
    assert indexed(frames).foreign_keys().empty
    ids = {f"t{i}": pd.DataFrame({"id": range(1, 20 + i), "x": f"v{i}"}) for i in range(12)}
    ids["orders"] = pd.DataFrame({"t5_id": [*range(1, 25), 3, 4], "order": range(100, 126)})
    assert ("orders", "t5_id", "t5", "id") in named(indexed(ids).foreign_keys())


def test_least_containment():
    frames = shop()
    frames["orders"].loc[:40, "customer_id"] = np.arange(1000, 1041)
    lake = indexed(frames)
    key = ("orders", "customer_id", "customers", "id")
    assert key not in named(lake.foreign_keys())
    found = lake.foreign_keys(min_containment=0.5)
    assert key in named(found)
    mine, theirs = set(frames["orders"]["customer_id"]), set(frames["customers"]["id"])
    row = found[(found["table"] == "orders") & (found["references_table"] == "customers")].iloc[0]
    assert row["containment"] == len(mine & theirs) / len(mine)


def test_rows_without_one_of_two_values_refer_to_nothing():
    frames = shop()
    frames["lines"] = frames["lines"].astype({"part_id": "Int64"})
    frames["lines"].loc[::3, "part_id"] = pd.NA
    assert OFFERED in named(indexed(frames).foreign_keys())
    frames["lines"].loc[1::3, "supplier_id"] = 20  # now pairs that are not offered
    assert OFFERED not in named(indexed(frames).foreign_keys())


def test_excluded_columns_are_left_out():
    found = named(indexed(shop(), exclude=["customers.id"]).foreign_keys())
    assert ("orders", "customer_id", "customers", "id") not in found
    assert OFFERED in found


def test_nothing_found_is_an_empty_frame():
    found = indexed({"a": pd.DataFrame({"x": ["p", "q"]}), "b": pd.DataFrame({"y": ["r", "s"]})}).foreign_keys()
    assert list(found) == FIELDS
    assert found.empty


@pytest.mark.parametrize("least", [0, 1.5, "a", True, None])
def test_a_containment_is_a_share(least):
    lake = indexed({"a": pd.DataFrame({"x": ["p", "q"]})})
    with pytest.raises(lv.InputError, match="min_containment is a share"):
        lake.foreign_keys(least)


def test_an_index_comes_first(tmp_path: Path):
    with pytest.raises(lv.NotFound, match=r"lake\.index\(\)"):
        lv.open(tmp_path).foreign_keys()


sets = st.lists(st.sets(st.integers(0, 12), max_size=8), min_size=1, max_size=6)


@settings(max_examples=40)
@given(sets, st.sampled_from([0.3, 0.5, 1.0]))
def test_inclusions_are_a_count_with_sets(columns, least):
    lake = indexed({f"t{i}": pd.DataFrame({"c": pd.Series(sorted(c), dtype="Int64")}) for i, c in enumerate(columns)})
    numbers = [n for table in lake._snapshot.by_table.values() for n in table.values()]
    wanted = {
        (i, j, len(a & b) / len(a))
        for i, a in enumerate(columns)
        for j, b in enumerate(columns)
        if i != j and a and len(a & b) >= least * len(a)
    }
    found, bits = inclusions(lake._snapshot, numbers, least)
    assert set(zip(*(part.tolist() for part in found), strict=True)) == wanted
    assert len(bits) == len(columns)


ENTITIES = ("artist", "album", "genre", "track", "customer", "invoice", "store", "supplier", "product", "city")
MEASURES = ("age", "stars", "minutes", "quantity", "position", "floor", "year", "size", "rank", "visits")


def accidents(seed: int) -> tuple[dict[str, pd.DataFrame], set[tuple]]:
    """A schema of keys 1..n and measures 1..m, which contain each other many times over, and its declared keys."""
    rng = np.random.default_rng(seed)
    camel, bare, counted = rng.random(3) < [0.5, 0.5, 0.5]
    rows = dict(zip(ENTITIES, rng.permutation([5, 8, 12, 25, 40, 60, 150, 275, 400, 900]).tolist(), strict=True))

    def spelled(*words: str) -> str:
        return "".join(w.capitalize() for w in words) if camel else "_".join(words)

    frames, declared = {}, set()
    for n, entity in enumerate(ENTITIES):
        table = f"{spelled(entity)}s"
        key = "id" if bare and not camel else spelled(entity, "id")
        data: dict[str, object] = {"n": range(1, rows[entity] + 1)} if counted else {}
        data[key] = range(1, rows[entity] + 1)
        for other in rng.choice(ENTITIES[:n], min(n, 2), replace=False).tolist() if rows[entity] > 8 else ():
            role = ("home", other, "id") if rng.random() < 0.2 else (other, "id")
            data[spelled(*role)] = rng.integers(1, rows[other] + 1, rows[entity])
            referred = "id" if bare and not camel else spelled(other, "id")
            declared.add((table, spelled(*role), f"{spelled(other)}s", referred))
        for measure in rng.choice(MEASURES, 3, replace=False).tolist():
            data[spelled(measure)] = rng.integers(1, int(rng.integers(3, 60)), rows[entity])
        data[spelled("name")] = [f"{entity} {i}" for i in range(rows[entity])]
        frames[table] = pd.DataFrame(data)
    return frames, declared


@pytest.mark.parametrize("seed", range(5))
def test_a_schema_is_told_from_its_accidents(seed: int):
    frames, declared = accidents(seed)
    lake = indexed(frames)
    numbers = [n for table in lake._snapshot.by_table.values() for n in table.values()]
    assert len(inclusions(lake._snapshot, numbers, 0.95)[0].source) > 10 * len(declared)
    found = lake.foreign_keys()
    single = named(found[found["column"].map(lambda c: isinstance(c, str))])
    assert declared <= single
    assert len(declared) >= 0.8 * len(single)


def test_rare_values_tell_more():
    wide = pd.DataFrame({f"c{i}": ["yes", "no"] for i in range(300)})
    lake = indexed({"wide": wide, "t": pd.DataFrame({"x": ["yes", "no", "rarely"]})})
    (bits,) = inclusions(lake._snapshot, [lake._snapshot.by_table["t"]["x"]], 1.0)[1]
    assert bits == pytest.approx(3.0 + 2 * np.log2(1024 / 301), abs=1e-3)


@pytest.mark.parametrize(
    ("key", "column", "share"),
    [(range(1, 100), range(5, 60), 1.0), (range(0, 200, 2), range(0, 101), 0.5), ([1, 2, 3, 900], [1, 2], 1.0),
     ([1, 2, 3, 10**6], [1, 10**6], 0.0)],
)  # fmt: skip
def test_chance_counts_the_gaps_of_a_key(key, column, share):
    lake = indexed({"a": pd.DataFrame({"key": list(key)}), "b": pd.DataFrame({"ref": list(column)})})
    tables = lake._snapshot.by_table
    query = Query.of_lake(lake._snapshot, tables["b"]["ref"])
    found = scoring.chances(query, lake._snapshot, np.array([tables["a"]["key"]]))
    assert found[0] == pytest.approx(share, abs=0.02)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=10))
def test_hierarchies_are_trees_without_circles(above):
    """Rows 0 to n - 1 of keys 0 to n - 1; a number that is no row is no reference."""
    n = len(above)

    def rooted(row: int) -> bool:
        for _ in range(n + 1):
            if above[row] >= n or above[row] == row:
                return True
            row = above[row]
        return False

    selves = sum(above[r] == r for r in range(n))
    inner = {above[r] for r in range(n) if above[r] < n and above[r] != r}
    below = [r for r in inner if above[r] < n and above[r] != r]
    before = sum(above[r] < r for r in below)
    ordered = bool(below) and max(before, len(below) - before) >= 0.8 * len(below)
    one_root = selves == int(all(a < n for a in above))
    wanted = all(map(rooted, range(n))) and ordered and one_root
    assert is_hierarchy(np.array(above, np.uint64), np.arange(n, dtype=np.uint64)) == wanted


def test_a_circle_is_no_hierarchy():
    above = np.array([99, 0, 1, 2, 3, 4, 5, 6, 9, 8, 10], np.uint64)  # 10 would be a second root
    rows = np.arange(11, dtype=np.uint64)
    assert not is_hierarchy(above, rows)
    above[10] = 8  # rows 8 and 9 are below each other
    assert not is_hierarchy(above, rows)
    above[8] = 7
    assert is_hierarchy(above, rows)


def test_who_reports_to_whom():
    staff = pd.DataFrame(
        {"staff_id": range(1, 41), "boss": [None, *(i // 4 + 1 for i in range(39))], "desk": [*range(2, 41), 1]}
    )
    other = pd.DataFrame({"room": ["a", "b"]})
    assert named(indexed({"staff": staff, "rooms": other}).foreign_keys()) == {("staff", "boss", "staff", "staff_id")}


def test_pairs_keep_rows_together():
    from lakeview.join.side import Side

    frame = pd.DataFrame({"a": ["x", "Y", None, "x"], "b": ["1", None, "2", "1.0"], "c": ["1", "x", "y", "1"]})
    side = Side.frame(frame, "frame")
    pairs = row_pairs(side, "a", "b", "fold")
    assert len(pairs) == 2
    assert pairs[0] == pairs[1]
    assert row_pairs(side, "b", "a", "fold")[0] != pairs[0]
    assert len(np.unique(row_pairs(side, "a", "c", "fold"))) == 2
