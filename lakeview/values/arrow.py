"""Whatever holds a column, as an Arrow array; text is never cast to another type."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from lakeview.errors import InputError

Column = pa.Array | pa.ChunkedArray


def as_arrow(data: Any) -> Column:
    """The values of one column as an Arrow array, in order, null where a value is missing.

    Takes Arrow arrays (returned as they are), pandas Series, Index and extension arrays, one-dimensional numpy
    arrays, anything of the Arrow PyCapsule interface, and iterables of Python objects. Objects of several types come
    back as text, each printed by its own type.

    Raises InputError for what is not one column: a frame, a string, an array of more dimensions.
    """
    if isinstance(data, Column):
        return data
    if isinstance(data, np.ndarray):
        return _from_numpy(data)
    pandas = sys.modules.get("pandas")
    if pandas is not None:
        if isinstance(data, pandas.Series | pandas.Index):
            return _from_pandas(data, pandas)
        if isinstance(data, pandas.api.extensions.ExtensionArray):
            return _from_pandas(pandas.Series(data), pandas)
    if isinstance(data, str | bytes | dict) or hasattr(data, "columns") or not isinstance(data, Iterable):
        raise InputError(f"one column of values is wanted, not {type(data).__name__}; pick a column of it")
    if hasattr(data, "__arrow_c_stream__"):
        return pa.chunked_array(data)
    if hasattr(data, "__arrow_c_array__") or hasattr(data, "__arrow_array__"):
        return pa.array(data)
    return from_objects(list(data))


def _from_pandas(series: Any, pandas: Any) -> Column:
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return _from_numpy(series.to_numpy())
    if isinstance(dtype, pandas.CategoricalDtype):
        codes = np.asarray(series.array.codes)
        indices = pa.array(codes, mask=codes < 0)
        return pa.DictionaryArray.from_arrays(indices, _one_array(_from_pandas(dtype.categories, pandas)))
    if isinstance(dtype, pandas.SparseDtype):
        return _from_numpy(np.asarray(series))
    if isinstance(dtype, pandas.PeriodDtype | pandas.IntervalDtype):
        return pa.array([None if missing else str(value) for value, missing in zip(series, series.isna(), strict=True)],
                        pa.string())
    try:
        return pa.array(series)
    except (pa.ArrowException, TypeError, ValueError):
        return from_objects(list(series))


def _from_numpy(values: np.ndarray) -> pa.Array:
    if values.ndim != 1:
        raise InputError(f"one column of values is wanted, not an array of {values.ndim} dimensions")
    mask = None
    if isinstance(values, np.ma.MaskedArray):
        mask, values = np.ma.getmaskarray(values), values.data
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    kind = values.dtype.kind
    if kind in "Mm":
        unit = np.datetime_data(values.dtype)[0]
        if kind == "M" and unit in ("Y", "M"):  # a year or a month is no day: "2024-03"
            kind, values = "O", np.where(np.isnat(values), None, np.datetime_as_string(values).astype(object))
        elif unit in ("W", "D", "h", "m"):
            values = values.astype(f"{kind}8[D]" if kind == "M" and unit in "WD" else f"{kind}8[s]")
    if kind == "f" and values.dtype.itemsize > 8:
        values = values.astype(np.float64)
    if kind in "biufMmSU":
        return pa.array(values, mask=mask)
    objects = values.tolist()
    if mask is not None:
        objects = [None if hidden else value for value, hidden in zip(objects, mask, strict=True)]
    return from_objects(objects)


def from_objects(values: list[Any]) -> pa.Array:
    """Python objects as an Arrow array: of their type where they have one in common, else as text."""
    types = set(map(type, values))
    if str in types:
        try:  # the usual case: text with None or NaN for what is missing; anything else raises
            return pa.array(values, pa.string(), from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError):
            pass
    places: dict[Any, list[int]] = {}
    for place, value in enumerate(values):
        if not _missing(value):
            places.setdefault(_kind(value), []).append(place)
    if not places:
        return pa.nulls(len(values), pa.string())
    if len(places) == 1:
        (kind,) = places
        return _of_one_kind([None if _missing(value) else value for value in values], kind)

    from lakeview.values.printing import text  # printing reads columns through this module

    out: list[str | None] = [None] * len(values)
    for kind, where in places.items():
        for place, printed in zip(where, text(_of_one_kind([values[i] for i in where], kind)).to_pylist(), strict=True):
            out[place] = printed
    return pa.array(out, pa.string())


def _missing(value: Any) -> bool:
    if isinstance(value, float):
        return value != value  # NaN
    return value is None or type(value).__name__ in ("NAType", "NaTType")  # by name: pandas stays unimported


def _kind(value: Any) -> Any:
    """What must agree for values to share an Arrow type without changing how they print."""
    zoned = getattr(value, "tzinfo", None) is not None
    return type(value), zoned


def _of_one_kind(values: list[Any], kind: Any) -> pa.Array:
    python_type, zoned = kind
    try:
        if zoned and hasattr(python_type, "fold") and hasattr(python_type, "year"):
            unit = "ns" if hasattr(python_type, "nanosecond") else "us"
            return pa.array(values, pa.timestamp(unit, "UTC"))
        return pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return pa.array([None if value is None else _print_alone(value) for value in values], pa.string())


def _print_alone(value: Any) -> str | None:
    """One object for which Arrow has no type, as text; None where the text is not Unicode."""
    if isinstance(value, dict | list | tuple):
        printed = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    elif hasattr(value, "is_finite") and hasattr(value, "as_tuple"):  # a decimal beyond 76 digits
        printed = format(value, "f") if value.is_finite() else str(float(value))
    else:
        printed = str(value)
    try:
        printed.encode()
    except UnicodeEncodeError:  # lone surrogates
        return None
    return printed


def _one_array(column: Column) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
