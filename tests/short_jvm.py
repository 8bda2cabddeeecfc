"""The JVMs of the suite: some thirty, which live for seconds. Most of their time would go into optimizing code that
soon ends, and into reading Spark's classes: those are kept by the first run (class data sharing of JDK 13 and later).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ARCHIVE = Path(__file__).parents[1] / ".pytest_cache" / "spark.jsa"
_SHORT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
# Another Java than the archive's does without it, and would say so on every start.
_SHARED = f'{_SHORT} -XX:SharedArchiveFile="{ARCHIVE}" -Xlog:disable'


def prepare(is_first: bool) -> None:
    """Tell every JVM that is started from here on. is_first: of the run's processes; it has the archive made beside the
    first tests, which need no Spark."""
    os.environ.setdefault("SPARK_SUBMIT_OPTS", f"{_SHARED} -Dspark.executor.extraJavaOptions='{_SHARED}'")
    os.environ.setdefault("SPARK_DAEMON_JAVA_OPTS", _SHARED)
    os.environ.setdefault("SPARK_LAUNCHER_OPTS", _SHORT)
    if is_first and not ARCHIVE.exists():
        subprocess.Popen([sys.executable, __file__], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def archive() -> None:
    """Make it: a session does a little of everything, and its JVM keeps its classes as it ends."""
    ARCHIVE.parent.mkdir(exist_ok=True)
    made = ARCHIVE.with_suffix(f".{os.getpid()}")
    os.environ["SPARK_SUBMIT_OPTS"] = f"-XX:ArchiveClassesAtExit={made} -Xlog:disable"

    from pyspark import SparkContext

    from lakeview.pipeline import session

    rows = session.get().range(100).selectExpr("id", "cast(id % 7 as string) as name")
    rows.mapInArrow(lambda batches: batches, rows.schema).groupBy("name").count().join(rows, "name").toPandas()
    session.stop()
    jvm = SparkContext._gateway.proc
    jvm.stdin.close()  # which tells it to end
    jvm.wait()
    if made.exists():
        made.replace(ARCHIVE)


if __name__ == "__main__":
    archive()
