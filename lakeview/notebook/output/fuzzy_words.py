"""What a fuzzy join's saved face says beside its rows: where the threshold stands, and how many will be right."""

from __future__ import annotations

from typing import Any


def sign(plan: Any) -> str:
    """What stands between both keys of a plan: "≈" where they are alike, "=" where they are equal."""
    return "≈" if hasattr(plan, "threshold") else "="


def facts(plan: Any) -> list[str]:
    """Threshold and precision of a fuzzy plan, in words; nothing of any other plan."""
    if not hasattr(plan, "threshold"):
        return []
    if plan.threshold is None:
        return ["no threshold reaches the aim: joins nothing"]
    said = [
        f"alike from {plan.threshold:.2f} up" if plan.threshold <= 1 else f"from {plan.threshold:g} pieces shared up"
    ]
    if plan.cardinality == "N:M":
        said.append("all pairs kept")
    if (sure := precision(plan)) is not None:
        share, low, high = (round(100 * value) for value in sure)
        said.append(f"about {share} in 100 right ({low} to {high})")
    return said


def precision(plan: Any) -> tuple[float, float, float] | None:
    """Expected share of right matches among those that are joined, and its interval; None where nothing is known."""
    evidence = plan.evidence
    if evidence is None or plan.threshold is None or plan.cardinality == "N:M":
        return None
    place = evidence.at(float(plan.threshold), plan.lead)
    if evidence.joined[place] <= 0:
        return None
    low, high = evidence.interval(place)
    return float(evidence.precision[place]), float(low), float(high)
