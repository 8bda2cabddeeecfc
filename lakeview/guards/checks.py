"""What arguments may be. A check a kind: it returns the argument as plain Python, or says in one line what to pass.

The scalars of numpy and pandas are as good as Python's. Public functions check their arguments here, in their first
lines, and nowhere else.
"""

from __future__ import annotations

import math
import numbers
import os
import reprlib
from collections.abc import Container, Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from lakeview.errors import InputError, OutOfRange, is_url, one_line

MOST = 2**31 - 1
"""What is asked for by number is this at most: more than that of anything is all of it."""

_printer = reprlib.Repr()
_printer.maxstring = _printer.maxother = 100
_printer.maxlevel = 3
_printer.repr_instance = lambda value, level: repr(value)  # type: ignore  # raises, as said() wants it


def said(value: Any) -> str:
    """A value as messages name it: on one line, short, also where it cannot be printed."""
    try:
        text = _printer.repr(value)
        return f"a {type(value).__name__}" if len(text.splitlines()) != 1 else one_line(text)
    except Exception:  # what its class does when it is printed is anybody's guess
        return f"a {type(value).__name__}"


def _is(what: str) -> str:
    """ "k is", or where that is said already, as in "k is how many hits", that and a comma."""
    return f"{what}," if " is " in what else f"{what} is"


def flag(what: str, value: Any) -> bool:
    """True or False."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise InputError(f"{what} is True or False, not {said(value)}")


def whole(what: str, value: Any, least: int = 0, most: int | None = None) -> int:
    """A whole number from `least`; where there is no `most`, a larger one than `MOST` is as good as that."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        found = int(value) if most is not None else min(int(value), MOST)
        if least <= found and (most is None or found <= most):
            return found
    to = "" if most is None else f" to {most:,}"
    raise InputError(f"{_is(what)} a whole number from {least}{to}, not {said(value)}")


def number(what: str, value: Any, least: float = -math.inf, above: float = -math.inf, most: float = math.inf) -> float:
    """A number from `least`, or above `above`, to `most`; never NaN."""
    if isinstance(value, numbers.Real | Decimal) and not isinstance(value, bool):
        try:
            found = float(value)
        except (OverflowError, ValueError):  # an integer of hundreds of digits, a signalling NaN
            found = math.nan
        if least <= found <= most and found > above:
            return found
    low = f" above {above:g}" if above > -math.inf else f" from {least:g}" if least > -math.inf else ""
    high = f" and up to {most:g}" if most < math.inf else ""
    raise InputError(f"{what} is a number{low}{high}, not {said(value)}")


def share(what: str, value: Any) -> float:
    """A number above 0 and up to 1."""
    try:
        return number(what, value, above=0, most=1)
    except InputError:
        raise InputError(f"{_is(what)} a share over 0 and up to 1, not {said(value)}") from None


def numbers_of(what: str, value: Any) -> list[float]:
    """Several numbers, in a list or an array of one dimension."""
    try:
        if isinstance(value, str | bytes | dict):
            raise TypeError
        return [number(f"each of {what}", each) for each in value]
    except InputError:
        raise
    except Exception:  # no iterable, or one that breaks off
        raise InputError(f"{what} is a list of numbers, not {said(value)}") from None


def choice(what: str, value: Any, *among: str) -> str:
    """One of a few words."""
    if isinstance(value, str) and value in among:
        return str.__str__(value)
    if len(among) == 1:
        raise InputError(f'{what} can only be "{among[0]}" here, not {said(value)}')
    if len(among) == 2:
        raise InputError(f'{what} is "{among[0]}" or "{among[1]}", not {said(value)}')
    raise InputError(f"{what} is one of {', '.join(map(repr, among))}, not {said(value)}")


def text(what: str, value: Any) -> str:
    """A text that is not empty, and can be written as UTF-8."""
    if isinstance(value, str) and value:
        try:
            found = "".join(value)  # a subclass may print otherwise
            found.encode()
            return found
        except UnicodeEncodeError:
            pass
    raise InputError(f"{what} is a text, not {said(value)}")


def texts(what: str, value: Any) -> tuple[str, ...]:
    """A text, or several in a list."""
    if isinstance(value, str):
        return (text(what, value),) if value else ()
    return tuple(text(f"each of {what}", each) for each in several(what, value))


def several(what: str, value: Any) -> list[Any]:
    """A list, or whatever else holds things in an order."""
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | dict):
        try:
            return list(value)
        except Exception:  # it breaks off
            pass
    raise InputError(f"{what} is a list, not {said(value)}")


def folder(what: str, value: Any) -> Path:
    """A folder or a file of this machine, absolute."""
    try:
        path = os.fspath(value)
    except Exception:
        path = ""
    if not isinstance(path, str) or not path.strip() or "\0" in path:
        raise InputError(f"{what} is the path of a folder, not {said(value)}")
    if is_url(path):
        raise InputError(f"{what} is a folder of this machine, not {path.strip()}; an index is shared by publish() "
                         "and pull()")  # fmt: skip
    try:
        os.fsencode(path)
        return Path(path).expanduser().absolute()
    except (UnicodeError, RuntimeError):  # not to be encoded, or ~somebody unknown
        raise InputError(f"{what} is the path of a folder, not {said(value)}") from None


def url(what: str, value: Any) -> str:
    """A url, or the path of a folder."""
    try:
        path = os.fspath(value)
    except Exception:
        path = ""
    if isinstance(path, str) and is_url(path) and "://" not in path:
        raise InputError(f"{path.strip()} is not a url: write two slashes, as in s3://bucket/folder")
    return path.strip() if isinstance(path, str) and is_url(path) else str(folder(what, value))


def label(value: Any, labels: Container[Any]) -> bool:
    """Whether a value is one of some labels of columns; what cannot be compared is none."""
    try:
        hash(value)
        return value in labels
    except Exception:
        return False


def kind(what: str, value: Any, wanted: type, such_as: str) -> Any:
    """A value of some type."""
    if isinstance(value, wanted):
        return value
    raise InputError(f"{what} is {such_as}, not {said(value)}")


def session(what: str, value: Any) -> Any:
    """A Spark session, classic or of Spark Connect; None stays None."""
    if value is None or (hasattr(value, "createDataFrame") and not isinstance(value, type)):
        return value
    raise InputError(f"{what} is a Spark session, not {said(value)}")


def item(what: str, items: Sequence[Any], index: Any) -> Any:
    """What an index or a slice picks of a list."""
    try:
        return items[index]
    except IndexError:
        there = f"there are {what}[0] to {what}[{len(items) - 1}]" if items else f"{what} is empty"
        raise OutOfRange(f"there is no {what}[{said(index)}]: {there}") from None
    except Exception:
        raise InputError(f"{what}[…] takes a whole number or a slice, not {said(index)}") from None


def normalize(value: Any) -> Any:
    """How values become canonical."""
    return choice("normalize", value, "fold", "exact")


def how(value: Any, among: Sequence[str] = ("left", "inner", "right", "outer")) -> Any:
    """The kind of a join."""
    return choice("how", value, *among)
