"""Parquet files whose footers tell other numbers of rows than they have, as no writer makes them."""

from __future__ import annotations


def with_rows(raw: bytes, rows: int, whole: int, group: int) -> bytes:
    """A file of one row group, of so many rows, that tells others of itself, and of its row group. In Thrift's compact
    writing both are an i64 right after the field before it: 0x16 and a varint."""
    start = len(raw) - 8 - int.from_bytes(raw[-8:-4], "little")
    footer, true = raw[start:-8], b"\x16" + _varint(rows)
    for told, place in ((group, footer.rindex(true)), (whole, footer.index(true))):
        footer = footer[: place + 1] + _varint(told) + footer[place + len(true) :]
    return raw[:start] + footer + len(footer).to_bytes(4, "little") + raw[-4:]


def _varint(number: int) -> bytes:
    left, made = (number << 1 ^ number >> 63) & (1 << 64) - 1, b""
    while left > 127:
        made, left = made + bytes([left & 127 | 128]), left >> 7
    return made + bytes([left])
