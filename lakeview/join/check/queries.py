"""A check as SQL: queries that count what is amiss, each with the most that there may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lakeview.join.check.facts import Facts


@dataclass(frozen=True)
class Asked:
    """One demand: its name, the query that counts what is amiss, and the most that there may be."""

    name: str
    query: str
    most: int


@dataclass(frozen=True)
class Tables:
    """Both sides as FROM takes them, under a name, and the expressions of their keys, written with that name."""

    left: str
    right: str
    left_keys: Sequence[str]
    right_keys: Sequence[str]


def asked(facts: Facts, tables: Tables) -> list[Asked]:
    """Uniqueness, nulls, orphans or the match rate, and rows."""
    left, right = tables.left, tables.right
    meets = " AND ".join(f"{a} = {b}" for a, b in zip(tables.left_keys, tables.right_keys, strict=True))
    missing = [" OR ".join(f"{key} IS NULL" for key in keys) for keys in (tables.left_keys, tables.right_keys)]
    there = [" AND ".join(f"{key} IS NOT NULL" for key in keys) for keys in (tables.left_keys, tables.right_keys)]
    listed = ", ".join(tables.right_keys)
    repeated = f"SELECT {listed} FROM {right} WHERE {there[1]} GROUP BY {listed} HAVING count(*) > 1"
    held = f"SELECT count(*) FROM {left} WHERE {there[0]}"
    met = f"{held} AND EXISTS (SELECT 1 FROM {right} WHERE {meets})"
    alone = f"{held} AND NOT EXISTS (SELECT 1 FROM {right} WHERE {meets})"
    rows = f"SELECT count(*) FROM {left}"
    found = [
        Asked("duplicate keys on the right", f"SELECT count(*) FROM ({repeated}) AS repeated", facts.duplicates),
        Asked("rows without a key on the left", f"SELECT count(*) FROM {left} WHERE {missing[0]}", facts.left_nulls),
        Asked("rows without a key on the right", f"SELECT count(*) FROM {right} WHERE {missing[1]}", facts.right_nulls),
        Asked("rows lost on the left", f"SELECT {facts.left_rows} - count(*) FROM {left}", 0),
    ]
    if facts.orphans == 0:
        found.append(Asked("left rows that meet none", alone, 0))
    else:
        short = f"SELECT CASE WHEN ({met}) < {facts.match_rate} * ({held}) THEN 1 ELSE 0 END"
        found.append(Asked(f"a match rate under {facts.match_rate}", short, 0))
    if facts.one_each:
        joined = f"SELECT count(*) FROM {left} LEFT JOIN {right} ON {meets}"
        found.append(Asked("rows that the join adds", f"SELECT ({joined}) - ({rows})", 0))
    return found


def failing(demands: Sequence[Asked], string: str = "'{}'") -> str:
    """One SELECT: a row for each demand that is not met, with what was found and the most that there may be."""
    parts = [f"SELECT {string.format(each.name)} AS demand, ({each.query}) AS found, {each.most} AS most"
             for each in demands]  # fmt: skip
    return "SELECT * FROM (\n  " + "\n  UNION ALL ".join(parts) + "\n) AS demands\nWHERE found > most"
