"""How long work will still take: within a factor of two from a fifth on, rounded, never rising."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from lakeview.pipeline.remaining import Remaining, rounded


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def said(pace: list[float], total: int = 1000) -> list[tuple[float, float, float | None]]:
    """(share done, seconds really left, what was said) of work whose equal pieces take so many seconds each."""
    clock = Clock()
    remaining = Remaining(clock)
    whole, found = sum(pace), []
    remaining.after(0, total)
    for i, seconds in enumerate(pace, 1):
        clock.now += seconds
        done = total * i // len(pace)
        found.append((i / len(pace), whole - clock.now, remaining.after(done, total)))
    return found


@given(st.lists(st.floats(0.8, 1.25), min_size=20, max_size=60))
def test_of_steady_work_within_a_factor_of_two_from_a_fifth_on(pace: list[float]) -> None:
    last = math.inf
    for share, left, told in said(pace):
        if told is not None:
            assert told <= last
            last = told
        if share >= 0.2 and left >= 1:
            assert told is not None and left / 2 <= told <= 2 * left + 5, (share, left, told)


def test_it_begins_with_the_stage_and_says_nothing_at_first() -> None:
    clock = Clock()
    remaining = Remaining(clock)
    assert remaining.after(0, 0) is None  # Spark starts: half a minute that says nothing of the scan
    clock.now = 30.0
    assert remaining.after(0, 100) is None
    clock.now = 30.5
    assert remaining.after(30, 100) is None  # half a second is too little
    clock.now = 33.0
    assert remaining.after(10, 100) is None  # and so is a tenth
    clock.now = 40.0
    assert remaining.after(50, 100) == 10.0
    clock.now = 60.0
    assert remaining.after(51, 100) == 10.0  # it got stuck, and is not said to take longer
    assert remaining.after(1, 10) is None  # another stage


def test_rounded() -> None:
    assert [rounded(s) for s in (0.1, 3.2, 9.0, 11, 22, 89, 100, 541, 601, 3000)] == [
        1, 4, 9, 15, 25, 90, 120, 570, 660, 3000,
    ]  # fmt: skip
