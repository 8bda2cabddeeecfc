"""What a cell keeps of a join's result: not all columns of the right side, or the left rows alone that meet none."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from lakeview.join.model import Join
from lakeview.join.naming import literal


def telling(join: Join) -> Hashable | None:
    """The column of a left join's result that is empty exactly where a row met none: how alike both keys are, a key of
    the right table that has a column of its own, or how many of its keys the row meets; None where there is none."""
    alike: Hashable = getattr(join, "similarity_column", None)  # which a fuzzy join adds
    if alike is not None:
        return alike
    if join.made:
        return next((made.name for made in join.made if made.column in join.right_on and made.how == "count"), None)
    columns = dict(join.columns.right)
    return next((columns[key] for key in join.right_on if key in columns), None)


def result_columns(join: Join) -> list[Hashable]:
    """All columns of a join's result."""
    alike = getattr(join, "similarity_column", None)
    return [*join.columns.names, *([] if alike is None else [alike])]


@dataclass(frozen=True, eq=False)
class Kept:
    """A join, and what is left of its result. dropped: columns of it that are left out."""

    join: Join
    dropped: tuple[Hashable, ...] = ()
    unmatched: bool = False

    @property
    def columns(self) -> list[Hashable]:
        """Those that stay."""
        return [name for name in result_columns(self.join) if name not in self.dropped]

    @property
    def said(self) -> str:
        """What is left out, ", …" in words."""
        if self.unmatched:
            return ", only unmatched rows"
        return f", without {', '.join(map(str, self.dropped))}" if self.dropped else ""

    def of(self, frame: Any) -> Any:
        """What is kept of the result in pandas."""
        rows = frame[frame[telling(self.join)].isna()] if self.unmatched else frame
        return rows.drop(columns=list(self.dropped)) if self.dropped else rows

    def line(self, variable: str, spark: bool = False) -> str:
        """The line of code that keeps it of the result in a variable; "" where that is all of it."""
        gone = list(self.dropped)
        if self.unmatched:
            rows = f"{variable}[{variable}[{literal(telling(self.join))}].isna()]"
            return f"{variable} = {rows}.drop(columns={literal(gone)})\n"
        if not gone:
            return ""
        listed = ", ".join(map(literal, gone)) if spark else f"columns={literal(gone)}"
        return f"{variable} = {variable}.drop({listed})\n"
