"""A check as text that a tool takes: Spark SQL, PySpark, pandera, dbt, a data contract."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Sequence
from typing import Any

from lakeview.errors import InputError
from lakeview.join.check.facts import Facts
from lakeview.join.check.queries import Tables, asked, failing
from lakeview.join.export import common, pandas_keys, sql_code
from lakeview.join.export.draft import views
from lakeview.join.export.pandas_code import exportable, key_code
from lakeview.join.model import Join
from lakeview.join.naming import free, identifier, literal, one_line
from lakeview.join.side import Side

FORMATS = ("sql", "pyspark", "pandera", "dbt", "datacontract")


def sql(join: Join, facts: Facts) -> list[str]:
    """Spark SQL: the statements that make views of the lake's tables, and a SELECT of what is amiss, a row each."""
    sql_code.nameable(join)
    names, made = views(join), common.keys(join, sql_code.DIALECT)
    left, right = ([sql_code.key_of(pair[place], view, column) for pair, column in zip(made, on, strict=True)]
                   for place, view, on in ((0, names.left, join.left_on), (1, names.right, join.right_on)))  # fmt: skip
    tables = Tables(sql_code.left_table(join, names), sql_code.right_table(join, names), left, right)
    return [*sql_code.create_views(join, names), failing(asked(facts, tables))]


def pyspark(join: Join, facts: Facts) -> str:
    """PySpark: frames become views of their names, and an assertion says what is amiss."""
    *before, select = sql(join, facts)
    names = views(join)
    frames = [view for side, view in ((join.left, names.given[0]), (join.right, names.given[1])) if side.is_frame]
    lines = [f"{view}.createOrReplaceTempView({literal(view)})" for view in dict.fromkeys(frames)]
    lines += [f"spark.sql({literal(statement)})" for statement in before]
    lines += [f"amiss = spark.sql({literal(select)}).collect()", "assert not amiss, amiss"]
    return "\n".join(lines) + "\n"


def pandera(join: Join, facts: Facts) -> str:
    """Python for pandera: `check(left, right, joined)` raises its SchemaErrors."""
    exportable(join)
    made = common.keys(join, pandas_keys)
    names = [f"key_{number}" for number in range(1, len(made) + 1)]

    def keys(place: int, on: Sequence[Hashable], variable: str) -> list[str]:
        listed = [f"        {literal(name)}: {key_code(variable, column, pair[place])}.reset_index(drop=True),"
                  for name, column, pair in zip(names, on, made, strict=True)]  # fmt: skip
        return [f"    {variable}_keys = pd.DataFrame({{", *listed, "    }).astype(object)"]

    whole = f"known.isin(pd.MultiIndex.from_frame(right_keys.dropna())).mean() >= {facts.match_rate!r}"
    if facts.orphans == 0:
        whole = "known.isin(pd.MultiIndex.from_frame(right_keys.dropna())).all()"
    said = "left rows that meet none" if facts.orphans == 0 else f"a match rate under {facts.match_rate}"
    rows = "==" if facts.one_each else ">="
    lines = [
        "import pandas as pd", "import pandera.pandas as pa", "", "",
        "def check(left, right, joined=None):",
        '    """Raises pandera\'s SchemaErrors, which say what is amiss. joined: the result of the left join."""',
        *keys(0, join.left_on, "left"),
        *keys(1, join.right_on, "right"),
        "    known = pd.MultiIndex.from_frame(left_keys.dropna())",
        "    demands = [",
        "        (",
        f"            right_keys.dropna().value_counts().gt(1).sum() <= {facts.duplicates},",
        '            "duplicate keys on the right",',
        "        ),",
        f'        (right_keys.isna().any(axis=1).sum() <= {facts.right_nulls}, "rows without a key on the right"),',
        f'        (left_keys.isna().any(axis=1).sum() <= {facts.left_nulls}, "rows without a key on the left"),',
        f"        (len(known) == 0 or {whole}, {literal(said)}),",
        f'        (len(left) >= {facts.left_rows}, "rows lost on the left"),',
        f'        (joined is None or len(joined) {rows} len(left), "rows that the join adds or loses"),',
        "    ]",
        "    checks = [pa.Check(lambda _, holds=bool(holds): holds, name=name, error=name) for holds, name in demands]",
        "    pa.DataFrameSchema(checks=checks).validate(left, lazy=True)",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def dbt(join: Join, facts: Facts) -> str:
    """A singular test of dbt, for a file in tests/: it selects what is amiss, and fails where there is any."""
    left, right = (f"{{{{ ref({jinja(model_of(side))}) }}}} AS {name}_side"
                   for name, side in (("left", join.left), ("right", join.right)))  # fmt: skip
    keys = [[f"{name}_side.{{{{ adapter.quote({jinja(str(column))}) }}}}" for column in on]
            for name, on in (("left", join.left_on), ("right", join.right_on))]  # fmt: skip
    _require_plain(join, "dbt")
    return failing(asked(facts, Tables(left, right, *keys))) + "\n"


def datacontract(join: Join, facts: Facts) -> str:
    """A data contract (specification 1.1.0): both tables as models, and what has to hold as SQL of their quality."""
    _require_plain(join, "datacontract")
    left = model_of(join.left)
    right = free(model_of(join.right), {left})
    tables = Tables(f"{left} AS left_side", f"{right} AS right_side",
                    *([f"{name}_side.{double(str(column))}" for column in on]
                      for name, on in (("left", join.left_on), ("right", join.right_on))))  # fmt: skip
    quality: list[Any] = [
        {"type": "sql", "description": each.name, "query": each.query, "mustBeLessThan": each.most + 1}
        for each in asked(facts, tables)
    ]
    fields = [{str(column): {"required": True} if not nulls else {} for column in on}
              for on, nulls in ((join.left_on, facts.left_nulls), (join.right_on, facts.right_nulls))]  # fmt: skip
    models = {
        left: {"type": "table", "fields": fields[0], "quality": quality},
        right: {"type": "table", "fields": fields[1]},
    }
    contract = {
        "dataContractSpecification": "1.1.0",
        "id": f"{left}-{right}",
        "info": {"title": one_line(join.what), "version": "1.0.0"},
        "models": models,
    }
    return json.dumps(contract, indent=2) + "\n"  # JSON is YAML, and its quotes hold whatever a name is


def _require_plain(join: Join, tool: str) -> None:
    """Raise InputError where keys meet that are not equal as they lie."""
    if not all(key.plain for pair in common.keys(join, sql_code.DIALECT) for key in pair):
        raise InputError(f"{tool} compares keys as they lie, and those of {join.left.stem} and {join.right.stem} are "
                         'not equal so: check("sql") has the steps that make them so')  # fmt: skip


def model_of(side: Side) -> str:
    """What dbt or a contract calls a table: letters, digits and underscores alone."""
    return re.sub(r"\W", "_", identifier(side.stem), flags=re.ASCII).strip("_").lower() or "a_table"


def jinja(text: str) -> str:
    """A string literal of Jinja, whose braces are none of its own."""
    inert = (
        literal(text).replace("{", "\\u007b").replace("}", "\\u007d").replace("%", "\\u0025").replace("#", "\\u0023")
    )
    return inert.encode("ascii", "backslashreplace").decode()


def double(name: str) -> str:
    """An identifier of standard SQL."""
    return '"' + name.replace('"', '""') + '"'
