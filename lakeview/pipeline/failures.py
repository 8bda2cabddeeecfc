"""What fails in Spark in one line that says what to do; Java's and the workers' own words go on for pages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lakeview.errors import InputError, JobFailed, LakeviewError, SparkUnavailable

AGAIN = "run the same call again: it takes the session that runs then, or starts one"
"""What to do where a session has stopped and the call depends on none in particular."""

CONNECT_AGAIN = "connect again, as in SparkSession.builder.remote(url).getOrCreate(), and run the same call"

_FOREIGN = ("pyspark", "py4j", "grpc")
_REFUSED = ("AnalysisException", "ParseException")  # before anything runs
_MEMORY = ("OutOfMemoryError", "Not enough memory to build and broadcast")
_LOST = (
    "Py4JNetworkError",
    "ConnectionRefusedError",
    "ConnectionResetError",
    "SparkContext was shut down",
    "SparkContext has been shutdown",
    "stopped SparkContext",
    "cancelled because SparkContext",
    "Answer from Java side is empty",
)
_GONE = ("StatusCode.UNAVAILABLE", "SESSION_NOT_FOUND", "SESSION_CLOSED", "SESSION_CHANGED", "NO_ACTIVE_SESSION")


def told(error: BaseException, alive: bool = True, again: str = AGAIN) -> BaseException:
    """An error of Spark as one of ours, of one line; any other error as it is.

    alive: whether the session still answers. py4j's words for a JVM that dies in the middle of a call are many. again:
    what to do where it does not.
    """
    if isinstance(error, LakeviewError):
        return error
    text = f"{type(error).__name__}: {error}"
    if any(sign in text for sign in _GONE):
        again = CONNECT_AGAIN if again is AGAIN else again
        return SparkUnavailable(f"the Spark Connect server has stopped or lost this session: {again}")
    if not alive or any(sign in text for sign in _LOST):
        return SparkUnavailable(f"Spark has stopped; {again}")
    if any(sign in text for sign in _MEMORY):
        return SparkUnavailable(
            "Spark ran out of memory: stop the session, start one with more (spark.driver.memory, and on a cluster "
            "spark.executor.memory) and run the same call again"
        )
    if found := re.search(r'Cannot run program "(.+?)"', text):
        return SparkUnavailable(f"Spark's workers cannot run Python: there is no {found[1]}; {_setting('a Python')}")
    if found := re.search(r"PYTHON_VERSION_MISMATCH.*?(\d+\.\d+).*?(\d+\.\d+)", text, re.DOTALL):
        setting = _setting(f"a Python {found[2]}")
        return SparkUnavailable(f"Spark's workers run Python {found[1]} and this is Python {found[2]}: {setting}")
    if found := re.search(r"ModuleNotFoundError: No module named '([\w.]+)'", text):
        return SparkUnavailable(workers_lack([found[1]]))
    if type(error).__module__.split(".")[0] in _FOREIGN:
        if type(error).__name__ in _REFUSED:
            return InputError(first_line(error))
        return JobFailed(f"Spark failed: {reason(error)}")
    return error


def workers_lack(packages: Sequence[str], python: str = "", version: str = "") -> str:
    """What to do about packages that the workers' Python lacks."""
    which = f"run {python} (Python {version}), which lacks" if python else "lack"
    them = "it" if len(packages) == 1 else "them"
    setting = _setting(f"a Python that has {them}")
    return f"Spark's workers {which} {' and '.join(packages)}: install {them} there, or {setting}"


def _setting(python: str) -> str:
    return (
        f'set PYSPARK_PYTHON to {python} before the session starts, as in os.environ["PYSPARK_PYTHON"] = '
        "sys.executable (spark.pyspark.python where spark-submit starts it)"
    )


def reason(error: BaseException) -> str:
    """Why Spark failed: what the worker's Python said last, or the last cause that Java tells, or the first line."""
    text = str(error)
    traceback = text[text.rfind("Traceback (most recent call last)") :] if "Traceback (most recent" in text else ""
    python = re.findall(r"^(?:\w+\.)*\w*(?:Error|Exception|Exit|Interrupt)\b.*", traceback, re.MULTILINE)
    if python:
        return _cut(python[0])
    failed = re.search(r"most recent failure: Lost task .*?\): (.+)", text)
    causes = re.findall(r"^Caused by: [\w.$]+: (.+)", text, re.MULTILINE)
    if causes and (failed or text.startswith("An error occurred while calling")):
        return _cut(causes[-1])
    java = re.search(r"^: [\w.$]+: (.+)", text, re.MULTILINE)
    return _cut(failed[1] if failed else java[1] if java else first_line(error))


def first_line(error: BaseException) -> str:
    """The first line of an error's text."""
    return _cut((str(error).strip().splitlines() or [type(error).__name__])[0])


def _cut(text: str) -> str:
    return text.strip()[:300]
