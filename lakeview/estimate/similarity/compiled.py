"""numba where it is there: without it the same code runs interpreted, slowly and with the same answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    import numba
except ImportError:  # a Spark worker may have numpy and pyarrow alone
    numba = None

COMPILED = numba is not None


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` to machine code that holds no GIL; the machine code is kept beside the source, if possible."""
    if numba is None:
        return function
    try:
        return numba.njit(cache=True, nogil=True)(function)  # type: ignore[no-any-return]
    except RuntimeError:  # imported from the archive that a cluster was sent: older numba finds no place for a cache
        return numba.njit(nogil=True)(function)  # type: ignore[no-any-return]
