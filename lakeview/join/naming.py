"""Names in a join's result and in its code: identifiers, suffixes, the columns that come out."""

from __future__ import annotations

import builtins
import keyword
import math
import re
import unicodedata
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass

from lakeview.catalog.naming import without_extension
from lakeview.errors import InputError

_TAKEN = {"pd", "np", "spark", "F", "pc", "ds", "json", "gzip", "bz2", "lzma", "zstandard", "zipfile", "lv", "lakeview"}


def stem(name: str) -> str:
    """A table's name without folders and extension: "vcd/UKSoccer.csv" is "UKSoccer"."""
    shortest = (without_extension(name) or [name])[-1]
    return shortest.rstrip("/").rsplit("/", 1)[-1] or name


def word(name: str) -> str:
    """`name` with all but letters, digits and underscores made underscores: fit for a suffix."""
    return re.sub(r"\W+", "_", name).strip("_")


def identifier(name: str, other: str = "table") -> str:
    """A Python variable for `name`, no keyword, no builtin; `other` where no letter of it is left.

    It is in the form (NFKC) in which Python reads it, and holds nothing that nobody sees.
    """
    name = unicodedata.normalize("NFKC", _UNSEEN.sub("", name))
    found = name if name.isidentifier() else word(name)
    if not found.isidentifier():
        found = f"{other}_{found}" if found and f"t_{found}".isidentifier() else other
    return f"{found}_{other}" if keyword.iskeyword(found) or hasattr(builtins, found) or found in _TAKEN else found


def free(name: str, taken: Iterable[Hashable], fold: bool = False) -> str:
    """`name`, or the first of `name_2`, `name_3` … that is not taken; fold: nor in another case (`taken` is lower)."""
    used, number, result = set(taken), 2, name
    while (result.lower() if fold else result) in used:
        result, number = f"{name}_{number}", number + 1
    return result


def one_line(text: str) -> str:
    """`text` on one line, for people to read: control characters and line separators escaped."""
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def comment(text: str, mark: str = "#") -> str:
    """A comment of one line in Python ("#") or SQL ("--"), whatever the text: the next line is no part of it, and who
    saves the code is told no encoding by it."""
    line = re.sub("(coding)([:=])", r"\1 \2", one_line(text))
    return f"{mark} {line[:-1]}\\x5c" if line.endswith("\\") else f"{mark} {line}"


def literal(value: object) -> str:
    """Python source of a text, number, truth value, None, or a list, tuple or dict of such.

    Names and values enter code by this door alone. It writes what is inert: but for printable ASCII and letters every
    character is escaped, so none ends a line or the literal, hides, or turns the order in which the code is read.

    Raises InputError for anything else.
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(key)}: {literal(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(literal, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, str):
        quote = "'" if '"' in value and "'" not in value else '"'
        return quote + "".join(_inert(c, quote) for c in value) + quote
    # What a subclass prints may be anything: of numbers, Python's own text.
    if isinstance(value, bool) or value is None:
        return repr(value)
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return float.__repr__(value) if math.isfinite(value) else f'float("{float(value)!r}")'
    raise InputError(f"code cannot write a name of the type {type(value).__name__}: give it a name of text")


def sql_string(text: str) -> str:
    """A string literal of Spark SQL, as inert as those of `literal`; not even ${, which Spark takes for a variable."""
    return "'" + "".join(_inert(c, "'") for c in text).replace("${", "\\u0024{") + "'"


def _inert(character: str, quote: str) -> str:
    """A character in a literal of Python or Spark SQL, which have these escapes in common."""
    if character in ("\\", quote):
        return f"\\{character}"
    if " " <= character <= "~" or (character.isalpha() and character not in _FILLERS):
        return character
    return _escape(character)


def _escape(character: str) -> str:
    code = ord(character)
    return _SHORT.get(character) or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNSEEN = re.compile("[\\u115f\\u1160\\u180b-\\u180f\\u3164\\ufe00-\\ufe0f\\uffa0\\U000e0100-\\U000e01ef]")
_FILLERS = "\u115f\u1160\u3164\uffa0"  # letters that nobody sees


@dataclass(frozen=True)
class Columns:
    """What a join's result is made of: pairs (column of the side, its name in the result), left ones first.

    Key columns that both sides call the same are there once, on the left.
    """

    left: tuple[tuple[Hashable, Hashable], ...]
    right: tuple[tuple[Hashable, Hashable], ...]

    @property
    def names(self) -> list[Hashable]:
        return [name for _, name in (*self.left, *self.right)]

    @property
    def renamed(self) -> dict[Hashable, Hashable]:
        """The right columns whose name changes, because the left has it."""
        return {column: name for column, name in self.right if column != name}


def result_columns(
    left: Sequence[Hashable], right: Sequence[Hashable], shared: Collection[Hashable], right_name: str
) -> Columns:
    """The columns of a join: a right one whose name the left has gets the right table's name as suffix.

    shared: key columns that both sides call the same, and the result has once.
    """
    kept = [column for column in right if column not in shared]
    taken: set[Hashable] = {*left, *kept}
    suffix = word(stem(right_name)) or "right"
    pairs: list[tuple[Hashable, Hashable]] = []
    for column in kept:
        name: Hashable = column
        if column in left:
            name = free(f"{column}_{suffix}", taken)
            taken.add(name)
        pairs.append((column, name))
    return Columns(tuple((column, column) for column in left), tuple(pairs))
