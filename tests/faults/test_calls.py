"""Wrong calls and odd data: every public function answers rightly, or with a LakeviewError of one line.

calls.py has the functions and their parameters, zoo.py what is passed. What once took the process down with it is tried
in a process of its own.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import calls
import pytest
import zoo

import lakeview as lv
from lakeview.guards import checks
from lakeview.notebook import state
from lakeview.pipeline import session

# Deeper than any recursion of Python's, in the process or in Arrow.
FATAL = {"nested", "itself", "only itself", "itself in dict", "deep", "deep dict", "deep 500", "arrow deep",
         "beside itself"}  # fmt: skip

Tries = Iterator[tuple[str, Callable[[], Any]]]


def without_fatal(found: dict[str, Callable[[], Any]]) -> dict[str, Callable[[], Any]]:
    return {name: make for name, make in found.items() if name not in FATAL}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[calls.Place]:
    def none_here(*_: object) -> None:
        raise lv.SparkUnavailable("no Spark in these tests")

    folder = tmp_path_factory.mktemp("calls")
    here = Path.cwd()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        for name in ("get", "start_in_background"):
            patch.setattr(session, name, none_here)
        found = calls.Place(folder)
        (folder / "here").mkdir()
        os.chdir(folder / "here")  # relative paths among the arguments lead there
        yield found
        os.chdir(here)
    state.set_lake(None)
    lv.options.save_values = True


def some(tries: Tries, most: int) -> Tries:
    """So many of them, others at each run of the whole but the same in the bounded one."""
    every = list(tries)
    return iter(random.Random(8).sample(every, min(most, len(every))))


def failures(tries: Tries) -> tuple[list[str], int]:
    """What was neither right nor a LakeviewError of one line, and how many were tried."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = list(calls.outcomes(tries))
    print(f"{len(found):,} calls:", dict(Counter(what for _, what in found)))
    return [f"{name}: {what}" for name, what in found if what not in ("right", "said")], len(found)


def test_bad_parameters(place, rounds):
    bad, tried = failures(some(calls.of_parameters(place, without_fatal(zoo.VALUES)), rounds(2_000, 10**9)))
    assert bad == []
    assert tried >= rounds(2_000, 8_000)


def test_odd_columns(place, rounds):
    bad, tried = failures(some(calls.of_columns(place, without_fatal(zoo.COLUMNS)), rounds(250, 10**9)))
    assert bad == []
    assert tried >= rounds(250, 1_000)


def test_odd_frames(place, rounds):
    columns, odd = without_fatal(zoo.COLUMNS), without_fatal(zoo.FRAMES)
    bad, tried = failures(some(calls.of_frames(place, columns, odd), rounds(120, 10**9)))
    assert bad == []
    assert tried >= rounds(120, 2_000)


def test_what_crashed_the_process(rounds, tmp_path):
    most = rounds(60, 10**9)
    done = subprocess.run([sys.executable, __file__, str(tmp_path), str(most)], cwd=tmp_path, capture_output=True,
                          text=True, timeout=600)  # fmt: skip
    assert done.returncode == 0, done.stderr[-2_000:]
    *counted, last = done.stdout.splitlines()
    print(*counted)
    bad, tried = json.loads(last)
    assert bad == []
    assert tried >= rounds(60, 500)


def _fatal(folder: Path, most: int) -> None:
    def only(found: dict[str, Callable[[], Any]]) -> dict[str, Callable[[], Any]]:
        return {name: make for name, make in found.items() if name in FATAL}

    def none_here(*_: object) -> None:
        raise lv.SparkUnavailable("no Spark in these tests")

    session.get = session.start_in_background = none_here  # type: ignore[assignment]
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    place = calls.Place(folder)
    every = [*calls.of_parameters(place, only(zoo.VALUES)), *calls.of_columns(place, only(zoo.COLUMNS)),
             *calls.of_frames(place, only(zoo.COLUMNS), only(zoo.FRAMES))]  # fmt: skip
    print(json.dumps(failures(some(iter(every), most))))


# ---- the checks one by one -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [5, "np.int64(5)"])
def test_numpys_scalars_are_as_good_as_pythons(place, value):
    five = zoo.VALUES[str(value)]()
    assert len(place.lake.search(calls.PEOPLE, "id", k=five)) <= 5
    assert len(place.hits[0].join().preview(five)) == 5
    half = zoo.VALUES["np.float64(0.5)"]()
    assert len(place.lake.search(calls.PEOPLE, "id", threshold=half)) == len(
        place.lake.search(calls.PEOPLE, "id", threshold=0.5))  # fmt: skip


def test_a_number_that_is_large_is_all_there_is(place):
    every = place.lake.search(calls.PEOPLE, "id", k=10_000)  # the tests before left some tables in the lake
    assert len(place.lake.search(calls.PEOPLE, "id", k=10**30)) == len(every)
    assert len(place.hits[0].join().preview(10**30)) == len(place.hits[0].join().to_pandas())


@pytest.mark.parametrize(
    ("check", "value", "says"),
    [
        (lambda v: checks.whole("k", v, 1), True, "k is a whole number from 1, not True"),
        (lambda v: checks.whole("k", v, 1), 0, "k is a whole number from 1, not 0"),
        (lambda v: checks.whole("k", v, 1, 9), 10, "k is a whole number from 1 to 9, not 10"),
        (lambda v: checks.share("share", v), float("nan"), "share is a share over 0 and up to 1, not nan"),
        (lambda v: checks.number("lead", v, 0), "a", "lead is a number from 0, not 'a'"),
        (lambda v: checks.flag("exact", v), 1, "exact is True or False, not 1"),
        (lambda v: checks.choice("how", v, "a", "b"), zoo.Mute(), 'how is "a" or "b", not a Mute'),
        (lambda v: checks.folder("store", v), "s3://me:key@bucket/x", "not s3://bucket/x; an index is shared"),
        (lambda v: checks.texts("exclude", v), 5, "exclude is a list, not 5"),
    ],
)
def test_what_is_said(check, value, says):
    with pytest.raises(lv.InputError) as raised:
        check(value)
    assert says in str(raised.value)


def test_an_index_of_an_answer(place):
    assert place.hits[zoo.VALUES["0"]()] is place.hits[-len(place.hits)]
    with pytest.raises(lv.NotFound, match=r"there is no hits\[99\]: there are hits\[0\] to"):
        place.hits[99]
    with pytest.raises(IndexError):
        place.hits[99]
    with pytest.raises(lv.InputError, match="takes a whole number or a slice, not 'a'"):
        place.hits["a"]
    assert list(reversed(place.hits))[-1] is place.hits[0]


def test_an_error_is_one_line_whatever_it_quotes():
    error = lv.InputError("a\nb\u2028c" + "x" * 10_000)
    assert calls.is_one_line(error) and str(error).startswith("a\\nb\\u2028c")
    assert error.args == (str(error),)


if __name__ == "__main__":
    _fatal(Path(sys.argv[1]), int(sys.argv[2]))
