"""A join as JSON, and back: a stranger's file, so nothing in it becomes code, and each value is looked at."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from lakeview.errors import InputError, LakeviewError, NotFound
from lakeview.estimate.similarity.measures import MEASURES
from lakeview.estimate.similarity.texts import distinct_texts
from lakeview.estimate.similarity.tokens import tokeniser
from lakeview.guards import checks
from lakeview.join.fuzzy.advisor import Configuration
from lakeview.join.fuzzy.edit import EDITS
from lakeview.join.fuzzy.joined import CARDINALITIES
from lakeview.join.fuzzy.judgements import Judgements
from lakeview.join.fuzzy.matched import Matched
from lakeview.join.fuzzy.model import FuzzyJoin
from lakeview.join.fuzzy.plan import FuzzyPlan
from lakeview.join.grain import HOWS, PICKS, Grain
from lakeview.join.lookup import Lookup, MapSide
from lakeview.join.model import Join
from lakeview.join.plan import CompositePlan, JoinPlan
from lakeview.join.recipe.kept import Kept, result_columns, telling
from lakeview.join.side import Side
from lakeview.join.transform.fuzzy_rest import Match, Rest
from lakeview.join.transform.model import TransformJoin
from lakeview.join.transform.operators import Constant, Operator, Piece, Split, to_json
from lakeview.join.transform.plan import TransformPlan
from lakeview.join.transform.program import Program
from lakeview.join.transform.second_key import SecondKey
from lakeview.join.transform.shapes import shape

VERSION = 1
MOST = 100_000  # entries of a list


def written(join: Join) -> dict[str, Any]:
    """What is joined, without its sides. Raises InputError for a column whose name is no text or number."""
    found: dict[str, Any] = {"how": join.how, "normalize": join.normalize}
    if join.grain is not None:
        grain = join.grain
        found["grain"] = {
            "many": grain.many,
            "when": _label(grain.when),
            "hows": [[_label(c), h] for c, h in grain.hows],
        }
    if isinstance(join, TransformJoin):
        rest = [[match.text, match.key, match.similarity] for match in join.rest.matches]
        second = join.second and [_program(join.second.derived), _program(join.second.keyed)]
        return found | {
            "kind": "program", "programs": list(map(_program, join.programs)), "key": _program(join.key_program),
            "near": rest, "reverse": join.reverse, "second": second, "refused": list(join.refused),
        }  # fmt: skip
    found |= {"left_on": list(map(_label, join.left_on)), "right_on": list(map(_label, join.right_on))}
    if isinstance(join, FuzzyJoin):
        c, said = join.configuration, join.judgements
        return found | {
            "kind": "fuzzy", "tokeniser": c.tokeniser, "measure": c.measure, "threshold": join.threshold,
            "floor": c.floor, "lead": c.lead, "numbers": c.numbers, "cardinality": join.cardinality,
            "accepted": list(map(list, said.accepted)), "rejected": list(map(list, said.rejected)),
        }  # fmt: skip
    return found | {"kind": "equal"}


def written_kept(kept: Kept) -> dict[str, Any]:
    """What is kept of a result."""
    return {"without": list(map(_label, kept.dropped)), "unmatched": kept.unmatched}


def kept(data: Any, plan: JoinPlan) -> Kept:
    """What `written_kept` wrote, of a plan's result; all of it for None. Raises InputError, NotFound as `plan`."""
    if data is None:
        return Kept(plan.join)
    dropped = _list(data, "without")
    if missing := [name for name in dropped if not checks.label(name, result_columns(plan.join))]:
        raise NotFound(f"the join has no column {checks.said(missing[0])}, which the recipe leaves out")
    unmatched = checks.flag("unmatched", _get(data, "unmatched"))
    if unmatched and (plan.how != "left" or telling(plan.join) is None):
        raise InputError("the rows without a match cannot be told apart in this join of a recipe")
    return Kept(plan.join, tuple(dropped), unmatched)


