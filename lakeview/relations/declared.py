"""Foreign keys that a database declares: they are known, whatever the values say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

Key = tuple[str, tuple[str, ...], str, tuple[str, ...]]  # table, columns, the table referred to, its columns


def known(found: pd.DataFrame, declared: Sequence[Key]) -> pd.DataFrame:
    """The keys that were found, with those declared in front, sure (score 1) and whole: a database lets nothing else
    in. A column that a declared key uses refers to nothing else of the same table."""
    import pandas as pd

    def plain(names: tuple[str, ...]) -> str | tuple[str, ...]:
        return names if len(names) > 1 else names[0]

    rows = [(table, plain(on), other, plain(its), 1.0, 1.0) for table, on, other, its in declared]
    used = {(row[0], row[1]) for row in rows}
    others = [row for row in found.itertuples(index=False, name=None) if (row[0], row[1]) not in used]
    return pd.DataFrame(rows + others, columns=found.columns)
