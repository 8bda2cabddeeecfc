"""What an index holds, as DataFrames to look through: its tables, its columns, and what could not be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lakeview.store.snapshot import Snapshot

if TYPE_CHECKING:
    import pandas as pd


def tables(s: Snapshot) -> pd.DataFrame:
    """One row a table: table, columns, rows, format, problems."""
    import pandas as pd

    by_table = s.by_table
    rows = [
        (t["name"], len(by_table[t["name"]]), t["rows"], t["spec"].get("kind", "frame"), len(t["problems"]))
        for t in s.table_specs()
        if t["name"] in by_table
    ]
    return pd.DataFrame(rows, columns=["table", "columns", "rows", "format", "problems"])


def columns(s: Snapshot) -> pd.DataFrame:
    """One row a column: table, column, type, rows, nulls, distinct, key_like."""
    import pandas as pd

    numbers = [number for columns in s.by_table.values() for number in columns.values()]
    return pd.DataFrame(
        {
            "table": [s.tables[n] for n in numbers],
            "column": [s.names[n] for n in numbers],
            "type": [s.types[n] for n in numbers],
            "rows": s.rows[numbers] if numbers else np.zeros(0, np.int64),
            "nulls": s.nulls[numbers] if numbers else np.zeros(0, np.int64),
            "distinct": s.distinct[numbers] if numbers else np.zeros(0, np.int64),
            "key_like": s.key_like[numbers] if numbers else np.zeros(0, bool),
        }
    )


def problems(s: Snapshot) -> pd.DataFrame:
    """One row a problem: table, problem, detail, count."""
    import pandas as pd

    return pd.DataFrame(sorted(s.problems), columns=["table", "problem", "detail", "count"])
