"""The graph of a lake tells how far it is, and can be cancelled at any of its reports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import lakeview as lv
from lakeview.errors import JobCancelled
from lakeview.pipeline import progress


class Heard(progress.Silent):
    def __init__(self, most: int | None = None) -> None:
        self.said: list[tuple[int, int, str]] = []
        self.closed = ""
        self.most = most

    def update(self, done: int, total: int, message: str, how: str = "") -> None:
        self.said.append((done, total, message))
        if self.most is not None and len(self.said) > self.most:
            raise JobCancelled("cancelled")

    def close(self, message: str, how: str = "") -> None:
        self.closed = progress.sentence(message, how)


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[lv.Lake]:
    cities = "".join(f"{i},City {i}\n" for i in range(60))
    visits = "".join(f"{i},{i % 60},{i * 7}\n" for i in range(400))
    (tmp_path / "city.csv").write_text(f"city_id,name\n{cities}")
    (tmp_path / "visit.csv").write_text(f"visit_id,city_id,cost\n{visits}")
    opened = lv.open(tmp_path)
    opened.index(engine="local")
    before = progress._make_reporter
    yield opened
    progress.set_reporter(before)


def test_it_says_how_far_it_is(lake: lv.Lake) -> None:
    heard = Heard()
    progress.set_reporter(lambda: heard)
    found = lake.foreign_keys()
    assert ("visit.csv", "city_id") in set(zip(found["table"], found["column"], strict=True))
    done = [done for done, *_ in heard.said]
    assert done == sorted(done) and {0, 1, 2, 4} <= set(done) and {total for _, total, _ in heard.said} == {5}
    assert heard.closed == f"{len(found)} foreign keys found"


def test_it_ends_at_the_report_that_finds_it_cancelled(lake: lv.Lake) -> None:
    heard = Heard()
    progress.set_reporter(lambda: heard)
    lake.graph()
    for most in range(len(heard.said)):
        stopped = Heard(most)
        progress.set_reporter(lambda stopped=stopped: stopped)
        with pytest.raises(JobCancelled):
            lake.graph()
        assert len(stopped.said) == most + 1 and stopped.closed.startswith("stopped")
