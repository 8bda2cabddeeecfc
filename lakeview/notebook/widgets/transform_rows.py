"""What a transform plan does to each row, for its widget: before, after, the key that it meets; the doubtful first."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from lakeview.join.transform.columns import Columns
from lakeview.join.transform.fuzzy_rest import Similar, jaccard, qgrams
from lakeview.join.transform.operators import Piece
from lakeview.join.transform.program import describe
from lakeview.notebook.output.html import clip
from lakeview.notebook.widgets import traits

MOST = 200  # rows listed of each kind
KEYS = 4_000  # keys among which the nearest is looked for
Kind = Literal["uncovered", "ambiguous", "covered"]
Marks = list[tuple[str, int]]  # a text, and the number of the step that took or made it; 0 for none


@dataclass
class Rows:
    """The rows of one plan, looked at here: canonical texts, the keys made and there, which rows of keys meet."""

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
            shown["nearest"] = self.nearest(shown["made"] or " ".join(text for text, _ in before))
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
        label = self.labels[at] or ""
        if self.fan[self.there[at] or ""] < 2:
            return label
        return " · ".join([label, *(v for c in self.keyed.columns if (v := c.values[at]) and v != label)][:3])

    def marks(self, row: int) -> tuple[Marks, Marks]:
        """The cells that are read and the output, cut into pieces with the step that takes or makes each."""
        number = next((n for n, texts in enumerate(self.outputs) if texts[row] is not None), None)
        cells = {c: self.derived.columns[c].values[row] or "" for c in self.plan.reads}
        if number is None:
            return [(" · ".join(clip(text) for text in cells.values()), 0)], []
        after: Marks = []
        spans: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for step, op in enumerate(self.plan.programs[number].operators, start=1):
            text = op([self.derived.columns[c].values[row] if c in cells else None
                       for c in range(len(self.derived.columns))]) or ""  # fmt: skip
            after.append((text, step if number == 0 else 0))
            if isinstance(op, Piece) and number == 0:
                start = _free(cells[op.column], text, spans[op.column])
                if start >= 0:
                    spans[op.column].append((start, start + len(text), step))
        before: Marks = []
        for place, cell in cells.items():
            if before:
                before.append((" · ", 0))
            at = 0
            for start, stop, step in sorted(spans[place]):
                before += [(cell[at:start], 0)] * (start > at) + [(cell[start:stop], step)]
                at = stop
            before += [(cell[at:], 0)] * (at < len(cell) or not cell)
        return before, after

    def nearest(self, text: str) -> tuple[str, float] | None:
        """The key most like a text and how much (Jaccard of 3-grams), or None."""
        found = self._nearest(text) if text else []
        return (self._keys[found[0][1]], round(found[0][0], 2)) if found else None

    @cached_property
    def _keys(self) -> list[str]:
        met = {key for key in self.made if key is not None}
        free = [label for label, key in zip(self.labels, self.there, strict=True) if label and key not in met]
        return list(dict.fromkeys(free))[:KEYS]

    @cached_property
    def _nearest(self) -> Any:
        return Similar(qgrams(3), jaccard, [*self._keys, ""]).index(self._keys)


def _free(cell: str, text: str, taken: list[tuple[int, int, int]]) -> int:
    """Where `text` stands in a cell and no other step took it, or -1."""
    start = cell.find(text) if text else -1
    while start >= 0 and any(start < stop and first < start + len(text) for first, stop, _ in taken):
        start = cell.find(text, start + 1)
    return start


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
