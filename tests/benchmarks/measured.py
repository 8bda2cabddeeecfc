"""What a command costs: CPU seconds, wall seconds and peak memory of it and of every process that it starts."""

from __future__ import annotations

import contextlib
import resource
import subprocess
import threading
import time
from collections.abc import Sequence
from typing import NamedTuple

import psutil


class Cost(NamedTuple):
    """output: what it wrote. cpu: seconds of all processes that ended. peak: bytes, shared pages counted once (PSS)."""

    output: str
    cpu: float
    wall: float
    peak: int


def measured(command: Sequence[str], every: float = 0.25) -> Cost:
    """Run a command to its end. Raises CalledProcessError where it fails."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peak = 0
    orphans: dict[int, float] = {}  # CPU seconds of processes that may outlive whoever would wait for them

    def watch() -> None:
        nonlocal peak
        root = psutil.Process(process.pid)
        while process.poll() is None:
            total = 0
            with contextlib.suppress(psutil.Error):
                for p in [root, *root.children(recursive=True)]:
                    with contextlib.suppress(psutil.Error):  # it may end meanwhile
                        total += p.memory_full_info().pss
                        times = p.cpu_times()
                        orphans[p.pid] = times.user + times.system
            peak = max(peak, total)
            time.sleep(every)

    watcher = threading.Thread(target=watch)
    watcher.start()
    output, _ = process.communicate()
    watcher.join()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, output)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    waited = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # Spark's daemon and JVM are not always waited for: then what was seen of each process counts.
    return Cost(output, max(waited, sum(orphans.values())), time.perf_counter() - started, peak)
