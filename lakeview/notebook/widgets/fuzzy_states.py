"""What a fuzzy plan is at each threshold that its handle can stand on, counted at once: moving it then asks nobody."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from lakeview.errors import InputError
from lakeview.join.fuzzy.joined import joined_at
from lakeview.notebook.output.html import clip
from lakeview.notebook.widgets.traits import FuzzyFacts, Pair, Point, Verdict

_EXAMPLES = 4  # pairs shown on each side of the threshold


class Numbers:
    """A number for each pair of texts that was ever shown. It stays the pair's: what somebody judges is what she sees,
    though other pairs may be on their way to her."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}
        self._pairs: list[tuple[str, str]] = []

    def of(self, pair: tuple[str, str]) -> int:
        if pair not in self._numbers:
            self._numbers[pair] = len(self._pairs)
            self._pairs.append(pair)
        return self._numbers[pair]

    def pair(self, number: int) -> tuple[str, str]:
        """Both canonical texts."""
        return self._pairs[number]


class States:
    """The steps of the handle over a plan, and the pairs that any of them shows.

    thresholds: float64[steps], rising, from the plan's floor on. shown: left texts of the example pairs.
    """

    def __init__(self, plan: Any, numbers: Numbers) -> None:
        self.plan, self._numbers = plan, numbers
        matched = plan.matched
        self.best = matched.best
        self.thresholds = _steps(plan)
        open_to = np.flatnonzero((self.best.right >= 0) & matched.ahead & ~matched.same)
        self._order = open_to[np.argsort(self.best.similarity[open_to], kind="stable")]
        alike = self.best.similarity[self._order]
        first = np.searchsorted(alike, self.thresholds * (1 - 1e-12))
        self.above = [self._order[i : i + _EXAMPLES] for i in first]
        self.below = [self._order[max(i - _EXAMPLES, 0) : i][::-1] for i in first]
        self.shown = np.unique(np.concatenate([np.zeros(0, np.int64), *self.above, *self.below]))
        matched = plan.matched
        self._spelled = (
            spelled(plan.left, plan.left_on, matched.left, self.shown),
            spelled(plan.right, plan.right_on, matched.right, self.best.right[self.shown]),
        )

    def facts(self) -> FuzzyFacts:
        """All that the script draws, as plain numbers and text."""
        place = {int(text): i for i, text in enumerate(self.shown)}
        matched, plan = self.plan.matched, self.plan
        joined, used, kept = joined_at(matched, plan.judgements, self.thresholds, plan.cardinality)
        return {
            "thresholds": [round(float(t), 6) for t in self.thresholds],
            "joined": joined.tolist(),
            "used": used.tolist(),
            "kept": kept.tolist(),
            "precision": self._precision(),
            "above": [[place[int(text)] for text in side] for side in self.above],
            "below": [[place[int(text)] for text in side] for side in self.below],
            "pairs": [self._pair(place, int(text)) for place, text in enumerate(self.shown)],
            "curve": self._curve(),
            "leftRows": len(matched.left.codes) or int(matched.left.counts.sum()),
            "rightRows": len(matched.right.codes) or int(matched.right.counts.sum()),
        }

    def _pair(self, place: int, text: int) -> Pair:
        best, said, matched = self.best, self.plan.judgements, self.plan.matched
        pair = matched.left.text[text].as_py(), matched.right.text[int(best.right[text])].as_py()
        accepted = pair in [each[:2] for each in said.accepted]
        verdict: Verdict = "yes" if accepted else "no" if pair in said.rejected else ""
        left, right = (side[place] for side in self._spelled)
        return {"number": self._numbers.of(pair), "left": clip(left), "right": clip(right),
                "similarity": float(best.similarity[text]), "runner": float(best.second_similarity[text]),
                "verdict": verdict}  # fmt: skip

    def _precision(self) -> list[list[float]]:
        """[expected, low, high] of the best matches at each threshold; empty where nothing is known of it."""
        evidence = self.plan.evidence
        if evidence is None or self.plan.cardinality == "N:M":
            return []
        at = [evidence.at(float(t), self.plan.lead) for t in self.thresholds]
        return [[round(float(v), 4) for v in (evidence.precision[place], *evidence.interval(place))]
                if evidence.joined[place] > 0 else [] for place in at]  # fmt: skip

    def _curve(self) -> list[Point]:
        """The plan's curve, with the rows out of a left join that keeps all pairs."""
        try:
            curve = self.plan.curve
        except InputError:  # edit distances have none
            return []
        counts, alike = self.plan.matched.left.counts, self.best.similarity
        rows = int(counts.sum())
        points: list[Point] = []
        for threshold, pairs, low, high, exact in curve.itertuples(index=False):
            met = int(counts[(self.best.right >= 0) & (alike >= threshold * (1 - 1e-12))].sum())
            out = max(rows - met + int(pairs), rows)
            points.append({"threshold": float(threshold), "pairs": int(pairs), "low": int(low), "high": int(high),
                           "exact": bool(exact), "out": out})  # fmt: skip
        return points


def spelled(side: Any, on: Any, distinct: Any, texts: np.ndarray) -> list[str]:
    """Some of a side's distinct texts as its first rows have them; canonical where the rows lie in Spark."""
    canonical = [distinct.text[int(text)].as_py() for text in texts]
    if side.kind == "spark" or not len(distinct.codes) or not len(texts):
        return canonical
    rows = distinct.first_rows[texts]
    values = side.key(on).take(pa.array(rows))
    return [_said(value, said) for value, said in zip(values, canonical, strict=True)]


def _said(value: Any, canonical: str) -> str:
    try:
        return str(value.as_py())
    except Exception:  # times that Python has none of, zones that nobody knows
        return canonical


def _steps(plan: Any) -> np.ndarray:
    """Every hundredth from the floor to 1, or every number of tokens; the plan's and the advised threshold, too."""
    how = plan.configuration
    if how.measure == "overlap":
        most = max(plan.matched.best.similarity.max(initial=1), how.threshold)
        steps = np.arange(np.ceil(how.floor), most + 1)
    else:
        steps = np.arange(np.ceil(how.floor * 100 - 1e-9), 101) / 100
    own = [how.threshold]
    if plan.advice is not None and plan.advice.configuration.threshold >= how.floor:
        own.append(plan.advice.configuration.threshold)
    merged = np.sort(np.concatenate([steps, own]))
    return merged[np.append(True, np.diff(merged) > 1e-9)]
