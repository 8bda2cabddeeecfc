"""What this kernel's notebook works with: the lake that `%lakeview` and the side panel mean."""

from __future__ import annotations

from typing import Any

from lakeview.errors import NotFound

_current: Any = None  # a lakeview.lake.lake.Lake


def set_lake(lake: Any) -> None:
    """Make this the lake that `%lakeview` means."""
    global _current
    _current = lake


def find_lake(namespace: dict[str, Any]) -> Any | None:
    """The lake opened last by `%lakeview open`, else the newest `Lake` among the kernel's variables, else None."""
    if _current is not None:
        return _current
    for name, value in reversed(list(namespace.items())):
        if not name.startswith("_") and is_lake(value):
            return value
    return None


def the_lake(namespace: dict[str, Any]) -> Any:
    """As `find_lake`; raises NotFound, which says how to open one."""
    lake = find_lake(namespace)
    if lake is None:
        raise NotFound('no lake is open yet. Open one: %lakeview open PATH (a folder of tables), or lv.open("PATH")')
    return lake


def has_magics() -> bool:
    """Whether this kernel knows `%lakeview`."""
    from IPython import get_ipython

    ip = get_ipython()
    return ip is not None and "lakeview" in ip.magics_manager.magics["line"]


def is_lake(value: Any) -> bool:
    """Whether this is a `lakeview.lake.lake.Lake`, without importing it."""
    return any((kind.__module__, kind.__name__) == ("lakeview.lake.lake", "Lake") for kind in type(value).__mro__)
