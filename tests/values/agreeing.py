"""How the tests of tokens compare columns: whatever they come from, one canonical text."""

from __future__ import annotations

import io

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import settings
from hypothesis import strategies as st

from lakeview.values import as_arrow, canonical

few = settings(max_examples=100, deadline=None)


def column(values: st.SearchStrategy) -> st.SearchStrategy[list]:
    return st.lists(st.none() | values, max_size=12)


def agree(want: list[str | None], *columns: object) -> None:
    """Every column, and what a Parquet file makes of it, has the canonical text `want`."""
    for data in columns:
        arrow = as_arrow(data)
        assert canonical(arrow).to_pylist() == want, type(data)
        if not pa.types.is_float16(arrow.type):
            assert canonical(through_parquet(arrow)).to_pylist() == want, arrow.type


def through_parquet(array: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    file = io.BytesIO()
    pq.write_table(pa.table({"x": array}), file)
    file.seek(0)
    return pq.read_table(file)["x"]


def csv_cells(series: pd.Series) -> list[str]:
    """The cells as pandas writes them; a second column keeps the line of a missing value."""
    lines = series.to_frame("x").assign(y="").to_csv(index=False, header=False).splitlines()
    return [line.removesuffix(",") for line in lines]
