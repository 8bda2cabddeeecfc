"""From groups of row pairs to ranked programs (Algorithm 5): random example sets, coverage of keys, complexity."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lakeview.join.transform.candidate import Candidate, Target, judge
from lakeview.join.transform.columns import Column, Columns
from lakeview.join.transform.evidence import shared_length
from lakeview.join.transform.learn import try_learn
from lakeview.join.transform.operators import Operator
from lakeview.join.transform.pairs import PairFinder, PairGroup, RowPair, key_columns
from lakeview.join.transform.program import Program
from lakeview.join.transform.sampling import RATES, sample, sampling_rates

TOP_PAIRS = 60  # pairs of a group that examples are drawn from
EXAMPLE_SETS = 24  # example sets tried for one group
PATIENCE = 12  # of them without a program before the group is given up
GROUPS = 8  # groups tried in each direction
LIGHTEST = 0.12  # groups that weigh less than this share of the heaviest are not tried
MAX_COLUMNS = 6  # source columns that one program may read
SHORT = 24  # characters: columns of such cells may always be read
SETTLED = 4  # times that the best program comes out again before no more example sets are tried
JUDGED = 20_000  # source rows that a candidate program is judged on


@dataclass(frozen=True)
class Effort:
    """How much is tried. rates: shares of rows that may join, each with samples of its own. groups: in each direction.
    patience: example sets without a program before a group is given up. judged: source rows that a candidate program
    is judged on, at most. rest: whether near keys are looked for."""

    rates: tuple[float, ...] = RATES
    groups: int = GROUPS
    patience: int = PATIENCE
    judged: int = JUDGED
    rest: bool = True


THOROUGH = Effort()


@dataclass
class Attempt:
    """One group's story, for explain()."""

    source: str
    target: str
    pairs: int
    example: tuple[str, str] | None
    tried: int = 0
    learned: int = 0
    outcome: str = ""


def search(
    source: Columns, target: Columns, sampled: bool = True, seed: int = 0, rate: float = 1.0, only: Container[int] = (),
    effort: Effort = THOROUGH,
) -> tuple[list[Candidate], list[Attempt]]:  # fmt: skip
    """Programs over the columns of `source` that give keys of `target`, best first, and what was tried.

    sampled: look for row pairs in samples of large tables. Programs are judged on all keys. rate: the share of the
    target's rows that `target` holds, where it is a sample already. only: the places of the target columns that may be
    keys (none: all)."""
    keys = [column for column in key_columns(target) if not only or column.place in only]
    targets = {c.place: Target(c, rate) for c in keys}
    judged = source.take(some_rows(source.rows, effort.judged, seed))
    attempts: list[Attempt] = []
    for participation in effort.rates:
        p_s, p_t = sampling_rates(max(source.rows, 1), max(target.rows, 1), participation) if sampled else (1.0, 1.0)
        of_source, of_target = sample(source.rows, p_s, seed), sample(target.rows, p_t, seed + 1)
        learned = source.take(of_source)
        aimed = target.take(of_target)
        groups = PairFinder(learned, aimed).groups([aimed.columns[place] for place in targets])
        found: list[Candidate] = []
        for group in groups[: effort.groups]:
            if group.weight < LIGHTEST * groups[0].weight:
                break
            candidates, attempt = learn_group(
                learned, aimed, judged, targets[group.target], group, seed, effort.patience
            )
            found += candidates
            attempts.append(attempt)
        if found or (of_source is None and of_target is None):
            break
    return sorted(found, key=lambda c: c.rank), attempts


def some_rows(rows: int, most: int, seed: int) -> np.ndarray | None:
    """Sorted random positions of at most that many rows, or None for all."""
    return sample(rows, most / rows, seed + 2) if rows > most else None


def learn_group(
    source: Columns,
    aimed: Columns,
    judged: Columns,
    target: Target,
    group: PairGroup,
    seed: int = 0,
    patience: int = PATIENCE,
) -> tuple[list[Candidate], Attempt]:
    """The programs that random example sets of one group lead to.

    source, aimed: the tables whose row positions the group's pairs hold. judged: the rows that programs run on."""
    goal = aimed.columns[group.target]
    attempt = Attempt(
        source.columns[group.source].name if group.source is not None else "all columns",
        goal.name, len(group.pairs), _example(source, goal, group),
    )  # fmt: skip
    if group.source is not None and _no_text(source.columns[group.source], goal):
        attempt.outcome = "both are numbers"
        return [], attempt
    columns = relevant_columns(source, goal, group)
    begin = _digits_before(goal)
    programs: dict[Program, Candidate] = {}
    again: Counter[Program] = Counter()

    def learn(pairs: Sequence[RowPair]) -> None:
        for turn, examples in enumerate(example_sets(pairs, seed)):
            attempt.tried += 1
            if turn >= patience and not any(c.refusal is None for c in programs.values()):
                break
            rows = [source.row(pair.source) for pair in examples]
            outputs = [goal.values[pair.target] or "" for pair in examples]
            places = try_learn(rows, outputs, columns, begin)
            if places is None:
                continue
            attempt.learned += 1
            candidate = generalise(places, judged, target, group, programs)
            candidate.examples = candidate.examples or [(pair.source, pair.target) for pair in examples]
            again[candidate.program] += 1
            if again[candidate.program] >= SETTLED and (candidate.share > 0.97 or turn >= patience):
                break

    learn(group.pairs)
    if not any(c.refusal is None for c in programs.values()):
        constants = {c.too_constant[0] for c in programs.values()} - {""}
        others = [p for p in group.pairs if not any(c in (goal.values[p.target] or "") for c in constants)]
        if constants and others:  # examples that differ in what the others have in common
            half = TOP_PAIRS // 2
            learn([*others[:half], *group.pairs[:half]])
    accepted = [c for c in programs.values() if c.refusal is None]
    best = min(programs.values(), key=lambda c: c.rank, default=None)
    if accepted:
        attempt.outcome = f"{best.program} joins {best.met} keys"  # type: ignore[union-attr]
    elif best is not None:
        attempt.outcome = f"the best program, {best.program}, {best.refusal}"
    else:
        attempt.outcome = "no program makes the examples"
    return sorted(accepted, key=lambda c: c.rank), attempt


