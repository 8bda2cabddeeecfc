"""An index job on a real Spark, from the panel: cancelled there, and killed from outside."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from panel_page import Book

OPEN = """\
import lakeview as lv
from lakeview.pipeline import session
lake = lv.open('work')
session.get()  # so that what is measured is the job, not the start
pass"""
AT_WORK = "() => Number(document.querySelector('#lakeview-panel [role=progressbar]')?.ariaValueNow) >= 1"

pytestmark = [pytest.mark.spark, pytest.mark.slow]


def test_cancelled_then_killed_then_done(open_book: Any, lab: Any, quiet: Any) -> None:
    write_work(lab.folder / "work", 40)
    book = open_book(OPEN)
    book.page.set_default_timeout(120_000)  # a cold Spark
    book.run_all()
    panel = book.show_panel()
    running = panel.locator(".lv-Strip").get_by_role("img", name="Spark running")
    running.wait_for()

    def begin() -> None:
        panel.get_by_role("button", name="Index it").click()
        book.page.wait_for_function(AT_WORK)

    with quiet():
        begin()
        took = cancel(book, panel)
    print(f"cancelled, and no job left in Spark, after {took:.2f} s")
    assert took < 2
    assert book.evaluate("lv.open('work').indexed_at") is None

    # Asked before: the kernel answers nobody while it is at work.
    java = book.evaluate("session.get().sparkContext._gateway.proc.pid")
    begin()
    os.kill(java, signal.SIGKILL)
    panel.locator(".lv-Strip[data-state=failed]").get_by_role("button", name="Why?").click()
    failed = panel.locator(".lv-Sheet [role=alert]")
    assert "Spark has stopped" in failed.inner_text() and "again" in failed.inner_text()
    assert book.evaluate("session.state()") == "lost"
    assert book.evaluate("lv.open('work').indexed_at") is None

    panel.get_by_role("button", name="Index it").click()
    panel.locator(".lv-Strip[data-state=done]").wait_for()  # here or by a new Spark, whichever is sooner
    assert book.evaluate("len(lv.open('work').tables)") == 40


def cancel(book: Book, panel: Any) -> float:
    """Press Cancel; the seconds until the panel says so and Spark is at rest."""
    started = time.monotonic()
    panel.get_by_role("button", name="Cancel").click()
    panel.locator(".lv-Strip[data-state=cancelled]").wait_for()
    while book.evaluate("len(session.get().sparkContext.statusTracker().getActiveJobsIds())"):
        assert time.monotonic() - started < 10
    return time.monotonic() - started


def write_work(folder: Path, files: int) -> None:
    """Enough to read for Spark to be at it for some seconds."""
    folder.mkdir()
    for i in range(files):
        lines = (f"{i}-{n},{n * 7},word {n % 97},{n / 3:.4f}" for n in range(60_000))
        (folder / f"t{i}.csv").write_text("a,b,c,d\n" + "\n".join(lines) + "\n")
