"""`lv.explore(df)`: a frame's column, and the columns of the lake that join with it, to look through by mouse and keys.

The widget is one plain script (`explore_parts.js`, `explore.js`) that draws what the traits say. Searches and previews
run in a thread, and the newest question wins: what an older one was doing is stopped.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from typing import Any

from lakeview.errors import InputError, LakeviewError
from lakeview.join.fuzzy import FuzzyPlan
from lakeview.join.transform import Plans, TransformPlan
from lakeview.notebook import namespace, state, words
from lakeview.notebook.fuzzy_widget import explore_fuzzy
from lakeview.notebook.hit_detail import hit_examples
from lakeview.notebook.html import clip, number, plural
from lakeview.notebook.scripts import bundled
from lakeview.notebook.stoppable import Stoppable
from lakeview.notebook.transform_widget import explore_plans
from lakeview.pipeline import progress
from lakeview.variable import variable_name

MOST = 500  # hits that are listed
_PREVIEW = 10  # rows
_HOWS = ("left", "inner")


def explore(df: Any, column: Any = None, lake: Any = None) -> Any:
    """A widget over the lake's joins with a DataFrame, over the plans of `auto_join`, or over a fuzzy join's threshold.

    df: a pandas or Spark DataFrame; or such plans, or one of them; or the plan of `fuzzy_join`. column: the one to
    begin with (default: the first). lake: default, the one opened last. Raises InputError where `df` is neither or has
    no such column, NotFound where no lake is open.
    """
    if isinstance(df, Plans | TransformPlan):
        return explore_plans(df)
    if isinstance(df, FuzzyPlan):
        return explore_fuzzy(df)
    columns = namespace.frame_columns(df)
    if columns is None:
        raise InputError(f"explore a pandas or Spark DataFrame, not a {type(df).__name__}")
    if not columns:
        raise InputError("this DataFrame has no column to explore")
    if getattr(df.columns, "nlevels", 1) > 1:
        raise InputError("this DataFrame's columns have several levels: give them plain names first, for example "
                         'df.columns = ["_".join(map(str, labels)) for labels in df.columns]')  # fmt: skip
    if column is not None and column not in columns:
        raise InputError(f"the DataFrame has no column {column!r}")
    name = variable_name(df) or "df"
    lake = state.the_lake(_names()) if lake is None else lake
    return _widget_class()(df, name, columns, columns[0] if column is None else column, lake)


def _names() -> dict[str, Any]:
    from IPython import get_ipython

    ip = get_ipython()
    return dict(ip.user_ns) if ip is not None else {}


def hit_row(i: int, hit: Any, hits: Any) -> dict[str, Any]:
    """What the grid shows of one hit. Numbers to sort by stand beside the words to show."""
    effect = words.effect(hit)
    exact = words.is_exact(hit)
    about = "" if exact else "≈ "
    low, high = words.share(hit.containment_low), words.share(hit.containment_high)
    return {
        "rank": i,
        "table": clip(hit.table),
        "column": clip(hit.column),
        "kind": getattr(hit, "kind", "equi"),
        "note": plural(hit.rows, "row"),
        "containment": hit.containment,
        "low": hit.containment_low,
        "high": hit.containment_high,
        "exact": exact,
        "share": about + words.share(hit.containment),
        "interval": "exact" if exact else f"95 %: {low}–{high}",
        "spoken": words.containment_sentence(hit),
        "overlap": hit.overlap,
        "overlap_text": f"{about}{number(hit.overlap)} of {number(hits.query.distinct)}",
        "jaccard": hit.jaccard,
        "jaccard_text": about + words.share(hit.jaccard, 3),
        "rows_out": hit.counts.rows_out if hit.counts else -1,
        "rows_text": effect.rows,
        "effect": effect.note,
        "warn": effect.warn,
        "key": bool(hit.key_like),
        "reason": words.reason(hit).replace("`", ""),
        "accidental": bool(hit.accidental),
    }


def hit_details(hit: Any, hits: Any) -> dict[str, Any]:
    """The open row: values that match and that don't, and what each kind of join does."""
    matching, missing = hit_examples(hit)
    query, counts = hits.query, hit.counts

    def values(examples: list[tuple[object, int]]) -> list[list[str]]:
        return [[clip(value), plural(rows, "row")] for value, rows in examples]

    joins = {}
    for how in _HOWS:
        out = hit.join_counts(how)
        unmatched = out.left_rows - out.left_matched
        joins[how] = [
            ["Rows", f"{number(out.left_rows)} → {number(out.rows_out)}"],
            ["Most matches per row", number(out.max_fanout)],
            ["Rows without a match", f"{number(unmatched)} {'kept' if how == 'left' else 'dropped'}"],
        ]
    unfound = query.distinct - hit.overlap
    return {
        "matching": values(matching),
        "matching_title": f"Matching: {plural(hit.overlap, 'value')}, {plural(counts.left_matched, 'row')}",
        "missing": values(missing),
        "missing_title": f"Not in {clip(hit.column)}: {plural(unfound, 'value')}"
        if unfound
        else "Every value is found",
        "joins": joins,
    }


