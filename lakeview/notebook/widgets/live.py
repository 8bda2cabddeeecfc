"""Results that show themselves as grids to work with, where a notebook displays them."""

from __future__ import annotations

from typing import Any

from lakeview.options import options


def register(ip: Any = None) -> None:
    """Teach this IPython to; types are named without importing them, as in `output.display`."""
    if ip is None:
        from IPython import get_ipython

        ip = get_ipython()
    if hasattr(ip, "kernel"):  # a terminal has no widgets
        ip.display_formatter.ipython_display_formatter.for_type_by_name("lakeview.search.hits", "Hits", show)


def show(hits: Any) -> None:
    """Show a grid to work with. Raises NotImplementedError where there is none, so that IPython shows what is saved."""
    if not options.widgets or type(hits).__name__ != "Hits":  # what a whole frame joins with has another face
        raise NotImplementedError
    from lakeview.notebook.widgets.explore import explore_hits

    explore_hits(hits)._ipython_display_()
