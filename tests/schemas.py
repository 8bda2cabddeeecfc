"""Schemas of small tables, with all their inclusions, for the tests of foreign keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from lakeview.evidence.schema import Inclusions, KeyColumn, Schema
from lakeview.relations.composite_keys import NULL, composite_keys
from lakeview.relations.foreign_keys import DEFAULT_CUT, ForeignKey, foreign_keys
from lakeview.relations.name_pairs import NamePairs


class Tables:
    """Columns of integers or texts as the question of foreign keys sees them."""

    def __init__(self, tables: dict[str, dict[str, list]], least: float = 0.95):
        self.values = [values for columns in tables.values() for values in columns.values()]
        self.sets = [{v for v in values if v is not None} for values in self.values]
        shares = [
            (i, j, len(a & b) / len(a)) for i, a in enumerate(self.sets) for j, b in enumerate(self.sets) if i != j
        ]
        held = list(zip(*[entry for entry in shares if entry[2] >= least], strict=True)) or [(), (), ()]
        columns = []
        for (table, name), values, known in zip(
            [(table, name) for table, columns in tables.items() for name in columns],
            self.values,
            self.sets,
            strict=True,
        ):
            kinds = {type(v).__name__ for v in known}
            kind = {"int": "integer", "str": "text"}.get(kinds.pop() if len(kinds) == 1 else "", "number")
            columns.append(KeyColumn(table, name, len(values), values.count(None), len(known), kind))
        self.schema = Schema(
            columns, Inclusions(np.array(held[0], int), np.array(held[1], int), np.array(held[2], float))
        )

    def chance(self, sources: np.ndarray, targets: np.ndarray) -> np.ndarray:
        return np.array([self._chance(*pair) for pair in zip(sources.tolist(), targets.tolist(), strict=True)])

    def _chance(self, i: int, j: int) -> float:
        if self.schema.columns[i].kind != "integer":
            return 0.0
        between = range(min(self.sets[i]), max(self.sets[i]) + 1)
        return len(self.sets[j].intersection(between)) / len(between)

    def single(self, cut: float = DEFAULT_CUT, forests: bool = True) -> list[ForeignKey]:
        return foreign_keys(self.schema, NamePairs(self.schema.names), self.chance, lambda i, j: forests, cut)

    def several(self) -> list[ForeignKey]:
        return composite_keys(self.schema, NamePairs(self.schema.names), self.rows, self.single(), repeats=self.repeats)

    def rows(self, numbers: Sequence[int]) -> list[np.ndarray]:
        return [
            np.array([NULL if v is None else hash(v) & (2**63 - 1) for v in self.values[n]], np.uint64) for n in numbers
        ]

    def repeats(self, numbers: np.ndarray) -> np.ndarray:
        counts = (Counter(v for v in self.values[n] if v is not None) for n in numbers.tolist())
        return np.array([max(count.values(), default=0) for count in counts])

    def named(self, keys: Iterable[ForeignKey]) -> set[tuple[str, str]]:
        columns = self.schema.columns

        def name(numbers: tuple[int, ...]) -> str:
            return ", ".join(f"{columns[n].table}.{columns[n].name}" for n in numbers)

        return {(name(key.columns), name(key.references)) for key in keys}
