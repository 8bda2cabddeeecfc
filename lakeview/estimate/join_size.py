"""How many pairs a fuzzy join yields at every threshold, before it runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lakeview import values
from lakeview.errors import InputError
from lakeview.estimate import lattice
from lakeview.estimate.curve import Curve, with_counts
from lakeview.estimate.lsh_sampling import stratified_lsh
from lakeview.estimate.sampling import all_pairs, hashed_sample, sample_rows
from lakeview.estimate.signatures import signatures
from lakeview.estimate.similarity.counting import bounds_of, count_exactly, predicted_seconds
from lakeview.estimate.similarity.measures import MEASURES, least_similarity
from lakeview.estimate.similarity.texts import Texts, distinct_texts, token_sets
from lakeview.estimate.similarity.tokens import Tokeniser
from lakeview.estimate.similarity.tokens import tokeniser as named_tokeniser
from lakeview.guards import checks

if TYPE_CHECKING:
    import pandas as pd

Method = Literal["auto", "exact", "sampling", "lattice", "hashed", "lsh"]
METHODS: tuple[Method, ...] = ("auto", "exact", "sampling", "lattice", "hashed", "lsh")

THRESHOLDS = tuple(round(0.3 + 0.05 * i, 2) for i in range(15))

# CPU seconds that `auto` spends on exact counts without asking, and the part of all pairs that a sample looks at.
BUDGET = 2.0
SHARE = 0.06

_LENGTH = 10  # of a signature: the paper's
_REPEATS = 3


def join_size(
    left: Any,
    right: Any = None,
    thresholds: Sequence[float] | None = None,
    method: Method = "auto",
    *,
    tokeniser: str = "3-grams",
    measure: str = "jaccard",
    normalize: values.Normalize = "fold",
    seed: int = 1,
) -> pd.DataFrame:
    """The number of similar pairs of rows at each threshold: the curve that tells what a fuzzy join would do.

    left, right: two columns (Series, lists, Arrow), or one: then unordered pairs of two different rows. Values that
        are missing, or have no token, are similar to nothing.
    thresholds: similarities above 0 and up to 1; by default .3 to 1 in steps of .05.
    method: "exact" counts. "sampling" finds all partners of some left texts. "lattice" is lattice counting on Min-Hash
        signatures (Lee, Ng, Shim 2009; Jaccard alone), whose interval tells the spread over signatures and not its
        bias. "hashed" samples both sides, "lsh" samples by LSH buckets; both are there to compare with. "auto" counts
        the thresholds whose work is predicted to take seconds, and samples for the rest.

    Returns: one row a threshold, in the order given: threshold, pairs, low, high (95%), exact. Pairs never rise
        with the threshold; where exact, low = pairs = high.

    Raises InputError for an unknown method, measure or tokeniser, a threshold out of range.
    """
    checks.choice("method", method, *METHODS)
    checks.choice("measure", measure, *MEASURES)
    normalize, seed = checks.normalize(normalize), checks.whole("seed", seed)
    tokens = named_tokeniser(tokeniser)
    at = (
        THRESHOLDS
        if thresholds is None
        else [least_similarity(measure, each) for each in checks.numbers_of("thresholds", thresholds)]
    )
    texts = column_texts(left, right, tokens, normalize)
    return as_frame(curve(texts, measure, np.array(at, np.float64), method, seed))


def column_texts(left: Any, right: Any, tokeniser: str | Tokeniser, normalize: values.Normalize) -> Texts:
    """One or two columns as token sets of their canonical text."""
    sides = [distinct_texts(values.canonical(side, normalize)) for side in (left, right)[: 1 + (right is not None)]]
    return token_sets(sides[0], sides[1] if right is not None else None, tokeniser)


def as_frame(curve: Curve) -> pd.DataFrame:
    """The columns of the contract; counts as integers."""
    import pandas as pd

    whole = {name: np.rint(getattr(curve, name)).astype(np.int64) for name in ("pairs", "low", "high")}
    return pd.DataFrame({"threshold": curve.thresholds, **whole, "exact": curve.exact})


def curve(texts: Texts, measure: str, thresholds: np.ndarray, method: str = "auto", seed: int = 1) -> Curve:
    """`join_size` of texts that are already token sets."""
    if measure == "containment" and texts.right is None:
        raise InputError("containment has a direction, pairs of one column have none: take 'inclusion'")
    bounds_of(texts, measure, list(thresholds))  # refuses what is out of range, also where there is nothing to count
    if not len(thresholds) or not len(texts.left) or not len(texts.other):
        return Curve.counted(thresholds, np.zeros(len(thresholds)))
    if method == "exact":
        return Curve.counted(thresholds, count_exactly(texts, measure, thresholds.tolist()))
    if method == "sampling":
        return sample_rows(texts, measure, thresholds, _share(texts), seed)
    if method == "hashed":
        return hashed_sample(texts, measure, thresholds, 0.1, seed)
    if method == "lsh":
        return stratified_lsh(texts, measure, thresholds, seed=seed)
    if method == "lattice":
        if measure != "jaccard":
            raise InputError("Min-Hash signatures estimate the Jaccard similarity alone: take another method")
        return lattice_curve(texts, thresholds, seed=seed)
    return _auto(texts, measure, thresholds, seed)


def _auto(texts: Texts, measure: str, thresholds: np.ndarray, seed: int) -> Curve:
    """Exact from the lowest threshold on that the budget allows; a sample below."""
    limits = bounds_of(texts, measure, list(thresholds))
    seconds = np.array([predicted_seconds(texts, limit) for limit in limits])
    counted = seconds <= BUDGET
    if counted.all():
        return Curve.counted(thresholds, count_exactly(texts, measure, thresholds.tolist()))
    # An estimate that is to cost a part of the whole may count no more than a part of it first.
    counted &= seconds <= max(SHARE / 3 * seconds.max(), 0.3)
    estimate = sample_rows(texts, measure, thresholds, _share(texts), seed)
    counts = count_exactly(texts, measure, thresholds[counted].tolist()) if counted.any() else np.zeros(0)
    return with_counts(estimate, counted, counts)


def _share(texts: Texts) -> float:
    """The share of the left texts to probe with: those of one column meet each pair from both ends."""
    return SHARE / 2 if texts.right is None else SHARE


def lattice_curve(
    texts: Texts, thresholds: np.ndarray, support: int = 2, relax: int | None = None, corrected: bool = True,
    length: int = _LENGTH, repeats: int = _REPEATS, seed: int = 1, halves: bool | None = None,
) -> Curve:  # fmt: skip
    """The paper's LC, or LCNC without the correction: the geometric mean over `repeats` sets of signatures.

    support, relax: of the mined patterns and the lattice; the defaults count all that there are. halves: how states
    are read, see `lattice.at_thresholds`; by default corrected ones are.
    """
    from scipy.stats import t as student

    whole = all_pairs(texts)
    halves = corrected if halves is None else halves
    logs = []
    for repeat in range(repeats):
        found = signatures([texts.left] if texts.right is None else [texts.left, texts.right], texts.tokens, length,
                           seed + repeat)  # fmt: skip
        left_counts, right_counts = texts.left_counts[texts.left.rows], texts.right_counts[texts.other.rows]
        levels = (
            lattice.mine(found[0], None, left_counts, None, support)
            if texts.right is None
            else lattice.mine(found[0], found[1], left_counts, right_counts, support)
        )
        observed = lattice.states(lattice.lattice_counts(lattice.level_sums(levels), relax), whole)
        states = lattice.correct(observed) if corrected else observed
        logs.append(np.log(np.maximum(lattice.at_thresholds(states, thresholds, halves), 1e-3)))
    mean = np.mean(logs, axis=0)
    spread = np.full(len(thresholds), 20.0)  # one set of signatures knows nothing of its spread
    if repeats > 1:
        spread = np.std(logs, axis=0, ddof=1) / np.sqrt(repeats) * student.ppf(0.975, repeats - 1)
    with np.errstate(over="ignore"):
        return Curve.estimated(thresholds, np.exp(mean), np.exp(mean - spread), np.exp(mean + spread), whole)
