"""Search by transformation: planted columns are found, first, and their joins run the program."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import lakeview as lv
from lakeview import values
from lakeview.search import transforming
from lakeview.search.answering import beyond
from lakeview.search.candidates import Signatures
from lakeview.values.signatures import signatures

FIRST = "Ada Ben Cyd Dov Eva Fay Gus Hal Ida Jon Kay Lea Max Ned Ola Pia".split()  # noqa: SIM905
LAST = "Marlowe Winters Okonkwo Lindqvist Ferreira Castell Novak Abernathy Tsuka Haverford".split()  # noqa: SIM905


def names() -> list[tuple[str, str]]:
    draw = random.Random(3)
    found = [(first, last) for first in FIRST for last in LAST]
    return draw.sample(found, 60)


@pytest.fixture
def lake(tmp_path: Path) -> lv.Lake:
    """A table of people by last name, and some that have nothing to do with them."""
    draw = random.Random(5)
    people = names()
    draw.shuffle(people)
    tables = {
        "hr/people": pd.DataFrame({"who": [f"{last}, {first} ({i})" for i, (first, last) in enumerate(people)],
                                   "room": [f"R{draw.randrange(900)}" for _ in people]}),
        "colours": pd.DataFrame({"colour": ["red", "green", "dark blue", "light blue", "cyan"], "code": list("rgbsc")}),
    }  # fmt: skip
    for t in range(6):
        tables[f"noise{t}"] = pd.DataFrame(
            {"word": ["".join(draw.choices("abcdefghijklmnop", k=7)) for _ in range(50)], "n": range(50)}
        )
    for name, table in tables.items():
        path = tmp_path / f"{name}.csv"
        path.parent.mkdir(exist_ok=True)
        table.to_csv(path, index=False)
    opened = lv.open(tmp_path)
    opened.index(engine="local")
    return opened


def test_a_planted_column_is_found(lake: lv.Lake):
    source = pd.DataFrame({"full": [f"{first} {last}" for first, last in names()], "x": range(60)})
    assert len(lake.search(source, "full")) == 0
    hits = lake.search(source, "full", transform=True)
    assert [(h.table, h.column, h.overlap, h.method) for h in hits] == [("hr/people.csv", "who", 60, "transformation")]
    assert "60 of 60 values join by" in hits[0].reason and hits.to_pandas().iloc[0]["containment"] == 1.0
    assert len(hits[0].examples(5)[0]) == 5 and hits[0].examples()[1] == []
    assert hits[0].counts.left_matched == 60
    joined = hits[0].join(how="inner").to_pandas()
    assert len(joined) == 60
    assert all(who.startswith(f"{full.split()[1]}, {full.split()[0]}") for full, who in
               joined[["full", "who"]].to_numpy())  # fmt: skip


def test_queries_of_values_and_of_the_lake(lake: lv.Lake):
    values = pd.Series([f"{first} {last}" for first, last in names()], name="full")
    (hit,) = lake.search(values, transform=True, threshold=0.9)
    wider = pd.DataFrame({"n": range(60), "full": values})
    assert hit.join(left=wider).counts().left_matched == 60
    assert len(lake.search("hr/people.csv.who", transform=True)) == 0
    with pytest.raises(lv.NotFound):
        hit.join(left=pd.DataFrame({"a": [1]}))


def test_a_table_of_the_lake_is_a_side(lake: lv.Lake):
    source = pd.DataFrame({"full": [f"{first} {last}" for first, last in names()]})
    for sides in ((source, lake.side("hr/people.csv")), (lake.side("hr/people.csv"), source)):
        plan = lv.auto_join(*sides)[0]
        assert plan.counts().left_matched == 60
        scope: dict = {"source": source}
        exec(plan.code("pandas"), scope)
        assert "people.csv" in plan.code("pandas")


@pytest.mark.spark
def test_frames_of_spark_are_searched_and_joined_where_they_are(lake: lv.Lake, spark: Any, monkeypatch: Any):
    source = pd.DataFrame({"full": [f"{first} {last}" for first, last in names()]})
    people = pd.read_csv(Path(lake.roots[0], "hr", "people.csv"))
    there = lv.open({"people": spark.createDataFrame(people)}, store=Path(lake.roots[0]).parent / "there", spark=spark)
    there.index()
    lake.add(spark.createDataFrame(people), name="people")
    kept = lake.search(source, "full", transform=True).more()  # a copy is tried after one of its family
    assert {h.table for h in kept} == {"people", "hr/people.csv"}
    (hit,) = there.search(source, "full", transform=True)
    assert (hit.overlap, hit.counts.left_matched) == (60, 60)
    wanted = sorted(map(tuple, kept[0].join("inner").to_pandas()[["full", "who"]].to_numpy()))
    for hows in ("inner", "left", "outer"):
        plan = hit.join(hows)
        assert plan.right.kind == "spark"
        assert plan.counts() == hit.join_counts(hows)
        assert sorted((r["full"], r["who"]) for r in plan.to_spark().collect()) == wanted
    monkeypatch.setattr(transforming, "FETCHED", 30)
    (some,) = there.search(source, "full", transform=True)
    assert 15 < some.overlap < 60 and f"{some.overlap} of 60 values join among" in some.reason
    assert some.counts is None and some.join().counts().left_matched == 60  # counted where the frame is


def test_excluded_and_several_columns(lake: lv.Lake):
    source = pd.DataFrame({"full": [f"{first} {last}" for first, last in names()], "x": range(60)})
    lake.exclude = ("who",)
    assert len(lake.search(source, "full", transform=True)) == 0
    with pytest.raises(lv.InputError):
        lake.search(source, ["full", "x"], transform=True)


def test_rare_pieces_weigh_more(tmp_path: Path):
    """Tables that share what all have come after the one that shares what nobody else has."""
    tables = {f"firms{t}": pd.DataFrame({"firm": [f"{chr(97 + t) * 4}{i} holding company" for i in range(9)]})
              for t in range(6)}  # fmt: skip
    tables["codes"] = pd.DataFrame({"code": [f"xq{i}zv" for i in range(7)]})
    lake = lv.open(tables, store=tmp_path)
    lake.index(engine="local")
    snapshot = lake._snapshot
    hidden = snapshot.matching(())
    texts = [f"holding company xq{i}zv" for i in range(7)]
    likely = Signatures("fold").likely(texts, snapshot, hidden)
    assert likely[0].table == "codes" and len(likely) > 1


def test_signatures_are_those_of_the_values_whatever_becomes_of_the_index(
    lake: lv.Lake, tmp_path_factory: pytest.TempPathFactory
):
    """After a full reading, a rename, a merge of the segments, and in a copy that was published and pulled."""
    root, other = Path(lake.roots[0]), tmp_path_factory.mktemp("other")
    lake.publish(other / "there")
    (root / "noise0.csv").rename(root / "noise9.csv")
    lake.index(engine="local")
    assert len(lake._snapshot.segments) == 2
    pulled = lv.open(root, store=other / "pulled")
    for opened in (lake, lake, pulled):
        if opened is pulled:
            pulled.pull(other / "there")
        snapshot = opened._snapshot
        for number in snapshot.alive.nonzero()[0].tolist():
            segment, column = snapshot._where(number)
            name = snapshot.tables[number].replace("noise0", "noise9")
            texts = values.canonical(pd.read_csv(root / name)[snapshot.names[number]]).unique()
            assert segment.signed.of(column).tolist() == signatures(texts, [0, len(texts)])[0].tolist()
            assert len(segment.signed.of(column)) > 0
        lake.compact()
    assert len(lake._snapshot.segments) == 1 and lake.store.verify()


def test_beyond_a_search_comes_what_programs_meet_more_of(lake: lv.Lake):
    """A column that a few values meet as they are is found again where a program meets more, not where it does not."""
    full = [f"{first} {last}" for first, last in names()]
    source = pd.DataFrame({"full": full})
    few = pd.DataFrame({"as_it_is": full[:12]})
    mixed = pd.DataFrame({"name": [*full[:12], *(", ".join(name.split()[::-1]) for name in full[12:])]})
    lake.add(few, "few")
    lake.add(mixed, "mixed")
    found = lake.search(source, "full", k=50, rank="join")
    assert {(hit.table, hit.overlap) for hit in found} == {("few", 12), ("mixed", 12)}
    *_, more = beyond(lake.view(), source, found)
    assert {(hit.table, hit.overlap) for hit in more} == {("hr/people.csv", 60), ("mixed", 60)}
    assert more.query is found.query and more[0].join().counts().left_matched == 60


def test_siblings_come_after_one_of_them(tmp_path: Path):
    """Of tables with the same columns one comes first; then others, though they share less."""
    people = [f"{first} {last}" for first, last in names()]
    tables = {f"year{y}": pd.DataFrame({"who": people[y : y + 40], "n": range(40)}) for y in range(4)}
    tables["staff"] = pd.DataFrame({"person": people[::3]})
    lake = lv.open(tables, store=tmp_path)
    lake.index(engine="local")
    snapshot = lake._snapshot
    texts = [", ".join(name.lower().split()[::-1]) for name in people]
    order = [one.table for one in Signatures("fold").likely(texts, snapshot, snapshot.matching(()))]
    assert order[0].startswith("year") and order[1] == "staff" and len(order) == 5


def test_typed_columns_are_candidates(tmp_path: Path):
    draw = random.Random(4)
    numbers = draw.sample(range(10**6, 10**7), 60)
    days = [str(day.date()) for day in draw.sample(list(pd.date_range("1970-01-01", "2020-01-01")), 60)]
    lake = lv.open({"codes": pd.DataFrame({"number": numbers, "noise": range(60)}),
                    "staff": pd.DataFrame({"hired": days})}, store=tmp_path)  # fmt: skip
    lake.index(engine="local")
    assert lake._snapshot.types == ["integer", "integer", "date"]
    (code,) = lake.search(pd.Series([f"P{n:09d}" for n in numbers], name="p"), transform=True)
    us = ["/".join((day[5:7], day[8:], day[:4])) for day in days]
    (day,) = lake.search(pd.Series(us, name="us"), transform=True)
    assert (code.name, code.overlap, day.name, day.overlap) == ("codes.number", 60, "staff.hired", 60)


def likely(tables: dict[str, pd.DataFrame], folder: Path, texts: list[str]) -> list[str]:
    """The tables that a search by transformation tries, in order."""
    lake = lv.open(tables, store=folder)
    lake.index(engine="local")
    snapshot = lake._snapshot
    return [one.table for one in Signatures("fold").likely(texts, snapshot, snapshot.matching(()))]


def test_row_numbers_come_after_codes_and_measurements_are_for_amounts(tmp_path: Path):
    draw = random.Random(6)
    some = draw.sample(range(1_000, 1_700), 200)
    tables = {f"a{i}": pd.DataFrame({f"row{i}": range(1, 2_000 + i)}) for i in range(4)}
    tables["heights"] = pd.DataFrame({"height": [n / 1_000 + 0.0001 * draw.random() for n in some]})
    tables["shops"] = pd.DataFrame({"key": [f"AW{n:08d}" for n in some[:150]]})
    order = likely(tables, tmp_path / "a", [f"shop no. {n:08d}" for n in some])
    assert order[0] == "shops" and "heights" not in order and len(order) == 5
    fine = [f"{n / 1_000:.4f}" for n in some]
    assert likely({"heights": pd.DataFrame({"height": fine})}, tmp_path / "b", [f"{text} €" for text in fine])


def test_of_what_chance_would_join_the_least_besides_comes_first(tmp_path: Path):
    tables = {"all": pd.DataFrame({"id": [f"S-{n:05d}" for n in range(1, 5_000)]}),
              "shops": pd.DataFrame({"key": [f"AW{n:08d}" for n in range(1, 701) if n % 7]})}  # fmt: skip
    lake = lv.open(tables, store=tmp_path)
    lake.index(engine="local")
    hits = lake.search(pd.Series([f"shop no. {n:08d}" for n in range(1, 700, 3)], name="n"), transform=True)
    assert [(hit.table, hit.accidental) for hit in hits] == [("shops", True), ("all", True)]
    assert hits[0].overlap < hits[1].overlap


def test_of_a_large_column_more_is_held_than_was_seen(tmp_path: Path):
    """Its signature is of its first values; a third of the query is all that can be met of them."""
    many = [f"K{n * 7919 % 1_000_003:07d}" for n in range(15_000)]
    tables = {"large": pd.DataFrame({"code": many}), "half": pd.DataFrame({"code": many[:300:2]})}
    lake = lv.open(tables, store=tmp_path)
    lake.index(engine="local")
    snapshot = lake._snapshot
    texts = [text.lower().replace("k", "no. ") for text in (*many[:100], *many[6_000:6_200])]
    found = Signatures("fold").likely(texts, snapshot, snapshot.matching(()))
    assert [one.table for one in found] == ["large", "half"] and found[0].worth > 0.5


def test_how_many_tables_were_tried_is_said_and_more_are(lake: lv.Lake, monkeypatch: pytest.MonkeyPatch):
    full = [f"{first} {last}" for first, last in names()]
    lake.add(pd.DataFrame({"short": [f"{name[0]}. {name.split()[1]}" for name in full]}), "short")
    monkeypatch.setattr(transforming, "TABLES", 1)
    hits = lake.search(pd.DataFrame({"full": full}), "full", transform=True)
    assert [hit.table for hit in hits] == ["hr/people.csv"]
    assert "1 of 3 likely tables were tried: more() goes on" in repr(hits)
    seen: list[str] = []
    verify = transforming._verify
    monkeypatch.setattr(transforming, "_verify", lambda *those: [seen.append(those[2].name), verify(*those)][1])
    assert hits.more(1) is hits and seen == ["short"]
    assert hits.tried == "2 of 3 likely tables were tried: more() goes on"
    assert {hit.table for hit in hits.more()} == {"hr/people.csv"} and len(seen) == 2
    assert hits.tried == "3 of 3 likely tables were tried" and len(hits.more()) == 1 and len(seen) == 2


def test_what_chance_would_join_is_shown_as_such_where_there_is_nothing_else(tmp_path: Path):
    numbers = random.Random(2).sample(range(11_000, 11_300), 270)
    tables = {"customers": pd.DataFrame({"code": [f"AW{n:08d}" for n in numbers]}),
              "anything": pd.DataFrame({"id": [f"S-{n:04d}" for n in range(900, 1_400) if n % 50]})}  # fmt: skip
    lake = lv.open(tables, store=tmp_path)
    lake.index(engine="local")
    asked = range(11_000, 11_300)
    hit = lake.search(pd.Series([f"Customer no. {n:08d}" for n in asked], name="c"), transform=True)[0]
    assert hit.table == "customers" and hit.overlap == 270 and hit.accidental and "which may be chance" in hit.reason
    lake.add(pd.DataFrame({"text": [f"About customer {n:08d}" for n in numbers]}), "letters")
    found = lake.search(pd.Series([f"Customer {n:08d}" for n in asked], name="c"), transform=True)
    assert [(hit.table, hit.accidental) for hit in found] == [("letters", False)]


def test_a_small_table_is_looked_into_for_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Where the first look joins few rows, near keys are found as by auto_join."""
    full = [f"{first} {last}" for first, last in names()]
    other = [", ".join(name.split()[::-1]) for name in full]
    source = pd.DataFrame({"who": [*other[:30], *(name[:-1] + "yy" for name in other[30:])]})
    lake = lv.open({"staff": pd.DataFrame({"name": full})}, store=tmp_path)
    lake.index(engine="local")
    (hit,) = lake.search(source, "who", transform=True)
    assert hit.plan.rest.matches
    monkeypatch.setattr(transforming, "WHOLE", 0.0)
    (hit,) = lake.search(source, "who", transform=True)
    assert not hit.plan.rest.matches


