"""What most of some texts begin and end with, up to where a word or a number ends."""

from __future__ import annotations

from collections.abc import Sequence

MOST = 0.8  # of the texts, those that a common beginning is of


def without_affixes(texts: Sequence[str]) -> list[str]:
    """The texts without the words and signs that most of them begin or end with."""
    begin = beginning(texts)
    texts = [text.removeprefix(begin) for text in texts]
    end = ending(texts)
    return [bare for text in texts if (bare := text.removesuffix(end))]


def beginning(texts: Sequence[str]) -> str:
    """The longest that MOST of the texts begin with."""
    ordered = sorted(texts)
    apart = int(MOST * len(ordered))
    shared = [_common(ordered[i], ordered[i + apart]) for i in range(len(ordered) - apart)]
    longest = max(shared, key=len, default="")
    after = {text[len(longest) : len(longest) + 1] for text in texts if text.startswith(longest)}
    while longest and any(_kind(longest[-1]) == _kind(c) for c in after if c and c.isalnum()):
        longest, after = longest[:-1], {longest[-1]}
    return longest


def ending(texts: Sequence[str]) -> str:
    """The longest that MOST of the texts end with."""
    return beginning([text[::-1] for text in texts])[::-1]


def _common(a: str, b: str) -> str:
    """What both begin with."""
    return a[: next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))]


def _kind(character: str) -> int:
    return 1 if character.isdigit() else 2 if character.isalpha() else 0
