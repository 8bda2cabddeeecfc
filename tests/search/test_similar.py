"""Search by similar text: noisy names are found with what it costs to trust them; all else is left alone."""

from __future__ import annotations

import random
import string
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import lakeview as lv
from lakeview import values
from lakeview.join.side import Side
from lakeview.search import similar, similar_text
from lakeview.search.query import Query
from lakeview.search.similar import SimilarHit
from lakeview.search.similar_text import alike, matched, sample_of

FORMS = ["Inc", "Ltd", "Corporation", "Holdings", "Group"]


def words(n: int, seed: int) -> list[str]:
    """Words that nobody knows."""
    draw = random.Random(seed)
    return ["".join(draw.choices(string.ascii_lowercase, k=draw.randrange(5, 12))) for _ in range(n)]


def pairs(n: int, seed: int) -> list[str]:
    return [f"{a} {b}" for a, b in zip(words(n, seed), words(n, seed + 1), strict=True)]


def companies() -> list[str]:
    return [f"{name} {FORMS[i % 5]}".title() for i, name in enumerate(pairs(100, 20))]


def noisy(name: str, draw: random.Random) -> str:
    """As somebody types it: another form or none, and a letter less."""
    first, second, _ = name.split()
    place = draw.randrange(1, len(first))
    return " ".join([first[:place] + first[place + 1 :], second, *draw.choice([[], ["Co."], ["Intl", "Ltd."]])])


def asked() -> pd.DataFrame:
    """The hundred companies, of which the last ten the lake has not, and some more rows."""
    draw = random.Random(8)
    typed = [noisy(name, draw) for name in companies()]
    return pd.DataFrame({"firm": [*typed, *typed[:20], None], "n": range(121)})


@pytest.fixture
def lake(tmp_path: Path) -> lv.Lake:
    names = companies()[:90]
    tables = {
        "registry": pd.DataFrame({"company": names, "seat": words(90, 1), "id": range(90)}),
        "plants": pd.DataFrame({"plant": pairs(80, 2)}),
        "stock": pd.DataFrame({"part": [f"AX-{n:05d}-T" for n in range(100)], "weight": range(100)}),
    }
    for name, table in tables.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    opened = lv.open(tmp_path, store=tmp_path / "store")
    opened.index(engine="local")
    return opened


def answers(lake: lv.Lake, frame: pd.DataFrame, column: str) -> list[Any]:
    """What steps add to a search, as it is found."""
    return list(lake.search(frame, column, rank="join").further())


def similar_in(hits: Any) -> list[SimilarHit]:
    return [hit for hit in hits if hit.kind == "fuzzy"]


def test_noisy_names_are_found(lake: lv.Lake):
    last = answers(lake, asked(), "firm")[-1]
    (hit,) = similar_in(last)
    assert (hit.table, hit.column, hit.method, hit.confidence) == ("registry.csv", "company", "similarity", "possible")
    assert 70 <= hit.overlap <= 92 and hit.containment == hit.overlap / 100
    assert 0 < hit.containment_low <= hit.containment <= hit.containment_high <= 1
    assert hit.line == f"about {hit.overlap} of 100, similar text"
    assert hit.con[0].endswith("in 100 may be wrong") and f"{100 - hit.overlap} values missing" in hit.con
    mine, theirs = hit.example
    assert mine in set(asked()["firm"]) and theirs in companies() and mine != theirs
    joining, alone = hit.examples(5)
    assert len(joining) == len(alone) == 5 and joining[0][1] == 2
    assert hit.table in last.to_pandas()["table"].tolist() and "similar text" in hit.reason


def test_its_join_is_the_one_that_was_told(lake: lv.Lake):
    frame = asked()
    (hit,) = similar_in(answers(lake, frame, "firm")[-1])
    plan = hit.join()
    assert plan is hit.plan and plan.threshold is not None and plan.left_name == hit.plan.left_name
    assert plan.counts() == hit.counts == hit.join_counts("left")
    assert hit.join("inner").counts() == hit.join_counts("inner")
    right = dict(zip(frame["firm"], companies(), strict=False))
    joined = hit.join("inner").to_pandas()
    assert (joined["company"] == joined["firm"].map(right)).mean() >= 0.9
    assert hit.join(left=frame.head(10)).counts().left_rows == 10
    assert hit.join_counts("outer") is None
    with pytest.raises(lv.InputError):
        hit.join("outer")
    with pytest.raises(lv.InputError):
        hit.join(many="list")


def test_answers_say_how_far_the_search_is(lake: lv.Lake):
    found = answers(lake, asked(), "firm")
    looking = [hits.looking for hits in found]
    assert set(looking) == {"transformations", "similar text"} and looking == sorted(looking, reverse=True)
    assert [hits.looked for hits in found] == sorted(hits.looked for hits in found)
    assert all(hits.looked <= hits.of for hits in found) and found[-1].looked == found[-1].of
    assert not found[-1].goes_on
    stream = iter(lake.search(asked(), "firm", rank="join").further())
    assert next(stream).looking == "transformations"
    stream.close()


