"""Settings of the session: `lv.options.save_values = False`."""

from __future__ import annotations

from typing import Any

from lakeview.errors import InputError

# name -> (type, default, what it does)
_SETTINGS: dict[str, tuple[type, Any, str]] = {
    "widgets": (bool, True, "Show results in a notebook as grids to work with. False leaves them to be read."),
    "save_values": (bool, True, "Keep values of the lake in saved notebook outputs. False leaves them out."),
}


class Options:
    """A few named settings; a name that does not exist or a value of another type is refused."""

    __slots__ = ("_values",)

    _values: dict[str, Any]

    def __init__(self) -> None:
        object.__setattr__(self, "_values", {name: default for name, (_, default, _) in _SETTINGS.items()})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # copy, pickle and IPython probe for these; they are no settings
            raise AttributeError(name)
        _check(name)
        return self._values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        _check(name)
        from lakeview.guards import checks  # numpy, which `import lakeview` need not load

        self._values[name] = checks.flag(f"lakeview.options.{name}", value)

    def __dir__(self) -> list[str]:
        return sorted(_SETTINGS)

    def __repr__(self) -> str:
        lines = [f"{name} = {self._values[name]!r}  # {help}" for name, (_, _, help) in _SETTINGS.items()]
        return "lakeview.options\n  " + "\n  ".join(lines)


class UnknownOption(InputError, AttributeError):
    """A setting that lakeview does not have; an AttributeError too, so that `hasattr` answers no."""


def _check(name: str) -> None:
    if name in _SETTINGS:
        return
    import difflib

    near = difflib.get_close_matches(name, _SETTINGS, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(sorted(_SETTINGS))}."
    raise UnknownOption(f"lakeview.options has no {name!r}: {hint}")


options = Options()
