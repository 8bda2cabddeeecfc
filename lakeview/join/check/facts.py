"""What holds of a join today, as numbers: what a check demands tomorrow."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lakeview.errors import InputError
from lakeview.join.matching import Matching
from lakeview.join.model import Join


@dataclass(frozen=True)
class Facts:
    """Of the keys of both sides, as canonical text.

    duplicates   right keys that several rows have
    left_nulls, right_nulls  rows without a key
    orphans      left rows whose key no right row has
    match_rate   of the left rows with a key, the share that meets a row, rounded down to four places
    left_rows    of the left side
    """

    duplicates: int
    left_nulls: int
    right_nulls: int
    orphans: int
    match_rate: float
    left_rows: int

    @property
    def one_each(self) -> bool:
        """Whether each left row meets one right row at most."""
        return self.duplicates == 0


def facts(join: Join, matching: Matching) -> Facts:
    """Raises InputError for a side that lies in Spark, and where keys do not meet by being equal."""
    if join.in_spark:
        raise InputError("a check is written from the keys, and a side lies in Spark: give its to_pandas()")
    if type(join) is not Join:
        raise InputError("a check compares keys that are equal: write the result of this join to a table, and check "
                         "the join with that")  # fmt: skip
    left, right = join.left_keys.whole, join.right_keys.whole
    sizes = np.bincount(matching.right_codes[matching.right_codes >= 0], minlength=1)
    held = len(left) - left.null_count
    met = int((matching.left_codes >= 0).sum())
    rate = math.floor(10_000 * met / held) / 10_000 if held else 1.0
    return Facts(int((sizes > 1).sum()), left.null_count, right.null_count, held - met, rate, len(left))
