"""From candidate programs to a plan: a small set of programs applied in order, then the constrained fuzzy join."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from lakeview.join.transform.candidate import COST, Candidate, Target, judge
from lakeview.join.transform.columns import Columns
from lakeview.join.transform.fuzzy_rest import Rest, fuzzy_rest
from lakeview.join.transform.pairs import PairFinder
from lakeview.join.transform.program import Program
from lakeview.join.transform.search import learn_group
from lakeview.join.transform.second_key import SecondKey, has_several, second_key

MAX_PROGRAMS = 4
LEFT_OVER = 5_000  # rows and keys that further programs are learned from
DISAGREE = 0.05  # share of rows that a further program may send to another key than the first


@dataclass
class Assembly:
    """Programs in order, and for each judged source row the key that it joins (None: none)."""

    source: Columns
    target: Target
    programs: list[Program]
    gains: list[int]
    joined: list[str | None]
    evidence: float
    rest: Rest = field(default_factory=Rest)
    second: SecondKey | None = None
    doubtful: str = ""

    @property
    def score(self) -> float:
        """Keys joined beyond chance; what joins a column with repeats is worth less, for it is hardly a key."""
        keys = self.evidence + (self.rest.estimate or 0.0) * len(self.rest.matches)
        return keys * self.target.column.key_share**2 - COST * self.programs[0].cost

    @property
    def cost(self) -> float:
        return sum(p.cost for p in self.programs)


def alone(candidate: Candidate) -> Assembly:
    """A candidate as it is."""
    keys = candidate.target.keys
    return Assembly(candidate.source, candidate.target, [candidate.program], [candidate.met],
                    [text if text in keys else None for text in candidate.outputs], candidate.evidence,
                    doubtful=candidate.doubtful)  # fmt: skip


def others(candidates: Sequence[Candidate], most: int) -> list[Assembly]:
    """Further candidates of one target column that join other rows than those before, as they are."""
    seen = {tuple(alone(candidates[0]).joined)}
    kept: list[Assembly] = []
    for candidate in candidates[1:]:
        plan = alone(candidate)
        if len(kept) < most and tuple(plan.joined) not in seen:
            seen.add(tuple(plan.joined))
            kept.append(plan)
    return kept


def assemble(
    candidates: Sequence[Candidate], source: Columns, target_table: Columns, whole: bool, seed: int = 0
) -> Assembly:
    """The best candidate, what others of the same key add to it, and the rest.

    candidates: of one target column, judged on `source`, best first. whole: `source` is the whole table; of a sample
    nobody knows which rows the fuzzy join would have to leave alone."""
    plan = alone(candidates[0])
    if plan.doubtful:  # nothing is built on what may be chance
        return plan
    target = plan.target
    _extend(plan, candidates[1:])
    _extend(plan, _learn_again(plan, target_table, seed))
    there = target.column.values
    plan.second = second_key(source, target_table, plan.joined, there)
    if whole:
        plan.rest, plan.joined = _join_rest(plan, target_table)
    if not has_several(plan.joined, there):
        plan.second = None
    return plan


def derive(programs: Sequence[Program], source: Columns, keys: Container[str], rest: Rest) -> list[str | None]:
    """The key that each row joins, or None: of the first program that meets one, else what the rest maps it to."""
    outputs = [program.apply(source) for program in programs]
    if len(outputs) == 1 and not rest.matches:
        return [text if text in keys else None for text in outputs[0]]
    partner = {match.text: match.key for match in rest.matches}
    return [
        next((text for text in row if text is not None and text in keys), None) or partner.get(_first(row) or "")
        for row in zip(*outputs, strict=True)
    ]


def _first(texts: Sequence[str | None]) -> str | None:
    """What a row looks like as a key: the result of the first program that gives any."""
    return next((text for text in texts if text is not None), None)


def _extend(plan: Assembly, pool: Sequence[Candidate]) -> None:
    """Add the program that adds most keys, as long as one earns its place and agrees with those before."""
    while len(plan.programs) < MAX_PROGRAMS:
        taken = {key for key in plan.joined if key is not None}
        best: tuple[float, float, Candidate] | None = None
        for candidate in pool:
            if not set(candidate.program.reads) & set(plan.programs[0].reads):
                continue  # another column means another thing
            new: set[str] = set()
            agree = disagree = 0
            for text, key in zip(candidate.outputs, plan.joined, strict=True):
                if text is None or text not in plan.target.keys:
                    continue
                if key is None and text not in taken:
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
            key if key is not None else (text if text in plan.target.keys else None)
            for key, text in zip(plan.joined, candidate.outputs, strict=True)
        ]


def _learn_again(plan: Assembly, target_table: Columns, seed: int) -> list[Candidate]:
    """Programs learned from the rows and keys that are left."""
    taken = {key for key in plan.joined if key is not None}
    missed = np.array([i for i, key in enumerate(plan.joined) if key is None], dtype=np.int64)[:LEFT_OVER]
    left = np.array([row for key, row in plan.target.keys.items() if key not in taken], dtype=np.int64)[:LEFT_OVER]
    if len(missed) < 3 or len(left) < 3:
        return []
    source, target = plan.source.take(missed), target_table.take(left)
    place = plan.target.column.place
    groups = PairFinder(source, target).groups([target.columns[place]])
    found: list[Candidate] = []
    for group in groups[:3]:
        candidates, _ = learn_group(source, target, source, Target(target.columns[place]), group, seed)
        found += [judge(c.program, plan.source, plan.target, c.group) for c in candidates[:8]]
    return found


def _join_rest(plan: Assembly, target_table: Columns) -> tuple[Rest, list[str | None]]:
    outputs = [program.apply(plan.source) for program in plan.programs]
    looks = list(map(_first, zip(*outputs, strict=True)))
    taken = {key for key in plan.joined if key is not None}
    missed: dict[str, tuple[str, ...]] = {}
    first_row: dict[str, int] = {}
    for row, (text, key) in enumerate(zip(looks, plan.joined, strict=True)):
        if key is None and text is not None and text not in missed:
            program = next(p for p, texts in zip(plan.programs, outputs, strict=True) if texts[row] is not None)
            missed[text], first_row[text] = program.pieces(plan.source.row(row)), row
    left = [key for key in plan.target.keys if key not in taken]
    rest = fuzzy_rest(missed, left, sorted(taken))
    if plan.second is not None:
        matches = tuple(m for m in rest.matches if plan.second.allows(
            plan.source, target_table, first_row[m.text], plan.target.keys[m.key]))  # fmt: skip
        rest = replace(rest, matches=matches)
    partner = {match.text: match.key for match in rest.matches}
    joined = [key or partner.get(text or "") for key, text in zip(plan.joined, looks, strict=True)]
    return rest, joined
