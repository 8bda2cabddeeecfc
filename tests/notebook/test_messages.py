"""The front end's types are those of the kernel."""

from __future__ import annotations

import typing
from pathlib import Path

import pytest

from lakeview.notebook.panel import messages
from lakeview.notebook.typescript import files

SOURCES = Path(__file__).parents[2] / "labextension" / "src"


@pytest.mark.parametrize("place", files())
def test_a_generated_file_is_up_to_date(place: str) -> None:
    assert (SOURCES / place).read_text(encoding="utf-8") == files()[place], (
        "run: python -m lakeview.notebook.typescript labextension/src"
    )


def test_every_kind_of_request_has_a_result() -> None:
    assert set(messages.RESULTS) == set(typing.get_args(messages.Kind))


def test_what_typescript_says() -> None:
    text = files()["messages.ts"]
    assert "  state: 'asleep' | 'starting' | 'running' | 'lost';\n" in text
    assert "  columns: FrameColumn[];\n" in text
    assert "  code: string | null;\n" in text
    text = files()["widgets/traits.ts"]
    assert "  how?: How;\n" in text and "export type How = 'left' | 'inner';\n" in text
    assert "  nearest?: [string, number] | null;\n" in text
    assert "  before: [string, number][];\n" in text
