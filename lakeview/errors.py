"""The errors that lakeview raises: each is one line that says what to do."""

from __future__ import annotations

from lakeview.redaction import redacted

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
