"""Results that show themselves as widgets to work with, where a notebook displays them."""

from __future__ import annotations

from typing import Any

from lakeview.errors import InputError
from lakeview.options import options


def register(ip: Any = None) -> None:
    """Teach this IPython to; types are named without importing them, as in `output.display`."""
    if ip is None:
        from IPython import get_ipython

        ip = get_ipython()
    if hasattr(ip, "kernel"):  # a terminal has no widgets
        formatter = ip.display_formatter.ipython_display_formatter
        formatter.for_type_by_name("lakeview.search.hits", "Hits", show)
        formatter.for_type_by_name("lakeview.search.whole_frame", "FrameHits", show)
        formatter.for_type_by_name("lakeview.join.transform.auto_join", "Plans", show_plans)
        formatter.for_type_by_name("lakeview.join.fuzzy.plan", "FuzzyPlan", show_fuzzy)


def show(hits: Any) -> None:
    """Show a grid to work with. Raises NotImplementedError where there is none, so that IPython shows what is saved."""
    if not options.widgets:
        raise NotImplementedError
    from lakeview.notebook.widgets.explore import explore_hits

    explore_hits(hits)._ipython_display_()


def show_plans(plans: Any) -> None:
    """Show the editor of learned joins, or why there are none; else as `show`."""
    if not options.widgets:
        raise NotImplementedError
    if not plans:
        from IPython.display import display

        display({"text/plain": plans.explain()}, raw=True)
        return
    from lakeview.notebook.widgets.transform_widget import explore_plans

    try:
        widget = explore_plans(plans)
    except InputError:  # rows of a Spark frame stay there
        raise NotImplementedError from None
    widget._ipython_display_()


def show_fuzzy(plan: Any) -> None:
    """Show the threshold of a fuzzy join, where looking at it reads little; else as `show`."""
    from lakeview.notebook.output.plan_html import is_cheap

    if not options.widgets or not is_cheap(plan):
        raise NotImplementedError
    from lakeview.notebook.widgets.fuzzy_widget import explore_fuzzy

    explore_fuzzy(plan)._ipython_display_()
