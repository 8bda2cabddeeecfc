"""Every public function and method, each parameter of it by itself: `parameters` by name, and `readers` of data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import lakeview as lv
from lakeview import cli
from lakeview.errors import LakeviewError
from lakeview.guards import checks

Call = Callable[[Any], Any]

PEOPLE = pd.DataFrame(
    {"id": range(1, 9),
     "name": [f"{first} {last}" for first in ("Ann", "Bob") for last in ("Doe", "Roe", "Lee", "Poe")],
     "city": list("abcdabcd"), "state": list("xxyyxxyy")}
)  # fmt: skip
ORDERS = pd.DataFrame({"person": [1, 2, 2, 99], "amount": [1.5, 2.0, None, 4.0], "k": ["1", "2", "c", "5"]})
SWAPPED = pd.DataFrame({"who": [f"{last}, {first}" for first, last in PEOPLE["name"].str.split()], "n": range(8)})


class Place:
    """A lake of three tables, and what was found in it."""

    def __init__(self, folder: Path) -> None:
        lake = folder / "lake"
        lake.mkdir()
        PEOPLE.to_csv(lake / "people.csv", index=False)
        ORDERS.to_csv(lake / "orders.csv", index=False)
        SWAPPED.to_csv(lake / "swapped.csv", index=False)
        (folder / "file.txt").write_text("a")
        self.folder = folder
        self.lake = lv.open(lake)
        self.lake.index(engine="local")
        self.hits = self.lake.search(PEOPLE, "id")
        self.pairs = self.lake.search(PEOPLE, ["city", "state"])
        self.more = self.lake.more_rows(PEOPLE)
        self.programs = lv.auto_join(PEOPLE, SWAPPED)
        self.program = self.programs[0]
        self.fuzzy = lv.fuzzy_join(PEOPLE, SWAPPED, "name", "who", threshold=0.4)
        self.advised = lv.fuzzy_join(PEOPLE, PEOPLE.assign(name=PEOPLE["name"] + "x"), on="name")

    def fresh(self, **options: Any) -> lv.Lake:
        return lv.open(self.folder / "lake", **options)


def parameters(place: Place) -> dict[str, Call]:
    """name of a parameter -> a call with a value for it; all else is right."""
    lake, hits, hit = place.lake, place.hits, place.hits[0]
    made: dict[str, Call] = {
        "open(lake)": lambda v: lv.open(v),
        "open(lake list)": lambda v: lv.open([v]),
        "open(lake dict)": lambda v: lv.open({"t": v}),
        "open(lake name)": lambda v: lv.open(_named(v)),
        "open(store)": lambda v: place.fresh(store=v),
        "open(spark)": lambda v: place.fresh(spark=v),
        "open(normalize)": lambda v: place.fresh(normalize=v),
        "open(exclude)": lambda v: place.fresh(exclude=v).search(PEOPLE, "id"),
        "compare(a)": lambda v: lv.compare(v, ["1"]),
        "compare(b)": lambda v: lv.compare(["1"], v),
        "compare(normalize)": lambda v: lv.compare(["1"], ["1"], v),
        "explore(df)": lambda v: lv.explore(v, lake=lake),
        "explore(column)": lambda v: lv.explore(PEOPLE, v, lake),
        "explore(lake)": lambda v: lv.explore(PEOPLE, "id", v) if v is not None else None,
        "options": lambda v: setattr(lv.options, "save_values", v),
        "options name": lambda v: getattr(lv.options, v) if type(v) is str and v[:1] not in "_" else None,
        "index(exact)": lambda v: lake.index(exact=v, engine="local"),
        "index(engine)": lambda v: lake.index(engine=v),
        "index(filters)": lambda v: lake.index(filters=v, engine="local"),
        "publish(url)": lambda v: lake.publish(v),
        "publish(partitions)": lambda v: lake.publish(str(place.folder / "published"), v),
        "pull(url)": lambda v: place.fresh(store=place.folder / "other").pull(v),
        "add(frame)": lambda v: lake.add(v, "added"),
        "add(name)": lambda v: lake.add(PEOPLE, v),
        "remove(name)": lambda v: lake.remove(v),
        "resolve(text)": lambda v: lake.resolve(v),
        "query_of(table)": lambda v: lake.query_of(v, "id"),
        "query_of(column)": lambda v: lake.query_of("people.csv", v),
        "side(table)": lambda v: lake.side(v),
        "search(data)": lambda v: lake.search(v),
        "search(data, column)": lambda v: lake.search(v, "id"),
        "search(data, columns)": lambda v: lake.search(v, ["id", "name"]),
        "search(column)": lambda v: lake.search(PEOPLE, v),
        "search(column of two)": lambda v: lake.search(PEOPLE, ["id", v]),
        "search(column of a table)": lambda v: lake.search("people.csv", v),
        "search(column of a Series)": lambda v: lake.search(PEOPLE["id"], v),
        "search(k)": lambda v: lake.search(PEOPLE, "id", k=v),
        "search(k of two)": lambda v: lake.search(PEOPLE, ["city", "state"], k=v),
        "search(threshold)": lambda v: lake.search(PEOPLE, "id", threshold=v),
        "search(rank)": lambda v: lake.search(PEOPLE, "id", rank=v),
        "search(exact)": lambda v: lake.search(PEOPLE, "id", exact=v),
        "search(transform)": lambda v: lake.search(PEOPLE, "name", transform=v),
        "search(stream)": lambda v: list(lake.search(PEOPLE, "id", stream=v)),
        "search(engine)": lambda v: lake.search(PEOPLE, "id", engine=v),
        "compare(a) of a lake": lambda v: lake.compare(v, "people.csv.id"),
        "compare(b) of a lake": lambda v: lake.compare("people.csv.id", v),
        "bridge(data)": lambda v: lake.bridge(v),
        "bridge(data, column)": lambda v: lake.bridge(v, "id"),
        "bridge(column)": lambda v: lake.bridge(PEOPLE, v),
        "bridge(to)": lambda v: lake.bridge(PEOPLE, "name", to=v),
        "bridge(k)": lambda v: lake.bridge(PEOPLE, "name", k=v),
        "bridges[…]": lambda v: lake.bridge(PEOPLE, "name")[v],
        "more_rows(frame)": lambda v: lake.more_rows(v),
        "more_rows(k)": lambda v: lake.more_rows(PEOPLE, k=v),
        "more_rows[…]": lambda v: place.more[v],
        "stack preview(n)": lambda v: place.more[0].preview(v),
        "stack code(dialect)": lambda v: place.more[0].code(v),
        "stack to_spark(spark)": lambda v: place.more[0].to_spark(v),
        "foreign_keys": lambda v: lake.foreign_keys(v),
        "graph": lambda v: lake.graph(v),
        "hits[…]": lambda v: hits[v],
        "pairs[…]": lambda v: place.pairs[v],
        "plans[…]": lambda v: place.programs[v],
        "join_counts(how)": lambda v: hit.join_counts(v),
        "examples(n)": lambda v: hit.examples(v),
        "join(how)": lambda v: hit.join(v).counts(),
        "join(left)": lambda v: hit.join(left=v).counts(),
        "join(left) of a Series": lambda v: lake.search(PEOPLE["id"])[0].join(left=v).counts(),
        "pairs join(how)": lambda v: place.pairs[0].join(v).counts(),
        "pairs join(left)": lambda v: place.pairs[0].join(left=v).counts(),
        "auto_join(source)": lambda v: lv.auto_join(v, SWAPPED),
        "auto_join(target)": lambda v: lv.auto_join(PEOPLE, v),
        "auto_join(how)": lambda v: lv.auto_join(PEOPLE, SWAPPED, how=v),
        "auto_join(normalize)": lambda v: lv.auto_join(PEOPLE, SWAPPED, normalize=v),
        "auto_join(sampled)": lambda v: lv.auto_join(PEOPLE, SWAPPED, sampled=v),
        "auto_join(seed)": lambda v: lv.auto_join(PEOPLE, SWAPPED, seed=v),
        "again(how)": lambda v: place.program.again(v).counts(),
        "again(left)": lambda v: place.program.again("left", left=v).counts(),
        "again(right)": lambda v: place.program.again("left", right=v).counts(),
        "learn_again(right)": lambda v: place.program.learn_again(v),
        "learn_again(right key)": lambda v: place.program.learn_again({0: v}),
        "learn_again(wrong)": lambda v: place.program.learn_again({}, v),
        "learn_again(wrong row)": lambda v: place.program.learn_again({}, [v]),
        "join_size(left)": lambda v: lv.join_size(v),
        "join_size(right)": lambda v: lv.join_size(["abc"], v),
        "join_size(thresholds)": lambda v: lv.join_size(["abc"], None, v),
        "join_size(threshold)": lambda v: lv.join_size(["abc"], None, [v]),
        "join_size(method)": lambda v: lv.join_size(["abc"], method=v),
        "join_size(tokeniser)": lambda v: lv.join_size(["abc"], tokeniser=v),
        "join_size(measure)": lambda v: lv.join_size(["abc"], measure=v),
        "join_size(normalize)": lambda v: lv.join_size(["abc"], normalize=v),
        "join_size(seed)": lambda v: lv.join_size(["abc"], method="sampling", seed=v),
        "options unknown": lambda v: setattr(lv.options, "no_such", v),
        "%lakeview": lambda v: _magic(place, f"search df.id -k {checks.said(v)}"),
        "%lakeview threshold": lambda v: _magic(place, f"search df.id --threshold {checks.said(v)}"),
        "%lakeview column": lambda v: _magic(place, f"search df[{checks.said(v)}]"),
        "%lakeview frame": lambda v: _magic(place, "search x", x=v),
        "%lakeview frame.column": lambda v: _magic(place, "search x.id", x=v),
        "%lakeview compare": lambda v: _magic(place, "compare x --with df.id", x=v),
        "%lakeview explore": lambda v: _magic(place, "explore x", x=v),
        "%lakeview open": lambda v: _magic(place, "open x", x=v),
        "lakeview search": lambda v: _command(place, v),
    }
    for name, value in {"left_on": "name", "right_on": "who", "threshold": 0.4, "precision": 0.9, "tokeniser": "words",
                        "measure": "dice", "lead": 0.0, "cardinality": "N:1", "how": "left", "normalize": "fold",
                        "on": "name", "left": PEOPLE, "right": SWAPPED}.items():  # fmt: skip
        made[f"fuzzy_join({name})"] = lambda v, name=name, value=value: _fuzzy({name: v})
    plans = {"plan": hit.join(), "pairs": place.pairs[0].join(), "program": place.program, "fuzzy": place.fuzzy}
    for kind, plan in plans.items():
        made |= {
            f"{kind}.preview(n)": lambda v, plan=plan: plan.preview(v),
            f"{kind}.preview(matched)": lambda v, plan=plan: plan.preview(5, v),
            f"{kind}.code": lambda v, plan=plan: plan.code(v),
            f"{kind}.statements": lambda v, plan=plan: plan.statements(v),
            f"{kind}.to_spark": lambda v, plan=plan: plan.to_spark(v) if v is not None else None,
            f"{kind}.keys_of": lambda v, plan=plan: plan.keys_of(v),
        }
    fuzzy = place.fuzzy
    made |= {
        "at(threshold)": lambda v: fuzzy.at(v).counts(),
        "at(lead)": lambda v: fuzzy.at(0.5, v).counts(),
        "with_how": lambda v: fuzzy.with_how(v),
        "with_cardinality": lambda v: fuzzy.with_cardinality(v),
        "compared_by(tokeniser)": lambda v: fuzzy.compared_by(v),
        "compared_by(measure)": lambda v: fuzzy.compared_by(measure=v),
        "accept(left)": lambda v: fuzzy.accept(v, "Doe, Ann"),
        "accept(right)": lambda v: fuzzy.accept("Ann Doe", v),
        "reject(left)": lambda v: fuzzy.reject(v, "Doe, Ann"),
        "reject(right)": lambda v: fuzzy.reject("Ann Doe", v),
        "unjudge(left)": lambda v: fuzzy.unjudge(v, "Doe, Ann"),
        "unjudge(right)": lambda v: fuzzy.unjudge("Ann Doe", v),
        "advised": lambda v: place.advised.advised(v).counts(),
        "curve_at": lambda v: fuzzy.curve_at(v),
        "curve_at(threshold)": lambda v: fuzzy.curve_at([v]),
        "joined_at": lambda v: fuzzy.joined_at(v),
        "joined_at(threshold)": lambda v: fuzzy.joined_at([v]),
    }
    return made


def _named(name: Any) -> dict[Any, Any]:
    try:
        return {name: PEOPLE}
    except Exception:  # Python itself lets it name nothing
        raise lv.InputError("no name") from None


def _fuzzy(what: dict[str, Any]) -> Any:
    usual: dict[str, Any] = {"left_on": "name", "right_on": "who"}
    if "on" in what:
        usual = {"right": PEOPLE}
    if "precision" not in what:
        usual |= {"threshold": 0.4}
    given = {"left": PEOPLE, "right": SWAPPED} | usual | what
    return lv.fuzzy_join(given.pop("left"), given.pop("right"), **given).counts()


def _magic(place: Place, line: str, **names: Any) -> Any:
    from lakeview.notebook import magics, state

    state.set_lake(place.lake)
    return magics.run(line, {"df": PEOPLE, "lake": place.lake, **names})


def _command(place: Place, value: Any) -> None:
    if type(value) is not str or "\0" in value or value.startswith("-"):
        return  # no shell passes it
    assert cli.main(["search", str(place.folder / "lake"), value]) in (0, 1)


def readers(place: Place) -> dict[str, Call]:
    """What takes a column of data."""
    lake = place.lake
    return {
        "compare": lambda c: lv.compare(c(), c()),
        "compare with text": lambda c: lv.compare(["1", "2"], c()),
        "lake.compare": lambda c: lake.compare(c(), "people.csv.id"),
        "search": lambda c: _looked_at(lake.search(c())),
        "search by threshold": lambda c: lake.search(c(), threshold=0.1),
        "search as a stream": lambda c: list(lake.search(c(), stream=True, rank="join")),
        "search by transformation": lambda c: lake.search(c(), transform=True),
        "join_size": lambda c: lv.join_size(c()),
        "join_size of two": lambda c: lv.join_size(["1", "2"], c(), measure="dice"),
        "fuzzy_join of values": lambda c: _planned(lv.fuzzy_join(c(), ["1", "2"], threshold=0.5)),
        "fuzzy_join to values": lambda c: _planned(lv.fuzzy_join(["1", "2"], c())),
    }


def frame_readers(place: Place) -> dict[str, Call]:
    """What takes a frame: called with the frame and the column to ask for."""
    lake = place.lake
    made: dict[str, Callable[[Any, Any], Any]] = {
        "search": lambda f, c: _looked_at(lake.search(f, c)),
        "search for two": lambda f, c: lake.search(f, list(f.columns)[:2] if isinstance(f, pd.DataFrame) else [c, "n"]),
        "search by transformation": lambda f, c: lake.search(f, c, transform=True),
        "add": lambda f, c: (lake.add(f, "added"), lake.search("added." + str(c)), lake.remove("added")),
        "lake of it": lambda f, c: _indexed({"t": f}, PEOPLE),
        "auto_join": lambda f, c: lv.auto_join(f, SWAPPED),
        "auto_join to it": lambda f, c: lv.auto_join(SWAPPED, f),
        "fuzzy_join": lambda f, c: _planned(lv.fuzzy_join(f, ORDERS, c, "k", threshold=0.5)),
        "fuzzy_join to it": lambda f, c: _planned(lv.fuzzy_join(ORDERS, f, "k", c)),
        "explore": lambda f, c: lv.explore(f, c, lake)._received(None, {"do": "cancel"}, []),
        "%lakeview": lambda f, c: _magic(place, f"search x.{c}", x=f),
    }
    for how in ("left", "right", "inner", "outer"):
        made[f"{how} join"] = lambda f, c, how=how: _planned(_joined(lake, f, c, how))
        made[f"{how} join on two"] = lambda f, c, how=how: _planned(_joined_on_two(lake, f, c, how))
    return made


def _joined(lake: lv.Lake, frame: Any, column: Any, how: str) -> Any:
    from lakeview.join.plan import equi_join
    from lakeview.search.asking import side_of

    return equi_join(side_of(frame), lake.side("orders.csv"), column, "k", how)


def _joined_on_two(lake: lv.Lake, frame: Any, column: Any, how: str) -> Any:
    from lakeview.join.plan import CompositePlan
    from lakeview.search.asking import side_of

    side = side_of(frame)
    other = next((label for label in side.columns if label is not column), column)
    return CompositePlan(side, lake.side("orders.csv"), [column, other], ["k", "person"], how)


def _indexed(tables: dict[str, Any], asked: pd.DataFrame) -> None:
    lake = lv.open(tables)
    lake.index()
    lake.search(asked, "id")
    lake.foreign_keys()


def _looked_at(hits: lv.lake.Hits) -> None:
    """An answer with all that it shows."""
    from lakeview.notebook.output import display

    repr(hits)
    hits.to_pandas()
    display.hits_bundle(hits)
    for hit in hits[:2]:
        hit.examples()


def _planned(plan: lv.JoinPlan) -> None:
    """A plan with all that it does and shows."""
    from lakeview.notebook.output import display

    errors = []
    bundle = display.fuzzy_bundle if type(plan).__name__ == "FuzzyPlan" else display.plan_bundle
    for step in (
        plan.counts, lambda: plan.pairs, plan.preview, plan.to_pandas, plan.code, lambda: plan.code("pyspark"),
        plan.statements, lambda: bundle(plan), lambda: repr(plan),
    ):  # fmt: skip
        try:
            step()
        except LakeviewError as error:  # of one step; the others are tried all the same
            errors.append(error)
    for error in errors:
        assert is_one_line(error), error


def is_one_line(error: LakeviewError) -> bool:
    """Whether an error is what an analyst may be shown: one line that is not long."""
    said = str(error)
    return len(said.splitlines()) == 1 and len(said) < 1_000 and said.isprintable()


def outcomes(tries: Iterator[tuple[str, Callable[[], Any]]]) -> Iterator[tuple[str, str]]:
    """What became of each try: "right", "said" (a LakeviewError of one line), or what went wrong."""
    for name, attempt in tries:
        try:
            attempt()
        except LakeviewError as error:
            yield name, "said" if is_one_line(error) else f"not one line: {error!s:.300}"
        except Exception as error:
            yield name, f"{type(error).__name__}{_where(error)}"
        else:
            yield name, "right"


def _where(error: BaseException) -> str:
    """The last lines of lakeview and of this file that an error passed."""
    at, trace = [], error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if "lakeview" in Path(code.co_filename).parts:
            at.append(f"{'/'.join(Path(code.co_filename).parts[-2:])}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    try:
        said = str(error).splitlines()[:1]
    except Exception:
        said = ["cannot be printed"]
    return f" {said} at {' > '.join(at[-3:])}"


def of_parameters(place: Place, values: dict[str, Callable[[], Any]]) -> Iterator[tuple[str, Callable[[], Any]]]:
    for name, call in parameters(place).items():
        for said, value in values.items():
            yield f"{name} = {said}", lambda call=call, value=value: call(value())


def of_columns(place: Place, columns: dict[str, Callable[[], Any]]) -> Iterator[tuple[str, Callable[[], Any]]]:
    for name, call in readers(place).items():
        for said, column in columns.items():
            yield f"{name} of {said}", lambda call=call, column=column: call(column)


def of_frames(
    place: Place, columns: dict[str, Callable[[], Any]], frames: dict[str, Callable[[], Any]]
) -> Iterator[tuple[str, Callable[[], Any]]]:
    for name, call in frame_readers(place).items():
        for said, frame in frames.items():
            yield f"{name} of a frame: {said}", lambda call=call, frame=frame: call(*_asked(frame()))
        for said, column in columns.items():
            yield f"{name} of a column: {said}", lambda call=call, column=column: call(_framed(column()), "k")


def _asked(frame: Any) -> tuple[Any, Any]:
    labels = [*frame.columns, *frame.index.names] if type(frame).__module__.startswith("pandas") and hasattr(
        frame, "columns") and isinstance(frame, pd.DataFrame) else []  # fmt: skip
    try:
        return frame, "k" if "k" in labels or not labels else labels[0]
    except Exception:
        return frame, "k"


def _framed(column: Any) -> Any:
    """A frame with that column; where pandas makes none, the column itself."""
    try:
        if isinstance(column, np.ndarray) and column.ndim != 1:
            return column
        return pd.DataFrame({"k": column if hasattr(column, "dtype") else pd.Series(column), "n": 1})
    except Exception:
        return column
