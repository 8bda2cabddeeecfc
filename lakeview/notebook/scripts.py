"""The scripts and styles of outputs and widgets: built from labextension/src/widgets and labextension/style."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lakeview.errors import LakeviewError

_BUILT = Path(__file__).parent / "built"


@cache
def built(name: str) -> str:
    """One of the built files, such as explore.js. Raises LakeviewError in a checkout that was never built."""
    try:
        return (_BUILT / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise LakeviewError(f"lakeview/notebook/built has no {name}: run make in the checkout") from None
