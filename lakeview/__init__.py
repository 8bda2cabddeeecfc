"""lakeview: find the tables of a data lake that join with yours, and join them.

    import lakeview as lv
    lake = lv.open("data/")
    lake.index()
    hits = lake.search(df, "column")
    plan = hits[0].join()

The public names are imported when they are first used, so that `import lakeview` is quick and
loads neither Spark nor Jupyter nor plotly.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

# Not lazy: the import system would otherwise bind this name to the module as soon as anybody imports it.
from lakeview.options import options

if TYPE_CHECKING:
    from lakeview.errors import (
        InputError,
        JobCancelled,
        JobFailed,
        JoinWarning,
        LakeviewError,
        NotFound,
        SparkUnavailable,
        StoreError,
    )
    from lakeview.estimate.join_size import join_size
    from lakeview.join.fuzzy import fuzzy_join
    from lakeview.join.plan import JoinPlan
    from lakeview.join.transform.auto_join import auto_join
    from lakeview.lake.lake import Lake, compare, open
    from lakeview.notebook import load_ipython_extension
    from lakeview.notebook.recipes import recipe
    from lakeview.notebook.replays import replay
    from lakeview.notebook.widgets.explore import explore

# public name -> the module that defines it
_HOMES = {
    "open": "lakeview.lake.lake",
    "compare": "lakeview.lake.lake",
    "Lake": "lakeview.lake.lake",
    "explore": "lakeview.notebook.widgets.explore",
    "auto_join": "lakeview.join.transform.auto_join",
    "fuzzy_join": "lakeview.join.fuzzy",
    "join_size": "lakeview.estimate.join_size",
    "JoinPlan": "lakeview.join.plan",
    "recipe": "lakeview.notebook.recipes",
    "replay": "lakeview.notebook.replays",
    "load_ipython_extension": "lakeview.notebook",
    "LakeviewError": "lakeview.errors",
    "InputError": "lakeview.errors",
    "NotFound": "lakeview.errors",
    "LakeChanged": "lakeview.errors",
    "StoreError": "lakeview.errors",
    "SparkUnavailable": "lakeview.errors",
    "JobCancelled": "lakeview.errors",
    "JobFailed": "lakeview.errors",
    "JoinWarning": "lakeview.errors",
}

__all__ = [
    "InputError",
    "JobCancelled",
    "JobFailed",
    "JoinPlan",
    "JoinWarning",
    "Lake",
    "LakeChanged",
    "LakeviewError",
    "NotFound",
    "SparkUnavailable",
    "StoreError",
    "auto_join",
    "compare",
    "explore",
    "fuzzy_join",
    "join_size",
    "load_ipython_extension",
    "open",
    "options",
    "recipe",
    "replay",
]


def __getattr__(name: str) -> Any:
    """Import a public name at its first use (PEP 562)."""
    if name == "__version__":
        from importlib.metadata import version

        return version("lakeview")
    if name not in _HOMES:
        raise AttributeError(f"module 'lakeview' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    """Where JupyterLab finds the prebuilt extension of an editable install."""
    return [{"src": "labextension", "dest": "lakeview"}]


def _greet_ipython() -> None:
    """In a running IPython, teach it to show lakeview's objects; elsewhere do nothing."""
    ipython = sys.modules.get("IPython")
    if ipython is None or getattr(ipython, "get_ipython", lambda: None)() is None:
        return
    try:
        from lakeview.notebook.output import display
        from lakeview.notebook.widgets import live

        display.register()
        live.register()
    except Exception as error:  # a display that cannot be set up must not make the import fail
        import warnings

        warnings.warn(f"lakeview's notebook display is off: {error}", RuntimeWarning, stacklevel=2)


_greet_ipython()
