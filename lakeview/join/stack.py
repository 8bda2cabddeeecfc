"""Tables stacked under a frame: her rows, then theirs, in her columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from lakeview.guards import checks
from lakeview.join.side import Side
from lakeview.join.stacked import Piece, Stack, as_text

if TYPE_CHECKING:
    import pandas as pd

DIALECTS = ("pandas", "pyspark", "sql")


class StackPlan(Stack):
    """A frame, and the rows of a table or of a family of tables under it; nothing is read before it is asked for.

    The result has her columns alone, under her names: what a table lacks is empty there, what it has beside them is
    left out. `score`, 0 to 1, is how far the tables list the same kind of thing.
    """

    def preview(self, n: int = 20) -> pd.DataFrame:
        """The first `n` rows that would be added, in her columns."""
        return self._added(checks.whole("n", n))

    def to_pandas(self) -> pd.DataFrame:
        """Her rows, then theirs."""
        import pandas as pd

        left = self.left.to_pandas()
        return pd.concat([left, *(_taken(piece, self.left) for piece in self.pieces)], ignore_index=True)

    def _added(self, most: int) -> pd.DataFrame:
        import pandas as pd

        parts: list[pd.DataFrame] = []
        for piece in self.pieces:
            if not parts or sum(map(len, parts)) < most:
                parts.append(_taken(piece, self.left))
        return pd.concat(parts, ignore_index=True).head(most)

    def to_spark(self, spark: Any = None) -> Any:
        """The same as a Spark DataFrame, of `spark` or else of the session that runs; one is started if none does."""
        from lakeview.join.spark import stack

        checks.session("spark", spark)
        return stack.to_spark(self, spark)

    def code(self, dialect: Literal["pandas", "pyspark", "sql"] = "pandas") -> str:
        """The stacking as plain code that needs no lakeview: "pandas", "pyspark" or "sql" (Spark's)."""
        from lakeview.join.export import stack_code

        return stack_code.write(self, checks.choice("dialect", dialect, *DIALECTS))

    def __repr__(self) -> str:
        return f"StackPlan({self.what} under {self.left.name}: {self.reason})"


def _taken(piece: Piece, left: Side) -> pd.DataFrame:
    """The rows of a table in her columns, under her names."""
    frame = piece.side.to_pandas(as_text(piece, left))
    names = {name: label for label, name in piece.columns.items()}
    return frame[list(names)].rename(columns=names).reindex(columns=left.columns)
