"""Tables whose names hold every character from U+0000 to U+2FFF, each before a command, or are a classic payload.

The test writes their lake; its notebook's kernel imports this file for the frames that join with them.
"""

from __future__ import annotations

import re
import sys
from csv import QUOTE_ALL
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "notebook"))
from hostile import ENDS, PAYLOADS
from likeness import FIRMS, NAMES, SUPPLIERS, TURNED

from lakeview.values import ZERO_WIDTH

GROUP = 512  # characters to a column's name
PART = 40  # to a folder's or a file's name, which has 255 bytes at most
BATCH = 8  # tables to a lake


@dataclass(frozen=True)
class Odd:
    """A table of the lake: where it lies, and what its key is called in the analyst's frame."""

    path: str
    column: str

    @property
    def is_text(self) -> bool:
        return self.path.endswith(".csv")

    @property
    def key(self) -> str:
        """What it is called in the lake, where names have no blanks around them, and of a text file no U+0000 and no
        characters without a width."""
        return (re.sub(f"\0|{ZERO_WIDTH}", "", self.column) if self.is_text else self.column).strip()

    @property
    def more(self) -> str:
        """What the table brings."""
        return f"more {self.key}"


def commands(characters: str) -> str:
    """Each character before a command of the shell, which leaves a file `z…`."""
    return "x" + "".join(f"{character}!>z" for character in characters)


def of_characters(start: int, kind: str = "csv") -> Odd:
    """No name of a file holds U+0000 or /."""
    held = "".join(map(chr, range(start, start + GROUP)))
    named = held.replace("\0", "").replace("/", "")
    parts = [commands(named[i : i + PART]) for i in range(0, len(named), PART)]
    return Odd(f"{'/'.join(parts)}.{kind}", kind + commands(held))


def of_payload(payload: str) -> Odd:
    """As much of it as a file that is listed may have."""
    return Odd(f"{'x' if payload[0] == '.' else ''}{payload.replace('/', '')}.csv", payload)


def is_held(payload: str) -> bool:
    """Whether files and pages can hold it: neither U+0000, nor half a character, nor nothing but blanks."""
    return "\0" not in payload and payload.strip() != "" and payload == payload.encode("utf-8", "ignore").decode()


STARTS = range(0, 0x3000, GROUP)
FEW = [of_characters(0, "parquet"), of_characters(0x2000)]  # with all that ends a line
OTHERS = [of_characters(0), of_characters(0x2000, "parquet")]  # what text does not hold is in these two groups
OTHERS += [of_characters(start) for start in STARTS if start not in (0, 0x2000)]
# Of the payloads with one of the characters that end a line, two stand for all: the groups hold each.
OTHERS += [of_payload(each) for each in PAYLOADS if is_held(each) and not set(each) & (set(ENDS) - set("\n\u2028"))]
BATCHES = [FEW, *(OTHERS[i : i + BATCH] for i in range(0, len(OTHERS), BATCH))]
for _batch in BATCHES:
    _batch.sort(key=lambda odd: odd.path)  # as the lake has them


def table(number: int, odd: Odd) -> pd.DataFrame:
    brings = [f"brought by {number} to row {row}" for row in range(9)]
    return pd.DataFrame({odd.more: brings, odd.key: _keys(number, 9)})  # a "#" at the beginning is a comment's


def write(folder: Path, odds: list[Odd]) -> None:
    for number, odd in enumerate(odds):
        _write(folder / odd.path, table(number, odd))


def _write(path: Path, frame: pd.DataFrame) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".csv":
        frame.to_csv(path, index=False, quoting=QUOTE_ALL)  # else a lone \r has none
    else:
        frame.to_parquet(path, index=False)


def mine(odds: list[Odd]) -> pd.DataFrame:
    """The analyst's frame: each column joins with one table."""
    return pd.DataFrame({odd.column: _keys(number, 5) for number, odd in enumerate(odds)})


def joined(odds: list[Odd], number: int) -> pd.DataFrame:
    """It with what a table brings, as pandas joins them."""
    odd = odds[number]
    return mine(odds).merge(table(number, odd), how="left", left_on=odd.column, right_on=odd.key)


def _keys(number: int, rows: int) -> list[str]:
    return [f"key {number} of row {row}" for row in range(rows)]


def write_steps(folder: Path, odd: Odd) -> None:
    """A lake of two tables: what `people` join through a learned program, and what is like `suppliers`."""
    for above, keys in (("", NAMES), ("firms", FIRMS)):
        _write(folder / above / odd.path, pd.DataFrame({odd.more: range(len(keys)), odd.key: keys}))


def people(odd: Odd) -> pd.DataFrame:
    return pd.DataFrame({odd.column: TURNED})


def suppliers(odd: Odd) -> pd.DataFrame:
    return pd.DataFrame({odd.column: SUPPLIERS})
