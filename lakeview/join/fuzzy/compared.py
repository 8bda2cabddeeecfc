"""The same two sides under another tokeniser or measure: joined anew, at what the precision then takes."""

from __future__ import annotations

import pyarrow as pa

from lakeview.errors import InputError
from lakeview.estimate.similarity.counting import predicted_seconds
from lakeview.estimate.similarity.measures import MEASURES, bound
from lakeview.estimate.similarity.texts import distinct_texts, token_sets
from lakeview.join.fuzzy.advisor import Advice, Configuration, choose, cosine_floor, gather
from lakeview.join.fuzzy.edit import EDITS
from lakeview.join.fuzzy.judgements import Judgements
from lakeview.join.fuzzy.matched import Matched, match, with_floor

# What the plan in hand may cost, as somebody waits for it: half of what the first advice may.
_SECONDS = 15.0
_FLOORS = (0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
_USUAL = {"overlap": 3.0}  # thresholds where the old one means nothing under the new measure
_FRACTION = 0.7


def compared(
    matched: Matched, tokeniser: str, measure: str, target: float | None, scale: float
) -> tuple[Matched, Advice | None]:
    """The sides matched by `tokeniser` and `measure`, and the advice where a precision was asked for (`target`) and
    the measure has evidence; else the threshold and lead stay as they are.

    scale: left texts there are to each of these. Raises InputError for an unknown name.
    """
    left, right, old = matched.left, matched.right, matched.configuration
    if measure not in (*MEASURES, *EDITS):
        raise InputError(f"no measure is called {measure!r}: there are {', '.join((*MEASURES, *EDITS))}")
    if target is None or measure in EDITS or measure == "overlap":
        threshold, lead = old.threshold, old.lead
        if (measure == "overlap") != (old.measure == "overlap"):
            threshold, lead = _USUAL.get(measure, _FRACTION), 0.0
        asked = Configuration(tokeniser, measure, threshold, threshold, lead, old.numbers and measure not in EDITS)
        return Matched.of(left, right, with_floor(left, right, asked, scale)), None
    texts = token_sets(left, right, tokeniser)
    floors = [cosine_floor(floor) if measure in ("cosine", "dice") else floor for floor in _FLOORS]
    seconds = (scale * predicted_seconds(texts, bound(measure, floor, texts.largest)) for floor in floors)
    floor = next((floor for floor, cost in zip(floors, seconds, strict=True) if cost <= _SECONDS), floors[-1])
    numbers = matched.configuration.numbers
    advice = choose(gather(left, right, tokeniser, [(measure, floor)], numbers)[0], target)
    return Matched.of(left, right, advice.configuration), advice


def alike(left: str, right: str, tokeniser: str, measure: str) -> float:
    """The similarity of two canonical texts."""
    how = Configuration(tokeniser, measure, 1.0 if measure == "overlap" else 1e-3, 1.0)
    one, other = (distinct_texts(pa.array([text])) for text in (left, right))
    return float(match(one, other, how).similarity[0])


def measured(judgements: Judgements, tokeniser: str, measure: str) -> Judgements:
    """What was said, the accepted pairs as similar as they are by this measure."""
    accepted = tuple((a, b, alike(a, b, tokeniser, measure)) for a, b, _ in judgements.accepted)
    return Judgements(accepted, judgements.rejected)
