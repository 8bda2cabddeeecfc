"""What Spark's reader would read otherwise, found piece by piece: as in the whole text at once."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joining import lake

from lakeview.catalog.reading.text_format import TextFormat
from lakeview.join.export import spark_bytes
from lakeview.join.export.spark_bytes import CannotRead
from lakeview.join.side import Side


def whole(text: str, form: TextFormat) -> bool:
    """The rule on the text as one: whether rows span lines."""
    cell = r'(?<![^,\r\n])"(?:[^"]|"")*+"(?![^,\r\n])'
    spans = [found for found in re.findall(cell, text) if "\n" in found or "\r" in found]
    if re.search(r'(?<![^,\r\n])"', re.sub(cell, "", text)):
        raise CannotRead("text beside a closing quote")
    if form.newline == "\r\n" and any("\r" in found for found in spans):
        raise CannotRead("line breaks in quotes that Spark would change")
    if form.newline == "\r" and spans:
        raise CannotRead("line breaks in quotes and lines that end in CR")
    blank = [line for line in re.split(r"[\r\n]+", text) if line and not line.strip()]
    if blank and (spans or any(line.strip(spark_bytes._ASCII_BLANKS) for line in blank)):
        raise CannotRead("lines of blanks")
    return bool(spans)


PIECES = ['"', '""', ",", "a", " ", "\u00a0", "\n", "\r", '"b"', '"c\nd"', ",x\n"]


def outcome(work) -> bool | str:
    try:
        return bool(work())
    except CannotRead as refused:
        return next(reason for reason in ("beside", "change", "end in CR", "blanks") if reason in str(refused))


@given(
    pieces=st.lists(st.sampled_from(PIECES), max_size=30),
    newline=st.sampled_from(["\n", "\r", "\r\n"]),
    size=st.integers(16, 40),
)
def test_a_text_is_judged_in_pieces_as_in_one(tmp_path_factory: pytest.TempPathFactory, pieces, newline, size) -> None:
    text = "".join(pieces)[: 4 * size]
    path = tmp_path_factory.getbasetemp() / "judged.csv"
    Path(path).write_bytes(text.encode())
    form = TextFormat("utf-8", None, ",", '"', True, ("a",), 1, 1, 0, False, newline, 0, None, 0)
    expected = outcome(lambda: whole(text, form))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spark_bytes, "_PIECE", size)
        found = outcome(lambda: spark_bytes.is_multiline(str(path), form, "t"))
    refused = {expected, found} <= {"beside", "change", "end in CR", "blanks"}  # which of two reasons comes first
    assert found == expected or refused


def test_how_large_a_table_is(tmp_path: Path) -> None:
    """Parquet may hold far more than its bytes."""
    n = 2_000_000
    pq.write_table(pa.table({name: pa.nulls(n, pa.int64()) for name in "abcde"}), tmp_path / "t.parquet")
    tables = lake(tmp_path, {"t.csv": "a\n1\n"})
    assert tables["t.parquet"].files[0].size < 1 << 20 and not Side.lake(tables["t.parquet"]).lake_table.is_small
    assert Side.lake(tables["t.csv"]).lake_table.is_small
