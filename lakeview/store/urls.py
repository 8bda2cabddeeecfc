"""Urls of folders on file systems that Arrow reaches, and how they are told without the secrets they may carry."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lakeview.errors import InputError, is_url, shown, without_secrets_of

__all__ = ["advice", "appears_whole", "file_system", "is_local", "shown", "why", "within"]

_ATTEMPTS = 5


def file_system(url: str) -> tuple[Any, str]:
    """The file system of a url and the path of its folder there. Raises InputError for what none takes."""
    import pyarrow as pa
    from pyarrow import fs

    url = url.strip()
    if not is_url(url):
        return fs.LocalFileSystem(), str(Path(url).expanduser().absolute())
    try:
        found, base = fs.FileSystem.from_uri(_with_limit(url))
        found = _impatient(found) if found.type_name == "s3" and "tls_" not in url else found
    except (pa.ArrowInvalid, OSError) as error:
        give = "give a folder, s3://, gs:// or hdfs://"
        if shown(url) != url:
            give += ", and signs like / and + in a key as %2F and %2B"
        # from None, as Arrow quotes the url with its keys
        raise InputError(f"{shown(url)!r} cannot be reached ({why(error, url)}); {give}") from None
    if not base.strip("/"):
        raise InputError(f"{shown(url)!r} names no folder; add one: a bucket, or a folder in it")
    return found, base.rstrip("/")


def _with_limit(url: str) -> str:
    """Google's client tries for a quarter of an hour, unless the url says how long."""
    if not url.startswith(("gs://", "gcs://")) or "retry_limit_seconds=" in url:
        return url
    return f"{url}{'&' if '?' in url else '?'}retry_limit_seconds=30"


def _impatient(s3: Any) -> Any:
    """The same buckets, but a server that does not answer is given up after `_ATTEMPTS`, some 20 seconds, where Arrow
    takes minutes. A url has no option for that, so the file system is made again as pickle does it."""
    from pyarrow import fs

    make, (options,) = s3.__reduce__()
    return make({**options, "retry_strategy": fs.AwsStandardS3RetryStrategy(max_attempts=_ATTEMPTS)})


def is_local(there: Any) -> bool:
    """Whether the files of a file system are this machine's."""
    return bool(there.type_name == "local")


def appears_whole(there: Any) -> bool:
    """Whether a file shows only once it is complete, as in object stores, which have no folders and no rename."""
    return there.type_name in ("s3", "gcs", "abfs")


def within(url: str, path: str) -> str:
    """The url of what lies in the folder of a url."""
    folder, mark, options = url.partition("?") if "://" in url else (url, "", "")
    return f"{folder.rstrip('/')}/{path}{mark}{options}"


def why(error: BaseException, url: str) -> str:
    """What an error about a url says: its first line, without secrets."""
    said = without_secrets_of(url, str(error))
    return next(iter(said.splitlines()), type(error).__name__).rstrip(". ")


def advice(url: str) -> str:
    """What to look at where a url cannot be read or written."""
    if not is_url(url) or url.startswith("file:"):
        return "give a folder that this machine can read and write"
    return "look at the bucket, the keys (in the url, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY) and the network"
