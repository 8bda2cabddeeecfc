"""All operators that make some part of every output of an example set (the inner loop of Algorithm 4).

Operators with the same results on the examples are kept together, the simplest first: which of them generalises is
not for the examples to say but for the whole tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from lakeview.join.transform.columns import Row
from lakeview.join.transform.dates import has_day, read, readings, writings
from lakeview.join.transform.operators import Operator, Piece, Split
from lakeview.join.transform.shapes import date_shape, shape
from lakeview.values.months import MONTH_NUMBERS

MAX_CELL = 300  # characters of a cell that programs are looked for in
MAX_SEPARATORS = 8
VARIANTS = 6  # operators kept for one result

Texts = tuple[str, ...]
_SEPARATOR = re.compile(r"[\W_]+")


@lru_cache(maxsize=20_000)
def separators(text: str) -> tuple[str, ...]:
    """What the text can be split by: its runs of characters that are no letters or digits, and the characters in
    them, blanks last."""
    found: dict[str, None] = {}
    for run in _SEPARATOR.findall(text):
        found.setdefault(run)
        if len(run) > 1:
            for character in run:
                found.setdefault(character)
            found.setdefault(run.strip(" ") or " ")
    ordered = sorted(found, key=lambda sep: (sep == " ", len(sep)))
    return tuple(ordered[: MAX_SEPARATORS - 1]) + ((" ",) if " " in ordered[MAX_SEPARATORS - 1 :] else ())


def _splits(text: str, ends_only: bool) -> Iterator[tuple[Split, str]]:
    for sep in separators(text):
        parts = text.split(sep)
        count = len(parts)
        if count < 2:
            continue
        front = (0, 1) if ends_only else range(min(count, 6))
        back = (-1,) if ends_only else range(-1, -min(count, 4) - 1, -1)
        splits = [Split(sep, k) for k in (*front, *back)]
        splits += [Split(sep, -1, "before"), Split(sep, 1, "after")]
        if count > 2 and not ends_only:
            splits += [Split(sep, -2, "before"), Split(sep, 2, "after")]
        for split in splits:
            piece = split(text)
            if piece is not None:
                yield split, piece


@lru_cache(maxsize=5_000)
def atoms(text: str) -> dict[tuple[Split, ...], str]:
    """Every text that no, one or two splits make of `text`."""
    found: dict[tuple[Split, ...], str] = {(): text}
    short = text[:MAX_CELL]
    for first, piece in _splits(short, False):
        found[(first,)] = piece
    for (first,), piece in [item for item in found.items() if item[0]]:
        if first.sep == " " and first.take == "part":
            continue
        if first.take == "part" and first.index not in (0, 1, -1):
            continue
        for second, inner in _splits(piece, True):
            if second.sep != first.sep:
                found[(first, second)] = inner
    return found


def operators(rows: Sequence[Row], outputs: Sequence[str], columns: Sequence[int]) -> dict[Texts, list[Operator]]:
    """Operators over `columns` whose result is in its output for every example, by their results, roughly the
    simplest first."""
    found: dict[Texts, list[Operator]] = {}
    for column in columns:
        cells = [row[column] for row in rows]
        if not all(cells):
            continue
        tables = [atoms(cell) for cell in cells]  # type: ignore[arg-type]
        by_texts: dict[Texts, list[tuple[Split, ...]]] = {}
        others = tables[1:]
        for splits, text in tables[0].items():
            texts = [text]
            for other in others:
                there = other.get(splits)
                if there is None:
                    break
                texts.append(there)
            else:
                by_texts.setdefault(tuple(texts), []).append(splits)
        for agreed, choices in by_texts.items():
            if len(choices) > 1:
                choices = sorted(choices, key=_splits_cost)[:VARIANTS]
            for name, shaped in (*_shapes(agreed, choices[0]), *_dates(agreed, outputs)):
                for start, stop, sliced in _slices(shaped, outputs, deep=len(choices[0]) < 2):
                    kept = found.setdefault(sliced, [])
                    if len(kept) < 4 * VARIANTS:
                        kept += (Piece(column, splits, name, start, stop) for splits in choices)
    return found


def simplest(variants: Sequence[Operator]) -> list[Operator]:
    """The variants of one result that are kept: the simplest few, in order."""
    return sorted(dict.fromkeys(variants), key=lambda op: op.cost)[:VARIANTS]


@lru_cache(maxsize=5_000)
def _splits_cost(splits: tuple[Split, ...]) -> float:
    return Piece(0, splits).cost


def _shapes(texts: Texts, splits: tuple[Split, ...]) -> Iterator[tuple[str, Texts]]:
    """The texts as they are and in every shape that changes one of them."""
    yield "", texts
    if len(splits) > 1:
        return
    for name in _fitting_shapes(texts[0], texts[-1]):
        shaped = tuple(map(shape(name), texts))
        # Two digits may be the rule though no example shows it; any other shape must change something.
        padded = name.startswith("pad") and name == f"pad{len(texts[0])}"
        if all(shaped) and (shaped != texts or padded):
            yield name, shaped


def _dates(texts: Texts, outputs: Sequence[str]) -> Iterator[tuple[str, Texts]]:
    """The texts as dates in other writings that the outputs hold: of each format that reads all of them the longest."""
    for source in readings(texts[0]):
        days = [read(text, source) for text in texts]
        if None in days:
            continue
        held = [writings(day, output) for day, output in zip(days, outputs, strict=True)]  # type: ignore[arg-type]
        both = (to for to in held[0] if to != source and all(to in others for others in held[1:]))
        if (to := next(both, None)) and (has_day(source) or not has_day(to)):
            name = date_shape(source, to)
            yield name, tuple(map(shape(name), texts))


def _fitting_shapes(*texts: str) -> list[str]:
    """Shapes that could change these texts; a quick look that spares the whole one."""
    if all(text.isdigit() for text in texts):
        numbers = ["pad2", "pad3", "pad4", "pad5", "pad6", "unpad"]
        return [*numbers, "month_name"] if all(len(text) <= 2 for text in texts) else numbers
    fitting = []
    if all(text[:3] in MONTH_NUMBERS for text in texts):
        fitting += ["month_number", "month_name"]
    if any(not text.isalnum() for text in texts):
        fitting.append("letters")
        if any(not (text[0].isalnum() and text[-1].isalnum()) for text in texts):
            fitting.append("bare")
        if all(" " in text for text in texts):
            fitting.append("initials")
    if any(not text.isascii() for text in texts):
        fitting.append("plain")
    return fitting


@lru_cache(maxsize=50_000)
def reach(text: str, output: str) -> tuple[int, ...]:
    """For each place of `text`, how many characters from there on are together in `output`."""
    text = text[:MAX_CELL]
    found = []
    length = 0
    for start in range(len(text)):
        while start + length < len(text) and text[start : start + length + 1] in output:
            length += 1
        found.append(length)
        length = max(0, length - 1)
    return tuple(found)


def _slices(texts: Texts, outputs: Sequence[str], deep: bool) -> Iterator[tuple[int | None, int | None, Texts]]:
    """Slices of the texts that are in the outputs: the whole, what begins or ends it, and inner parts."""
    reaches = [reach(text, output) for text, output in zip(texts, outputs, strict=True)]
    sizes = [len(own) for own in reaches]
    together = list(zip(reaches, sizes, strict=True))
    longest, shortest = max(sizes), min(sizes)
    whole = all(own[0] == size for own, size in together)
    if whole:
        yield None, None, texts
    begin = min(own[0] if own[0] < size else longest for own, size in together)
    for n in range(1, min(begin, longest - 1, 12) + 1):  # the first n
        yield None, n, tuple(text[:n] for text in texts)
    for n in range(1, min(longest - 1, 6) + 1):  # the last n
        if all(own[-n] >= n if n < size else own[0] == size for own, size in together):
            yield -n, None, tuple(text[-n:] for text in texts)
        else:
            break
    if whole:
        return
    for n in range(1, min(shortest - 1, 24) + 1):  # without the first n
        if all(own[n] == size - n for own, size in together):
            yield n, None, tuple(text[n:] for text in texts)
            break
    n = max(size - own[0] for own, size in together)  # without the last n
    if 0 < n < min(shortest, 25):
        yield None, -n, tuple(text[:-n] for text in texts)
    if deep and shortest > 2:
        yield from _inner(texts, reaches, min(shortest, 40))


def _inner(texts: Texts, reaches: Sequence[Sequence[int]], size: int) -> Iterator[tuple[int, int, Texts]]:
    """Inner parts [a:b] counted from the front, and from the back: the longest from each place."""
    done = 0
    for a in range(1, size - 1):
        b = a + min(own[a] for own in reaches)
        if b > a and b > done and b < size:
            done = b
            yield a, b, tuple(text[a:b] for text in texts)
    done = size
    for a in range(size, 1, -1):
        length = min(own[-a] for own in reaches)
        b = a - length
        if length >= 2 and 0 < b < done:
            done = b
            yield -a, -b, tuple(text[-a:-b] for text in texts)
