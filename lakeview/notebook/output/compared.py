"""A comparison of two columns whose tables are known, so that it can be joined from where it is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from lakeview.search.comparing import Comparison


@dataclass(frozen=True)
class Compared(Comparison):
    """plan: makes the left join of both tables by these columns; None where one of them has no table."""

    plan: Callable[[], Any] | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, found: Comparison, names: tuple[str, str], plan: Callable[[], Any] | None) -> Compared:
        """What was found, under the names that it was asked for by."""
        told = {each.name: getattr(found, each.name) for each in fields(Comparison)}
        return cls(**{**told, "names": names}, plan=plan)

    def join(self) -> Any:
        """The plan of the left join; as of a hit, for the buttons of a result."""
        assert self.plan is not None
        return self.plan()
