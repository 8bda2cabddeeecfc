"""How lakeview's objects show themselves in IPython: html, plain text and a saved table, all bounded.

`register` names the types without importing them, so that neither do search and join know of Jupyter, nor does the
notebook load them before they are used.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from lakeview.options import options

Bundle = dict[str, Any]


def register(ip: Any = None) -> None:
    """Teach this IPython to show Hits, JoinPlan, Comparison, Lake and IndexReport, and the progress of long work."""
    if ip is None:
        from IPython import get_ipython

        ip = get_ipython()
    if ip is None:
        return
    formatter = ip.display_formatter.mimebundle_formatter
    for (module, name), bundle in _BUNDLES.items():
        formatter.for_type_by_name(module, name, bundle)
    if hasattr(ip, "kernel"):  # a terminal cannot update what it has printed
        from lakeview.notebook.panel import jobs
        from lakeview.notebook.progress import NotebookProgress

        jobs.watch(NotebookProgress)


def hits_bundle(hits: Any, buttons: bool = True) -> Bundle:
    """`lakeview.search.hits.Hits`; buttons: with those that lakeview's extension brings to life."""
    from lakeview.notebook.output import hits_html, plan_lists, saved, shown, text

    name = shown.keep(hits) if buttons else None
    html, lines = plan_lists.beyond_hits(hits) if buttons else ("", [])
    return {
        "text/plain": "\n".join([text.hits_text(hits, options.save_values), *lines]),
        "text/html": str(hits_html.hits_html(hits, options.save_values, name)) + html,
        saved.MIME: saved.saved_hits(hits, options.save_values),
    }


def frame_hits_bundle(hits: Any) -> Bundle:
    """`lakeview.search.whole_frame.FrameHits`."""
    from lakeview.notebook.output import frame_hits, saved

    return {
        "text/plain": frame_hits.frame_hits_text(hits, options.save_values),
        "text/html": str(frame_hits.frame_hits_html(hits, options.save_values)),
        saved.MIME: frame_hits.frame_hits_saved(hits, options.save_values),
    }


def explored_bundle(answer: Any, found: list[Any], name: str, error: str) -> Bundle:
    """What the widget of a frame shows: the hits of the answer, and those that programs add; or why there is none."""
    from lakeview.notebook.output import saved
    from lakeview.notebook.output.html import el, widget

    if answer is None:
        title, why = f"Joins for {name}", error or "not found yet"
        html = widget(title, [], None, el("p", why, class_="lv-More"), label=title)
        return {
            "text/plain": f"{title}: {why}",
            "text/html": str(html),
            saved.MIME: saved.saved_table(title, [why], [], [], 0),
        }
    shown = copy.copy(answer)
    shown.fill(found)
    if len(found) > len(answer):
        shown.closest = []
    return hits_bundle(shown, buttons=False)


def plan_bundle(plan: Any) -> Bundle:
    """`lakeview.join.plan.JoinPlan`."""
    from lakeview.notebook.output import plan_html, saved

    shown = plan_html.look(plan, options.save_values)
    return {
        "text/plain": plan_html.plan_text(plan, shown),
        "text/html": str(plan_html.plan_html(plan, shown, options.save_values)),
        saved.MIME: plan_html.plan_saved(plan, shown),
    }


def comparison_bundle(comparison: Any) -> Bundle:
    """`lakeview.estimate.coupled.Comparison`; with buttons where the tables of both columns are known."""
    from lakeview.notebook.output import comparison_html, saved, shown

    name = shown.keep([comparison]) if getattr(comparison, "plan", None) is not None else None
    return {
        "text/plain": comparison_html.comparison_text(comparison, options.save_values),
        "text/html": str(comparison_html.comparison_html(comparison, options.save_values, name)),
        saved.MIME: comparison_html.comparison_saved(comparison),
    }


def fuzzy_bundle(plan: Any) -> Bundle:
    """`lakeview.join.fuzzy.plan.FuzzyPlan`: as any plan, with why this threshold, and its curve as a picture."""
    from lakeview.notebook.output import plan_html
    from lakeview.notebook.output.fuzzy_picture import curve_svg

    bundle = plan_bundle(plan)
    if plan_html.is_cheap(plan):
        bundle["text/plain"] += "\n" + plan.explain()
        if (picture := curve_svg(plan)) is not None:
            bundle["text/html"] += picture
            bundle["image/svg+xml"] = str(picture)
    return bundle


def lake_bundle(lake: Any) -> Bundle:
    """`lakeview.lake.lake.Lake`."""
    from lakeview.notebook.output import lake_html

    return {"text/plain": lake_html.lake_text(lake), "text/html": str(lake_html.lake_html(lake))}


def report_bundle(report: Any) -> Bundle:
    """`lakeview.pipeline.build.IndexReport`."""
    from lakeview.notebook.output import lake_html

    return {"text/plain": lake_html.report_text(report), "text/html": str(lake_html.report_html(report))}


def bridges_bundle(bridges: Any) -> Bundle:
    """`lakeview.search.bridging.Bridges`."""
    from lakeview.notebook.output import plan_lists

    return plan_lists.bridges_bundle(bridges)


def more_rows_bundle(rows: Any) -> Bundle:
    """`lakeview.search.more_rows.MoreRows`."""
    from lakeview.notebook.output import plan_lists

    return plan_lists.more_rows_bundle(rows)


def stack_bundle(plan: Any) -> Bundle:
    """`lakeview.join.stack.StackPlan`."""
    from lakeview.notebook.output import plan_lists

    return plan_lists.stack_bundle(plan)


def recipe_bundle(recipe: Any) -> Bundle:
    """`lakeview.notebook.recipes.Recipe`."""
    from lakeview.notebook.output import recipe_html

    return recipe_html.recipe_bundle(recipe)


_BUNDLES: dict[tuple[str, str], Callable[[Any], Bundle]] = {
    ("lakeview.search.hits", "Hits"): hits_bundle,
    ("lakeview.search.whole_frame", "FrameHits"): frame_hits_bundle,
    ("lakeview.search.bridging", "Bridges"): bridges_bundle,
    ("lakeview.search.more_rows", "MoreRows"): more_rows_bundle,
    ("lakeview.join.plan", "JoinPlan"): plan_bundle,
    ("lakeview.join.stack", "StackPlan"): stack_bundle,
    ("lakeview.join.fuzzy.plan", "FuzzyPlan"): fuzzy_bundle,
    ("lakeview.estimate.coupled", "Comparison"): comparison_bundle,
    ("lakeview.lake.lake", "Lake"): lake_bundle,
    ("lakeview.pipeline.build", "IndexReport"): report_bundle,
    ("lakeview.notebook.recipes", "Recipe"): recipe_bundle,
}