def written_map(side: MapSide) -> dict[str, Any]:
    """A map, without its table."""
    lookup = side.lookup
    return {
        "source": _label(lookup.source), "target": _label(lookup.target), "normalize": lookup.normalize,
        "columns": list(map(_label, side.columns)),
    }  # fmt: skip


def made_map(data: Any, of: Side, name: str) -> MapSide:
    """What `written_map` wrote, of its table now. Raises InputError, NotFound as `plan`."""
    source, target = (of.check(_label(_get(data, end))) for end in ("source", "target"))
    columns = _list(data, "columns")
    if len(columns) != 2 or columns[0] == columns[1]:
        raise InputError("a map of a recipe has two columns")
    lookup = Lookup(of, source, target, checks.normalize(_get(data, "normalize")))
    return MapSide.of(lookup, list(map(_label, columns)), name)


def plan_of(join: Join) -> JoinPlan:
    """The plan of what was joined."""
    if type(join) is not Join:
        return plan(written(join), join.left, join.right)
    return (JoinPlan if len(join.left_on) == 1 else CompositePlan).of(join)


def _label(column: Hashable) -> Any:
    if column is None or (isinstance(column, str | int | float) and not isinstance(column, bool)):
        return column
    raise InputError(f"a recipe cannot write the column {checks.said(column)}: give it a name of text")


def _program(program: Program) -> dict[str, Any]:
    return {"columns": list(program.columns), "operators": [to_json(operator) for operator in program.operators]}


def plan(data: Any, left: Side, right: Side) -> JoinPlan:
    """The plan of what `written` wrote, for these sides. Raises InputError, in one line, for what is no join, NotFound
    for a column that is not there."""
    kind = checks.choice("the kind of a join", _get(data, "kind"), "equal", "program", "fuzzy")
    how, normalize = checks.how(_get(data, "how")), checks.normalize(_get(data, "normalize"))
    try:
        if kind == "program":
            made: JoinPlan = _transform(data, left, right, how, normalize)
        else:
            on = [tuple(_list(data, name)) for name in ("left_on", "right_on")]
            if kind == "fuzzy":
                made = _fuzzy(data, left, right, on, how, normalize)
            elif len(on[0]) == len(on[1]) == 1:
                made = JoinPlan(left, right, left.check(on[0][0]), right.check(on[1][0]), how, normalize)
            else:
                made = CompositePlan(left, right, on[0], on[1], how, normalize)
        return made if data.get("grain") is None else type(made).of(made.join.brought(_grain(data["grain"], made.join)))
    except LakeviewError:
        raise
    except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
        raise InputError(f"this is not a join of a recipe: {error}") from None


def _grain(data: Any, join: Join) -> Grain:
    many = checks.choice("many", _get(data, "many"), *PICKS, "aggregate", "list", "columns")
    when = data.get("when")
    hows = tuple((join.right.check(column), checks.choice("what a column becomes", how, *HOWS))
                 for column, how in _list(data, "hows"))  # fmt: skip
    return Grain(many, None if when is None else join.right.check(when), hows)


def _transform(data: Any, left: Side, right: Side, how: Any, normalize: Any) -> TransformPlan:
    reverse = checks.flag("reverse", data.get("reverse"))
    derived, keyed = (right, left) if reverse else (left, right)
    near = tuple(Match(_text(text), _text(key), checks.number("a similarity", similarity))
                 for text, key, similarity in _list(data, "near"))  # fmt: skip
    second = data.get("second")
    if second is not None:
        ours, theirs = second
        second = SecondKey(program(ours, derived), program(theirs, keyed))
    programs = tuple(program(each, derived) for each in _list(data, "programs"))
    if not programs:
        raise InputError("a join through programs has one at least")
    return TransformPlan(left, right, programs, program(_get(data, "key"), keyed), Rest(near), reverse, how, normalize,
                         second, tuple(map(_text, _list(data, "refused"))))  # fmt: skip


