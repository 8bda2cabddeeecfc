"""What lakeview says when something fails: one line that says what to do, and never a secret of a url.

No secret is looked for by the names that secrets have, which nobody knows all of: of a url there remain its scheme,
the host or bucket and the path, and of its options those few that are known to be harmless. What is told and written
of a url elsewhere goes through `shown`, too.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

# A scheme of two letters or more (C:/ is a drive), and a slash or more, as slips of the pen have them.
_START = re.compile(r"(?<![A-Za-z0-9])([A-Za-z][A-Za-z0-9+.-]{1,30}:)/+")
_URL = re.compile(r"\s*(?:[A-Za-z][A-Za-z0-9+.-]+:)+/")
_WITH_PORTS = frozenset({"hdfs:", "viewfs:", "webhdfs:", "http:", "https:"})
_PORT = re.compile(r"[^:@]*:\d*")
_OPTIONS = re.compile(r"[?#;&]")
_SIGNS = re.compile(r"[:@/?#;&=]")
_HARMLESS_OPTIONS = frozenset({
    "region", "scheme", "endpoint_override", "retry_limit_seconds", "replication", "buffer_size", "default_block_size",
    "allow_bucket_creation", "allow_bucket_deletion", "allow_delayed_open", "force_virtual_addressing",
    "tls_verify_certificates", "enable_tls",
})  # fmt: skip
_HARMLESS_VALUE = re.compile(r"[\w.:-]{0,100}", re.ASCII)
_ANYBODY = "anonymous@"  # the user whom Google's buckets know as nobody
_CONTAINER = re.compile(r"[a-z0-9-]{1,63}@(?=[a-z0-9]+\.dfs\.core\.windows\.net(/|$))")
_LEAST = 3  # characters of a secret that is looked for in other texts
_MOST = 600  # characters of a message; names and values in it may be of any length


class LakeviewError(Exception):
    """Base of every error that lakeview raises on purpose.

    A message is one line, whatever names and values it quotes, and tells no keys of urls. In IPython it prints without
    a traceback.
    """

    def __init__(self, *said: object) -> None:
        super().__init__(*(one_line(redacted(each)) if isinstance(each, str) else each for each in said))

    def _render_traceback_(self) -> list[str]:
        return [f"{type(self).__name__}: {self}"]


def one_line(text: str) -> str:
    """A text on one line, its middle left out where it is long: what does not print is escaped."""
    if len(text) > _MOST:
        text = f"{text[: _MOST // 2]} … {text[-_MOST // 2 :]}"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


class InputError(LakeviewError, ValueError):
    """The call asks for something that cannot be done as it stands."""


class NotFound(LakeviewError, LookupError):
    """A table, a column or a file that is not there."""


class OutOfRange(NotFound, IndexError):
    """An answer has not so many hits; an IndexError too, as Python's sequences have it."""


class LakeChanged(LakeviewError):
    """A table of the lake is not as it was indexed, or gone: `lake.index()` looks at what there is now."""


class StoreError(LakeviewError):
    """The index on disk is damaged, foreign, of another version, or being written by another process."""


class SparkUnavailable(LakeviewError, RuntimeError):
    """Spark or the Java it needs cannot be started or has died."""


class JobFailed(LakeviewError, RuntimeError):
    """Spark could not do what was asked: for the frame's own code, its files, or what its session refuses."""


class JobCancelled(LakeviewError):
    """The analyst cancelled a long job; what was there before is still there."""


class JoinWarning(UserWarning):
    """A join makes many rows of many, or drops rows."""


def is_url(text: str) -> bool:
    """Whether a text is meant as a url, whatever slips of the pen there are in it."""
    return bool(_URL.match(text))


def shown(url: str) -> str:
    """A url as it may be told and written; what is no url stays as it is."""
    start = _START.search(url)
    if start is None:
        return url
    user, folder, options = _parts(start[1], rest := url[start.end() :])
    kept = [option for option in _OPTIONS.split(options) if _is_harmless(*option.partition("=")[::2])]
    user = user if user == _ANYBODY or _CONTAINER.match(rest) else ""
    return f"{url[: start.end()]}{user}{folder}{'?' if kept else ''}{'&'.join(kept)}"


def redacted(text: str) -> str:
    """A text in which every url is `shown`; each ends at a blank, a quotation mark or the end of a clause."""
    if ":/" not in text:
        return text
    return re.sub(rf"{_START.pattern}[^\s'\"`<>]*?(?=[.,;:)\]]*(?:[\s'\"`<>]|$))", lambda found: shown(found[0]), text)


def without_secrets_of(url: str, text: str) -> str:
    """A text of others about a url, such as an error of theirs, without the secrets that the url carries."""
    text = text.replace(url, shown(url))
    start = _START.search(url)
    if start is not None:
        user, _, options = _parts(start[1], url[start.end() :])
        named = [option.partition("=") for option in _OPTIONS.split(options)]
        values = [value or name for name, _, value in named if not _is_harmless(name, value)]
        known = {form for whole in (user, *values) for form in (whole, unquote(whole))}
        pieces = {piece for whole in known for piece in (whole.rstrip("@"), *_SIGNS.split(whole))}
        for secret in sorted(pieces, key=len, reverse=True):
            if len(secret) >= _LEAST and f"{secret}@" != _ANYBODY:
                text = text.replace(secret, "…")
    return redacted(text)


def _is_harmless(name: str, value: str) -> bool:
    return name in _HARMLESS_OPTIONS and bool(_HARMLESS_VALUE.fullmatch(value))


def _parts(scheme: str, rest: str) -> tuple[str, str, str]:
    """Of a url without its scheme: the user with the keys, the folder, the options.

    The user goes up to the last @ before the path. Where there is none but a colon that is no port's, up to the last @
    of all, as a secret may hold signs that should have been written %2F or %3F; and where there is no @, to the path.
    """
    authority = re.match(r"[^/?#;&]*", rest)[0]  # type: ignore[index]
    keys = ":" in authority and not (scheme.lower() in _WITH_PORTS and _PORT.fullmatch(authority))
    at = authority.rfind("@") + 1
    if keys and not at:
        at = rest.rfind("@") + 1 or len(authority)
    end = _OPTIONS.search(rest, at)
    stop = end.start() if end else len(rest)
    return rest[:at], rest[at:stop], rest[stop:]
