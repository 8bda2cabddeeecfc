"""The errors that lakeview raises: each is one line that says what to do."""

from __future__ import annotations


class LakeviewError(Exception):
    """Base of every error that lakeview raises on purpose.

    In IPython it prints as one line instead of a traceback.
    """

    def _render_traceback_(self) -> list[str]:
        return [f"{type(self).__name__}: {self}"]


class InputError(LakeviewError, ValueError):
    """The call asks for something that cannot be done as it stands."""


class NotFound(LakeviewError, LookupError):
    """A table, a column or a file that is not there."""


class LakeChanged(LakeviewError):
    """A table of the lake is not as it was indexed, or gone: `lake.index()` looks at what there is now."""


class StoreError(LakeviewError):
    """The index on disk is damaged, foreign, of another version, or being written by another process."""


class SparkUnavailable(LakeviewError, RuntimeError):
    """Spark or the Java it needs cannot be started or has died."""


class JobCancelled(LakeviewError):
    """The analyst cancelled a long job; what was there before is still there."""
