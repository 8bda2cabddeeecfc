"""Files and frames as checksums: whether they are what they were."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lakeview import values

if TYPE_CHECKING:
    import pandas as pd


def digest(path: str) -> str:
    """SHA-256 of the bytes of a file."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def checksum(frame: pd.DataFrame) -> str:
    """SHA-256 of the names and the values of a frame, as text, column by column."""
    found = hashlib.sha256(json.dumps(list(map(str, frame.columns))).encode())
    for place in range(frame.shape[1]):
        column = values.text(values.as_arrow(frame.iloc[:, place]))
        found.update(values.hash_strings(column.fill_null("\0")).tobytes())
    return found.hexdigest()


def row_hashes(frame: pd.DataFrame) -> np.ndarray:
    """uint64[rows]: a hash of the values of each row, as text."""
    found = np.zeros(len(frame), np.uint64)
    for place in range(frame.shape[1]):
        column = values.text(values.as_arrow(frame.iloc[:, place]))
        found = found * np.uint64(0x9E3779B97F4A7C15) + values.hash_strings(column.fill_null("\0"))
    return found