def generalise(
    places: list[list[Operator]],
    source: Columns,
    target: Target,
    group: PairGroup,
    known: dict[Program, Candidate],
) -> Candidate:
    """Of the operators that do equally well on the examples, those that do best on the tables: one place at a time.

    `known` keeps what was judged before."""

    def of(operators: Sequence[Operator]) -> Candidate:
        program = Program(tuple(operators), source.names)
        if program not in known:
            known[program] = judge(program, source, target, group)
        return known[program]

    chosen = [variants[0] for variants in places]
    best = of(chosen)
    if best.met < 2 and all(len(variants) == 1 for variants in places):
        return best
    for place, variants in enumerate(places):
        for variant in variants[1:]:
            candidate = of([*chosen[:place], variant, *chosen[place + 1 :]])
            if candidate.rank < best.rank:
                best = candidate
        chosen = list(best.program.operators)
    return best


def example_sets(pairs: Sequence[RowPair], seed: int) -> Iterator[list[RowPair]]:
    """Distinct random sets of 2 or 3 of the best pairs, each source row and each target row once."""
    chosen: list[RowPair] = []
    top = list(pairs[:TOP_PAIRS])
    draw = random.Random(seed)
    seen: set[frozenset[tuple[int, int]]] = set()
    for turn in range(4 * EXAMPLE_SETS):
        size = 2 + turn % 2
        if len(top) < size:
            continue
        # Pairs with rare q-grams come earlier: the Efraimidis-Spirakis way to draw by weight without repeats.
        chosen = sorted(top, key=lambda pair: draw.random() ** (1 / pair.score), reverse=True)[:size]
        mark = frozenset((p.source, p.target) for p in chosen)
        if mark in seen or len({p.source for p in chosen}) < size or len({p.target for p in chosen}) < size:
            continue
        seen.add(mark)
        yield chosen
        if len(seen) == EXAMPLE_SETS:
            return


def relevant_columns(source: Columns, target: Column, group: PairGroup) -> list[int]:
    """The source columns that a program may read: the group's own, short ones, and longer ones whose cells share more
    with the outputs of the group's pairs than with those of other pairs."""
    top = group.pairs[:20]
    outputs = [target.values[pair.target] or "" for pair in top]
    ranked = []
    for column in source.columns:
        cells = [column.values[pair.source] or "" for pair in top]
        own = sum(_shared(c, o) for c, o in zip(cells, outputs, strict=True))
        other = sum(_shared(c, o) for c, o in zip(cells, outputs[1:] + outputs[:1], strict=True))
        gain = (own - other) / len(top)
        short = sum(map(len, cells)) <= SHORT * len(top)
        if not column.is_measure and (column.place == group.source or gain > 0.05 or short):
            ranked.append((column.place != group.source, -gain, column.place))
    return sorted(place for _, _, place in sorted(ranked)[:MAX_COLUMNS])


def _shared(cell: str, output: str) -> float:
    """Share of the output's 2-grams that the cell has."""
    grams = {output[i : i + 2] for i in range(len(output) - 1)}
    cell = cell[:200]
    return sum(gram in cell for gram in grams) / max(1, len(grams))


def _digits_before(keys: Column) -> str:
    """The digits that all keys begin with, before others: the code of a country."""
    values = list(keys.first_row)
    length = shared_length(values)
    begin = values[0][:length] if values else ""
    return begin if begin.isdecimal() and all(len(value) > length for value in values) else ""


def _no_text(source: Column, target: Column) -> bool:
    """Whether both columns hold plain numbers only: what they share is chance or identity. Numbers with leading zeros
    are codes."""

    def numbers(column: Column) -> bool:
        values = list(column.first_row)[:200]
        if any(len(v) > 1 and v.isdigit() and v[0] == "0" for v in values):
            return False
        return all(v.replace(".", "", 1).lstrip("+-").isdigit() and len(v) < 6 for v in values)

    return numbers(source) and numbers(target)


def _example(source: Columns, goal: Column, group: PairGroup) -> tuple[str, str] | None:
    if not group.pairs:
        return None
    pair = group.pairs[0]
    shown = source.columns[group.source].values[pair.source] if group.source is not None else " | ".join(
        v or "" for v in source.row(pair.source))  # fmt: skip
    return (shown or "")[:60], (goal.values[pair.target] or "")[:60]
