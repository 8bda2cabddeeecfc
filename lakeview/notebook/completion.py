"""Tab after `%lakeview`: commands, options, folders, frames and columns of the kernel and of the lake."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lakeview.notebook import magics, namespace, state

_LINE = re.compile(r"^\s*(?:\w+\s*=\s*)?%%?lakeview[ \t]+(.*)$", re.DOTALL)
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
    if command == "explore":
        return word, _begins(namespace.frames(names), word)
    if command in ("search", "compare"):
        return _columns(rest, word, names)
    return word, []


def _begins(candidates: Iterable[str], word: str) -> list[str]:
    """Those that begin with the word, by letter if there are any, else in any case."""
    found = list(candidates)
    exact = [name for name in found if name.startswith(word)]
    return (exact or [name for name in found if name.lower().startswith(word.lower())])[:_MOST]


def _folders(word: str) -> list[str]:
    head, slash, _ = word.rpartition("/")
    folder = Path(head + slash or ".").expanduser()
    try:
        inside = sorted(path.name for path in folder.iterdir() if path.is_dir() and path.name[:1] != ".")
    except OSError:
        return []
    return _begins((f"{head}{slash}{name}/" for name in inside), word)


def _columns(rest: str, word: str, names: dict[str, Any]) -> tuple[str, list[str]]:
    frames = namespace.frames(names)
    begun = re.search(r"(?:^|\s)((\w+)([.\[]).*)$", rest)
    if begun and begun[2] in frames:
        labels = namespace.frame_columns(frames[begun[2]]) or []
        own = _begins(_references(begun[2], labels, begun[3] == "["), begun[1])
        if own:
            return begun[1], own
    tables = _lake_columns(names) if word else []  # all of a large lake would bury the frames
    return word, _begins([*(f"{name}." for name in frames), *tables], word)


def _references(name: str, labels: list[Any], brackets: bool) -> Iterator[str]:
    """How the magic can be told each column: `df.col`, or `df["a-b"]` where a point is asking for trouble."""
    for label in labels:
        plain = re.fullmatch(r"[\w.]+( [\w.]+)*", str(label)) is not None
        yield f"{name}.{label}" if plain and not brackets else f"{name}[{_quoted(label)}]"


def _quoted(label: Any) -> str:
    text = repr(label)
    return f'"{text[1:-1]}"' if isinstance(label, str) and text[0] == "'" and '"' not in text else text


def _lake_columns(names: dict[str, Any]) -> list[str]:
    """Names of the lake's columns, `table.column`; nothing where no lake is open."""
    lake = state.find_lake(names)
    if lake is None:
        return []
    columns = lake.columns
    return [f"{table}.{column}" for table, column in zip(columns["table"], columns["column"], strict=True)]
