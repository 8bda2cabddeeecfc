"""What the widgets and their scripts say to each other: the only definition; TypeScript's is generated from it.

A `…Traits` is what a script draws: each field is a trait that kernel and page share (`synced`). An `…Act` is what the
script sends when somebody does something; the kernel answers by traits, or says something (`Said`). After a change
here run `python -m lakeview.notebook.typescript labextension/src`.
"""

from __future__ import annotations

import typing
from typing import Literal, NotRequired, TypedDict

from lakeview.notebook.output.first_rows import FirstRows
from lakeview.notebook.output.hit_rows import HitRow, Kind  # noqa: F401  the page reads both

How = Literal["left", "inner"]
Keep = Literal["left", "inner", "right", "outer", "unmatched"]
Verdict = Literal["", "yes", "no"]
HOWS: tuple[How, ...] = typing.get_args(How)


class Details(TypedDict):
    """The open row of a hit, from the index alone.

    missing: values that are not met, with how many rows have them. pro, con: what speaks for it and against it, with
    names in backticks; measured: in numbers. matched, without: rows. rows: that come out, by each `Keep` that there
    is; -1 where that is not known; about: "≈ " where these are estimates, else "". multiplies: whether a row meets
    several. key: what its rows meet, in words. name: a free one for the result; taken: names that are not. cheap:
    whether the first rows can be shown unasked."""

    missing: list[list[str]]
    missing_title: str
    pro: list[str]
    con: list[str]
    measured: str
    matched: int
    without: int
    rows: dict[str, int]
    about: str
    multiplies: bool
    key: str
    name: str
    taken: list[str]
    cheap: bool


class Told(TypedDict):
    """What a column tells of the target, part by part. why: why nothing; empty where it does. of: the target, or a
    category of it. span: the means of two parts, in words. share: of the target's variance that it explains; explained:
    the same in words. mean: of all rows; all: the same in words. means, said, parts, rows: of each part its mean, the
    same in words, its values, how many rows it has."""

    why: str
    of: str
    span: str
    share: float
    explained: str
    mean: float
    all: str
    means: list[float]
    said: list[str]
    parts: list[str]
    rows: list[str]


class Get(TypedDict):
    """A column that a join adds: what it is called in the result and in its table, its type, two values; where there is
    a target, what it tells of it."""

    name: str
    column: str
    type: str
    samples: str
    told: NotRequired[Told]


class Joined(TypedDict):
    """The first rows of a join: keys of mine, keys of theirs where they come out, what is new. untold: why nothing is
    known of what the new columns tell of a target; empty where something is, or where there is none."""

    gets: list[Get]
    mine: list[str]
    theirs: list[str]
    new: list[str]
    numbers: list[bool]
    rows: list[list[str]]
    untold: str


class Answer(TypedDict, total=False):
    """The head of an answer, and why there is nothing where there is nothing. Without a field until something answered.

    lines: title and note of what is out of the ranking, times, flags and categories first. closest: columns and their
    overlap, where none joins. question: the same while an answer gets exact. shown: counts answers. lake:
    the name of the lake's variable, or nothing. compare: whether the script offers that."""

    facts: list[str]
    closest: list[list[str]]
    possible: str
    why: list[str]
    problems: int
    lines: list[list[str]]
    question: int
    shown: int
    lake: str
    compare: bool


class Steps(TypedDict):
    """The search for what joins after a step. state: "none" where nothing is looked for. said: how far it is, in words.
    tried, of: tables."""

    state: Literal["none", "looking", "stopped", "done"]
    said: str
    tried: int
    of: int


class ExploreTraits(TypedDict):
    """`lv.explore(df)`. chosen: positions in `columns` of what is joined on, set by the script. targets: names of
    columns that others may tell of; target: the position among them of the one that is chosen, -1 for none, set by the
    script. busy: what runs, in words; empty: nothing. look: a class that no other widget's output has."""

    frame: str
    columns: list[str]
    chosen: list[int]
    targets: list[str]
    target: int
    busy: str
    error: str
    answer: Answer
    hits: list[HitRow]
    steps: Steps
    look: str


class ColumnLine(TypedDict):
    """A column of a frame, or several that go together, with the best hit. asked: whether that was looked for yet.
    chosen: positions in `columns`. values: distinct ones, as text. why: in place of a hit where there is none. more:
    how many other hits are ranked. type: of a single column, as pandas or Spark names it."""

    chosen: list[int]
    name: str
    type: str
    asked: bool
    values: str
    hit: NotRequired[HitRow]
    why: str
    more: int


class OverviewTraits(ExploreTraits):
    """`lv.explore(df)`: a line for each column; with `chosen`, the hits of those. whole: all lines are there."""

    overview: list[ColumnLine]
    facts: list[str]
    notes: list[str]
    whole: bool


class ExploreAct(TypedDict):
    """hit, hits: ids. Details, editor, preview, join and copy are of one hit; stop and further, of the search for
    steps. many: what becomes of several rows that one meets; name: of the result; dropped: columns of it that are left
    out."""

    do: Literal[
        "search", "cancel", "stop", "further", "problems", "compare",
        "details", "alike", "editor", "preview", "join", "copy",
    ]  # fmt: skip
    hit: NotRequired[str]
    hits: NotRequired[list[str]]
    how: NotRequired[Keep]
    many: NotRequired[str]
    name: NotRequired[str]
    dropped: NotRequired[list[str]]


