"""Dates, amounts and numbered codes: what needs no examples, and the pandas code of it, executed."""

from __future__ import annotations

import datetime
import random

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lakeview as lv
from lakeview.join.transform import amounts, dates

DRAW = random.Random(11)
DAYS = [datetime.date(1999, 1, 1) + datetime.timedelta(days=d) for d in DRAW.sample(range(9_000), 80)]
AMOUNTS = sorted({DRAW.randrange(100, 9_000_000) / 100 for _ in range(80)})
NUMBERS = DRAW.sample(range(1, 90_000), 80)


def strptime(format: str) -> list[str]:
    """The days as the standard library writes them."""
    return [day.strftime(format) for day in DAYS]


def grouped(mark: str) -> list[str]:
    swapped = str.maketrans(",.", mark + ("," if mark != "," else "."))
    return [f"{amount:,.2f}".translate(swapped) for amount in AMOUNTS]


# The source's texts, the target's in the same order, and what the program says.
KINDS = {
    "european to ISO": (strptime("%d.%m.%Y"), strptime("%Y-%m-%d"), "31.12.2024"),
    "American, two-digit years": (strptime("%m/%d/%y"), strptime("%Y-%m-%d"), "12/31/24"),
    "weekdays": (strptime("%A, %d %B %Y"), strptime("%Y%m%d"), "tuesday, 31 december 2024 as 20241231"),
    "without zeros": ([f"{d.month}/{d.day}/{d.year}" for d in DAYS], strptime("%d-%b-%y"), "as 31-dec-24"),
    "compact to the press's": (strptime("%Y%m%d"), strptime("%B %d, %Y"), "20241231 as december 31, 2024"),
    "times to days": ([f"{t} 10:30:00" for t in strptime("%Y-%m-%d")], strptime("%d/%m/%Y"), "as 31/12/2024"),
    "dollars": (["$" + t for t in grouped(",")], [f"{a:.2f}" for a in AMOUNTS], "number in a"),
    "euros": ([t + " €" for t in grouped(".")], [f"{a:.2f}" for a in AMOUNTS], "decimal comma"),
    "dollars and euros": (["$" + t for t in grouped(",")], [t + " €" for t in grouped(".")], "number in a"),
    "francs": (["chf " + t.replace(",", ".") for t in grouped("’")], [f"{a:.2f}" for a in AMOUNTS], "number in a"),
    "padded": ([str(n) for n in NUMBERS], [f"{n:05d}" for n in NUMBERS], "in 5 digits"),
    "numbered": ([f"No. {n}" for n in NUMBERS], [f"AW{n:08d}" for n in NUMBERS], "in 8 digits"),
    "files": ([f"scan_{n:06d}.tif" for n in NUMBERS], [f"{n}" for n in NUMBERS], "without leading zeros"),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_both_say_the_same_in_writings_of_their_own(kind: str):
    source_texts, target_texts, says = KINDS[kind]
    order = random.Random(5).sample(range(len(target_texts)), len(target_texts) * 9 // 10)
    source = pd.DataFrame({"a": source_texts, "source_row": [chr(0x4E00 + i) for i in range(len(source_texts))]})
    target = pd.DataFrame({"key": [target_texts[i] for i in order], "target_row": [chr(0xAC00 + i) for i in order]})
    plan = lv.auto_join(source, target, how="inner")[0]
    wanted = sorted([i, place] for place, i in enumerate(order))
    assert sorted(plan.pairs.to_numpy().tolist()) == wanted, plan.program
    assert says in plan.program
    scope = {"source": source, "target": target}
    exec(plan.code("pandas"), scope)
    found = scope["source_target"]
    assert sorted(zip(found["source_row"], found["target_row"], strict=True)) == sorted(
        (chr(0x4E00 + i), chr(0xAC00 + i)) for i in order
    )


@given(st.dates(datetime.date(1969, 1, 1), datetime.date(2068, 12, 31)), st.sampled_from(dates.WRITTEN))
def test_a_day_is_printed_and_read(day: datetime.date, format: str):
    """As strftime and strptime have it, which know no unpadded fields on every system."""
    text = dates.printed(day, format)
    if "%-" not in format:
        assert text == day.strftime(format).lower()
    plain = format.replace("%-", "%")
    if not dates.is_compact(plain):
        assert dates.read(text, plain) == day.replace(day=day.day if dates.has_day(format) else 1)


@pytest.mark.parametrize("text", ["31.02.2024", "1.13.2024", "29.2.2023", "1.1.24", "", "01.01.2024 ", "٠١.٠١.٢٠٢٤"])
def test_what_is_no_day_is_not_read(text: str):
    assert dates.read(text, "%d.%m.%Y") is None


@given(st.decimals(-10_000_000, 10_000_000, places=2), st.sampled_from(["point", "comma"]))
def test_an_amount_is_read(amount, mark: str):  # type: ignore[no-untyped-def]
    point, between = amounts.MARKS[mark]
    text = f"{amount:,.2f}".replace(",", "#").replace(".", point).replace("#", between)
    read = amounts.number(f"EUR {text} net", mark)
    assert float(read) == float(amount)
    assert not ("." in read and read.endswith("0"))


@pytest.mark.parametrize("text", ["1,23,4", "1.2.3", "12 a 13 b", "none", "", "1,234,5"])
def test_what_is_no_amount_is_not_read(text: str):
    assert amounts.number(text, "point") in ("", "12")
