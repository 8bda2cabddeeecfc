"""A lake's foreign keys as text that other tools take: mermaid, DBML, dbt. Names are strangers': quoted for each."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any, Literal

from lakeview.join.naming import free, identifier, one_line, stem

if TYPE_CHECKING:
    import pandas as pd

Form = Literal["plotly", "mermaid", "dbml", "dbt"]
FORMS: tuple[Form, ...] = ("plotly", "mermaid", "dbml", "dbt")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def text(form: str, keys: pd.DataFrame, columns: pd.DataFrame) -> str:
    """`Lake.foreign_keys` as "mermaid", "dbml" or "dbt". columns: `Lake.columns`."""
    return {"mermaid": mermaid, "dbml": dbml, "dbt": dbt}[form](keys, columns)


def mermaid(keys: pd.DataFrame, columns: pd.DataFrame) -> str:
    """An ER diagram: entities t1, t2 … that show the tables' names."""
    names = {table: f"t{number}" for number, table in enumerate(_tables(keys), 1)}
    lines = [f'    {entity}["{_entities(table)}"]' for table, entity in names.items()]
    for source, column, target, other, _ in _rows(keys):
        said = _entities(f"{', '.join(column)} → {', '.join(other)}")
        lines.append(f'    {names[source]} }}o--|| {names[target]} : "{said}"')
    return "\n".join(["erDiagram", *lines]) + "\n"


def dbml(keys: pd.DataFrame, columns: pd.DataFrame) -> str:
    """A schema: the tables that have a key, all their columns, and the references."""
    lines = []
    for table in _tables(keys):
        rows = columns[columns["table"] == table]
        held = [f"  {_dbml(column)} {kind}" for column, kind in zip(rows["column"], rows["type"], strict=True)]
        lines += [f"Table {_dbml(table)} {{", *held, "}", ""]
    for source, column, target, other, _ in _rows(keys):
        ends = [
            _dbml(names[0]) if len(names) == 1 else f"({', '.join(map(_dbml, names))})" for names in (column, other)
        ]
        lines.append(f"Ref: {_dbml(source)}.{ends[0]} > {_dbml(target)}.{ends[1]}")
    return "\n".join(lines) + "\n"


def dbt(keys: pd.DataFrame, columns: pd.DataFrame) -> str:
    """Relationships for a schema.yml; one that does not hold of every value warns.

    A key of several columns has none in dbt; a name with braces, which dbt would run, is left out."""
    models: dict[str, str] = {}
    for table in _tables(keys):
        models[table] = free(_model(table), models.values())
    tests: dict[str, dict[str, list[Any]]] = {}
    for source, column, target, other, containment in _rows(keys):
        if len(column) > 1 or any(set("{}") & set(name) for name in (*column, *other)):
            continue
        field = other[0] if _PLAIN.fullmatch(other[0]) else '"' + other[0].replace('"', '""') + '"'
        test: dict[str, Any] = {"to": f"ref('{models[target]}')", "field": field}
        if containment < 1:
            test["config"] = {"severity": "warn"}
        tests.setdefault(source, {}).setdefault(column[0], []).append({"relationships": test})
    written = [
        {"name": models[table], "columns": [{"name": column, "quote": not _PLAIN.fullmatch(column), "data_tests": each}
                                            for column, each in held.items()]}
        for table, held in tests.items()
    ]  # fmt: skip
    return json.dumps({"version": 2, "models": written}, indent=2) + "\n"  # JSON is YAML


def _tables(keys: pd.DataFrame) -> list[str]:
    return sorted({*keys["table"], *keys["references_table"]})


def _rows(keys: pd.DataFrame) -> Iterator[tuple[str, tuple[str, ...], str, tuple[str, ...], float]]:
    for row in keys.itertuples(index=False):
        yield row.table, _several(row.column), row.references_table, _several(row.references_column), row.containment


def _several(column: Hashable) -> tuple[str, ...]:
    return tuple(map(str, column)) if isinstance(column, tuple) else (str(column),)


def _entities(name: str) -> str:
    """Text between the quotes of mermaid: what is no letter, digit or blank as a code."""
    return "".join(c if c.isalnum() or c in " _-./,→()" else f"#{ord(c)};" for c in one_line(name))


def _dbml(name: str) -> str:
    """A quoted name of DBML, whose quotes know no escapes."""
    return '"' + one_line(name).replace("\\", "/").replace('"', "'") + '"'


def _together(names: tuple[str, ...]) -> str:
    return _dbml(names[0]) if len(names) == 1 else f"({', '.join(map(_dbml, names))})"


def _model(table: str) -> str:
    return re.sub(r"\W", "_", identifier(stem(table)), flags=re.ASCII).strip("_").lower() or "a_table"
