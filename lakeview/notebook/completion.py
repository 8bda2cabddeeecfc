"""Tab after `%lakeview`: commands, options, folders, frames and columns of the kernel and of the lake."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lakeview.notebook import cells, magics, namespace, state

_LINE = re.compile(r"^\s*(?:\w+\s*=\s*)?%%?lakeview[ \t]+(.*)$", re.DOTALL)
_TARGET = re.compile(r"^\s*(\w+).*\s--target[ =]\s*\S*$", re.DOTALL)
_MOST = 200  # proposals
_NAME = "lakeview_matcher"


def register(ip: Any) -> None:
    """Take over the completion of `%lakeview` lines; IPython's own would propose attributes of the frame."""
    from IPython.core.completer import SimpleCompletion, context_matcher

    @context_matcher(identifier=_NAME, priority=1000)
    def matcher(context: Any) -> dict[str, Any]:
        fragment, proposals = complete(context.text_until_cursor, ip.user_ns)
        return {
            "completions": [SimpleCompletion(text=text, type="magic") for text in proposals],
            "matched_fragment": fragment,
            "suppress": True,
            "ordered": True,
        }

    others = [other for other in ip.Completer.custom_matchers if getattr(other, "matcher_identifier", "") != _NAME]
    ip.Completer.custom_matchers = [*others, matcher]


def complete(line: str, names: dict[str, Any]) -> tuple[str, list[str]]:
    """The end of the line that a proposal replaces, and the proposals. `names` are the kernel's variables."""
    match = _LINE.search(line)
    if match is None:
        return "", []
    command, space, rest = match[1].partition(" ")
    word = re.search(r"\S*$", rest)[0] if space else command  # type: ignore[index]  # matches always
    if not space:
        return word, _begins(magics.OPTIONS, word)
    if word.startswith("-"):
        return word, _begins(magics.OPTIONS.get(command, ()), word)
    if command == "open":
        return word, _folders(word)
    if command in ("explore", "more"):
        return word, _begins(namespace.frames(names), word)
    if command == "search" and (aimed := _TARGET.search(rest)):
        return word, _targets(aimed[1], word, names)
    if command in ("search", "compare", "bridge"):
        return _columns(rest, word, names)
    return word, []


def _begins(candidates: Iterable[str], word: str) -> list[str]:
    """Those that begin with the word, by letter if there are any, else in any case."""
    return _written(((name, name) for name in candidates), word)


def _written(candidates: Iterable[tuple[str, str]], word: str) -> list[str]:
    """As `_begins`, of pairs: a name, and how it is written; the word may begin either."""
    found = list(candidates)
    exact = [code for name, code in found if name.startswith(word) or code.startswith(word)]
    any_case = (code for name, code in found if name.lower().startswith(word.lower()))
    return list(dict.fromkeys(exact or any_case))[:_MOST]


def _folders(word: str) -> list[str]:
    head, slash, _ = word.rpartition("/")
    folder = Path(head + slash or ".").expanduser()
    try:
        inside = sorted(path.name for path in folder.iterdir() if path.is_dir() and path.name[:1] != ".")
    except (OSError, ValueError):
        return []
    paths = (f"{head}{slash}{name}/" for name in inside)
    return _written(((path, cells.word(path)) for path in paths), word)


def _columns(rest: str, word: str, names: dict[str, Any]) -> tuple[str, list[str]]:
    frames = namespace.frames(names)
    begun = re.search(r"(?:^|\s)((\w+)([.\[]).*)$", rest)
    if begun and begun[2] in frames:
        labels = namespace.frame_columns(frames[begun[2]]) or []
        own = _begins(_references(begun[2], labels, begun[3] == "["), begun[1])
        if own:
            return begun[1], own
    tables = _lake_columns(names) if word else []  # all of a large lake would bury the frames
    return word, _written([*((f"{name}.", f"{name}.") for name in frames), *tables], word)


def _targets(frame: str, word: str, names: dict[str, Any]) -> list[str]:
    """The columns of the frame that is asked about, each as one word."""
    labels = namespace.frame_columns(names.get(frame)) or []
    return _written(((str(label), cells.word(str(label))) for label in labels), word.removeprefix("--target="))


def _references(name: str, labels: list[Any], brackets: bool) -> Iterator[str]:
    """How the magic can be told each column: `df.col`, or `df["a-b"]` where a point is asking for trouble."""
    for label in labels:
        if not brackets and re.fullmatch(r"[\w.]+( [\w.]+)*", str(label)) and cells.is_plain(str(label)):
            yield f"{name}.{label}"
        elif (code := cells.column(name, label, brackets=True)) is not None:
            yield code


def _lake_columns(names: dict[str, Any]) -> list[tuple[str, str]]:
    """The lake's columns: `table.column`, and how that is written; nothing where no lake is open."""
    lake = state.find_lake(names)
    if lake is None:
        return []
    pairs = zip(lake.columns["table"], lake.columns["column"], strict=True)
    return [(f"{table}.{column}", cells.lake_column(table, column)) for table, column in pairs]
