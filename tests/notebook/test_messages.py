"""The front end's types are those of the kernel."""

from __future__ import annotations

import typing
from pathlib import Path

from lakeview.notebook.panel import messages
from lakeview.notebook.typescript import typescript

GENERATED = Path(__file__).parents[2] / "labextension" / "src" / "messages.ts"


def test_the_generated_file_is_up_to_date() -> None:
    assert GENERATED.read_text(encoding="utf-8") == typescript(), (
        f"run: python -m lakeview.notebook.typescript labextension/src/{GENERATED.name}"
    )


def test_every_kind_of_request_has_a_result() -> None:
    assert set(messages.RESULTS) == set(typing.get_args(messages.Kind))


def test_what_typescript_says() -> None:
    text = typescript()
    assert "  state: 'asleep' | 'starting' | 'running' | 'lost';\n" in text
    assert "  columns: FrameColumn[];\n" in text
    assert "  code: string | null;\n" in text
