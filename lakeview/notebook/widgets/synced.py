"""A widget's traits, made of the typed dict that says what they are (`traits`)."""

from __future__ import annotations

import typing
from typing import Any


def synced(traits: Any) -> Any:
    """The base class of a widget that shares these traits with its script."""
    import anywidget

    fields = {name: _trait(kind).tag(sync=True) for name, kind in typing.get_type_hints(traits).items()}
    return type(traits.__name__, (anywidget.AnyWidget,), fields)


def _trait(kind: Any) -> Any:
    """What is inside of a dict is not looked at: the kernel alone sets those."""
    import traitlets

    inside = typing.get_args(kind)
    if typing.get_origin(kind) is typing.Literal:
        return traitlets.Unicode(inside[0])
    if typing.get_origin(kind) is list:
        return traitlets.List(_trait(inside[0]))
    if typing.get_origin(kind) is tuple:
        return traitlets.Tuple(*map(_trait, inside))
    if typing.is_typeddict(kind):
        return traitlets.Dict()
    plain = {str: traitlets.Unicode, int: traitlets.Int, float: traitlets.Float, bool: traitlets.Bool}
    return plain[kind]()
