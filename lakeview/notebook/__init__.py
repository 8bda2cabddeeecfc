"""The notebook: magics, inline display, progress. The only code that imports Jupyter, and only when it is used."""

from __future__ import annotations

from typing import Any


def load_ipython_extension(ip: Any) -> None:
    """`%load_ext lakeview`: the `%lakeview` magics, their completion, and the display of lakeview's objects."""
    from lakeview.notebook import completion, magics
    from lakeview.notebook.output import display
    from lakeview.notebook.widgets import live

    magics.register(ip)
    completion.register(ip)
    display.register(ip)
    live.register(ip)
