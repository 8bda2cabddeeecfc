"""A sample of a column's values matched with another column by similar text, and whether that is worth telling.

Names and titles alone are text here: codes, numbers and dates that are nearly alike are other things. The threshold is
that which is advised for a precision without any label (`join.fuzzy.advisor`). Three things are asked of what it joins:
that it is a good share of the values, many more than equal ones, and that the pairs share most of what tells a value
from others of its column: an airport of a town is called like it, a David like many people.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview import values
from lakeview.catalog.model import ReadError
from lakeview.errors import LakeChanged, LakeviewError, StoreError
from lakeview.estimate.similarity.counting import predicted_seconds
from lakeview.estimate.similarity.measures import bound
from lakeview.estimate.similarity.texts import Distinct, distinct_texts, identical, token_sets
from lakeview.estimate.similarity.tokens import tokenise
from lakeview.join.fuzzy.advisor import Advice, Configuration, advise
from lakeview.join.fuzzy.matched import Matched
from lakeview.join.side import Side
from lakeview.search.query import Query
from lakeview.values import Normalize

VALUES = 2_000  # values of the query that are matched
ROWS = 200_000  # of a Spark frame that are fetched
GLANCE, NEAR = 200, Configuration("3-grams", "cosine", 0.5, 0.5)  # values that are to be so near to one of a column
PRECISION = 0.9  # that a threshold is advised for
LEAST_PRECISE = 0.4  # which this precision is not below, 95 in 100 times
FLOOR, PROBES = 0.25, 5_000  # similarity down to which the advice looks, and values of the column that it looks at
AFFORDABLE = 1.5  # seconds that this may take by each way of comparing
JOINED = 0.2  # share of the values that are to join
MORE = 1.5  # times those that are equal
LEAST = 5  # values that are to join beside equal ones: fewer are no evidence
EQUAL = 0.5  # share of equal values from which on nothing else is needed
PAIRS, ALIKE = 200, 0.42  # pairs that are looked at, and how alike half of them are at least
LETTERS, LETTERED = 5, 0.6  # letters of a value, and their share of its characters, on average, that make text


class Sample(NamedTuple):
    """Values of the query. spelled: one spelling of each; rows: how many have it; of: values that the query has."""

    texts: Distinct
    spelled: pa.Array
    rows: np.ndarray
    of: int


class Look(NamedTuple):
    """A sample matched with a column. there: one spelling of each of the column's texts."""

    sample: Sample
    matched: Matched
    advice: Advice
    there: pa.Array

    @property
    def joined(self) -> np.ndarray:
        """bool: which values of the sample join."""
        return self.matched.reached

    @property
    def whole(self) -> bool:
        """Whether the sample is all of the query."""
        return len(self.joined) >= self.sample.of

    def right(self, precision: float) -> float:
        """The share of the values that join and are right, where so many of the unequal pairs are."""
        same = int((self.joined & self.matched.same).sum())
        return (same + precision * (int(self.joined.sum()) - same)) / len(self.joined)

    @property
    def unequal(self) -> np.ndarray:
        """The values of the sample that join another one: their places."""
        return np.flatnonzero(self.joined & ~self.matched.same)

    @property
    def partners(self) -> int:
        """How many of the column's values they join."""
        return len(np.unique(self.matched.best.right[self.joined]))

    @property
    def example(self) -> tuple[str, str]:
        """A pair that is not equal, spelled as it lies there: of the values with most rows the one that is as like its
        partner as half of them."""
        best = self.matched.best
        pairs = self.unequal
        typical = np.abs(best.similarity[pairs] - np.median(best.similarity[pairs]))
        one = int(pairs[np.lexsort((typical, -self.sample.rows[pairs]))[0]])
        return self.sample.spelled[one].as_py(), self.there[int(best.right[one])].as_py()


def sample_of(query: Query, normalize: Normalize) -> Sample | None:
    """Some of the query's values, or None where they are no text, or too few."""
    if query.shape.type != "text" or query.texts is None or query.distinct < LEAST:
        return None
    spelled = query.texts.slice(0, VALUES)  # in the order of their hashes, so any
    texts = distinct_texts(values.canonical(spelled, normalize))
    first = texts.first_rows
    if not _is_text(texts.text):
        return None
    return Sample(texts, spelled.take(pa.array(first)), np.asarray(query.counts)[first], query.distinct)


