"""Auto-Join: a join of two tables through a program that lakeview writes (Zhu, He, Chaudhuri, PVLDB 2017)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lakeview.guards import checks
from lakeview.join.model import How
from lakeview.join.side import Side
from lakeview.join.transform.assemble import Assembly, assemble, others
from lakeview.join.transform.candidate import Candidate
from lakeview.join.transform.columns import Columns
from lakeview.join.transform.composite import with_parts
from lakeview.join.transform.left_out import left_out
from lakeview.join.transform.normal_keys import normal_candidates, uneven_candidates
from lakeview.join.transform.operators import Piece
from lakeview.join.transform.plan import TransformPlan
from lakeview.join.transform.program import Program
from lakeview.join.transform.search import JUDGED, THOROUGH, Attempt, Effort, search, some_rows
from lakeview.join.variable import variable_name
from lakeview.values import Normalize

ALTERNATIVES = 3  # key columns for each direction
OTHERS = 2  # further programs for each, as they are
ROWS = 60_000  # rows of a side that are looked at, at most
ENOUGH = 0.97  # share of the keys or rows that a normal key joins, from which on nothing is learned
FORWARD = 0.5  # keys that a program over the target must join more to come before one over the source

Ranked = tuple[bool, Assembly, Program]  # whether the programs read the target, what joins, and the program of the key


class Plans(list[TransformPlan]):
    """The plans, best first; empty where no program was found. `explain()` tells what was tried."""

    def __init__(self, plans: list[TransformPlan], attempts: list[tuple[str, Attempt]], notes: list[str]) -> None:
        super().__init__(plans)
        self.attempts, self.notes = attempts, notes

    def __getitem__(self, index: Any) -> Any:
        return checks.item("plans", list(self), index)

    def explain(self) -> str:
        """Which columns and examples were tried, and what came of each."""
        lines = [f"{len(self)} plan{'s' * (len(self) != 1)}." if self else "No program joins these tables."]
        for plan in self:
            lines.append(f"- {plan.keyed.stem}.{plan.key} = " + plan.program.replace("\n", " "))
            if plan.doubtful:
                lines[-1] += f" (doubtful: {plan.doubtful})"
        lines += self.notes
        for direction, attempt in self.attempts:
            example = "" if attempt.example is None else f", such as {attempt.example[0]!r} and {attempt.example[1]!r}"
            lines.append(
                f"{direction}: {attempt.source} against {attempt.target}: {attempt.pairs} row pairs{example}; "
                f"{attempt.learned} of {attempt.tried} example sets gave a program; {attempt.outcome}"
            )
        if not self.attempts:
            lines.append("No two columns share rare text of 3 characters or more, so no rows could be paired.")
        return "\n".join(lines)


def auto_join(source: Any, target: Any, *, how: How = "left", normalize: Normalize = "fold", sampled: bool = True,
              seed: int = 0) -> Plans:  # fmt: skip
    """Join two tables through a program that turns columns of one into the key of the other.

    source, target: pandas or Spark frames, or tables of a lake as `lake.side("people.csv")` gives them. how: "left",
    "inner", "right" or "outer", source left. sampled: look for examples in samples of large tables. seed: of the
    samples and of the example sets.
    Returns plans, best first; none where no program joins anything worth a look, and `explain()` says why. Where chance
    might join as much, `plan.doubtful` says so; such plans come last.
    Raises InputError for other arguments, and for tables with columns that cannot be told apart.
    Source: E. Zhu, Y. He, S. Chaudhuri, Auto-Join: Joining Tables by Leveraging Transformations, PVLDB 10(10), 2017.
    """
    how, normalize = checks.how(how), checks.normalize(normalize)
    sampled, seed = checks.flag("sampled", sampled), checks.whole("seed", seed)
    sides = _side(source, "source"), _side(target, "target")
    tables, rates = [], []
    for number, side in enumerate(sides):
        held = side.here(ROWS if sampled else None)
        chosen = some_rows(held.rows, ROWS, seed + number) if sampled else None
        tables.append(Columns.of(held, normalize, rows_at=chosen))
        rates.append(tables[-1].rows / max(side.rows, 1))
    return plan_join(sides, tables, how, normalize, sampled, seed, rates)


def plan_join(sides: tuple[Side, Side], tables: list[Columns], how: How, normalize: Normalize, sampled: bool,
              seed: int, rates: Sequence[float] = (1.0, 1.0), effort: Effort = THOROUGH) -> Plans:  # fmt: skip
    """The plans between two sides whose canonical text is in `tables`, or that of a sample at the `rates`."""
    names = tuple(side.stem for side in sides)
    found: list[Ranked] = []
    further: list[Ranked] = []
    attempts: list[tuple[str, Attempt]] = []

    def take(reverse: bool, candidates: list[Candidate], keyed: Columns, parts: Mapping[int, Program]) -> None:
        """Plans of some candidates, those of one key together."""
        made_from = tables[reverse]
        for family in _families(candidates)[:ALTERNATIVES]:
            whole = effort.rest and made_from.rows <= effort.judged and min(rates) >= 1
            place = family[0].target.column.place
            key = parts.get(place) or Program((Piece(place),), keyed.names)
            made = assemble(family, family[0].source, keyed, whole, seed)
            differs = "" if made.second else left_out(made.programs, made.source, made.joined, key, keyed)
            made.doubtful = made.doubtful or differs
            found.append((reverse, made, key))
            for other in others(family, OTHERS):  # which leave out as much, for fewer rows
                other.doubtful = other.doubtful or differs
                further.append((reverse, other, key))

    # Parts of composite keys are tried where no whole column is a key.
    for split, reverse in ((False, False), (False, True), (True, False), (True, True)):
        if split and not reverse and found:
            break
        made_from, keyed = tables[reverse], tables[not reverse]
        rate = rates[not reverse]
        keyed, parts = with_parts(keyed) if split else (keyed, {})
        if split and not parts:
            continue
        if not split:
            judged = made_from.take(some_rows(made_from.rows, JUDGED, seed))  # these are cheap, so on more rows
            normal = normal_candidates(judged, keyed, rate)
            take(reverse, normal.candidates, normal.keyed, normal.parts)
            if any(map(_is_enough, normal.candidates)):
                continue
        learned, tried = search(made_from, keyed, sampled, seed, rate, parts, effort)
        attempts += [(f"{names[reverse]} to {names[not reverse]}", attempt) for attempt in tried]
        take(reverse, learned, keyed, parts)
    if not found:  # no even writing: then both sides are read
        for reverse in (False, True):
            judged = tables[reverse].take(some_rows(tables[reverse].rows, effort.judged, seed))
            take(reverse, *uneven_candidates(judged, tables[not reverse], rates[not reverse]))
    for listed in (found, further):
        listed.sort(key=lambda item: (-item[1].score + FORWARD * item[0], item[1].cost))
    everything = sorted((*found, *further), key=lambda item: _doubt(item[1]))
    plans = [
        TransformPlan(
            *sides,
            tuple(assembly.programs),
            key,
            assembly.rest,
            reverse,
            how,
            normalize,
            assembly.second,
            doubtful=assembly.doubtful,
        )
        for reverse, assembly, key in everything
    ]
    return Plans(plans, attempts, _notes(names, tables))


def _doubt(plan: Assembly) -> int:
    """Plans that chance may explain come last, those that read dates or amounts first among them."""
    return 0 if not plan.doubtful else 2 - plan.programs[0].reads_meaning


def _is_enough(candidate: Candidate) -> bool:
    """Whether so many rows join, and not by chance, that nothing need be learned."""
    return candidate.share > ENOUGH and not candidate.doubtful


def _families(candidates: list[Candidate]) -> list[list[Candidate]]:
    """Candidates by the key column that they make, the family of the best first."""
    families: dict[int, list[Candidate]] = {}
    for candidate in candidates:
        families.setdefault(candidate.target.column.place, []).append(candidate)
    return list(families.values())


def _side(table: Any, name: str) -> Side:
    return table if isinstance(table, Side) else Side.frame(table, variable_name(table) or name)


def _notes(names: tuple[str, ...], tables: list[Columns]) -> list[str]:
    notes = []
    for name, table in zip(names, tables, strict=True):
        if table.rows < 2:
            notes.append(f"{name} has {table.rows} row{'s' * (table.rows != 1)}: a program is learned from 2 at least.")
        elif not any(len(c.first_row) >= 2 for c in table.columns):
            notes.append(f"{name} has no column with 2 different values.")
    return notes
