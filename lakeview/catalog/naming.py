"""Names: of columns that have none or share one, of tables, and of what a user means by "table.column"."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence

from lakeview.errors import InputError, NotFound

_EXTENSION = re.compile(
    r"\.(csv|tsv|tab|txt|dat|psv|jsonl|ndjson|json|parquet|parq|pq)(\.(?:gz|bz2|xz|zst))?$", re.IGNORECASE
)


def unique_names(names: Sequence[str | None]) -> list[str]:
    """A name of its own for every column.

    An unnamed column is `column_N` by its place (from 1); a repeated name `x` becomes `x_2`; a number that is taken,
    also by a name further right, gives way to the next one that is free. Blanks around a name are dropped.

    >>> unique_names(["", "id", "name", "id"])
    ['column_1', 'id', 'name', 'id_2']
    >>> unique_names(["x", "x", "x_2"])
    ['x', 'x_3', 'x_2']
    """
    given = [(name or "").strip() for name in names]
    taken = set(given)
    used: set[str] = set()
    next_number: dict[str, int] = {}
    result = []
    for place, name in enumerate(given, start=1):
        if not name or name in used:
            stem, number = (name, next_number.get(name, 2)) if name else ("column", place)
            while (free := f"{stem}_{number}") in taken or free in used:
                number += 1
            next_number[name] = number + 1
            name = free
        used.add(name)
        result.append(name)
    return result


def without_extension(table: str) -> list[str]:
    """The shorter names of a table: without `.gz` or another compression's, and without its whole extension."""
    match = _EXTENSION.search(table)
    if match is None or match.start() == 0 or table[match.start() - 1] == "/":
        return []
    return [table[: -len(match[2])], table[: match.start()]] if match[2] else [table[: match.start()]]


def told(name: str) -> str:
    """A name as an error's one line has it: with what is not to be seen, a line break or a turn of direction, escaped.

    >>> told("t.csv"), told("a\\nb.csv")
    ('t.csv', "'a\\\\nb.csv'")
    """
    return name if name.isprintable() else repr(name)


def resolve(text: str, tables: Mapping[str, Iterable[str]]) -> tuple[str, str]:
    """The (table, column) that `text` = "table.column" means, given the columns of each table.

    The longest table name that fits wins; a table's extension may be left out where one table alone is meant.

    Raises:
        NotFound: no such table, or no such column in it; the message names what comes near.
        InputError: the short name of more than one table fits.
    """

    def shortened(name: str) -> list[str]:
        """The tables whose name without its extension this is."""
        return [table for table in tables if table.startswith(name + ".") and name in without_extension(table)]

    matched: list[str] = []
    for dot in reversed([place for place, letter in enumerate(text) if letter == "."]):
        prefix, column = text[:dot], text[dot + 1 :]
        candidates = [prefix] if prefix in tables else shortened(prefix)
        found = [table for table in candidates if column in tables[table]]
        if len(found) > 1:
            raise InputError(f"{text!r} may mean {_choices(f'{table}.{column}' for table in found)}: which one?")
        if found:
            return found[0], column
        matched += candidates
    raise NotFound(_near_miss(text, {table: list(names) for table, names in tables.items()}, matched))


def _near_miss(text: str, columns: Mapping[str, list[str]], matched: list[str]) -> str:
    if text in columns or any(text in without_extension(table) for table in columns):
        return f'{text!r} is a table: name a column of it too, as "table.column".'
    if matched:
        table = matched[0]
        prefix = max((name for name in [table, *without_extension(table)] if text.startswith(f"{name}.")), key=len)
        asked = text[len(prefix) + 1 :]
        near = difflib.get_close_matches(asked, columns[table], n=3) or _ignoring_case(asked, columns[table])
        hint = f" Did you mean {_choices(near)}?" if near else f" It has {_some(columns[table])}."
        return f"no column {asked!r} in table {table!r}.{hint}"
    names = [f"{table}.{column}" for table, of_table in columns.items() for column in of_table]
    near = difflib.get_close_matches(text, names, n=3) or _ignoring_case(text, names)
    if not near:
        near = [name for name in names if name.endswith((f"/{text}", f".{text}"))][:3]
    if near:
        return f"no column {text!r} in the lake. Did you mean {_choices(near)}?"
    return f'no column {text!r} in the lake: name it as "table.column", with one of its {len(columns):,} tables.'


def _ignoring_case(text: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.casefold() == text.casefold()][:3]


def _choices(names: Iterable[str]) -> str:
    return " or ".join(repr(name) for name in names)


def _some(names: Sequence[str], most: int = 8) -> str:
    listed = ", ".join(repr(name) for name in names[:most])
    return listed + (f" and {len(names) - most} more" if len(names) > most else "") if names else "no columns"
