"""`python -m lakeview.notebook.typescript FILE` writes the TypeScript of `messages`."""

from __future__ import annotations

import inspect
import json
import sys
import types
import typing
from pathlib import Path
from typing import Any

from lakeview.notebook.panel import messages

_HEAD = """\
// Generated from lakeview/notebook/panel/messages.py by `python -m lakeview.notebook.typescript`. Do not edit.
"""
_WIDTH = 100  # of a line, as prettier has it
_PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null", Any: "unknown"}


def typescript() -> str:
    """All messages as TypeScript interfaces, as prettier would set them."""
    interfaces = [
        _interface(value)
        for value in vars(messages).values()
        if typing.is_typeddict(value) and value.__module__ == messages.__name__
    ]
    constants = f"export const TARGET = '{messages.TARGET}';\nexport const PROTOCOL = {messages.PROTOCOL};\n"
    results = "".join(f"  {kind}: {result.__name__};\n" for kind, result in messages.RESULTS.items())
    results = f"/** What each kind of request is answered with. */\nexport interface Results {{\n{results}}}\n"
    return "\n".join([_HEAD, constants, *interfaces, results])


def _interface(message: Any) -> str:
    lines = "\n".join(f" * {line}".rstrip() for line in inspect.cleandoc(message.__doc__).splitlines())
    fields = "".join(_field(name, _type(kind)) for name, kind in typing.get_type_hints(message).items())
    return f"/**\n{lines}\n */\nexport interface {message.__name__} {{\n{fields}}}\n"


def _field(name: str, kind: str) -> str:
    line = f"  {name}: {kind};\n"
    if len(line) <= _WIDTH:
        return line
    return f"  {name}:\n" + "\n".join(f"    | {each}" for each in kind.split(" | ")) + ";\n"


def _type(kind: Any) -> str:
    if kind in _PLAIN:
        return _PLAIN[kind]
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin is list:
        item = _type(inside[0])
        return f"({item})[]" if "|" in item else f"{item}[]"
    if origin is typing.Literal:
        return " | ".join(f"'{value}'" if isinstance(value, str) else json.dumps(value) for value in inside)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(map(_type, inside))
    if typing.is_typeddict(kind):
        return kind.__name__
    raise TypeError(f"no TypeScript for {kind}")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(typescript(), encoding="utf-8")
