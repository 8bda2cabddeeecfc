"""Every left value with its best match and the runner-up, the doubtful first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lakeview.join.fuzzy.every_pair import EveryPair
from lakeview.join.fuzzy.joined import partners
from lakeview.join.fuzzy.model import FuzzyJoin

if TYPE_CHECKING:
    import pandas as pd


def candidates(join: FuzzyJoin) -> pd.DataFrame:
    """See FuzzyPlan.candidates."""
    import pandas as pd

    left, right, best = join.matched.left, join.matched.right, join.matched.best
    known = np.flatnonzero(best.right >= 0)
    order = known[np.argsort(np.abs(best.similarity[known] - join.configuration.threshold), kind="stable")]
    second = pd.array(best.second[order], dtype="Int64")
    if join.cardinality == "N:M":
        joined = EveryPair(join.matched, join.judgements, join.joins).has(np.arange(len(left.text)), best.right)
    else:
        joined = partners(join.matched, join.judgements, join.joins)[0] == best.right
    names = right.text.to_pandas()
    runner = names.reindex(second.astype(int)).where(lambda s: s.index >= 0)
    return pd.DataFrame({
        "left_value": left.text.to_pandas().to_numpy()[order],
        "right_value": names.to_numpy()[best.right[order]],
        "similarity": best.similarity[order],
        "runner_up": runner.to_numpy(),
        "runner_up_similarity": best.second_similarity[order],
        "joined": joined[order],
    })  # fmt: skip