@pytest.mark.parametrize("column", ["codes", "numbers", "days", "letters", "few"])
def test_what_is_no_text_is_not_looked_for(lake: lv.Lake, column: str):
    """Codes that are nearly alike are different things."""
    frame = pd.DataFrame({
        "codes": [f"AX-{n:05d}-S" for n in range(100)],
        "numbers": [f"{n * 7919} kg" for n in range(100)],
        "days": pd.date_range("2020-01-01", periods=100).strftime("%B %d, %Y"),
        "letters": [a + b + "x" for a in "abcdefghij" for b in "klmnopqrst"],
        "few": companies()[:2] * 50,
    })  # fmt: skip
    assert {hits.looking for hits in answers(lake, frame, column)} == {"transformations"}


def test_unrelated_text_is_no_hit(lake: lv.Lake):
    frame = pd.DataFrame({
        "words": words(100, 5),
        "pairs": pairs(100, 6),
        "others": [f"{name} {FORMS[i % 5]}" for i, name in enumerate(pairs(100, 30))],  # other companies
    })  # fmt: skip
    for column in frame:
        assert similar_in(answers(lake, frame, column)[-1]) == []


def test_a_part_of_a_name_is_not_the_name(monkeypatch: pytest.MonkeyPatch):
    """A town's airport is called like the town; a first name is like many people's."""
    towns = words(80, 50)
    asked = sample_of(Query.of(values.as_arrow(towns), "towns", "towns", "fold"), "fold")
    assert asked is not None
    airports = Side.column([f"{town} Airport" for town in towns], "airport", "airports")
    people = Side.column([f"{a} {b}" for a, b in zip(towns, words(80, 51), strict=True)], "who", "people")
    monkeypatch.setattr(similar_text, "NEAR", replace(similar_text.NEAR, floor=0.3, threshold=0.3))
    found = matched(asked, airports, "airport", "fold")
    assert found is not None and alike(found) > 0.6
    assert matched(asked, people, "who", "fold") is None
    monkeypatch.setattr(similar_text, "ALIKE", 0.0)
    found = matched(asked, people, "who", "fold")
    assert found is not None and alike(found) < 0.4


def test_what_joins_as_it_is_needs_no_similar_text(lake: lv.Lake):
    frame = pd.DataFrame({"equal": companies()[:80] + [name + "s" for name in companies()[80:]]})
    assert similar_in(answers(lake, frame, "equal")[-1]) == []


def test_of_many_values_some_are_looked_at(lake: lv.Lake, monkeypatch: pytest.MonkeyPatch):
    (whole,) = similar_in(answers(lake, asked(), "firm")[-1])
    monkeypatch.setattr(similar_text, "VALUES", 60)
    (hit,) = similar_in(answers(lake, asked(), "firm")[-1])
    assert "by 60 of them" in hit.reason and abs(hit.overlap - whole.overlap) <= 20
    assert hit.containment_low <= whole.containment <= hit.containment_high
    assert hit.join().counts() == whole.join().counts()  # all are joined


def test_a_changed_table_is_left_out(lake: lv.Lake):
    frame = asked()
    answers(lake, frame, "firm")  # what the index knows of the text is kept
    path = Path(lake.roots[0], "registry.csv")
    path.write_text(path.read_text().replace(",", ";"))
    last = answers(lv.open(lake.roots[0], store=lake.store.folder), frame, "firm")[-1]
    assert similar_in(last) == []
    assert len(last.left_out) == 1 and "registry.csv" in last.left_out[0]


def test_no_further_column_is_tried_once_the_time_is_over(lake: lv.Lake, monkeypatch: pytest.MonkeyPatch):
    lake.add(pd.DataFrame({"customer": [name.upper() + " x" for name in companies()]}), "customers")
    monkeypatch.setattr(similar, "SECONDS", -1.0)
    seen = [hits for hits in answers(lake, asked(), "firm") if hits.looking == "similar text"]
    assert len(seen) == 2 and seen[-1].looked == seen[-1].of < seen[0].of


def test_programs_tell_a_pair_too(tmp_path: Path):
    names = companies()
    lake = lv.open({"staff": pd.DataFrame({"who": [", ".join(name.split()[1::-1]) for name in names]})},
                   store=tmp_path)  # fmt: skip
    lake.index(engine="local")
    (hit,) = answers(lake, pd.DataFrame({"name": [" ".join(name.split()[:2]) for name in names]}), "name")[-1]
    assert hit.kind == "transform" and hit.example is not None
    mine, theirs = hit.example
    assert theirs == ", ".join(mine.split()[::-1])
