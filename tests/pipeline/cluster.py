"""A real Spark cluster on this machine: a standalone master and two workers, from the pip package."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lakeview.pipeline.java import find_java

_MASTER, _WORKER = "org.apache.spark.deploy.master.Master", "org.apache.spark.deploy.worker.Worker"


@contextmanager
def standalone(folder: Path, workers: int = 2) -> Iterator[str]:
    """The master's URL, while the cluster runs. Workers keep their files in `folder`."""
    import pyspark

    home = Path(pyspark.__file__).parent
    environment = {
        **os.environ,
        "JAVA_HOME": str(find_java()),
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
    }
    log = folder / "master.log"
    processes = []

    def start(name: str, *arguments: str) -> None:
        with (folder / f"{name}.log").open("wb") as out:
            command = [str(home / "bin" / "spark-class"), *arguments]
            processes.append(subprocess.Popen(command, env=environment, stdout=out, stderr=out))

    try:
        start("master", _MASTER, "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        url = _wait_for(log, r"Starting Spark master at (spark://\S+)")
        for i in range(workers):
            start(
                f"worker{i}", _WORKER, "--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0",
                "--work-dir", str(folder / f"work{i}"), url,
            )  # fmt: skip
        for i in range(workers):
            _wait_for(folder / f"worker{i}.log", r"(Successfully registered)")
        yield url
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(timeout=30)


def _wait_for(log: Path, pattern: str, seconds: float = 120) -> str:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if log.exists() and (found := re.search(pattern, log.read_text(errors="replace"))):
            return found[1]
        time.sleep(0.2)
    raise TimeoutError(f"{log.name} does not say {pattern!r}: {log.read_text(errors='replace')[-2000:]}")
