"""JSON that carries its own checksum: what the store says of itself, where one bit changes answers or leads elsewhere.

The checksum is the first member and covers every byte after it; those before it have but one form. It tells damage, not
intent: who writes a file can seal it.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

_START, _DIGITS = '{\n "checksum": "', 32


def seal(content: dict[str, Any]) -> bytes:
    """As a file holds it."""
    rest = f'",{json.dumps(content, indent=1)[1:]}'.encode()
    return _START.encode() + _checksum(rest) + rest


def unseal(raw: bytes) -> dict[str, Any]:
    """What was sealed. Raises ValueError where a byte is another than was written."""
    start, digits, rest = raw[: len(_START)], raw[len(_START) :][:_DIGITS], raw[len(_START) + _DIGITS :]
    if start != _START.encode() or digits != _checksum(rest):
        raise ValueError("its checksum does not fit")
    return dict(plain(raw))


def plain(raw: bytes) -> Any:
    """JSON whose seal nobody asks for. Raises ValueError where it is none, or is nested too deeply to be read."""
    try:
        return json.loads(raw)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _checksum(raw: bytes) -> bytes:
    return hashlib.sha256(raw).hexdigest()[:_DIGITS].encode()
