"""`python -m lakeview.notebook.typescript FOLDER` writes the TypeScript of `messages` and of the widgets' `traits`."""

from __future__ import annotations

import inspect
import json
import sys
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lakeview.notebook.panel import messages
from lakeview.notebook.widgets import traits

_WIDTH = 100  # of a line, as prettier has it
_PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null", Any: "unknown"}


def files() -> dict[str, str]:
    """All generated files by their place in labextension/src."""
    return {"messages.ts": _messages(), "widgets/traits.ts": _file(traits)}


def _messages() -> str:
    constants = f"export const TARGET = '{messages.TARGET}';\nexport const PROTOCOL = {messages.PROTOCOL};\n"
    results = "".join(f"  {kind}: {result.__name__};\n" for kind, result in messages.RESULTS.items())
    results = f"/** What each kind of request is answered with. */\nexport interface Results {{\n{results}}}\n"
    return _file(messages, constants, results)


def _file(module: types.ModuleType, first: str = "", last: str = "") -> str:
    """The typed dicts and literals of a module as TypeScript, as prettier would set them."""
    head = f"// Generated from {module.__name__.replace('.', '/')}.py by `python -m lakeview.notebook.typescript`."
    names = {value: name for name, value in vars(module).items() if typing.get_origin(value) is typing.Literal}
    aliases = [_line(f"export type {name} =", _type(value), "") for value, name in names.items()]
    interfaces = [_interface(value, names) for value in vars(module).values() if typing.is_typeddict(value)]
    return "\n".join([f"{head} Do not edit.\n", *filter(None, [first, *aliases, *interfaces, last])])


def _interface(message: Any, names: dict[Any, str]) -> str:
    lines = "\n".join(f" * {line}".rstrip() for line in inspect.cleandoc(message.__doc__).splitlines())
    fields = "".join(_fields(message, names))
    return f"/**\n{lines}\n */\nexport interface {message.__name__} {{\n{fields}}}\n"


def _fields(message: Any, names: dict[Any, str]) -> Iterator[str]:
    for name, kind in typing.get_type_hints(message, include_extras=True).items():
        may_miss = typing.get_origin(kind) is typing.NotRequired
        if may_miss:
            (kind,) = typing.get_args(kind)
        optional = "?" if may_miss or not message.__total__ else ""
        yield _line(f"  {name}{optional}:", names.get(kind) or _type(kind), "  ")


def _line(start: str, kind: str, indent: str) -> str:
    line = f"{start} {kind};\n"
    if len(line) <= _WIDTH:
        return line
    return f"{start}\n" + "\n".join(f"{indent}  | {each}" for each in kind.split(" | ")) + ";\n"


def _type(kind: Any) -> str:
    if kind in _PLAIN:
        return _PLAIN[kind]
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin is list:
        item = _type(inside[0])
        return f"({item})[]" if "|" in item and not item.startswith("[") else f"{item}[]"
    if origin is dict:
        return f"Record<{_type(inside[0])}, {_type(inside[1])}>"
    if origin is tuple:
        return f"[{', '.join(map(_type, inside))}]"
    if origin is typing.Literal:
        return " | ".join(f"'{value}'" if isinstance(value, str) else json.dumps(value) for value in inside)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(map(_type, inside))
    if typing.is_typeddict(kind):
        return kind.__name__
    raise TypeError(f"no TypeScript for {kind}")


if __name__ == "__main__":
    for place, text in files().items():
        (Path(sys.argv[1]) / place).write_text(text, encoding="utf-8")
