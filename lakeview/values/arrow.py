"""Whatever holds a column, as an Arrow array; text is never cast to another type."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from lakeview.errors import InputError
from lakeview.guards import checks
from lakeview.values.objects import DEEPEST, TOO_DEEP, from_numpy, from_objects
from lakeview.values.texts import printed


def text(data: Any) -> pa.Array:
    """Every value of a column as text, a string or large_string array as long as the column; nulls stay null.

    Integers print plain, floats as their shortest round trip in positional notation (NaN is null), decimals
    positional, dates and times ISO 8601 without trailing zeros of the fraction, a zoneless midnight as its date,
    zoned times in UTC with a "Z", booleans true and false, durations as pandas prints them, nested values as JSON.
    Binary is read as UTF-8; what is no UTF-8 is null. Text is returned as it is.
    """
    return printed(as_arrow(data))


def as_arrow(data: Any) -> pa.Array | pa.ChunkedArray:
    """The values of one column as an Arrow array, in order, null where a value is missing.

    Takes Arrow arrays (returned as they are), pandas Series, Index and extension arrays, one-dimensional numpy
    arrays, anything of the Arrow PyCapsule interface, and iterables of Python objects. Objects of several types come
    back as text, each printed by its own type.

    Raises InputError for what is not one column (a frame, a string, an array of more dimensions), and for values that
    cannot be read: some are nested too deep, some run code of their own, which may fail.
    """
    try:
        found = _as_arrow(data)
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"these values cannot be read ({checks.said(error)}): make a column of text of them"
        ) from error
    if _depth(found.type) > DEEPEST:
        raise InputError(TOO_DEEP)
    return found


def _as_arrow(data: Any) -> pa.Array | pa.ChunkedArray:
    if isinstance(data, pa.Array | pa.ChunkedArray):
        return data
    if isinstance(data, np.ndarray):
        return from_numpy(data)
    pandas = sys.modules.get("pandas")
    if pandas is not None:
        if isinstance(data, pandas.Series | pandas.Index):
            return _from_pandas(data, pandas)
        if isinstance(data, pandas.api.extensions.ExtensionArray):
            return _from_pandas(pandas.Series(data), pandas)
    if isinstance(data, str | bytes | dict | type | pa.Scalar) or hasattr(data, "columns"):
        raise InputError(f"one column of values is expected, not a {type(data).__name__}; pick a column of it")
    if not isinstance(data, Iterable):
        raise InputError(f"one column of values is expected, not {checks.said(data)}")
    if hasattr(data, "__arrow_c_stream__"):
        return pa.chunked_array(data)
    if hasattr(data, "__arrow_c_array__") or hasattr(data, "__arrow_array__"):
        return pa.array(data)
    return from_objects(list(data))


def _from_pandas(series: Any, pandas: Any) -> pa.Array | pa.ChunkedArray:
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return from_numpy(series.to_numpy())
    if isinstance(dtype, pandas.CategoricalDtype):
        codes = np.asarray(series.array.codes)
        indices = pa.array(codes, mask=codes < 0)
        return pa.DictionaryArray.from_arrays(indices, _one_array(_from_pandas(dtype.categories, pandas)))
    if isinstance(dtype, pandas.SparseDtype):
        return from_numpy(np.asarray(series))
    if isinstance(dtype, pandas.PeriodDtype | pandas.IntervalDtype):
        return pa.array(
            [None if missing else str(value) for value, missing in zip(series, series.isna(), strict=True)], pa.string()
        )
    try:
        return pa.array(series)
    except (pa.ArrowException, TypeError, ValueError):
        return from_objects(list(series))


def _depth(kind: pa.DataType) -> int:
    """The levels of a type, 0 of one that is not nested; no more than one above DEEPEST are counted."""
    level, kinds = 0, [kind]
    while kinds and level <= DEEPEST:
        kinds = [inner.field(place).type for inner in kinds for place in range(inner.num_fields)]
        level += bool(kinds)
    return level


def _one_array(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
