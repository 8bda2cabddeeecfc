"""The names by which the analyst's code knows things: her variables, and the one that holds an object."""

from __future__ import annotations

import builtins
import keyword
import re
import sys
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any

_OUTPUTS = re.compile(r"_+|_i*[0-9]*|_oh|_dh|_ih|__.*__")  # names that IPython and Python give


def variable_name(data: Any) -> str | None:
    """The name of the variable that holds this object in the code that called lakeview, or else in her notebook."""
    for names in (*(names for frame in _callers() for names in (frame.f_locals, frame.f_globals)), notebook()):
        if found := held_as(data, names):
            return found
    return None


def held_as(data: Any, names: Mapping[str, Any]) -> str | None:
    """The first of some variables that holds this object, one that is no output of a cell; None where none does."""
    found = [name for name, value in list(names.items()) if value is data and is_variable(name)]
    return min(found, key=lambda name: name.startswith("_"), default=None)


def variables() -> dict[str, Any]:
    """What the analyst has at this moment, by name: the variables of her notebook and those of the module that called
    lakeview."""
    caller = next(_callers(), None)
    return {**(caller.f_globals if caller is not None else {}), **notebook()}


def notebook() -> dict[str, Any]:
    """The variables of the notebook that runs in this process; those that IPython sets in place of builtins (`open`)
    are left out."""
    shell = _shell()
    if shell is None:
        return {}
    given = shell.user_ns_hidden
    return {
        name: value
        for name, value in list(shell.user_ns.items())
        if not (hasattr(builtins, name) and given.get(name) is value)
    }


def _shell() -> Any:
    return getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()


def is_variable(name: str) -> bool:
    """Whether code can name a variable so, and Python or IPython did not."""
    return name.isidentifier() and not keyword.iskeyword(name) and not _OUTPUTS.fullmatch(name)


def _callers() -> Iterator[FrameType]:
    """The frames of the code that called lakeview, the nearest first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__", "").split(".")[0] != "lakeview":
            yield frame
        frame = frame.f_back
