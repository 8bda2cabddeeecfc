"""What a scan learns of a column: its tokens with their row counts or a sketch, and the shape of its values.

What one part of a table has of a column is a `ColumnPart` (`scanning` makes them); these merge to a `Column`. Merging
is exact: any split of a table into parts gives the same tokens, counts and sketch (a shape counts a value once a
batch, a signature is of as many parts as have the values that one is of). A sketch takes the place of the tokens where
there are more than `keep`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
import pyarrow as pa

from lakeview import values
from lakeview.estimate.joint import Sketch
from lakeview.index import merging
from lakeview.sketch.membership import Membership
from lakeview.sketch.minima import merge_minima, sorted_minima
from lakeview.store.shapes import Shape
from lakeview.values.signatures import NO_SIGNATURE, VALUES, merged

TYPES = ("integer", "number", "text", "date", "timestamp", "boolean", "empty", "other")
KEYS = ("integer", "number", "date", "timestamp")  # of these types, columns that are nearly keys have a signature
KEYED = 0.5  # distinct values by rows of such a column
KEEP = 4096  # distinct values up to which a column's tokens are kept, whatever the lake

Profile = tuple[np.ndarray, np.ndarray, Shape, np.ndarray]
"""Of some values: sorted distinct tokens, the rows of each, their shape and their signature."""


@dataclass
class ColumnPart:
    """One column in one part of a table. Picklable and small, but for the tokens.

    tokens  uint64, sorted and distinct, the mark "NA" among them (whether it is a value, the whole column decides)
    counts  int64, rows of each token
    minima  uint64[4096] in place of tokens and counts; valued: the rows that they stand for. The mark "NA" is not in
            them: so many values are no list of two-letter codes
    """

    name: str
    type: str  # of the Arrow column
    rows: int
    tokens: np.ndarray
    counts: np.ndarray
    shape: Shape
    minima: np.ndarray | None = None
    valued: int = 0
    signature: np.ndarray = field(default_factory=lambda: NO_SIGNATURE)  # of some of its values


@dataclass
class Column:
    """One column of the lake; without tokens where only its sketch is kept."""

    table: str
    name: str
    ordinal: int
    type: str  # one of TYPES
    rows: int
    nulls: int
    shape: Shape
    tokens: np.ndarray = field(repr=False)
    counts: np.ndarray = field(repr=False)
    sketch: Sketch | None = field(default=None, repr=False)
    filter: Membership | None = field(default=None, repr=False)
    signature: np.ndarray = field(default_factory=lambda: NO_SIGNATURE, repr=False)

    @property
    def distinct(self) -> int:
        """Distinct values; of a sketch its estimate, if need be."""
        if len(self.tokens) or self.sketch is None:
            return len(self.tokens)
        return min(round(self.sketch.size()[0]), self.rows - self.nulls)

    @property
    def distinct_error(self) -> float:
        """Standard error of `distinct`, 0 where the values were counted."""
        return 0.0 if len(self.tokens) or self.sketch is None else self.sketch.size()[1]

    def without_tokens(self, filters: bool = False) -> Column:
        """The same column with a sketch in place of its tokens, where there are more than `KEEP`; `filters`: and with a
        membership filter."""
        if len(self.tokens) <= KEEP:
            return self
        kept = Membership.of(self.tokens) if filters else None
        return replace(self, tokens=NO_TOKENS, counts=NO_COUNTS, sketch=sketch_of(self.tokens), filter=kept)

    @property
    def key_like(self) -> bool:
        """Every value occurs once; rows without a value do not count against it."""
        return self.distinct == self.rows - self.nulls > 0


def sketch_of(tokens: np.ndarray) -> Sketch:
    """The sketch of sorted distinct tokens."""
    return Sketch.of(sorted_minima(tokens), len(tokens))


def merge_counts(tokens: Sequence[np.ndarray], counts: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Merge sorted token runs, adding up their row counts."""
    return (tokens[0], counts[0]) if len(tokens) == 1 else merging.merge(tokens, counts)


NO_TOKENS, NO_COUNTS = np.zeros(0, np.uint64), np.zeros(0, np.int64)