def test_minutes_are_no_days(tmp_path: Path):
    """A calendar joins every minute by its day; the table of minutes keeps them apart."""
    minutes = pd.date_range("2024-03-01 06:00", periods=120, freq="6h")
    days = pd.date_range("2023-01-01", "2024-12-31")
    pd.DataFrame({"day": days.strftime("%Y%m%d"), "n": range(len(days))}).to_csv(tmp_path / "calendar.csv", index=False)
    log = pd.DataFrame({"at": minutes.strftime("%d.%m.%Y %H:%M"), "load": range(120)})
    log.to_csv(tmp_path / "log.csv", index=False)
    lake = lv.open(tmp_path, store=tmp_path / "store")
    lake.index(engine="local")
    asked = pd.DataFrame({"when": minutes.strftime("%Y/%m/%d %H:%M")})
    hits = lake.search(asked, "when", transform=True)
    assert hits[0].table == "log.csv" and hits[0].apart == 1.0
    assert all(hit.apart < 0.5 for hit in hits if hit.table == "calendar.csv")


def test_answers_come_while_further_tables_are_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The first after the first tables; whoever has seen enough closes it, and nothing goes on."""
    people = [f"{first} {last}" for first, last in names()]
    for i in range(20):
        some = [f"{name} {i:02d}{chr(97 + i)}" for name in people]
        pd.DataFrame({f"who{i}": some, "n": range(len(some))}).to_csv(tmp_path / f"t{i:02d}.csv", index=False)
    lake = lv.open(tmp_path, store=tmp_path / "store")
    lake.index(engine="local")
    asked = pd.DataFrame({"full": [name.upper().replace(" ", "_") + "_17R" for name in people]})
    monkeypatch.setattr(transforming, "AT_ONCE", 0.0)  # one table
    monkeypatch.setattr(transforming, "ENOUGH", 0.0)
    monkeypatch.setattr(transforming, "STEP", 5)
    answers = list(lake.search(asked, "full", transform=True, stream=True))
    assert len(answers) > 2 and len({answer.tried for answer in answers}) == len(answers)
    assert not answers[0].goes_on and answers[0].more() is answers[0]
    assert {hit.table for hit in answers[0]} <= {hit.table for hit in answers[-1]}
    stream = lake.search(asked, "full", transform=True, stream=True)
    next(stream)
    stream.close()


def test_beside_an_answer_no_table_is_tried_at_once_that_would_join_less(lake: lv.Lake):
    people = [f"{first} {last}" for first, last in names()]
    lake.add(pd.DataFrame({"a few": [name.split()[1] + "/" + name.split()[0] for name in people[:20]]}), "few")
    hits = lake.search(pd.DataFrame({"full": people}), "full", transform=True)
    assert [hit.table for hit in hits] == ["hr/people.csv"] and hits.goes_on
    assert {hit.table for hit in hits.more()} == {"hr/people.csv", "few"}


def test_the_first_answer_does_not_wait_for_slow_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """However long each table takes: once the time is over no further one is begun before the first answer."""
    people = [f"{first} {last}" for first, last in names()]
    tables = {f"t{i}": pd.DataFrame({f"who{i}": people, f"n{i}": range(len(people))}) for i in range(8)}
    lake = lv.open(tables, store=tmp_path / "store")
    lake.index(engine="local")
    clock, seen = [0.0], []
    monkeypatch.setattr(transforming.time, "thread_time", lambda: clock[0])

    def slow(*those: Any) -> None:
        seen.append(those[2].name)
        clock[0] += 0.9

    monkeypatch.setattr(transforming, "_verify", slow)
    asked = pd.DataFrame({"full": [", ".join(name.split()[::-1]) for name in people]})
    stream = lake.search(asked, "full", transform=True, stream=True)
    first = next(stream)
    assert len(seen) == 3 and first.tried == "3 of 8 likely tables were tried" and clock[0] < transforming.AT_ONCE + 0.9
    stream.close()
    assert len(seen) == 3  # cancelled: nothing goes on
