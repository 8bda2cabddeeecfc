"""The progress bar: four updates a second at most, one display, one line at the end."""

from __future__ import annotations

from typing import Any

import pytest
from reading import Page

from lakeview.notebook.progress import NotebookProgress


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Handle:
    display_id = "bar"


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, str]]]:
    import IPython.display

    calls: list[tuple[str, dict[str, str]]] = []

    def display(bundle: dict[str, str], **options: Any) -> Handle:
        calls.append(("display", bundle))
        return Handle()

    def update_display(bundle: dict[str, str], *, display_id: str, **options: Any) -> None:
        assert display_id == "bar"
        calls.append(("update", bundle))

    monkeypatch.setattr(IPython.display, "display", display)
    monkeypatch.setattr(IPython.display, "update_display", update_display)
    return calls


def test_at_most_four_updates_a_second(shown: list) -> None:
    clock = Clock()
    progress = NotebookProgress("Indexing", clock)
    for i in range(1000):  # ten seconds
        progress.update(i, 1000, "x")
        clock.now += 0.01
    progress.close("Indexed")
    assert [kind for kind, _ in shown] == ["display"] + ["update"] * (len(shown) - 1)
    assert 38 <= len(shown) <= 42


def test_says_how_far_how_long_and_how_to_cancel(shown: list) -> None:
    clock = Clock()
    progress = NotebookProgress("Indexing", clock)
    progress.update(0, 204, "0 of 64 files")
    clock.now = 30.0
    progress.update(118, 204, "24 of 64 files")
    bundle = shown[-1][1]
    page = Page(bundle["text/html"])
    bar = next(a for _, a in page.elements if a.get("role") == "progressbar")
    assert bar["aria-valuetext"] == "58%, 24 of 64 files, about 25 s left"
    assert "24 of 64 files" in page.text and "interrupt the kernel" in page.text
    assert bundle["text/plain"] == "Indexing: 58%, 24 of 64 files, about 25 s left, 30 s"


def test_the_end_replaces_the_bar_even_within_the_same_quarter_second(shown: list) -> None:
    progress = NotebookProgress("Indexing", Clock())
    progress.update(204, 204, "")
    progress.close("Indexed 43 tables")
    assert "progressbar" not in shown[-1][1]["text/html"]
    assert shown[-1][1]["text/plain"] == "Indexed 43 tables" and "lv-ok" in shown[-1][1]["text/html"]


def test_a_failure_is_not_marked_as_done(shown: list) -> None:
    NotebookProgress("Indexing", Clock()).close("stopped: no space left")
    assert 'class="lv-bad"' in shown[-1][1]["text/html"] and 'class="lv-ok"' not in shown[-1][1]["text/html"]
    NotebookProgress("Indexing", Clock()).close()
    assert shown[-1][1]["text/plain"] == "Indexing: done in 1 ms"


def test_an_unknown_total_and_hostile_messages(shown: list) -> None:
    progress = NotebookProgress("<b>", Clock())
    progress.update(0, 0, "<img src=x onerror=alert(1)>")
    page = Page(shown[-1][1]["text/html"])
    assert not page.tags("img") and "<img src=x" in page.text and "starting" in page.text
