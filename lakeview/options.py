"""Settings of the session: `lv.options.save_values = False`, `lv.options.memory = "4 GB"`."""

from __future__ import annotations

from typing import Any

from lakeview.errors import InputError

# name -> (default, what it does)
_SETTINGS: dict[str, tuple[Any, str]] = {
    "widgets": (True, "Show results in a notebook as grids to work with. False leaves them to be read."),
    "save_values": (True, "Keep values of the lake in saved notebook outputs. False leaves them out."),
    "memory": (None, "Bytes that indexing may take beside Python and Spark; '4 GB' does too. None: a quarter of all."),
}


class Options:
    """A few named settings; a name that does not exist or a value of another type is refused."""

    __slots__ = ("_values",)

    _values: dict[str, Any]

    def __init__(self) -> None:
        object.__setattr__(self, "_values", {name: default for name, (default, _) in _SETTINGS.items()})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # copy, pickle and IPython probe for these; they are no settings
            raise AttributeError(name)
        _check(name)
        if name == "memory":
            from lakeview.guards import memory

            return memory.limit()
        return self._values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        _check(name)
        from lakeview.guards import checks, memory  # numpy, which `import lakeview` need not load

        if name == "memory":
            memory.set_limit(memory.size("lakeview.options.memory", value))
        else:
            self._values[name] = checks.flag(f"lakeview.options.{name}", value)

    def __dir__(self) -> list[str]:
        return sorted(_SETTINGS)

    def __repr__(self) -> str:
        lines = [f"{name} = {getattr(self, name)!r}  # {help}" for name, (_, help) in _SETTINGS.items()]
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