def program(data: Any, side: Side) -> Program:
    """A program, moved to where its columns stand in a side now."""
    names = list(map(_text, _list(data, "columns")))
    operators = tuple(_operator(each, len(names)) for each in _list(data, "operators"))
    labels = {str(column): place for place, column in enumerate(side.columns)}
    to = {}
    for place in {operator.column for operator in operators if isinstance(operator, Piece)}:
        if names[place] not in labels:
            side.check(names[place])
        to[place] = labels[names[place]]
    if not to:
        raise InputError("a program that reads no column makes no key")
    return Program(operators, tuple(names)).moved(to, tuple(map(str, side.columns)))


def _operator(data: Any, columns: int) -> Operator:
    if "constant" in _dict(data):
        return Constant(_text(data["constant"]))
    splits = tuple(Split(_sep(each), _whole(_get(each, "index")),
                         checks.choice("take", _get(each, "take"), "part", "before", "after"))  # type: ignore[arg-type]
                   for each in data.get("splits", ()))  # fmt: skip
    start, stop = (None if data.get(end) is None else _whole(data[end]) for end in ("start", "stop"))
    called = _text(data.get("shape", ""))
    try:
        shape(called)
    except KeyError:
        raise InputError(f"a program has no shape {checks.said(called)}") from None
    return Piece(checks.whole("a column's place", _get(data, "column"), 0, columns - 1), splits, called, start, stop)


def _fuzzy(data: Any, left: Side, right: Side, on: Any, how: Any, normalize: Any) -> FuzzyPlan:
    threshold = data.get("threshold")
    measure = checks.choice("measure", _get(data, "measure"), *MEASURES, *EDITS)
    least = checks.number("threshold", 1.0 if threshold is None else threshold, above=0)
    floor = checks.number("floor", data.get("floor", least), above=0)  # recipes had neither it nor numbers once
    configuration = Configuration(
        tokeniser(_get(data, "tokeniser")).name, measure, min(floor, least), least,
        checks.number("lead", _get(data, "lead"), 0), checks.flag("numbers", data.get("numbers", False)),
    )  # fmt: skip
    join = Join(
        left, right, (left.check(on[0][0]),), (right.check(on[1][0]),), checks.how(how, ("left", "inner")), normalize
    )
    ours, theirs = distinct_texts(join.left_keys.whole), distinct_texts(join.right_keys.whole)
    said = Judgements(
        tuple((_text(a), _text(b), checks.number("a similarity", s)) for a, b, s in _list(data, "accepted")),
        tuple((_text(a), _text(b)) for a, b in _list(data, "rejected")),
    )
    cardinality: Any = checks.choice("cardinality", _get(data, "cardinality"), *CARDINALITIES)
    made = FuzzyJoin(left, right, left_on=join.left_on, right_on=join.right_on, how=join.how, normalize=normalize,
                     matched=Matched.of(ours, theirs, configuration), left_texts=len(ours.text),
                     cardinality=cardinality, judgements=said, joins=threshold is not None)  # fmt: skip
    return FuzzyPlan.of(made)


def _dict(data: Any) -> Mapping[str, Any]:
    return checks.kind("a part of a recipe", data, dict, "an object")  # type: ignore[no-any-return]


def _get(data: Any, name: str) -> Any:
    if name not in _dict(data):
        raise InputError(f"a part of the recipe lacks {name!r}")
    return data[name]


def _list(data: Any, name: str) -> list[Any]:
    found = _get(data, name)
    if not isinstance(found, list) or len(found) > MOST:
        raise InputError(f"{name} in a recipe is a list of at most {MOST:,} entries")
    return found


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"a recipe has {checks.said(value)} where a text stands")
    return value


def _sep(data: Any) -> str:
    return checks.text("sep", _get(data, "sep"))


def _whole(value: Any) -> int:
    return checks.whole("a place in a text", value, -10_000, 10_000)
