"""Joins of values that are alike: at a threshold, or at a precision that finds its own threshold.

matches.py     the best partner of every left text, and its runner-up
matched.py     both sides joined at a floor, and what a threshold makes of that
evidence.py    how many of the joined to expect to be false, without a label
advisor.py     a precision target to tokeniser, measure, threshold and lead
judgements.py  the pairs that an analyst accepted or rejected
every_pair.py  all pairs above a threshold, for joins of many to many
joined.py      the rows that join, by all of these
prepare.py     from what was asked to the plan
model.py       FuzzyJoin: all of these as data, its evidence and its curve
plan.py        FuzzyPlan: what comes out, other thresholds, the result
compared.py    the same sides under another tokeniser or measure
explain.py     why this threshold, in sentences
edit.py        edit distance and Jaro-Winkler
code.py        the join as plain code
on_spark.py    the same join where a side is a Spark frame
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from lakeview.errors import InputError
from lakeview.estimate.similarity.measures import MEASURES, least_similarity
from lakeview.estimate.similarity.tokens import tokeniser as named_tokeniser
from lakeview.guards import checks
from lakeview.join.fuzzy.advisor import Advice, Configuration
from lakeview.join.fuzzy.edit import EDITS
from lakeview.join.fuzzy.joined import CARDINALITIES, Cardinality
from lakeview.join.fuzzy.judgements import Judgements
from lakeview.join.fuzzy.plan import HOWS, FuzzyPlan
from lakeview.join.fuzzy.prepare import prepare
from lakeview.join.side import Side
from lakeview.join.variable import variable_name
from lakeview.values import Normalize

__all__ = ["Advice", "Configuration", "FuzzyPlan", "Judgements", "fuzzy_join"]


def fuzzy_join(
    left: Any,
    right: Any,
    left_on: Hashable = None,
    right_on: Hashable = None,
    *,
    on: Hashable = None,
    threshold: float | None = None,
    precision: float | None = None,
    tokeniser: str = "3-grams",
    measure: str = "jaccard",
    lead: float = 0.0,
    cardinality: Cardinality = "N:1",
    how: str = "left",
    normalize: Normalize = "fold",
) -> FuzzyPlan:
    """The plan that joins each left row to the most similar right one, where that is similar enough; or to all that
    are.

    left, right: DataFrames (pandas or Spark) with the columns `left_on` and `right_on`, or `on` in both; a Series or a
        list is a frame of that column alone. `right` is the reference: a left row joins one right row or none, of
        equally similar ones the first (but see `cardinality`). Values are compared as canonical text; missing ones
        are like nothing.
    threshold: joins at similarity >= threshold, by `tokeniser` ("words", "both", "1-grams" to "9-grams") and
        `measure` ("jaccard", "cosine", "dice", "containment", "inclusion", "overlap"; "edit" and "jaro_winkler"
        compare characters and need rapidfuzz).
    precision: chooses all of these so that this share of the joined pairs is expected to be right, rows without any
        counterpart included. Where nothing reaches it the plan joins nothing, `threshold` is None, and `explain()`
        says why. The default is 0.9 where neither is given.
    lead: how far a match must be ahead of its runner-up.
    cardinality: "N:1", or "1:1": a right row then keeps the most similar left row alone, of equal ones the first; or
        "N:M": all pairs at or above the threshold join, whatever the lead. A precision is then that of the best
        matches alone: how many of all pairs are right is not estimated.
    how: "left" keeps left rows without a partner, "inner" does not.

    Raises InputError for both threshold and precision, a value out of range or an unknown name; NotFound for a column
    that is not there.
    """
    if on is not None:
        left_on = right_on = on
    checks.choice("measure", measure, *MEASURES, *EDITS)
    tokeniser, lead = named_tokeniser(tokeniser).name, checks.number("lead", lead, 0)
    checks.choice("cardinality", cardinality, *CARDINALITIES)
    checks.how(how, HOWS)
    normalize = checks.normalize(normalize)
    if threshold is not None:
        threshold = least_similarity(measure, threshold)
    if precision is not None:
        precision = checks.share("precision", precision)
    sides = [_side(left, left_on, "left"), _side(right, right_on, "right")]
    if threshold is not None and precision is not None:
        raise InputError("give a threshold or a precision, not both")
    if threshold is None and precision is None:
        precision = 0.9
    (left_side, left_on), (right_side, right_on) = sides
    return prepare(left_side, right_side, left_on, right_on, how, normalize, threshold, precision, tokeniser, measure,
                   lead, cardinality)  # fmt: skip


def _side(data: Any, column: Hashable, name: str) -> tuple[Side, Hashable]:
    if isinstance(data, Side):
        side = data
    else:
        if hasattr(data, "columns"):
            side = Side.frame(data, variable_name(data) or name)
        else:
            label = getattr(data, "name", None) if column is None else column
            column = "value" if label is None or not checks.label(label, [label]) else label
            side = Side.column(data, column, name)
    if column is None:
        raise InputError(f"name the column to join on: {name}_on=…, or on=… where both have the same name")
    return side, side.check(column)