def is_too_many(tokens: np.ndarray, keep: int | None) -> bool:
    """Whether there are more than `keep` tokens, the mark "NA" not counted."""
    return keep is not None and len(tokens) > keep and len(tokens) - len(values.places_of_na(tokens)) > keep


def absorbed(tokens: np.ndarray, counts: np.ndarray, minima: np.ndarray | None) -> tuple[np.ndarray, int]:
    """Minima that have seen the tokens too, "NA" left out, and the rows that these have."""
    tokens, counts = without_na(tokens, counts)
    own = sorted_minima(tokens)
    return own if minima is None else merge_minima(minima, own), int(counts.sum())


def without_na(tokens: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sorted tokens and their rows but for the mark "NA"."""
    at = values.places_of_na(tokens)
    return (np.delete(tokens, at), np.delete(counts, at)) if len(at) else (tokens, counts)


def merge_parts(
    table: str,
    ordinal: int,
    parts: Sequence[ColumnPart],
    rows: int,
    keep: int | None = None,
    merged: tuple[np.ndarray, np.ndarray] | None = None,
) -> Column:
    """One column from its parts; `rows` of the whole table; merged: the parts' tokens and counts, where these are known
    already. Decides here whether "NA" is a value (Namibia)."""
    tokens, counts = merged or merge_counts([p.tokens for p in parts], [p.counts for p in parts])
    sketch, valued = None, 0
    if any(p.minima is not None for p in parts) or is_too_many(tokens, keep):
        minima, valued = absorbed(tokens, counts, None)
        for part in parts:
            minima = minima if part.minima is None else merge_minima(minima, part.minima)
            valued += part.valued
        sketch, tokens, counts = Sketch.of(minima), NO_TOKENS, NO_COUNTS
    if len(values.places_of_na(tokens)) and not values.na_is_value(tokens):
        tokens, counts = without_na(tokens, counts)
    shape = sum((p.shape for p in parts[1:]), parts[0].shape)
    return Column(
        table,
        parts[0].name,
        ordinal,
        _common_kind({p.type for p in parts}, shape),
        rows,
        rows - int(counts.sum()) - valued,
        shape,
        tokens,
        counts,
        sketch,
        signature=_signature(parts),
    )


def has_signature(type_: str, distinct: int, rows: int) -> bool:
    """Whether programs are to join what has a type, with so many values in so many rows."""
    return distinct > 0 and (type_ == "text" or (type_ in KEYS and distinct >= KEYED * rows))


def _signature(parts: Sequence[ColumnPart]) -> np.ndarray:
    """The signature of as many parts as have the values that one is of."""
    signatures, seen = [], 0
    for part in parts:
        if len(part.signature) and seen < VALUES:
            signatures.append(part.signature)
            seen += len(part.tokens) if part.minima is None else VALUES
    return merged(signatures)


def _common_kind(kinds: set[str], shape: Shape) -> str:
    if kinds == {"string"}:
        return shape.type
    if kinds == {"printed"}:
        return shape.type if shape.values else "other"
    if len(kinds) == 1:
        return next(iter(kinds))
    return "number" if kinds <= {"integer", "number"} else shape.type


@lru_cache(maxsize=256)
def arrow_kind(type_: pa.DataType) -> str:
    """The profile type of an Arrow type; "string" where the values must tell, "printed" where they may have no text."""
    if pa.types.is_dictionary(type_):
        return arrow_kind(type_.value_type)
    for name, test in (
        ("boolean", pa.types.is_boolean),
        ("integer", pa.types.is_integer),
        ("number", pa.types.is_floating),
        ("number", pa.types.is_decimal),
        ("date", pa.types.is_date),
        ("timestamp", pa.types.is_timestamp),
        ("empty", pa.types.is_null),
        ("string", pa.types.is_string),
        ("string", pa.types.is_large_string),
        ("string", pa.types.is_string_view),
        ("printed", pa.types.is_binary),
        ("printed", pa.types.is_large_binary),
        ("printed", pa.types.is_fixed_size_binary),
        ("printed", lambda kind: isinstance(kind, pa.BaseExtensionType)),
    ):
        if test(type_):
            return name
    return "other"