def _is_text(texts: pa.Array) -> bool:
    """Whether some values are names, titles and the like: letters for the most part, several of them."""
    sizes = [pc.sum(pc.utf8_length(pc.replace_substring_regex(texts, other, ""))).as_py() or 0
             for other in (r"\P{L}+", r"\s+")]  # fmt: skip
    return sizes[0] >= LETTERS * max(1, len(texts)) and sizes[0] >= LETTERED * sizes[1]


def matched(sample: Sample, right: Side, column: str, normalize: Normalize) -> Look | None:
    """A column matched with a sample, or None where it joins too few values, or not many more than are equal."""
    try:
        held = right.here(ROWS).keys([column])[0]
        there = distinct_texts(values.canonical(held, normalize))
        if len(there.text) < LEAST or not _is_text(there.text.slice(0, VALUES)):
            return None
        if (identical(sample.texts, there) >= 0).mean() >= EQUAL or not _is_near(sample.texts.text, there):
            return None
        advice = advise(sample.texts, there, PRECISION) if _is_affordable(sample.texts, there) else None
        if advice is None or not _is_worth(advice, len(sample.texts.text)):
            return None
        met = Matched.of(sample.texts, there, advice.configuration)
        found = Look(sample, met, advice, values.text(held).take(pa.array(there.first_rows)))
        return found if alike(found) >= ALIKE else None
    except (LakeChanged, ReadError, StoreError):
        raise
    except (LakeviewError, OSError):  # a table that nothing can be matched in is no hit
        return None


def _is_near(texts: pa.Array, there: Distinct) -> bool:
    """Whether some of the texts are near enough to a column's that a threshold may join a share of them. That takes a
    tenth of the time of looking for one."""
    few = distinct_texts(texts.slice(0, GLANCE))
    found = Matched.of(few, there, NEAR).reached
    return bool(found.mean() >= JOINED)


def _is_affordable(texts: Distinct, there: Distinct) -> bool:
    """Whether a threshold is found soon: links, of which all share most letters, take minutes."""
    tokens = token_sets(texts, there, "3-grams")
    each = predicted_seconds(tokens, bound("jaccard", FLOOR, tokens.largest)) / len(texts.text)
    return each * (len(texts.text) + min(PROBES, len(there.text))) <= AFFORDABLE


def _is_worth(advice: Advice, asked: int) -> bool:
    """Whether so many values join that she would look at them: a fifth, and half again as many as are equal. Less is
    what any two lists of names share."""
    joined = advice.matches + advice.identical
    enough = joined >= JOINED * asked and joined >= MORE * advice.identical and advice.matches >= LEAST
    return advice.reached and enough and advice.low >= LEAST_PRECISE


def alike(look: Look) -> float:
    """How alike half of the unequal pairs are at least: the share of their 3-grams that both have, each weighed by how
    rare it is in its column."""
    met, pairs = look.matched, look.unequal[:PAIRS]
    sides = _weighed(met.left.text, pairs), _weighed(met.right.text, met.best.right[pairs])
    found = []
    for left, right in zip(*sides, strict=True):
        shared = sum((left[gram] + right[gram]) / 2 for gram in left.keys() & right.keys())
        apart = sum(left[gram] for gram in left.keys() - right.keys()) + sum(
            right[gram] for gram in right.keys() - left.keys()
        )
        found.append(shared / (shared + apart))
    return float(np.median(found))


def _weighed(texts: pa.Array, places: np.ndarray) -> list[dict[int, float]]:
    """The 3-grams of some texts, with the logarithm of how rare each is in all of them."""
    tokens, starts = tokenise(texts, "3-grams")
    _, code, times = np.unique(tokens, return_inverse=True, return_counts=True)
    rare = np.log1p(len(texts) / times)[code]
    return [dict(zip(tokens[a:b].tolist(), rare[a:b].tolist(), strict=True))
            for a, b in zip(starts[places], starts[places + 1], strict=True)]  # fmt: skip
