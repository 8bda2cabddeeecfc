"""Nearly equal, and why: what would join more values than match as they are, counted, and joined in one call."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import lakeview as lv

FIPS = [1001, 1003, 4013, 6037, 6075, 12086, 17031, 36061, 39035, 48113, 48201, 53033]
DAYS = pd.date_range("2021-03-01", periods=24, freq="11D")
TOWNS = [
    "São Tomé",
    "Zürich",
    "Málaga",
    "Lisboa",
    "Porto",
    "Genève",
    "Bern",
    "Łódź",
    "Oslo",
    "Bergen",
    "Århus",
    "Odense",
]
# What she has, what the lake has, what is told, and how many values match then.
KINDS = {
    "leading zeros": ([str(n) for n in FIPS], [f"{n:05d}" for n in FIPS], "leading zeros", 12),
    "whole numbers": (FIPS, [f"{n:05d}" for n in FIPS], "leading zeros", 12),
    "zeros left out there": ([f"{n:05d}" for n in FIPS], [str(n) for n in FIPS], "leading zeros", 12),
    "punctuation": (["AB-12", "AC-13", "AD14", "AE15", "AF-16"], ["AB12", "AC13", "AD14", "AE15", "AF16"],
                    "punctuation", 5),
    "accents": (TOWNS, ["Sao Tome", "Zurich", "Malaga", *TOWNS[3:5], "Geneve", *TOWNS[6:]], "accents", 12),
    "a prefix": (["CUST-1a", "CUST-2b", "CUST-3c", "CUST-4d", "5e", "6f"], ["1a", "2b", "3c", "4d", "5e", "6f"],
                 "what stands around", 6),
    "a suffix there": (["1a", "2b", "3c", "4d", "5e"], ["1a.pdf", "2b.pdf", "3c.pdf", "4d.pdf", "5e"],
                       "what stands around", 5),
    "written dates": ([*DAYS.strftime("%d.%m.%Y")[:20], *DAYS.strftime("%Y-%m-%d")[20:]],
                      list(DAYS.strftime("%Y-%m-%d")), "dates", 24),
    "amounts": (["$1,200.50", "$3,450.25", "$7,100.75", "$9,875", "640", "555"],
                [1200.5, 3450.25, 7100.75, 9875, 640, 555],
                "amounts", 6),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_what_would_find_the_rest(kind: str, tmp_path: Path):
    own, there, what, found = KINDS[kind]
    pd.DataFrame({"key": there, "what": [f"w{i}" for i in range(len(there))]}).to_csv(tmp_path / "t.csv", index=False)
    lake = lv.open(tmp_path, store=tmp_path / "store")
    lake.index(engine="local")
    frame = pd.DataFrame({"mine": own, "n": range(len(own))})
    hit = lake.search(frame, "mine")[0]
    nearly = hit.nearly
    assert nearly is not None and (nearly.what, nearly.found, nearly.of) == (what, found, len(own))
    assert nearly.now == hit.overlap < found and f"{hit.overlap} of {len(own)} values match as they are" in nearly.why
    assert nearly.examples and str(nearly) == nearly.why
    plan = nearly.join("inner")
    assert sorted(plan.pairs.to_numpy().tolist()) == [[i, i] for i in range(len(own))]
    scope = {"frame": frame}
    code = plan.code("pandas").replace("plan.left", "frame")
    exec(code, scope)
    result = list(scope.values())[-1]
    assert sorted(result["what"]) == sorted(f"w{i}" for i in range(len(own)))
    assert nearly.join().to_pandas().shape[0] == len(own)


def test_what_nothing_would_find(tmp_path: Path):
    pd.DataFrame({"key": ["oak", "elm", "ash", "yew"], "n": range(4)}).to_csv(tmp_path / "t.csv", index=False)
    lake = lv.open(tmp_path, store=tmp_path / "store")
    lake.index(engine="local")
    assert lake.search(["oak", "elm", "ash", "fir", "box"])[0].nearly is None
    assert lake.search(["oak", "elm", "ash"])[0].nearly is None


def test_keys_that_would_become_one_are_left_alone(tmp_path: Path):
    """01 and 1 are two keys there: zeros are no slip."""
    there = [str(n) for n in range(1, 9)] + [f"{n:02d}" for n in range(1, 9)]
    pd.DataFrame({"key": there, "n": range(16)}).to_csv(tmp_path / "t.csv", index=False)
    lake = lv.open(tmp_path, store=tmp_path / "store")
    lake.index(engine="local")
    nearly = lake.search([f"{n:03d}" for n in range(1, 9)] + ["1", "2", "3"])[0].nearly
    assert nearly is None or "both sides" not in nearly.why