class Point(TypedDict):
    """A point of a fuzzy join's curve. out: rows of a left join that keeps all pairs."""

    threshold: float
    pairs: int
    low: int
    high: int
    exact: bool
    out: int


class Pair(TypedDict):
    """Two texts that are alike. number: by which it is judged. runner: the similarity of the second best; 0 where there
    is none."""

    number: int
    left: str
    right: str
    similarity: float
    runner: float
    verdict: Verdict


class FuzzyFacts(TypedDict):
    """A fuzzy plan at each threshold that its handle can stand on. precision: expected, low and high, or nothing where
    it is not known. kept: pairs of rows, `joined` where each row joins one at most. above, below: positions in
    `pairs`."""

    thresholds: list[float]
    joined: list[int]
    used: list[int]
    kept: list[int]
    precision: list[list[float]]
    above: list[list[int]]
    below: list[list[int]]
    pairs: list[Pair]
    curve: list[Point]
    leftRows: int
    rightRows: int


class Choice(TypedDict):
    """What is chosen, and what there is."""

    value: str
    options: list[str]


class Choices(TypedDict):
    """What the analyst may choose of a fuzzy join."""

    tokeniser: Choice
    measure: Choice
    cardinality: Choice


class Advice(TypedDict, total=False):
    """What reaches the precision that was asked for. Without a field where none was asked for. before: the threshold
    that was advised before the last judgement, by which the advice moved: "Yes", "No" or "change of mind"."""

    threshold: float
    before: float
    by: str
    target: float
    reached: bool
    text: str
    precision: float


class Result(TypedDict):
    """A join that an editor asks for. unmatched: of the rows alone that meet none. name: its variable's, a free one
    where there is none; replaces: it may hold something."""

    do: Literal["join", "copy"]
    unmatched: NotRequired[bool]
    name: NotRequired[str]
    replaces: NotRequired[bool]


class FuzzyTraits(TypedDict):
    """`lv.explore(plan)` of a fuzzy join. names: left and right column. ahead: what a match must be
    beside its threshold, in words; nothing where that is enough. threshold: set by the script too. joins: whether the
    plan joins anything. judged: accepted, rejected. result: a free name."""

    names: list[str]
    ahead: str
    facts: FuzzyFacts
    threshold: float
    joins: bool
    how: How
    choices: Choices
    advice: Advice
    evidence: list[str]
    judged: list[int]
    result: str
    error: str
    look: str


class FuzzyAct(TypedDict):
    """pair: a position in `FuzzyFacts.pairs`; an empty verdict takes it back. precision: to aim for. transform: look
    for a program instead."""

    do: Literal["judge", "undo", "advise", "how", "compare", "keep", "preview", "name", "transform"]
    pair: NotRequired[int]
    verdict: NotRequired[Verdict]
    precision: NotRequired[float]
    how: NotRequired[How]
    tokeniser: NotRequired[str]
    measure: NotRequired[str]
    cardinality: NotRequired[str]


class Row(TypedDict):
    """What a program does to a row. before, after: pieces of text, each with the number of the step that took or made
    it, 0 for none. nearest: of an uncovered row, the key most like it and how much; keys, meets: of any other."""

    row: int
    before: list[tuple[str, int]]
    after: list[tuple[str, int]]
    made: str
    nearest: NotRequired[tuple[str, float] | None]
    keys: NotRequired[list[str]]
    meets: NotRequired[int]


class Rows(TypedDict):
    """The first rows of each kind."""

    uncovered: list[Row]
    ambiguous: list[Row]
    covered: list[Row]


class Counts(TypedDict):
    """How many rows of each kind there are."""

    uncovered: int
    ambiguous: int
    covered: int


class KeyCounts(TypedDict):
    """Rows of the side that has the keys, by how often they are met."""

    once: int
    several: int
    never: int


class PlanFacts(TypedDict):
    """A learned join. derived, keyed: names of the tables. reads: columns that the program reads. steps: of the first
    program; more: what else the plan does, a line each."""

    derived: str
    keyed: str
    reads: list[str]
    key: str
    steps: list[str]
    more: list[str]
    counts: Counts
    rows: Rows
    keys: KeyCounts


class Alternative(TypedDict):
    """A plan in the list of programs."""

    title: str
    rows: str
    note: str


class TransformTraits(TypedDict):
    """`lv.explore(plans)`. names: source, target. sentence: rows out, what they are made of, and rows out where only
    those without a match are kept. codes: by dialect. result: a free name."""

    names: list[str]
    alternatives: list[Alternative]
    chosen: int
    how: How
    facts: PlanFacts
    sentence: list[str]
    codes: list[tuple[Literal["pandas", "pyspark", "sql"], str]]
    result: str
    busy: str
    error: str
    look: str


class TransformAct(TypedDict):
    """plan: a position in `alternatives`. row: of the side that the program reads; key: what it should make."""

    do: Literal["choose", "how", "correct", "wrong", "preview", "name"]
    plan: NotRequired[int]
    how: NotRequired[How]
    row: NotRequired[int]
    key: NotRequired[str]


class Said(TypedDict, total=False):
    """What the kernel sends a script: code for a cell or to copy, details, first rows; of `hit` where it is of one.
    taken: a name that exists."""

    code: str
    then: Literal["join", "copy"]
    preview: FirstRows
    details: Details
    joined: Joined
    alike: list[HitRow]
    taken: str
    hit: str
