"""A zoo of arguments and of data: what a clumsy colleague passes. Each is made anew, as some can be used but once."""

from __future__ import annotations

import array
import datetime
import decimal
import fractions
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa


class Mute:
    """Cannot be printed."""

    def __repr__(self) -> str:
        raise RuntimeError("no words\nfor this")


class Odd(Mute):
    """Cannot be compared either."""

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError("no equal")

    def __hash__(self) -> int:
        raise OverflowError("no number")


class Shouting(str):
    """A string that fails where a string is expected to work."""

    def __str__(self) -> str:
        raise RuntimeError("no")

    __repr__ = __str__


class Endless:
    """Says that it holds values, and breaks off."""

    def __iter__(self) -> Iterator[int]:
        yield 1
        raise OSError("the tape is torn")


class Frame(pd.DataFrame):
    """A subclass, as geopandas' is."""

    @property
    def _constructor(self) -> type:
        return Frame


class Streaming:
    """A table of another library, known by the Arrow PyCapsule interface alone."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


VALUES: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "False": lambda: False,
    "0": lambda: 0,
    "1": lambda: 1,
    "-1": lambda: -1,
    "5": lambda: 5,
    "10**30": lambda: 10**30,
    "-10**400": lambda: -(10**400),
    "0.5": lambda: 0.5,
    "1.5": lambda: 1.5,
    "-0.1": lambda: -0.1,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "1j": lambda: 1j,
    "empty text": lambda: "",
    "a": lambda: "a",
    "id": lambda: "id",
    "join": lambda: "join",
    "left": lambda: "left",
    "two lines": lambda: "a\nb\u2028c",
    "surrogate": lambda: "\ud800",
    "NUL": lambda: "a\0b",
    "long text": lambda: "x" * 100_000,
    "shouting": lambda: Shouting("id"),
    "bytes": lambda: b"id",
    "[]": lambda: [],
    "['id']": lambda: ["id"],
    "['id', []]": lambda: ["id", []],
    "['id', 'id']": lambda: ["id", "id"],
    "['id', 'name']": lambda: ["id", "name"],
    "[None]": lambda: [None],
    "[0.5, nan]": lambda: [0.5, float("nan")],
    "[0.5, 'a']": lambda: [0.5, "a"],
    "()": lambda: (),
    "('id', 'name')": lambda: ("id", "name"),
    "{}": lambda: {},
    "{'a': 1}": lambda: {"a": 1},
    "{1: None}": lambda: {1: None},
    "set()": lambda: {"id"},
    "object": object,
    "mute": Mute,
    "[mute]": lambda: [Mute()],
    "odd": Odd,
    "[odd]": lambda: [Odd()],
    "endless": Endless,
    "lambda": lambda: lambda: None,
    "type": lambda: int,
    "pd": lambda: pd,
    "np.int64(5)": lambda: np.int64(5),
    "np.float64(0.5)": lambda: np.float64(0.5),
    "np.float32(nan)": lambda: np.float32("nan"),
    "np.bool_": lambda: np.bool_(True),
    "np.str_": lambda: np.str_("id"),
    "np.array": lambda: np.array([1, 2]),
    "np.array(2)": lambda: np.array(2),
    "np 2-D": lambda: np.ones((2, 2)),
    "NA": lambda: pd.NA,
    "NaT": lambda: pd.NaT,
    "Timestamp": lambda: pd.Timestamp("2024-01-01"),
    "Decimal": lambda: decimal.Decimal("0.5"),
    "Decimal nan": lambda: decimal.Decimal("sNaN"),
    "Fraction": lambda: fractions.Fraction(1, 2),
    "Series": lambda: pd.Series([1, 2], name="id"),
    "DataFrame": lambda: pd.DataFrame({"id": [1, 2]}),
    "empty frame": lambda: pd.DataFrame(),
    "DataFrame class": lambda: pd.DataFrame,
    "arrow scalar": lambda: pa.scalar(5),
    "arrow table": lambda: pa.table({"id": [1]}),
    "range": lambda: range(3),
    "generator": lambda: (n for n in range(3)),
    "slice": lambda: slice(0, 2),
    "Path": lambda: Path("no such"),
    "date": lambda: datetime.date(2024, 1, 1),
    "error": lambda: ValueError("a\nb"),
    "nested": lambda: deep(10_000),
    "itself": lambda: itself(),
    "...": lambda: ...,
}  # fmt: skip


def deep(levels: int, end: Any = 1) -> list[Any]:
    """A list in a list in a list …"""
    for _ in range(levels):
        end = [end]
    return end


def itself() -> list[Any]:
    """A list that holds itself, twice."""
    made: list[Any] = []
    made += [made, made]
    return made


def itself_in_dict() -> dict[str, Any]:
    made: dict[str, Any] = {}
    made["me"] = [made]
    return made


def objects(*values: Any) -> np.ndarray:
    made = np.empty(len(values), object)
    made[:] = values
    return made


# Columns of four values, or of as many as the kind allows.
COLUMNS: dict[str, Callable[[], Any]] = {
    "text": lambda: ["1", "2", "c", "d"],
    "integers": lambda: pd.Series([1, 2, 3, 4]),
    "empty": lambda: [],
    "empty Series": lambda: pd.Series([], dtype=float),
    "None": lambda: [None, None],
    "NaN": lambda: pd.Series([np.nan, np.nan, 1.0]),
    "NA": lambda: pd.Series([pd.NA, 1, pd.NaT, None, np.nan], dtype=object),
    "Int64": lambda: pd.Series([1, None, 3], dtype="Int64"),
    "boolean": lambda: pd.Series([True, None], dtype="boolean"),
    "string[pyarrow]": lambda: pd.Series(["1", None], dtype="string[pyarrow]"),
    "arrow list": lambda: pd.Series([[1], None], dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
    "arrow struct": lambda: pd.Series([{"a": 1}, None], dtype=pd.ArrowDtype(pa.struct([("a", pa.int64())]))),
    "arrow decimal": lambda: pd.Series([decimal.Decimal(1)], dtype=pd.ArrowDtype(pa.decimal128(5, 2))),
    "dictionary dtype": lambda: pd.Series(["a", "1"], dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))),
    "category": lambda: pd.Series(["1", "2", None]).astype("category"),
    "category of intervals": lambda: pd.cut(pd.Series([1, 2, 3, 4]), 2),
    "sparse": lambda: pd.Series(pd.arrays.SparseArray([0, 0, 1])),
    "sparse text": lambda: pd.Series(pd.arrays.SparseArray(np.array(["a", None, "1"], object), fill_value=None)),
    "period": lambda: pd.Series(pd.period_range("2024-01", periods=3, freq="M")),
    "interval": lambda: pd.Series(pd.interval_range(0, 3)),
    "times": lambda: pd.Series(pd.to_datetime(["2024-01-01", None])),
    "zoned": lambda: pd.Series(pd.to_datetime(["2024-01-01", None]).tz_localize("Europe/Paris")),
    "timedelta": lambda: pd.Series(pd.to_timedelta([1, None], unit="D")),
    "far dates": lambda: [datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31), pd.Timestamp("2024-01-01")],
    "far np dates": lambda: np.array(["-290000000-01-01", "NaT", "290000000-01-01"], "M8[D]"),
    "attoseconds": lambda: np.array([1, 2], "M8[as]"),
    "generic times": lambda: np.array([1, 2], "m8"),
    "years": lambda: np.array(["2024", "NaT"], "M8[Y]"),
    "month deltas": lambda: np.array([1, 2], "m8[M]"),
    "mixed zones": lambda: [datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC), datetime.datetime(2024, 1, 1)],
    "odd zone": lambda: [datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(seconds=1)))],
    "times of day": lambda: [datetime.time(1, 2), datetime.time(3, 4, tzinfo=datetime.UTC)],
    "complex": lambda: np.array([1 + 2j, np.nan]),
    "half": lambda: np.array([1, 2], np.float16),
    "long double": lambda: np.array([1, np.inf], np.longdouble),
    "big-endian i4": lambda: np.array([1, 2, 5, 9], ">i4"),
    "big-endian f8": lambda: pd.Series(np.array([1, 2, np.nan], ">f8")),
    "big-endian text": lambda: np.array(["1", "2"], ">U4"),
    "big-endian times": lambda: np.array(["2024-01-01", "NaT"], ">M8[s]"),
    "fixed bytes": lambda: np.array([b"1", b"2\xff"]),
    "bytes": lambda: [b"1", b"\xff", bytearray(b"x"), memoryview(b"y")],
    "records": lambda: np.array([(1, "a")], dtype=[("n", "i4"), ("s", "U3")]),
    "masked": lambda: np.ma.masked_array([1, 2, 3], mask=[0, 1, 0]),
    "0-D": lambda: np.array(5),
    "2-D": lambda: np.ones((2, 3)),
    "2-D objects": lambda: np.array([[1, "a"], [None, 2]], object),
    "void": lambda: np.zeros(2, "V3"),
    "decimals": lambda: [decimal.Decimal(text) for text in ("1", "1e90", "NaN", "sNaN")],
    "huge integers": lambda: [10**40, -(10**5000), 1],
    "unsigned": lambda: np.array([2**64 - 1, 1], np.uint64),
    "fractions": lambda: [fractions.Fraction(1, 3), 1],
    "uuids": lambda: [uuid.UUID(int=1), uuid.UUID(int=2)],
    "mixed": lambda: [1, "1", 1.0, True, None, b"1", (1,), [1], {"a": 1}, {1}, datetime.date(2024, 1, 1), 1j, object()],
    "surrogates": lambda: ["\ud800", "a", "1"],
    "NUL": lambda: ["\0", "a\0b", "1"],
    "separators": lambda: ["a\u2028b", "a\rb", "1\x85"],
    "np.str_": lambda: objects(np.str_("1"), np.str_("2")),
    "shouting": lambda: [Shouting("1"), Shouting("2")],
    "enums": lambda: [datetime.UTC, Path("1"), int, len],
    "nested": lambda: [[1, [2, [3]]], [["a"]], [{"a": [1]}]],
    "dicts": lambda: [{"a": 1}, {1: "b"}, {(1, 2): 3}, {None: None}],
    "sets": lambda: [{1, 2}, frozenset("ab")],
    "arrays in cells": lambda: objects(np.array([1, 2]), np.array([[1], [2]]), np.array(["a"], object)),
    "frames in cells": lambda: objects(pd.DataFrame({"a": [1]}), pd.Series([1]), pa.array([1])),
    "mute cells": lambda: objects(Mute(), Mute(), "1"),
    "odd cells": lambda: objects(Odd(), 1, "1"),
    "nested mute": lambda: objects([Mute()], {"a": Mute()}, (Odd(),)),
    "mute keys": lambda: objects({Mute(): 1}, "1"),
    "endless": Endless,
    "endless cells": lambda: objects(Endless(), Endless()),
    "itself": lambda: objects(itself(), 1),
    "only itself": lambda: objects(itself(), itself()),
    "itself in dict": lambda: objects(itself_in_dict(), itself_in_dict()),
    "deep": lambda: objects(deep(10_000), deep(10_000)),
    "deep dict": lambda: objects({"a": deep(10_000)}, (deep(3_000),)),
    "deep 500": lambda: objects(deep(500), deep(500, "a")),
    "generator": lambda: (str(n) for n in range(4)),
    "set": lambda: {"1", "2"},
    "dict": lambda: {"a": 1},
    "keys": lambda: {"1": 1}.keys(),
    "range": lambda: range(4),
    "array": lambda: array.array("i", [1, 2]),
    "memoryview": lambda: memoryview(b"ab"),
    "string": lambda: "abc",
    "number": lambda: 5,
    "Index": lambda: pd.Index(["1", "2"]),
    "MultiIndex": lambda: pd.MultiIndex.from_tuples([(1, "a"), (2, "b")], names=["x", "y"]),
    "arrow": lambda: pa.array([1, None]),
    "arrow chunks": lambda: pa.chunked_array([[1], [2, None]]),
    "arrow no chunk": lambda: pa.chunked_array([], pa.string()),
    "arrow null": lambda: pa.nulls(3),
    "arrow map": lambda: pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.int64())),
    "arrow union": lambda: pa.UnionArray.from_sparse(
        pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])]
    ),
    "arrow run-end": lambda: pa.RunEndEncodedArray.from_arrays([2, 3], ["a", "1"]),
    "arrow view": lambda: pa.array(["1", "2"], pa.string_view()),
    "arrow list view": lambda: pa.array([[1], None], pa.list_view(pa.int64())),
    "arrow fixed list": lambda: pa.array([[1, 2], None], pa.list_(pa.int64(), 2)),
    "arrow decimal256": lambda: pa.array([decimal.Decimal("1.5")], pa.decimal256(70, 3)),
    "arrow month interval": lambda: pa.array([(1, 2, 3)], pa.month_day_nano_interval()),
    "arrow fixed binary": lambda: pa.array([b"ab", None], pa.binary(2)),
    "arrow far times": lambda: pa.array([2**62, -(2**62)], pa.timestamp("s")),
    "arrow far dates": lambda: pa.array([2**62], pa.date64()),
    "arrow odd zone": lambda: pa.array([0], pa.timestamp("s", "No/Where")),
    "arrow time": lambda: pa.array([1], pa.time64("ns")),
    "arrow duration": lambda: pa.array([2**62], pa.duration("s")),
    "arrow uuid": lambda: pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"0123456789abcdef"], pa.binary(16))),
    "arrow dictionary": lambda: pa.DictionaryArray.from_arrays(pa.array([0, None, 0]), pa.array([None, "a"])),
    "arrow wrong utf8": lambda: pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(np.array([0, 1], np.int32).tobytes()), pa.py_buffer(b"\xff")]
    ),
    "arrow deep": lambda: arrow_deep(60),
    "arrow stream": lambda: Streaming(pa.chunked_array([[1, 2]])),
    "arrow record stream": lambda: Streaming(pa.table({"a": [1]})),
    "arrow scalar": lambda: pa.scalar(1),
}  # fmt: skip


def arrow_deep(levels: int) -> pa.Array:
    made: pa.Array = pa.array([1])
    for _ in range(levels):
        made = pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), made)
    return made


def indexed(**levels: Any) -> pd.DataFrame:
    """A frame whose index has these levels."""
    index = pd.MultiIndex.from_arrays(list(levels.values()), names=list(levels))
    return pd.DataFrame({"n": range(len(index))}, index=index)


# Whole frames; where there is a column "k" it is the one to ask for, else the first.
FRAMES: dict[str, Callable[[], Any]] = {
    "0 rows": lambda: pd.DataFrame({"k": []}),
    "0 rows of objects": lambda: pd.DataFrame({"k": pd.Series([], dtype=object), "n": pd.Series([], dtype="M8[ns]")}),
    "0 columns": lambda: pd.DataFrame(index=range(3)),
    "nothing": pd.DataFrame,
    "twice k": lambda: pd.DataFrame([[1, 2], [3, 4]], columns=["k", "k"]),
    "levels": lambda: pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("k", 1), ("k", 2)])),
    "labels of all kinds": lambda: pd.DataFrame([range(8)], columns=["k", 1, 1.5, None, (1, 2), True, "", b"x"]),
    "NaN label": lambda: pd.DataFrame([[1, 2]], columns=["k", np.nan]),
    "two NaN labels": lambda: pd.DataFrame([[1, 2, 3]], columns=["k", np.nan, np.nan]),
    "1 and True": lambda: pd.DataFrame([[1, 2]], columns=[1, True]),
    "date labels": lambda: pd.DataFrame([[1, 2]], columns=pd.to_datetime(["2024-01-01", "2024-01-02"])),
    "category labels": lambda: pd.DataFrame([["1", "2"]], columns=pd.Categorical(["k", "n"])),
    "interval labels": lambda: pd.DataFrame([[1, 2]], columns=pd.interval_range(0, 2)),
    "surrogate label": lambda: pd.DataFrame({"k": ["1"], "\ud800": [1]}),
    "NUL label": lambda: pd.DataFrame({"k": ["1"], "a\0b": [1]}),
    "long label": lambda: pd.DataFrame({"k": ["1"], "x" * 100_000: [1]}),
    "mute label": lambda: pd.DataFrame([[1, 2]], columns=pd.Index(["k", Mute()], dtype=object)),
    "key in the index": lambda: pd.DataFrame({"n": [1, 2]}, index=pd.Index(["1", "2"], name="k")),
    "keys in the index": lambda: indexed(k=["1", "2"], x=[1, 2]),
    "unnamed levels": lambda: pd.DataFrame({"k": ["1"]}, index=pd.MultiIndex.from_tuples([(1, 2)])),
    "index named as a column": lambda: pd.DataFrame({"k": ["1"]}, index=pd.Index([1], name="k")),
    "one name for two levels": lambda: pd.DataFrame(
        {"k": ["1"]}, index=pd.MultiIndex.from_tuples([(1, 2)], names=["x", "x"])),
    "repeated index": lambda: pd.DataFrame({"k": ["1", "2"]}, index=[0, 0]),
    "big-endian": lambda: pd.DataFrame({"k": np.array([1, 2, 5, 9], ">i4"), "v": np.array([1, 2, 3, 4], ">f8")}),
    "big-endian beside": lambda: pd.DataFrame({"k": ["1", "2"], "v": np.array([1, 2], ">f8")}),
    "big-endian index": lambda: pd.DataFrame({"n": [1, 2]}, index=pd.Index(np.array([1, 2], ">i4"), name="k")),
    "subclass": lambda: Frame({"k": ["1", "2"]}),
    "beside lists": lambda: pd.DataFrame({"k": ["1", "2"], "v": [[1], {"a": 2}]}),
    "beside mute": lambda: pd.DataFrame({"k": ["1", "2"], "v": objects(Mute(), Odd())}),
    "beside itself": lambda: pd.DataFrame({"k": ["1", "2"], "v": objects(itself(), 1)}),
    "beside frames": lambda: pd.DataFrame({"k": ["1", "2"], "v": objects(pd.DataFrame(), pd.Series([1]))}),
    "sparse": lambda: pd.DataFrame({"k": pd.arrays.SparseArray([0, 1]), "v": pd.arrays.SparseArray([0.0, 1.0])}),
    "Series": lambda: pd.Series(["1"], name="k"),
    "arrow table": lambda: pa.table({"k": ["1"]}),
    "arrow stream": lambda: Streaming(pa.table({"k": ["1"]})),
    "dict": lambda: {"k": ["1"]},
    "list": lambda: [["1"]],
    "2-D": lambda: np.ones((2, 2)),
    "records": lambda: np.array([(1, "a")], dtype=[("k", "i4"), ("s", "U3")]),
    "group": lambda: pd.DataFrame({"k": [1, 2]}).groupby("k"),
    "class": lambda: pd.DataFrame,
    "None": lambda: None,
    "number": lambda: 5,
    "text": lambda: "people.csv",
    "mute": Mute,
    "odd": Odd,
}  # fmt: skip
