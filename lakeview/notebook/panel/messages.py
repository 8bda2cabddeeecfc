"""What the side panel and the kernel say to each other: the only definition; TypeScript's is generated from it.

The panel sends a `Request`; the kernel answers with a `Reply` of the same `id`. What nobody asked for, the progress of
a job, comes as a `Push`, which has no id. After a change here run
`python -m lakeview.notebook.typescript labextension/src`.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

TARGET = "lakeview"  # the comm target
PROTOCOL = 1  # raised with every change that an older front end would not understand


class FrameColumn(TypedDict):
    """A column of a DataFrame. code: what `%lakeview search` takes for it, `df.dest` or `df["a b"]`; null where it
    takes none (a label that is a tuple)."""

    name: str
    type: str
    code: str | None


class Frame(TypedDict):
    """A DataFrame among the kernel's variables; `note` says why its columns are not listed. rows: null of a Spark
    frame, which would have to count. code: the variable. stamp: another one where the variable holds another frame."""

    name: str
    code: str
    stamp: str
    library: Literal["pandas", "Spark"]
    rows: int | None
    columns: list[FrameColumn]
    note: str | None


class Frames(TypedDict):
    """All of them, the oldest variable first."""

    frames: list[Frame]


class Joined(TypedDict):
    """The likeliest join of a frame's column. to: table and column in short; name: in full."""

    to: str
    name: str
    confidence: str


class Joins(TypedDict):
    """The likeliest join of each column, in the order of `Frame.columns`, null where it has none but by chance; no
    columns where the frame was not looked at."""

    frame: str
    columns: list[Joined | None]


class LakeColumn(TypedDict):
    """A column of the lake, over all rows of its table; `%lakeview search` takes `table.column`."""

    name: str
    type: str
    distinct: int
    nulls: int
    key: bool


class LakeTable(TypedDict):
    """A table of the lake; rows as they were when it was indexed."""

    name: str
    format: str
    rows: int
    columns: list[LakeColumn]


class Lake(TypedDict):
    """The lake that `%lakeview` means. indexed_at: ISO 8601, null where it is not indexed yet. path: its folder, as
    `Place` has it; null where it is no folder."""

    name: str
    path: str | None
    indexed_at: str | None
    tables: list[LakeTable]


class Shapes(TypedDict):
    """How often the values of each column of a table occur: heights of a few bars, 1 to 100, the most frequent values
    first. Empty where only a sketch is kept. In the order of `LakeTable.columns`."""

    table: str
    bars: list[list[int]]


class Path(TypedDict):
    """Where something lies, as code in the kernel names it."""

    path: str


class Cost(TypedDict):
    """What indexing the open lake will take: the files that are new or changed, their bytes, and about how many
    seconds; spark: of which Spark takes so many to start, null where it is done in the kernel's process."""

    files: int
    bytes: int
    seconds: float
    spark: float | None


class Code(TypedDict):
    """Plain code for a cell."""

    code: str


class Preview(TypedDict):
    """The first rows of a join, as `application/vnd.lakeview.v1+json` holds a table."""

    table: Any


class LakeAnswer(TypedDict):
    """null where no lake is open."""

    lake: Lake | None


class Place(TypedDict):
    """A folder that was opened as a lake before. path: as `%lakeview open` takes it here; tables, indexed_at: as they
    were when it was last open."""

    name: str
    path: str
    tables: int
    indexed_at: str | None


class Places(TypedDict):
    """The last ones that are still there, the newest first."""

    recent: list[Place]


class Folder(TypedDict):
    """A folder that completes what was typed. files: that could be tables, at most a few hundred; more: there are more
    than that."""

    path: str
    files: int
    more: bool


class Folders(TypedDict):
    """there: what was typed can be opened. near: what may have been meant, null where nothing comes near."""

    there: bool
    near: str | None
    folders: list[Folder]


Gravity = Literal["error", "warning", "note"]


class Problem(TypedDict):
    """A file that could not be read as it stands. error: it is left out; warning: some of it is; note: it was read all
    the same."""

    table: str
    says: str
    gravity: Gravity


class Problems(TypedDict):
    """The worst first, at most the first few hundred; `total` counts all."""

    problems: list[Problem]
    total: int


class Job(TypedDict):
    """A piece of long work; message: what it does, and how far; how: what else there is to say of that. total 0: how
    much there is to do is not known yet. seconds: since it began, or in all; left: about how many more, null where
    nothing can be told; ago: since it ended, null while it runs."""

    id: int
    title: str
    state: Literal["running", "done", "cancelled", "failed"]
    done: int
    total: int
    message: str
    how: str
    seconds: float
    left: float | None
    ago: float | None


class Spark(TypedDict):
    """java: null until somebody has looked. detail: where it runs. own: lakeview started it, and may stop it."""

    state: Literal["asleep", "starting", "running", "lost"]
    detail: str
    own: bool
    java: bool | None


class Status(TypedDict):
    """Cheap to make; `lake` and `frames` change when what the panel shows of them is old. magics: whether `%lakeview`
    is there already."""

    version: str
    protocol: int
    spark: Spark
    jobs: list[Job]
    lake: str
    magics: bool


class Failure(TypedDict):
    """Why a request has no answer. kind: the name of the exception."""

    kind: str
    message: str


Kind = Literal[
    "status", "frames", "joins", "lake", "shapes", "problems", "places", "folders", "cost", "read", "path", "cancel",
    "java", "stop", "join", "preview"
]  # fmt: skip


class Request(TypedDict):
    """kind: status, frames, lake, problems, places, cost; joins of the frame `table`; shapes of the columns of `table`,
    code that reads it, its path; folders that begin with `path`;
    cancel stops the job of number `job`; java looks for it again; stop stops the session that lakeview started.
    refresh: read the index on disk again. join: code for hit number `hit` of the result `hits` on display; preview:
    its first rows."""

    id: int
    kind: Kind
    job: int | None
    refresh: bool
    table: str | None
    path: str | None
    hits: str | None
    hit: int | None


class Reply(TypedDict):
    """Exactly one of `result` and `error` is not null."""

    id: int
    result: Any
    error: Failure | None


class Push(TypedDict):
    """The kernel's state, sent when it changes; at most four times a second while a job runs."""

    push: Status


# request -> its result
RESULTS: dict[str, type] = {
    "status": Status,
    "frames": Frames,
    "joins": Joins,
    "lake": LakeAnswer,
    "shapes": Shapes,
    "problems": Problems,
    "places": Places,
    "folders": Folders,
    "cost": Cost,
    "read": Code,
    "path": Path,
    "cancel": Status,
    "java": Status,
    "stop": Status,
    "join": Code,
    "preview": Preview,
}
