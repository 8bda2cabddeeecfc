"""The Spark session behind the notebook: started once, when first needed, and found again.

A session of the analyst's own (passed to `open`, or already active) is used as it is. Otherwise one is started on this
machine, quietly: errors go to a log file that error messages name.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from lakeview.errors import SparkUnavailable
from lakeview.pipeline import daemon, failures, java, within

_QUIET = Path(__file__).parent / "conf" / "log4j2.properties"

_lock = threading.Lock()
_own: Any = None  # the session that lakeview started
_starting: Future | None = None


def state() -> str:
    """asleep, starting, running or lost."""
    if _starting is not None and not _starting.done():
        return "starting"
    known = _known()
    if known is None:
        return "asleep"
    return "running" if alive(known) else "lost"


def master() -> str:
    """Where the session runs; "" where there is none, or it does not say."""
    try:
        return str(_known().sparkContext.master)
    except Exception:  # Connect has no context, and a dead JVM no answer
        return ""


def is_own() -> bool:
    """Whether the session was started by lakeview, so that `stop` stops it."""
    return _own is not None and _known() is _own


def _known() -> Any:
    """The session in use, or one of the analyst's own that would be, looked up without importing pyspark."""
    starting = _starting
    if starting is not None and starting.done() and not starting.exception():
        return starting.result()
    connect, classic = (sys.modules.get(f"pyspark.sql{name}") for name in (".connect.session", ""))
    remote = connect and connect.SparkSession._default_session
    return remote or (classic and classic.SparkSession._instantiatedSession)


def get(given: Any = None) -> Any:
    """The session: `given`; where there is none or it was stopped, the one that runs, or a new one. Raises
    SparkUnavailable, saying what to install."""
    return given if given is not None and alive(given) else start_in_background().result()


@contextmanager
def in_one_line(spark: Any, again: str = failures.AGAIN) -> Iterator[None]:
    """What a session is asked in the block; its errors are raised as `failures.told`, at once where it was stopped."""
    if not alive(spark):
        raise SparkUnavailable(f"Spark has stopped; {again}")
    try:
        yield
    except Exception as error:
        said = failures.told(error, alive(spark), again)
        if said is error:
            raise
        raise said from None


def start_in_background() -> Future:
    """Begin to start the session, or find it; the future holds it."""
    global _starting
    with _lock:
        if _starting is None or (_starting.done() and (_starting.exception() or not alive(_starting.result()))):
            _starting = Future()
            threading.Thread(target=_start, args=(_starting,), name="lakeview: Spark", daemon=True).start()
        return _starting


def stop() -> None:
    """Stop the session that lakeview started; one of the analyst's own is left alone."""
    global _own, _starting
    with _lock:
        session, _own, _starting = _own, None, None
    if session is not None and alive(session):
        session.stop()


def alive(session: Any) -> bool:
    """Whether a session still answers."""
    try:
        if ".connect." in type(session).__module__:
            return not session.is_stopped
        return not session.sparkContext._jsc.sc().isStopped()
    except Exception:  # whatever a dead JVM makes py4j raise
        return False


def _start(future: Future) -> None:
    global _own
    try:
        found = _active()
        if found is None:
            found = _own = _new()
        future.set_result(found)
    except SparkUnavailable as error:
        future.set_exception(error)
    except BaseException as error:
        said = f"{type(error).__name__}: {failures.first_line(error)}"
        future.set_exception(SparkUnavailable(f"Spark did not start ({said}); its log is {log_file()}"))


def _active() -> Any:
    from pyspark.sql import SparkSession, is_remote

    try:
        session = _remote() if is_remote() else SparkSession.getActiveSession() or SparkSession._instantiatedSession
    except Exception:  # the JVM that would be asked is dead
        session = None
        _forget()
    if session is not None and not alive(session):
        session = None
        _forget()
    return session


def _remote() -> Any:
    """The session of Spark Connect: this thread's, else that of the process. A server within the process has a classic
    session as well, which is not the analyst's."""
    from pyspark.sql.connect.session import SparkSession

    return SparkSession.getActiveSession() or SparkSession._default_session


def _forget() -> None:
    """Drop what pyspark remembers of a dead JVM, so that a new one can start in this process."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    gateway, SparkContext._gateway = SparkContext._gateway, None
    SparkContext._jvm = SparkContext._active_spark_context = None
    SparkSession._instantiatedSession = None
    if gateway is not None:
        with suppress(Exception):  # it is dead already
            gateway.shutdown()


def _new() -> Any:
    from pyspark.sql import SparkSession, is_remote

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # of workers on this machine
    if "SPARK_REMOTE" in os.environ:  # the server that this process is set up for; it needs no Java here
        return SparkSession.builder.getOrCreate()
    if is_remote():
        raise SparkUnavailable(f"the Spark Connect session was stopped: {failures.CONNECT_AGAIN}")
    home = java.find_java()
    if home is None:
        raise SparkUnavailable(f"{java.HOW_TO_INSTALL} Searching an indexed lake and joins in pandas work without it.")
    os.environ["JAVA_HOME"] = str(home)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder
    if "SPARK_CONF_DIR" not in os.environ:
        builder = builder.config("spark.driver.extraJavaOptions", f"-Dlog4j2.configurationFile={_QUIET.as_uri()}")
    master = os.environ.get("LAKEVIEW_SPARK_MASTER", "local[*]")
    if master.startswith("local") and daemon.is_found(os.environ["PYSPARK_PYTHON"]):
        builder = builder.config("spark.python.daemon.module", daemon.__name__)  # workers begin at once
    with _stderr_to(log_file()):
        session = (
            builder.master(master)
            .appName("lakeview")
            .config("spark.driver.memory", os.environ.get("LAKEVIEW_SPARK_MEMORY", within.jvm_memory()))
            .config("spark.driver.maxResultSize", "0")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.sql.execution.arrow.maxRecordsPerBatch", "100000")
            .config("spark.python.task.killTimeout", "200ms")  # how long a cancel waits for a busy worker; else 2 s
            .getOrCreate()
        )
    return session


@cache
def log_file() -> Path:
    """Where the JVM's stderr goes: a new file, which nobody else can read, nor can have put there before."""
    handle, path = tempfile.mkstemp(".log", f"lakeview-spark-{os.getpid()}-")
    os.close(handle)
    return Path(path)


@contextmanager
def _stderr_to(path: Path) -> Iterator[None]:
    """Send file descriptor 2 to a file: the JVM that starts meanwhile inherits it, for good."""
    sys.stderr.flush()
    saved = os.dup(2)
    try:
        log = os.open(path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0))
        os.dup2(log, 2)
        os.close(log)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
