"""One value, one token: the rule that turns a cell value into canonical text and a 64-bit hash.

The rule stands in DESIGN.md. `arrow` gets a column into Arrow, `texts` and `printing` print typed values, `steps`
folds text, `xxh64` hashes it, `tokens` puts these together for whole columns. `signatures` are of what is left of a
value in another writing.
"""

from lakeview.values.arrow import as_arrow, text
from lakeview.values.steps import BLANKS, NULL_MARKS, NUMBER, ZERO_WIDTH
from lakeview.values.tokens import (
    NA_TOKENS,
    RULE_VERSION,
    STEPS,
    STEPS_OF,
    Normalize,
    canonical,
    canonical_part,
    counted,
    distinct_tokens,
    is_na,
    is_settled,
    na_is_value,
    places_of_na,
    two_letter_tokens,
)
from lakeview.values.xxh64 import hash_strings
from lakeview.values.xxh64_numpy import SEED

__all__ = [
    "BLANKS",
    "NA_TOKENS",
    "NULL_MARKS",
    "NUMBER",
    "RULE_VERSION",
    "SEED",
    "STEPS",
    "STEPS_OF",
    "ZERO_WIDTH",
    "Normalize",
    "as_arrow",
    "canonical",
    "canonical_part",
    "counted",
    "distinct_tokens",
    "hash_strings",
    "is_na",
    "is_settled",
    "na_is_value",
    "places_of_na",
    "text",
    "two_letter_tokens",
]
