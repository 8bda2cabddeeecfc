"""What the manifest of an index says, and which manifests are one.

A pulled manifest was written by somebody else, and one of our own can be damaged: everything in it has its place, its
type and its bounds here before anybody uses it, and the files that it names are those that segments have.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lakeview import values
from lakeview.catalog.blocks import BLOCK
from lakeview.estimate.joint import SIGNATURE
from lakeview.sketch.minima import BUCKETS
from lakeview.store.profiles import KEEP
from lakeview.store.sealed import plain, seal, unseal
from lakeview.store.segment import BANDS, FILES
from lakeview.values import signatures

FORMAT = 6
MANIFEST = "manifest.json"
ANEW = "delete that folder and index again, or open the lake with another store="
LARGEST = 64 << 20  # bytes of a manifest; one of 20,000 files with a problem each has 4 MB
_ID = re.compile(r"[0-9a-f]{12}")
_DIGEST = re.compile(r"[0-9a-f]{16}")
_MOST = 1 << 62  # of any number


class Unfit(ValueError):
    """Not a manifest that serves here: what it is ("has format 4 …") and, unless it is damaged, the way out."""

    def __init__(self, what: str, way: str | None = None) -> None:
        super().__init__(what)
        self.way = way


@dataclass
class SegmentEntry:
    """What the manifest says of a segment: its folder, its files (name → [bytes, checksums of its blocks]) and its
    tombstones."""

    id: str
    files: dict[str, list[Any]]
    dead: list[int] = field(default_factory=list)  # numbers of tables that a later segment replaces


@dataclass
class Manifest:
    """The published state of the index."""

    parameters: dict[str, Any]
    generation: int = 0
    segments: list[SegmentEntry] = field(default_factory=list)
    problems: list[list[Any]] = field(default_factory=list)
    indexed_at: str | None = None

    @property
    def version(self) -> str:
        """Names what is searched: the same segments with the same tombstones, wherever they lie, have one version."""
        told = [self.indexed_at, *([entry.id, sorted(entry.dead)] for entry in self.segments)]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]

    def written(self) -> bytes:
        """As the store keeps it."""
        return seal(
            {
                "format": FORMAT,
                "parameters": self.parameters,
                "generation": self.generation,
                "indexed_at": self.indexed_at,
                "problems": self.problems,
                "segments": [vars(entry) for entry in self.segments],
            }
        )


def parameters(normalize: str) -> dict[str, Any]:
    """All that tokens, sketches and signatures depend on; an index made under others cannot be read under these."""
    return {
        "rule": values.RULE_VERSION,
        "hash": "xxh64 seed 42",
        "normalize": normalize,
        "minima": BUCKETS,  # of the scan, and so registers
        "sketch": SIGNATURE,  # minima that a sketch keeps
        "signatures": signatures.RULE_VERSION,
        "tokens": KEEP,  # distinct values up to which a column has no sketch
    }


def parse(raw: bytes, normalize: str) -> Manifest:
    """The manifest that `Manifest.written` made. Raises Unfit."""
    try:
        said = unseal(raw)
    except ValueError as error:
        other = _format(raw)
        if other is not None:
            raise _other_format(other) from None
        raise Unfit(f"is damaged ({error})") from None
    if said.get("format") != FORMAT:
        raise _other_format(said.get("format"))
    found, mine = said.get("parameters"), parameters(normalize)
    if not isinstance(found, dict):
        raise Unfit("is damaged (parameters)")
    if found.get("normalize") != normalize:
        made = found.get("normalize")
        way = f"open the lake with that, or with another store= for normalize={normalize!r}"
        raise Unfit(f"was made with normalize={made!r}", way)
    if found != mine:
        differing = sorted(k for k in {*mine, *found} if mine.get(k) != found.get(k))
        raise Unfit(f"was made with another {', '.join(differing)}", ANEW)
    if wrong := next((name for name, fits in _FIELDS.items() if not fits(said.get(name))), None):
        raise Unfit(f"is damaged ({wrong})")
    entries = [SegmentEntry(**entry) for entry in said["segments"]]
    if len({entry.id for entry in entries}) < len(entries):
        raise Unfit("is damaged (segments)")
    return Manifest(found, said["generation"], entries, said["problems"], said["indexed_at"])


def _format(raw: bytes) -> Any:
    """The format of a manifest that was sealed otherwise or not at all; None where it is ours, or damaged."""
    try:
        said = plain(raw)
    except ValueError:
        return None
    found = said.get("format") if isinstance(said, dict) and "checksum" not in said else None
    return found if found != FORMAT else None


def _other_format(found: Any) -> Unfit:
    return Unfit(f"has format {str(found)[:20]}, this lakeview reads {FORMAT}", ANEW)


def is_number(value: Any, most: int = _MOST) -> bool:
    """Whether JSON says a whole number from 0."""
    return type(value) is int and 0 <= value < most


def is_problem(value: Any) -> bool:
    """Whether JSON says what `model.Problem` does."""
    return (
        isinstance(value, list)
        and len(value) == 4
        and all(isinstance(text, str) for text in value[:3])
        and is_number(value[3])
    )


def _is_entry(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"id", "files", "dead"}
        and isinstance(value["id"], str)
        and _ID.fullmatch(value["id"]) is not None
        and isinstance(value["dead"], list)
        and all(is_number(number) for number in value["dead"])
        and isinstance(value["files"], dict)
        and value["files"].keys() in (FILES, FILES | BANDS)
        and all(map(_is_file, value["files"].values()))
    )


def _is_file(value: Any) -> bool:
    if not (isinstance(value, list) and len(value) == 2 and is_number(value[0]) and isinstance(value[1], list)):
        return False
    size, digests = value
    return len(digests) == max(1, -(-size // BLOCK)) and all(
        isinstance(digest, str) and _DIGEST.fullmatch(digest) for digest in digests
    )


_FIELDS: Mapping[str, Any] = {
    "generation": is_number,
    "indexed_at": lambda value: value is None or (isinstance(value, str) and len(value) < 100),
    "problems": lambda value: isinstance(value, list) and all(map(is_problem, value)),
    "segments": lambda value: isinstance(value, list) and all(map(_is_entry, value)),
}
