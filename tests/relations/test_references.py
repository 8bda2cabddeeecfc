"""Foreign keys through the lake: against a count of inclusions with sets, and of a schema whose keys are known."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lakeview as lv
from lakeview.evidence.evidence import EACH
from lakeview.evidence.schema import Inclusions, Schema
from lakeview.index.inclusions import Wanted
from lakeview.relations.chances import chances
from lakeview.relations.composite_keys import NULL
from lakeview.relations.references import FIELDS, inclusions, is_hierarchy, key_columns, row_tokens
from lakeview.relations.wanted import wanted
from lakeview.search import scoring
from lakeview.search.query import Query
from lakeview.store.all_pairs import AllPairs


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


def asked(lake: lv.Lake, least: float) -> tuple[Schema, Wanted]:
    """The columns of a lake, with the inclusions that are looked for among them."""
    snapshot = lake.view().snapshot
    numbers = np.array([n for table in snapshot.by_table.values() for n in table.values()])
    every = AllPairs(snapshot, numbers)
    schema = Schema(key_columns(snapshot, numbers, every.bits(EACH)))
    looked_for = wanted(schema, snapshot.distinct[numbers])
    schema.inclusions = inclusions(every, looked_for, least)
    return schema, looked_for


def listed(found: Inclusions) -> list[tuple[int, int, float]]:
    return list(zip(*(part.tolist() for part in found), strict=True))


NAMES = ("id", "t0_id", "t1_id", "place", "size of place", "rownames")
cells = st.one_of(st.none(), st.integers(0, 9))
tables = st.lists(
    st.dictionaries(st.sampled_from(NAMES), st.lists(cells, min_size=7, max_size=7), min_size=1, max_size=5),
    min_size=2, max_size=6,
)  # fmt: skip


def framed(data: list[dict[str, list]]) -> dict[str, pd.DataFrame]:
    """Tables in two folders, as frames; those of a name more are cut, so that their columns may be unique."""
    return {
        f"{'ab'[i % 2]}/t{i}": pd.DataFrame({name: pd.Series(v[: 3 + i], dtype="Int64") for name, v in table.items()})
        for i, table in enumerate(data)
    }


def counted(frames: dict[str, pd.DataFrame], schema: Schema, looked_for: Wanted, least: float) -> set:
    """The wanted inclusions by a count with sets; what is wanted, as its words say it."""
    values = [set(frames[column.table][column.name].dropna()) for column in schema.columns]
    names, n = schema.names, range(len(values))

    def alike(a: int, b: int) -> bool:
        """Whether table a may be held by b, its copy: so many of its columns have a name that b has."""
        mine, theirs = ([names.alike[i] for i in n if schema.tables[i] == t] for t in (a, b))
        return sum(name in theirs for name in mine) >= max(3, 0.7 * max(len(mine), len(theirs)))

    def is_wanted(i: int, j: int) -> bool:
        one, other = schema.columns[i], schema.columns[j]
        named = bool(names.may_agree(np.array([i]), np.array([j]))[0])
        silent = one.refers and not one.unique and schema.folders[i] == schema.folders[j]
        if other.unique and (named or silent):
            return True
        if one.table == other.table:
            return False
        repeated = not other.unique and other.nulls == 0 and other.distinct > 1
        typed = all(column.kind not in ("number", "boolean") for column in (one, other))
        return (named and repeated and typed) or (
            names.alike[i] == names.alike[j] and alike(schema.tables[i], schema.tables[j])
        )

    return {
        (i, j, len(values[i] & values[j]) / len(values[i]))
        for i in n
        for j in n
        if i != j and values[i] and len(values[i] & values[j]) >= least * len(values[i]) and is_wanted(i, j)
    }


@settings(max_examples=25)
@given(tables, st.sampled_from([0.3, 0.5, 0.95, 1.0]))
def test_inclusions_are_a_count_with_sets(data, least):
    frames = framed(data)
    schema, looked_for = asked(indexed(frames), least)
    found = listed(schema.inclusions)
    assert len(found) == len(set(found))
    assert set(found) == counted(frames, schema, looked_for, least)
    for i, j in {(i, j) for i, j, _ in found}:
        assert looked_for.of(i, np.array([j]))[0]


@settings(max_examples=6)
@given(tables, st.data())
def test_segments_frames_of_the_session_and_what_was_replaced_answer_as_one_index(data, draw):
    """An index that grew in steps, with tables that changed and one that is but of the session."""
    frames = framed(data)
    with tempfile.TemporaryDirectory() as store:
        for step in range(3):
            some = {name: frame if draw.draw(st.booleans()) else frame + 1 for name, frame in frames.items()}
            grown = lv.open(frames if step == 2 else some, store=store)
            grown.index()
        lake = indexed(frames)
        (schema, _), (other, _) = asked(lake, 0.5), asked(grown, 0.5)
        assert sorted(listed(schema.inclusions)) == sorted(listed(other.inclusions))
        pd.testing.assert_frame_equal(grown.foreign_keys(0.5), lake.foreign_keys(0.5))
        last = list(frames)[-1]
        kept = lv.open({name: frame for name, frame in frames.items() if name != last}, store=store)
        kept.index()
        kept.add(frames[last], last)
        assert sorted(listed(asked(kept, 0.5)[0].inclusions)) == sorted(listed(schema.inclusions))


@settings(max_examples=6)
@given(tables)
def test_chances_of_pairs_are_those_of_each_column(data):
    snapshot = indexed(framed(data)).view().snapshot
    n = np.arange(len(snapshot))
    sources, targets = np.repeat(n, len(n)), np.tile(n, len(n))
    found = chances(snapshot, AllPairs(snapshot, n), sources, targets)
    for number in n.tolist():
        alone = scoring.chances(Query.of_lake(snapshot, number), snapshot, n)
        assert found[sources == number] == pytest.approx(alone)


def test_chances_of_all_kinds_of_numbers():
    rng = np.random.default_rng(3)
    columns = {
        "few": rng.integers(0, 50, 400), "many": rng.permutation(400), "far": 1_000_000 + rng.integers(0, 900, 400),
        "across": np.linspace(131_000, 132_000, 400).astype(int), "huge": rng.integers(0, 2**61, 400),
        "cents": rng.integers(0, 9_000, 400) / 100, "dimes": rng.integers(0, 90, 400) / 10,
        "mixed": np.where(rng.random(400) < 0.5, rng.integers(0, 99, 400), rng.integers(0, 990, 400) / 10),
        "days": pd.date_range("1999-11-01", periods=400).astype(str), "below": -rng.integers(0, 500, 400),
        "code": [f"{'ABCDE'[i % 5]}{'XYZ'[i % 3]}" for i in range(400)], "text": [f"a {i}" for i in range(400)],
    }  # fmt: skip
    snapshot = indexed({"t": pd.DataFrame(columns)}).view().snapshot
    n = np.arange(len(snapshot))
    sources, targets = np.repeat(n, len(n))[::-1], np.tile(n, len(n))[::-1]
    found = chances(snapshot, AllPairs(snapshot, n), sources, targets)
    for number in n.tolist():
        alone = scoring.chances(Query.of_lake(snapshot, number), snapshot, n)
        assert found[sources == number][::-1] == pytest.approx(alone, rel=1e-12)
    assert (found > 0).sum() > 30


def test_a_lake_of_sketches_has_the_keys_of_large_columns():
    rows = 6_000
    frames = {
        "customers": pd.DataFrame({"customer_id": [f"c{i}" for i in range(rows)], "n": 0.5}),
        "orders": pd.DataFrame({"customer_id": [f"c{i * 7 % 5000}" for i in range(2 * rows)], "paid": 0.25}),
        "visits": pd.DataFrame({"customer_id": [f"c{i % 40}" for i in range(100)], "minutes": 0.75}),
    }
    lake = lv.open(frames)
    lake.index(exact=False, filters=True)
    wanted_keys = {(table, "customer_id", "customers", "customer_id") for table in ("orders", "visits")}
    assert named(lake.foreign_keys()) == wanted_keys


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
    assert len(asked(lake, 0.95)[0].inclusions.source) > 10 * len(declared)
    found = lake.foreign_keys()
    single = named(found[found["column"].map(lambda c: isinstance(c, str))])
    assert declared <= single
    assert len(declared) >= 0.8 * len(single)


def test_rare_values_tell_more():
    wide = pd.DataFrame({f"c{i}": ["yes", "no"] for i in range(300)})
    lake = indexed({"wide": wide, "t": pd.DataFrame({"x": ["yes", "no", "rarely"]})})
    (bits,) = AllPairs(lake._snapshot, [lake._snapshot.by_table["t"]["x"]]).bits(EACH)
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


def test_tokens_keep_rows_together():
    from lakeview.join.side import Side

    frame = pd.DataFrame({"a": ["x", "Y", None, "x"], "b": ["1", None, "2", "1.0"], "c": ["1", "x", "y", "1"]})
    a, b, c = row_tokens(Side.frame(frame, "frame"), ["a", "b", "c"], "fold")
    assert a.tolist() == [c[1], c[2], NULL, c[1]]
    assert b.tolist() == [c[0], NULL, b[2], c[3]]