def answer_facts(hits: Any) -> dict[str, Any]:
    """The head of an answer, and why there is nothing where there is nothing."""
    closest = [
        [f"{clip(hit.table)}.{clip(hit.column)}", f"{number(hit.overlap)} of {number(hits.query.distinct)}"]
        for hit in list(hits.closest)[:5]
    ]
    why = [f"{plural(hits.columns, 'column')} in {plural(hits.tables, 'table')} compared, all exactly."]
    if not hits.query.distinct:
        why.append("The column has no values: all are null marks.")
    if hits.problems:
        why.append(f"{plural(hits.problems, 'problem')} met while reading the lake: some values may be missing.")
    return {"facts": words.query_facts(hits), "closest": closest, "why": why}


@cache
def _widget_class() -> Any:
    """The widget; made at the first use, because its base class is Jupyter's."""
    import anywidget
    import traitlets

    class Explore(anywidget.AnyWidget):
        """Traits the script draws; messages it sends are `{"do": ..., ...}`."""

        _esm = bundled("explore_parts.js", "explore.js")
        _css = bundled("style.css", "controls.css", "explore.css")

        frame = traitlets.Unicode().tag(sync=True)
        columns = traitlets.List(traitlets.Unicode()).tag(sync=True)
        column = traitlets.Int().tag(sync=True)  # position in `columns`
        busy = traitlets.Unicode().tag(sync=True)  # what runs, in words; empty: nothing
        error = traitlets.Unicode().tag(sync=True)
        answer = traitlets.Dict().tag(sync=True)
        hits: Any = traitlets.List().tag(sync=True)

        def __init__(self, df: Any, name: str, labels: list[Any], label: Any, lake: Any) -> None:
            super().__init__(frame=name, columns=[clip(each) for each in labels], column=labels.index(label))
            self._df, self._labels, self._lake = df, labels, lake
            self._working: Stoppable | None = None
            self._lock = threading.Lock()
            self._found: Any = None
            self.on_msg(self._received)
            self.observe(lambda change: self.search(), "column")
            self.search()

        def search(self) -> None:
            """Ask for the joins of the chosen column, in a thread."""
            label = self._labels[self.column]
            self._run(f"looking for joins of {clip(label)}", lambda: self._search(label), self._show)

        def _search(self, label: Any) -> Any:
            hits = self._lake.search(self._df, label, k=MOST, rank="join")
            hits.query.name = f"{self.frame}.{label}"
            return hits, [hit_row(i, hit, hits) for i, hit in enumerate(hits)], answer_facts(hits)

        def _show(self, found: Any) -> None:
            self._found, rows, answer = found
            with self.hold_sync():
                self.hits, self.answer = rows, answer

        def _run(self, busy: str, work: Callable[[], Any], show: Callable[[Any], None]) -> None:
            """Begin to work; what is still at work for an older question is stopped."""

            def then(found: Any, error: Exception | None) -> None:
                with self._lock:
                    if self._working is not mine:
                        return  # a newer question was asked
                    if error is None:
                        show(found)
                    elif isinstance(error, LakeviewError):
                        self.error = str(error)
                    else:  # a traceback would go where nobody looks
                        self.error = f"{type(error).__name__}: {error}"
                    self.busy = ""

            mine = Stoppable(f"lakeview: {busy}", lambda: self._at_work(busy, work), then)
            with self._lock:
                before, self._working = self._working, mine
            if before is not None:
                before.stop()
            self.busy, self.error = busy, ""
            mine.start()

        def _at_work(self, busy: str, work: Callable[[], Any]) -> Any:
            """A Spark frame's work is a job of its own, so that it stops there too."""
            if not type(self._df).__module__.startswith("pyspark"):
                return work()
            return progress.Job(self._df.sparkSession, work, busy).wait()

        def _stop(self) -> None:
            with self._lock:
                before, self._working = self._working, None
            if before is not None:
                before.stop()
            self.busy = ""

        def _received(self, _: Any, content: dict[str, Any], buffers: Any) -> None:
            do, i = content.get("do"), content.get("hit", 0)
            if do == "cancel":
                self._stop()
                return
            if do == "search":
                self.search()
                return
            if self._found is None or not 0 <= i < len(self._found):
                return
            hit, how = self._found[i], content.get("how", "left")
            if do == "details":
                self.send({"details": hit_details(hit, self._found), "hit": i})
            elif do == "preview":
                self._run("previewing", lambda: self._preview(hit, how), lambda rows: self.send({"hit": i, **rows}))
            elif do in ("join", "copy"):
                self._run("writing the code", lambda: self._code(hit, how), lambda code: self._hand(do, i, code))

        def _preview(self, hit: Any, how: str) -> dict[str, Any]:
            frame = self._plan(hit, how).preview(_PREVIEW)
            rows = frame.astype(object).where(frame.notna(), "").to_numpy().tolist()
            return {
                "preview": {
                    "columns": [clip(c) for c in frame.columns],
                    "numbers": [dtype.kind in "iuf" for dtype in frame.dtypes],
                    "rows": [[clip(v, 80) for v in r] for r in rows],
                }
            }

        def _plan(self, hit: Any, how: str) -> Any:
            plan = hit.join(how=how)
            plan.left.name = self.frame  # the search ran in a thread, where no variable holds the frame
            return plan

        def _code(self, hit: Any, how: str) -> str:
            plan = self._plan(hit, how)
            return plan.code("pyspark" if plan.left.kind == "spark" else "pandas")

        def _hand(self, do: str, i: int, code: str) -> None:
            self.send({"code": code, "then": do, "hit": i})

    return Explore
