"""What is asked of arguments, where these are of classes that do as they like."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lakeview.guards import checks


class NoHash(str):
    def __hash__(self) -> int:
        raise OverflowError("no number")


class NoEqual(str):
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError("no equal")


@pytest.mark.parametrize("value", [NoHash("id"), NoEqual("id"), ["id"], np.array(["id"]), np.array(["id", "n"])])
@pytest.mark.parametrize("labels", [["id", "n"], {"id": 1, "n": 2}, {"id"}], ids=["list", "dict", "set"])
def test_what_cannot_be_compared_is_no_label(value: Any, labels: Any) -> None:
    assert checks.label(value, labels) is False
    assert checks.label("id", labels) is True
