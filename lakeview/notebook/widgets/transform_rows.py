"""What a transform plan does to each row, for its widget: before, after, the key that it meets; the doubtful first."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Literal

from lakeview.join.transform.columns import Columns
from lakeview.join.transform.fuzzy_rest import Similar, jaccard, qgrams
from lakeview.join.transform.operators import Piece
from lakeview.join.transform.program import describe
from lakeview.join.transform.spelling import Spelling
from lakeview.notebook.output.html import clip
from lakeview.notebook.widgets import traits

MOST = 200  # rows listed of each kind
KEYS = 4_000  # keys among which the nearest is looked for
Kind = Literal["uncovered", "ambiguous", "covered"]
Marks = list[tuple[str, int]]  # a text, and the number of the step that took or made it; 0 for none


@dataclass
class Rows:
    """The rows of one plan, looked at here: canonical texts, the keys made and there, which rows of keys meet.
    What is shown is spelled as the rows are."""

    plan: Any

    @cached_property
    def derived(self) -> Columns:
        return Columns.of(self.plan.derived, self.plan.normalize, self.plan.reads)

    @cached_property
    def keyed(self) -> Columns:
        return Columns.of(self.plan.keyed, self.plan.normalize)

    @cached_property
    def made(self) -> list[str | None]:
        return self.plan.join.both_keys[0].whole.to_pylist()

    @cached_property
    def there(self) -> list[str | None]:
        return self.plan.join.both_keys[1].whole.to_pylist()

    @cached_property
    def labels(self) -> list[str | None]:
        """The key of each keyed row as it is read, without what tells namesakes apart."""
        return self.plan.key_program.apply(self.keyed)

    @cached_property
    def outputs(self) -> list[list[str | None]]:
        return [program.apply(self.derived) for program in self.plan.programs]

    @cached_property
    def written(self) -> Spelling:
        return Spelling(self.plan.derived, self.derived)

    @cached_property
    def written_keys(self) -> Spelling:
        return Spelling(self.plan.keyed, self.keyed)

    @cached_property
    def fan(self) -> Counter[str]:
        return Counter(key for key in self.there if key is not None)

    @cached_property
    def kinds(self) -> dict[Kind, list[int]]:
        """Rows by whether they meet no key, several or one."""
        found: dict[Kind, list[int]] = {"uncovered": [], "ambiguous": [], "covered": []}
        for row, key in enumerate(self.made):
            meets = self.fan[key] if key is not None else 0
            found["covered" if meets == 1 else "ambiguous" if meets else "uncovered"].append(row)
        return found

    @cached_property
    def keys_met(self) -> tuple[int, int, int]:
        """Rows of the keyed side: met once, met several times, not met."""
        times = Counter(key for key in self.made if key is not None)
        met = [times[key] if key is not None else 0 for key in self.there]
        return sum(n == 1 for n in met), sum(n > 1 for n in met), sum(n == 0 for n in met)

    def listed(self) -> traits.Rows:
        """Up to MOST rows of each kind; of covered rows the longest outputs first."""
        covered = sorted(self.kinds["covered"], key=lambda row: -len(self.made[row] or ""))
        return {
            "uncovered": [self.row(row, "uncovered") for row in self.kinds["uncovered"][:MOST]],
            "ambiguous": [self.row(row, "ambiguous") for row in self.kinds["ambiguous"][:MOST]],
            "covered": [self.row(row, "covered") for row in covered[:MOST]],
        }

    def row(self, row: int, kind: Kind) -> traits.Row:
        before, after = self.marks(row)
        key = self.made[row]
        shown: traits.Row = {
            "row": row,
            "before": before,
            "after": after,
            "made": "".join(text for text, _ in after),
        }
        if kind == "uncovered":
            shown["nearest"] = self.nearest(self._read(row))
        else:
            shown["keys"] = [clip(self._told(at)) for at in self._places[key or ""][:4]]
            shown["meets"] = self.fan[key or ""]
        return shown

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = defaultdict(list)
        for at, key in enumerate(self.there):
            if key is not None:
                places[key].append(at)
        return places

    def _told(self, at: int) -> str:
        """A keyed row: its key, and where several rows have the key what else is in the row."""
        said = [self.written_keys.key(self.plan.key_program, at)]
        if self.fan[self.there[at] or ""] > 1:
            more = (c.place for c in self.keyed.columns if c.values[at] and c.values[at] != self.labels[at])
            said += [self.written_keys.cell(place, at).written for place in islice(more, 2)]
        return " · ".join(said)

    def marks(self, row: int) -> tuple[Marks, Marks]:
        """The cells that are read and the output as they are written, cut into pieces with the step that takes or
        makes each."""
        number = next((n for n, texts in enumerate(self.outputs) if texts[row] is not None), None)
        cells = {place: self.written.cell(place, row).written for place in self.plan.reads}
        if number is None:
            return [(" · ".join(map(clip, cells.values())), 0)], []
        after: Marks = []
        spans: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        program = self.plan.programs[number]
        made = zip(program.operators, self.written.made(program, row), strict=True)
        for step, (op, (text, span)) in enumerate(made, start=1):
            after.append((text, step if number == 0 else 0))
            if isinstance(op, Piece) and span and number == 0:
                spans[op.column].append((*span, step))
        before: Marks = []
        for place, cell in cells.items():
            if before:
                before.append((" · ", 0))
            at = 0
            for start, stop, step in sorted(spans[place]):
                before += [(cell[at:start], 0)] * (start > at) + [(cell[max(at, start) : stop], step)]
                at = stop
            before += [(cell[at:], 0)] * (at < len(cell) or not cell)
        return before, after

    def _read(self, row: int) -> str:
        """The canonical text that the nearest key is looked for by: the output, or what is read where there is none."""
        made = next((text for texts in self.outputs if (text := texts[row]) is not None), "")
        return made or " ".join(self.derived.columns[place].values[row] or "" for place in self.plan.reads)

    def nearest(self, text: str) -> tuple[str, float] | None:
        """The key most like a canonical text, as it is written, and how much (Jaccard of 3-grams), or None."""
        found = self._nearest(text) if text else []
        if not found:
            return None
        alike, place = found[0]
        return self.written_keys.key(self.plan.key_program, self._keys[self._texts[place]]), round(alike, 2)

    @cached_property
    def _keys(self) -> dict[str, int]:
        """Keys that no row meets, each with its first row."""
        met = {key for key in self.made if key is not None}
        found: dict[str, int] = {}
        for row, (label, key) in enumerate(zip(self.labels, self.there, strict=True)):
            if label and key not in met and len(found) < KEYS:
                found.setdefault(label, row)
        return found

    @cached_property
    def _texts(self) -> list[str]:
        return list(self._keys)

    @cached_property
    def _nearest(self) -> Any:
        return Similar(qgrams(3), jaccard, [*self._texts, ""]).index(self._texts)


def steps(plan: Any) -> list[str]:
    """The steps of the first program in words."""
    program = plan.programs[0]
    return [describe(op, program.columns) for op in program.operators]


def plan_facts(rows: Rows) -> traits.PlanFacts:
    """All that the widget shows of one plan."""
    plan = rows.plan
    once, often, never = rows.keys_met
    return {
        "derived": plan.derived.name,
        "keyed": plan.keyed.name,
        "reads": [str(plan.derived.columns[place]) for place in plan.programs[0].reads],
        "key": str(plan.key_program),
        "steps": steps(plan),
        "more": plan.program.split("\n")[1:],
        "counts": {
            "uncovered": len(rows.kinds["uncovered"]),
            "ambiguous": len(rows.kinds["ambiguous"]),
            "covered": len(rows.kinds["covered"]),
        },
        "rows": rows.listed(),
        "keys": {"once": once, "several": often, "never": never},
    }
