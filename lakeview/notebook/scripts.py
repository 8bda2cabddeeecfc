"""The scripts and styles that lie beside this module, as a widget takes them."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent


def bundled(*names: str) -> str:
    """Files of this folder, one after the other, as one text."""
    return "".join((_HERE / name).read_text(encoding="utf-8") for name in names)
