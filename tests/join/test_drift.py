"""What changed in the keys of a join: each kind is named, and nothing is where nothing changed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import lakeview as lv
from lakeview.errors import InputError
from lakeview.join.plan import equi_join
from lakeview.join.recipe.drift import Keys, drift
from lakeview.join.side import Side


def keys(left: list[str], right: list[str]) -> Keys:
    there = set(right)
    return Keys(left, np.array([key in there for key in left], bool), right)


THERE = [f"A-{number:05d}" for number in range(400)]
DAYS = [f"{year}-{month:02d}-01" for year in range(2015, 2024) for month in range(1, 13)]
KINDS = {
    "case": (THERE, THERE, [key.lower() for key in THERE], THERE),
    "padding": ([k[2:] for k in THERE[100:]], [k[2:] for k in THERE[100:]], [k[2:].lstrip("0") for k in THERE[100:]],
                [k[2:] for k in THERE[100:]]),
    "signs": (THERE, THERE, [key.replace("-", " ") for key in THERE], THERE),
    "prefix": (THERE, THERE, THERE[:200] + [f"ZZ-{number}" for number in range(60)], THERE),
    "new years": (DAYS, DAYS, DAYS + [f"2025-{month:02d}-01" for month in range(1, 13)], DAYS),
    "keys gone": (THERE, THERE, THERE, THERE[:300]),
    "new keys": (THERE, THERE, THERE + ["Zweig", "quince", "9", "mu"] * 1 + list("bcdefg"), THERE),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_named(kind):
    left, right, later, there = KINDS[kind]
    found = drift(keys(left, right).profile(), keys(later, there))
    assert found.kind == kind, str(found)
    assert str(found).startswith("100% of the keys matched then, ") and found.samples


def test_a_prefix_is_told():
    left, right, later, there = KINDS["prefix"]
    assert "new ones look like 'ZZ-" in str(drift(keys(left, right).profile(), keys(later, there)))
    before = drift(keys(THERE, THERE).profile(), keys([f"x{key}" for key in THERE], THERE))
    assert before.kind == "prefix" and "have 'x' before the key" in str(before)
    lacking = drift(keys(THERE, THERE).profile(), keys([key[2:] for key in THERE], THERE))
    assert lacking.kind == "prefix" and "lack 'A-' before the key" in str(lacking)


def test_no_prefix_is_told_of_one_key_nor_where_no_sample_was_kept():
    then = keys(THERE[:100], THERE)
    assert drift(then.profile(), keys([*THERE[:100], "Zweig"], THERE)).kind == "new keys"
    left, right, later, there = KINDS["prefix"]
    assert drift(keys(left, right).profile(with_values=False), keys(later, there)).kind == "new keys"


def test_keys_that_met_none_before_are_not_what_is_new():
    alone = [f"q{number}" for number in range(50)]
    found = drift(keys(THERE + alone, THERE).profile(), keys([*THERE, *alone, *"uvwxyz"], THERE))
    assert found.kind == "new keys" and set(found.samples) < set("uvwxyz")


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_nothing_is_said_where_nothing_changed(share):
    met = int(share * 300)
    left = THERE[:met] + [f"q{number}" for number in range(300 - met)]
    then = keys(left, THERE).profile()
    assert not drift(then, keys(left[::-1], THERE[::-1]))
    assert not drift(then, keys(left, [*THERE, "new"]))
    assert "as before" in str(drift(then, keys(left, THERE)))


def test_no_values_are_kept_where_they_must_not_be():
    assert keys(THERE, THERE).profile(with_values=False)["met_sample"] == []


def test_a_plan_rechecks_its_files(tmp_path):
    names = [f"site {number}" for number in range(50)]
    pd.DataFrame({"site": names, "n": range(50)}).to_csv(tmp_path / "sites.csv", index=False)
    lake = lv.open(tmp_path, store=tmp_path / "store")
    lake.index(engine="local")
    asked = pd.DataFrame({"site": names})
    plan = lake.search(asked, "site")[0].join()
    plan.to_pandas()
    assert not plan.recheck()
    pd.DataFrame({"site": names[:30], "n": range(30)}).to_csv(tmp_path / "sites.csv", index=False)
    found = plan.recheck()
    assert found.kind == "keys gone" and "100% of the keys matched then, 60% now" in str(found)


def test_fuzzy_and_program_plans_recheck():
    left = pd.DataFrame({"name": [f"Doe, Ann{letter}" for letter in "abcdefghij"]})
    right = pd.DataFrame({"who": [f"Ann{letter} Doe" for letter in "abcdefghij"]})
    plan = lv.auto_join(left, right)[0]
    assert plan.counts().left_matched == 10 and not plan.recheck()
    right.loc[5:, "who"] = "nobody"
    assert plan.recheck()
    fuzzy = lv.fuzzy_join(left, left.assign(name=left["name"] + "x"), "name", "name", threshold=0.6)
    assert not fuzzy.recheck()
    fuzzy.right.held.loc[:, "name"] = "?"
    assert fuzzy.recheck().now == 0


def test_spark_frames_are_refused(monkeypatch):
    plan = equi_join(*[Side.frame(pd.DataFrame({"k": ["a"]}), name) for name in "lr"], "k", "k")
    monkeypatch.setattr(type(plan.join), "in_spark", True)
    with pytest.raises(InputError, match="lie in Spark"):
        plan.recheck()
