"""Two columns of a table as a map: what most rows of a value say, and how code makes that of the table."""

from __future__ import annotations

from collections import Counter, defaultdict

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lakeview as lv
from lakeview.join.lookup import Lookup, Pairs

CELLS = st.one_of(st.none(), st.sampled_from("abc"))


@given(st.lists(st.tuples(CELLS, CELLS), max_size=30))
def test_a_value_stands_for_what_most_of_its_rows_say(rows):
    found = Pairs.of(*(pa.array([row[side] for row in rows], pa.large_string()) for side in (0, 1)))
    said: dict[str, Counter[str]] = defaultdict(Counter)
    for a, b in rows:
        if a is not None and b is not None:
            said[a][b] += 1
    wanted = {}
    for a, counts in said.items():
        (best, times), *_ = counts.most_common()
        if 2 * times > counts.total():
            wanted[a] = best
    assert dict(zip(found.source.to_pylist(), found.target.to_pylist(), strict=True)) == wanted
    assert [rows[i] for i in found.rows] == list(zip(found.source.to_pylist(), found.target.to_pylist(), strict=True))
    total = sum(counts.total() for counts in said.values())
    kept = sum(said[a][b] for a, b in wanted.items())
    assert found.functional == pytest.approx(kept / total if total else 0.0)


@pytest.mark.parametrize(
    "text, form, pairs",
    [
        ("n,c\nOhio,OH\nIowa,IA\n", "all", {"ohio": "oh", "iowa": "ia"}),
        ("n,c\nOhio,OH\nIowa,\nIowa,IA\n,X\n", "present", {"ohio": "oh", "iowa": "ia"}),
        ("n,c\nOhio,OH\nOhio,OH\nIowa,IA\n", "distinct", {"ohio": "oh", "iowa": "ia"}),
        ("n,c\nOhio,OH\nOhio,OH\nOhio,XX\nIowa,IA\nUtah,U\nUtah,T\n", "listed", {"ohio": "oh", "iowa": "ia"}),
        ("n,c\nOhio,OH\nOHIO,oh\nIowa,IA\n", "listed", {"ohio": "oh", "iowa": "ia"}),
    ],
)
def test_code_makes_a_map_the_plainest_way_that_never_multiplies(tmp_path, text, form, pairs):
    (tmp_path / "states.csv").write_text(text)
    lake = lv.open(tmp_path)
    lake.index(engine="local")
    lookup = Lookup(lake.side("states.csv"), "n", "c")
    found = lookup.pairs
    assert dict(zip(found.source.to_pylist(), found.target.to_pylist(), strict=True)) == pairs
    assert lookup.form == form
    frame = lookup.frame
    keyed = frame["n"].dropna().str.lower()
    assert keyed.is_unique and set(keyed) == set(pairs)
