"""Kinds of columns that people have, a tenth of them without partner, a column of noise beside: all right rows, no
others, by the plan and by its pandas code; what chance would join as well is marked as doubtful."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pandas as pd
import pytest

import lakeview as lv
from lakeview.join.transform.cuts import cuts_fields
from lakeview.join.transform.operators import Piece, Split

MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
LONG = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December"]  # fmt: skip
YEARS = range(2015, 2023)
DRAW = random.Random(5)

Rows = Sequence[tuple[str, ...]]


def hexes(digits: int) -> list[str]:
    return ["".join(DRAW.choices("0123456789abcdef", k=digits)) for _ in range(60)]


def by_two(text: str, sep: str) -> str:
    return sep.join(text[i : i + 2] for i in range(0, len(text), 2))


def alnum(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def month(name: str) -> str:
    return f"{[m[:3] for m in MONTHS].index(name[:3]) + 1:02d}"


PHONES = [" ".join([f"0{DRAW.randrange(1, 8)}", *(f"{DRAW.randrange(100):02d}" for _ in range(4))]) for _ in range(60)]
PLATES = [f"{a}{b}-{DRAW.randrange(1000):03d}-{b}{a}" for a in "ABCDEFGH" for b in "JKLMNPQR"]
SPRING = [f"2023-{m:02d}-{d:02d}" for m in (3, 4, 5) for d in range(1, 31)]
TIMES = [f"{DRAW.randrange(24):02d}:{DRAW.randrange(60):02d}:{DRAW.randrange(60):02d}" for _ in SPRING]
LAST = """Marlowe Winters Okonkwo Lindqvist Ferreira Castell Novak Haverford Abernathy Tsuka Brandt Delacroix Esposito
Fairbanks Grimaldi Hollis Ibarra Jansen Kowalski Lombardi Moreau Nakamura Ostrowski Pemberton Quist Rasmussen Sorensen
Thackeray Ullman Vasquez Whitlock Yamada Zeller Marchetti Winslow Castellan""".split()  # noqa: SIM905
PEOPLE = [f"{first} {last}" for first, last in zip(("Ada", "Ben", "Cyd", "Dov", "Eva", "Fay") * 6, LAST, strict=True)]
DAYS = [f"{d:02d}/{m:02d}/{y}" for y in (2019, 2021, 2024) for m in (1, 3, 5, 8, 11) for d in (2, 5, 9, 14, 27)]


def last_first(name: str) -> str:
    return ", ".join(reversed(name.split()))


def iso(day: str) -> str:
    """Of a day that is written day first."""
    return "-".join(reversed(day[:10].split("/")))


# Name: values, the key that each has, whether chance would join as many (None: either).
ONE: dict[str, tuple[Sequence[str], Callable[[str], str], bool | None]] = {
    "last name first": (PEOPLE, last_first, False),
    "first name first, in capitals": ([last_first(name).upper() for name in PEOPLE],
                                      lambda t: " ".join(reversed(t.title().split(", "))), False),
    "initial and last name": (PEOPLE, lambda t: f"{t.split()[1]}, {t[0]}.", False),
    "titles": ([f"Dr. {name}" for name in PEOPLE], lambda t: last_first(t[4:]), False),
    "middle initials": ([f"{last_first(name)} {name[-1].upper()}." for name in PEOPLE],
                        lambda t: " ".join(reversed(t[:-3].split(", "))), False),
    "day first": (DAYS, iso, None),
    "day first with points": ([day.replace("/", ".") for day in DAYS], lambda t: iso(t.replace(".", "/")), None),
    "day first, and month first": (DAYS, lambda t: f"{t[3:5]}/{t[:2]}/{t[6:]}", None),
    "day first in short years": ([f"{day[:6]}{day[8:]}" for day in DAYS], lambda t: iso(f"{t[:6]}20{t[6:]}"), None),
    "day first with a time": ([f"{day} 09:{i % 60:02d}" for i, day in enumerate(DAYS)], iso, None),
    "customer numbers": ([f"Customer no. {11000 + i:08d}" for i in range(300)], lambda t: "AW" + t[-8:], True),
    "files": ([f"img_{i:05d}.jpg" for i in range(1, 301)], lambda t: t[:-4], False),
    "paths": ([f"/data/scans/scan_{i:04d}.tif" for i in range(1, 201)], lambda t: t[12:21], False),
    "invoices": ([f"INV/2024/{i:04d}" for i in range(1, 301)], lambda t: "INV-" + t[-4:], None),
    "sessions": ([f"sub-{i:03d}_ses-{j}" for i in range(1, 51) for j in (1, 2)], lambda t: t[:7], False),
    "order lines": ([f"ORD-{i:05d}-{j}" for i in range(1, 101) for j in (1, 2)], lambda t: t[:9], False),
    "padded numbers": ([f"EMP-{10429 + i:07d}" for i in range(300)], lambda t: t[4:].lstrip("0"), True),
    "tickets": ([f"JIRA-{i}" for i in range(1000, 1201)], lambda t: t[5:], True),
    "patients": ([f"Patient {i}" for i in range(1, 201)], lambda t: f"P{int(t[8:]):03d}", True),
    "timestamps": ([f"{d} {t}" for d, t in zip(SPRING, TIMES, strict=True)], lambda t: t[:10], True),
    "timestamps and compact days": ([f"{d} {t}" for d, t in zip(SPRING, TIMES, strict=True)],
                                    lambda t: alnum(t[:10]), None),
    "timestamps of the US": ([f"{int(d[5:7])}/{int(d[8:])}/2023 {t[:5]}" for d, t in zip(SPRING, TIMES, strict=True)],
                             lambda t: "-".join(f"{int(t.split()[0].split('/')[i]):02d}" for i in (2, 0, 1)), None),
    "timestamps of ISO": ([f"{d}T{t}Z" for d, t in zip(SPRING, TIMES, strict=True)], lambda t: t[:10], True),
    "MAC addresses": ([by_two(h, ":") for h in hexes(12)], lambda t: alnum(t).upper(), False),
    "MAC with hyphens": ([by_two(h, ":") for h in hexes(12)], lambda t: t.replace(":", "-"), False),
    "phones": (PHONES, alnum, False),
    "phones of a country": (PHONES, lambda t: "+33" + alnum(t)[1:], False),
    "phones with dots": (PHONES, lambda t: t.replace(" ", "."), False),
    "sort codes": ([by_two(f"{DRAW.randrange(10**6):06d}", "-") for _ in range(60)], alnum, False),
    "addresses of three networks": ([f"{net}.{host}" for net in ("198.51.100", "192.0.2", "203.0.113")
                                     for host in range(1, 180, 2)], lambda t: t.replace(".", "-"), None),
    "plates": (PLATES, alnum, False),
    "hex colours": (["#" + h for h in hexes(6)], lambda t: t[1:].upper(), False),
    "IBAN": ([" ".join([f"DE{DRAW.randrange(100):02d}", *(f"{DRAW.randrange(10**4):04d}" for _ in range(4))])
              for _ in range(60)], alnum, False),
    "months": ([f"{m} {y}" for y in YEARS for m in MONTHS], lambda t: f"{t[4:]}-{month(t)}", False),
    "months and compact months": ([f"{m} {y}" for y in YEARS for m in MONTHS], lambda t: f"{t[4:]}{month(t)}", None),
    "long months": ([f"{m} {y}" for y in YEARS for m in LONG], lambda t: f"{t[-4:]}-{month(t)}", False),
    "months and short years": ([f"{m}-{y % 100}" for y in YEARS for m in MONTHS],
                               lambda t: f"{month(t)}/20{t[4:]}", None),
    "month numbers": ([f"{m:02d}/{y}" for y in YEARS for m in range(1, 13)], lambda t: f"{t[3:]}-{t[:2]}", False),
    "long dates": ([f"{d} {m} {y}" for y in (2021, 2022) for m in LONG for d in (1, 7, 15, 23)],
                   lambda t: f"{t[-4:]}-{month(t.split()[1])}-{int(t.split()[0]):02d}", False),
    "quarters": ([f"{y}Q{q}" for y in range(2010, 2025) for q in range(1, 5)], lambda t: f"Q{t[5]} {t[:4]}", False),
    "short quarters": ([f"Q{q} {y}" for y in range(2010, 2025) for q in range(1, 5)],
                       lambda t: f"{t[1]}Q{t[5:]}", None),
    "quarters as words": ([f"{y} Q{q}" for y in range(2010, 2025) for q in range(1, 5)],
                          lambda t: f"Quarter {t[6]}, {t[:4]}", None),
    "quarters with signs": ([f"{y}-Q{q}" for y in range(2010, 2025) for q in range(1, 5)],
                            lambda t: f"Q{t[6]}/{t[:4]}", False),
    "weeks as numbers": ([f"{y}W{w:02d}" for y in range(2020, 2024) for w in range(1, 53)],
                         lambda t: f"{t[:4]}-{t[5:]}", None),
    "weeks": ([f"{y}-W{w:02d}" for y in range(2020, 2024) for w in range(1, 53)], lambda t: f"W{t[6:]} {t[:4]}", None),
}  # fmt: skip
FIPS = sorted({(f"{DRAW.randrange(1, 57):02d}", f"{DRAW.randrange(1, 200):03d}") for _ in range(200)})
MONTH_ROWS = [(m, str(y)) for y in (2021, 2022, 2023) for m in MONTHS]
SEVERAL: dict[str, tuple[Rows, Callable[[tuple[str, ...]], str], bool | None]] = {
    "month and year": (MONTH_ROWS, lambda r: f"{r[0]}-{r[1][2:]}", True),
    "month and year of ISO": (MONTH_ROWS, lambda r: f"{r[1]}-{month(r[0])}", None),
    "month number and year": ([(str(m), str(y)) for y in YEARS for m in range(1, 13)],
                              lambda r: f"{r[1]}-{int(r[0]):02d}", None),
    "year, month and day": ([(str(y), str(m), str(d)) for y in (2021, 2022) for m in range(1, 13) for d in (1, 7, 23)],
                            lambda r: f"{r[0]}-{int(r[1]):02d}-{int(r[2]):02d}", False),
    "state and county": (FIPS, lambda r: "".join(r), False),
    "state and county as numbers": ([(str(int(a)), str(int(b))) for a, b in FIPS],
                                    lambda r: f"{int(r[0]):02d}{int(r[1]):03d}", False),
    "close codes": ([(f"{a:02d}", f"{b:03d}") for a in range(1, 11) for b in range(1, 60, 2)], "".join, None),
    "year and quarter": ([(str(y), f"Q{q}") for y in range(2010, 2024) for q in range(1, 5)], "".join, None),
    "department and course": ([(d, str(k)) for d in ("CS", "MA", "PH", "BI") for k in range(101, 120)], "".join, True),
    "aisle and shelf": ([(a, str(b)) for a in "ABCDEFGH" for b in range(1, 21)],
                        lambda r: f"{r[0]}{int(r[1]):02d}", True),
    "block and lot": ([(f"{a:04d}", f"{b:02d}") for a in range(1, 21) for b in range(1, 11)], "/".join, None),
}  # fmt: skip
KINDS = {name: ([(value,) for value in values], lambda r, make=make: make(r[0]), doubtful)
         for name, (values, make, doubtful) in ONE.items()} | SEVERAL  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_kinds(kind: str):
    rows, make, doubtful = KINDS[kind]
    draw = random.Random(3)
    keys = sorted({make(row) for row in rows})
    kept = draw.sample(keys, len(keys) * 9 // 10)
    rows = draw.sample(rows, len(rows))
    source = pd.DataFrame(rows, columns=["a", "b", "c"][: len(rows[0])])
    source["noise"] = [draw.choice(["ok", "late", "new"]) + str(draw.randrange(50)) for _ in rows]
    source["source_row"] = [chr(0x4E00 + i) for i in range(len(rows))]  # no digits, which would be keys
    target = pd.DataFrame({"key": kept, "target_row": [chr(0xAC00 + i) for i in range(len(kept))]})
    plan = lv.auto_join(source, target, how="inner")[0]
    wanted = [[i, kept.index(key)] for i, row in enumerate(rows) if (key := make(row)) in kept]
    assert sorted(plan.pairs.to_numpy().tolist()) == wanted, plan.program
    assert doubtful is None or bool(plan.doubtful) == doubtful, plan.doubtful
    scope = {"source": source, "target": target}
    exec(plan.code("pandas"), scope)
    found = scope["source_target"]
    pairs = zip(found["source_row"], found["target_row"], strict=True)
    assert sorted([ord(a) - 0x4E00, ord(b) - 0xAC00] for a, b in pairs) == wanted


def test_what_is_doubtful_says_so():
    files = pd.DataFrame({"file": [f"page-{i:03d}.png" for i in range(1, 201)]})
    plans = lv.auto_join(files, pd.DataFrame({"key": [f"p{i:03d}" for i in range(200, 0, -1)]}))
    assert "chance would meet" in plans[0].doubtful
    assert "doubtful" in repr(plans[0]) and "doubtful" in plans.explain()
    assert plans[0].again("inner").doubtful == plans[0].doubtful


def test_a_constant_is_not_one_of_several():
    """ "-22" behind each month would join half of the rows with another year."""
    source = pd.DataFrame({"month": [m for m, _ in MONTH_ROWS], "units": [f"{i * 7} u" for i in range(36)]})
    plans = lv.auto_join(source, pd.DataFrame({"key": [f"{m}-{y[2:]}" for m, y in reversed(MONTH_ROWS)]}))
    assert not plans and "where other keys differ" in plans.explain()


def test_dense_keys_are_not_met_anywhere():
    """Among all days of two centuries nearly any six digits are one."""
    draw = random.Random(1)
    days = pd.date_range("1900-01-01", "2099-12-31").strftime("%Y-%m-%d").tolist()
    times = [f"{draw.choice(days[45_000:45_300])} {draw.randrange(24):02d}:{draw.randrange(60):02d}:10"
             for _ in range(300)]  # fmt: skip
    for plan in lv.auto_join(pd.DataFrame({"at": times}), pd.DataFrame({"day": days})):
        assert all(times[a][:10] == days[b] for a, b in plan.pairs.to_numpy())


@pytest.mark.parametrize(("piece", "cut"), [
    (Piece(0, (), "letters", -3), True), (Piece(0, (), "", None, 3), True), (Piece(0, (), "letters", 2, 5), True),
    (Piece(0, (Split("-", -1),), "", None, 1), True), (Piece(0, (), "", None, 4), False),
    (Piece(0, (), "", 2), False), (Piece(0, (), "letters", 4, 6), False), (Piece(0, (Split("-", 0),), "", -2), False),
    (Piece(0, (), "", None, 8), False), (Piece(0), False),
])  # fmt: skip
def test_dates_are_cut_between_their_fields(piece: Piece, cut: bool):
    assert cuts_fields(piece, SPRING) == cut


def test_digits_of_birthdays_are_no_counts():
    draw = random.Random(8)
    born = [f"{draw.randrange(1950, 2000)}-{draw.randrange(1, 13):02d}-{draw.randrange(1, 29):02d}" for _ in range(150)]
    counts = sorted({int(day.replace("-", "")[-3:]) for day in born[:9]})
    plans = lv.auto_join(pd.DataFrame({"born": born}), pd.DataFrame({"sold": [*counts, 3_017, 2_904, 4_411]}))
    assert not plans and "within a year, month or day" in plans.explain()


COUNTIES = ["Taylor", "Adams", "Clay", "Wayne", "Union", "Greene", "Marion", "Monroe", "Jasper", "Warren", "Lee",
            "Polk", "Scott", "Boone", "Grant", "Perry", "Clark", "Mercer", "Shelby", "Putnam", "Logan"]  # fmt: skip
STATES = ["IA", "KY", "OH", "IN", "GA", "TN", "AL"]


@pytest.mark.parametrize("same", [False, True])
def test_what_is_left_out_of_both_sides_must_not_differ(same: bool):
    """Counties of one name in two states are two counties; "county" and "seat of" may differ as they like."""
    draw = random.Random(4)
    states = [draw.choice(STATES) for _ in COUNTIES]
    others = states if same else [draw.choice([s for s in STATES if s != state]) for state in states]
    source = pd.DataFrame({"county": [f"{n} County, {s}" for n, s in zip(COUNTIES, states, strict=True)]})
    target = pd.DataFrame(
        {"place": [f"{n} ({s}) {i * 37}" for i, (n, s) in enumerate(zip(COUNTIES, others, strict=True))]}
    )
    plans = lv.auto_join(source, target.sample(frac=1, random_state=1))
    if same:
        assert plans and not plans[0].doubtful
    else:
        assert all("what is left out differs" in plan.doubtful for plan in plans)
