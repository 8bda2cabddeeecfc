"""From candidate programs to a plan: a small set of programs applied in order, then the constrained fuzzy join."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from lakeview.join.transform.columns import Columns
from lakeview.join.transform.fuzzy_rest import Rest, fuzzy_rest
from lakeview.join.transform.pairs import PairFinder
from lakeview.join.transform.program import Program
from lakeview.join.transform.search import COST, Candidate, Target, judge, learn_group

MAX_PROGRAMS = 4
DISAGREE = 0.05  # share of rows that a further program may send to another key than the first


@dataclass
class Assembly:
    """Programs in order, and for each source row the key that it joins (None: none)."""

    source: Columns
    target: Target
    programs: list[Program]
    gains: list[int]
    joined: list[str | None]
    rest: Rest = field(default_factory=Rest)
    derived: list[str | None] = field(default_factory=list)
    evidence: float = 0.0

    @property
    def score(self) -> float:
        """Keys joined beyond chance; what joins a column with repeats is worth less, for it is hardly a key."""
        keys = self.evidence + (self.rest.estimate or 0.0) * len(self.rest.matches)
        return keys * self.target.column.key_share**2 - COST * self.programs[0].cost

    @property
    def cost(self) -> float:
        return sum(p.cost for p in self.programs)


def assemble(candidates: Sequence[Candidate], source: Columns, target_table: Columns, seed: int = 0) -> Assembly:
    """The best candidate, what others of the same key add to it, and the rest.

    candidates: of one target column, best first."""
    first = candidates[0]
    target = first.target
    plan = Assembly(source, target, [first.program], [first.met],
                    [text if text in target.keys else None for text in first.outputs], evidence=first.evidence)  # fmt: skip
    pool = list(candidates[1:])
    _extend(plan, pool)
    pool = _learn_again(plan, target_table, first, seed)
    _extend(plan, pool)
    _join_rest(plan)
    return plan


def _extend(plan: Assembly, pool: Sequence[Candidate]) -> None:
    """Add the program that adds most keys, as long as one earns its place and agrees with those before."""
    while len(plan.programs) < MAX_PROGRAMS:
        taken = {key for key in plan.joined if key is not None}
        best: tuple[int, float, Candidate] | None = None
        for candidate in pool:
            new: set[str] = set()
            agree = disagree = 0
            for text, key in zip(candidate.outputs, plan.joined, strict=True):
                if text is None or text not in plan.target.keys:
                    continue
                if key is None:
                    if text not in taken:
                        new.add(text)
                elif text == key:
                    agree += 1
                else:
                    disagree += 1
            worth = len(new) - sum(map(plan.target.chance, new))
            if worth < max(1.5, 0.02 * len(taken)) or disagree > DISAGREE * (agree + disagree + len(new)):
                continue
            if best is None or (worth, -candidate.program.cost) > (best[0], -best[1]):
                best = worth, candidate.program.cost, candidate
        if best is None:
            return
        gained, _, candidate = best
        plan.programs.append(candidate.program)
        plan.gains.append(round(gained))
        plan.evidence += gained
        plan.joined = [
            key if key is not None else (text if text in plan.target.keys and text not in taken else None)
            for key, text in zip(plan.joined, candidate.outputs, strict=True)
        ]


def _learn_again(plan: Assembly, target_table: Columns, first: Candidate, seed: int) -> list[Candidate]:
    """Programs learned from the rows and keys that are left."""
    taken = {key for key in plan.joined if key is not None}
    missed = np.array([i for i, key in enumerate(plan.joined) if key is None], dtype=np.int64)
    left = np.array([row for key, row in plan.target.keys.items() if key not in taken], dtype=np.int64)
    if len(missed) < 3 or len(left) < 3:
        return []
    source, target = plan.source.take(missed), target_table.take(left)
    finder = PairFinder(source, target)
    groups = finder.groups([target.columns[plan.target.column.place]])
    found: list[Candidate] = []
    for group in groups[:3]:
        candidates, _ = learn_group(source, Target(target.columns[group.target]), group, seed)
        found += [judge(c.program, plan.source, plan.target, c.group) for c in candidates[:8]]
    return found


def _join_rest(plan: Assembly) -> None:
    taken = {key for key in plan.joined if key is not None}
    plan.derived = _derived(plan)
    missed = list(dict.fromkeys(
        text for text, key in zip(plan.derived, plan.joined, strict=True) if key is None and text is not None))  # fmt: skip
    left = [key for key in plan.target.keys if key not in taken]
    witnesses = list(dict.fromkeys(key for key in plan.joined if key is not None))
    plan.rest = fuzzy_rest(missed, left, witnesses)
    partner = {match.text: match.key for match in plan.rest.matches}
    plan.joined = [
        key if key is not None else (partner.get(text) if text is not None else None)
        for key, text in zip(plan.joined, plan.derived, strict=True)
    ]


def _derived(plan: Assembly) -> list[str | None]:
    """What each row looks like as a key: the first program's result, or that of the next one that gives any."""
    columns = [program.apply(plan.source) for program in plan.programs]
    return [next((text for text in row if text is not None), None) for row in zip(*columns, strict=True)]
