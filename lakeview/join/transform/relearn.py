"""Learning again from what the analyst says: outputs that she corrected, rows that join wrongly.

A program that makes the corrected outputs, refuses the wrong ones and joins about as many keys takes the place of the
old; one that joins fewer comes after it. What no program makes is kept as an exception: a near key set by hand.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from lakeview.errors import InputError
from lakeview.join.transform.assemble import MAX_PROGRAMS, derive
from lakeview.join.transform.candidate import Candidate, Target
from lakeview.join.transform.columns import Columns
from lakeview.join.transform.fuzzy_rest import Match
from lakeview.join.transform.learn import try_learn
from lakeview.join.transform.model import TransformJoin
from lakeview.join.transform.pairs import PairGroup
from lakeview.join.transform.program import Program
from lakeview.join.transform.search import MAX_COLUMNS, generalise
from lakeview.values import canonical

TRIES = 24  # example sets: what was corrected, and one or two rows that join well
NEARLY = 0.9  # of the keys that the old program joins


def learn_again(
    join: TransformJoin, right: Mapping[int, str], wrong: Collection[int] = (), seed: int = 0
) -> TransformJoin:
    """The join with programs learned again; see TransformPlan.learn_again."""
    if join.in_spark:
        raise InputError("programs are relearned on rows held here: take a sample of the Spark frame")
    derived, keyed = Columns.of(join.derived, join.normalize), Columns.of(join.keyed, join.normalize)
    for row in (*right, *wrong):
        if not 0 <= row < derived.rows:
            raise InputError(f"{join.derived.name} has rows 0 to {derived.rows - 1}, no row {row}")
    place = len(keyed.columns)
    there = join.key_program.apply(keyed)
    keys = {key for key in there if key is not None}
    wanted = {row: canonical(pa.array([str(text)]), join.normalize)[0].as_py() for row, text in right.items()}
    for row, key in wanted.items():
        if key not in keys:
            raise InputError(f"{right[row]!r} is not a key of {join.keyed.name}: choose one of {join.key_program}")
    made = derive(join.programs, derived, keys - set(join.refused), join.rest)
    forbidden = {row: made[row] for row in wrong}
    column = replace(keyed.columns[join.key_program.reads[0]], place=place, values=there)
    best = _learn(derived, Target(column), wanted, forbidden, made, seed)
    programs = join.programs
    if best is not None:
        old = len({key for key in programs[0].apply(derived) if key in keys})
        programs = (best.program, *programs) if best.met >= NEARLY * old else (*programs, best.program)
        programs = _earning(tuple(dict.fromkeys(programs)), derived, keys)
    return _with_exceptions(join, programs, derived, keyed, wanted, forbidden)


def _learn(derived: Columns, target: Target, wanted: Mapping[int, str], forbidden: Mapping[int, str | None],
           made: Sequence[str | None], seed: int) -> Candidate | None:  # fmt: skip
    """The best program that makes all wanted keys and none that is forbidden."""
    draw = random.Random(seed)
    joined = [row for row, key in enumerate(made) if key is not None and row not in wanted and row not in forbidden]
    columns = [c.place for c in derived.columns if not c.is_measure and len(c.first_row) > 1][:MAX_COLUMNS]
    known: dict[Program, Candidate] = {}
    group = PairGroup(None, target.column.place)
    for turn in range(TRIES):
        more = draw.sample(joined, min(len(joined), 1 + turn % 2)) if joined else []
        first = draw.sample(sorted(wanted), min(len(wanted), 2))
        rows = [*first, *more]
        if len(rows) < 2:
            continue
        places = try_learn([derived.row(row) for row in rows], [wanted.get(row) or made[row] or "" for row in rows],
                           columns)  # fmt: skip
        if places is not None:
            generalise(places, derived, target, group, known)
    fitting = [
        candidate for candidate in known.values()
        if candidate.met > len(wanted)
        and all(candidate.outputs[row] == key for row, key in wanted.items())
        and all(candidate.outputs[row] != key for row, key in forbidden.items())
    ]  # fmt: skip
    return min(fitting, key=lambda c: c.rank, default=None)


def _earning(programs: tuple[Program, ...], derived: Columns, keys: Collection[str]) -> tuple[Program, ...]:
    """The programs that join rows which those before do not."""
    kept: list[Program] = []
    done: set[int] = set()
    for program in programs:
        joins = {row for row, key in enumerate(program.apply(derived)) if key in keys}
        if joins - done and len(kept) < MAX_PROGRAMS:
            kept.append(program)
            done |= joins
    return tuple(kept) or programs[:1]


def _with_exceptions(join: TransformJoin, programs: tuple[Program, ...], derived: Columns, keyed: Columns,
                     wanted: Mapping[int, str], forbidden: Mapping[int, str | None]) -> TransformJoin:  # fmt: skip
    """The join by the programs; what they still do otherwise than the analyst wants becomes an exception."""
    outputs = [program.apply(derived) for program in programs]
    looks = {row: next((t[row] for t in outputs if t[row] is not None), None) for row in (*wanted, *forbidden)}
    wrong = {looks[row] for row in forbidden}
    by_text = {m.text: m for m in join.rest.matches if m.text not in wrong}
    refused = set(join.refused)
    keys = {key for key in join.key_program.apply(keyed) if key is not None}
    for row, key in forbidden.items():
        first = next((t[row] for t in outputs if t[row] is not None and t[row] in keys), None)
        if key is not None and first == key and row not in wanted:
            refused.add(key)
    for row, key in wanted.items():
        first = next((t[row] for t in outputs if t[row] is not None and t[row] in keys), None)
        look = looks[row]
        if first == key:
            continue
        if look is None or first is not None:
            raise InputError(f"no program makes {key!r} of row {row}, and nothing of it is left to tell it by")
        by_text[look] = Match(look, key, 1.0)
    rest = replace(join.rest, matches=tuple(by_text.values()))
    return replace(join, programs=programs, rest=rest, refused=tuple(sorted(refused)), doubtful="")
