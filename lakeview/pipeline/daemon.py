"""The process whose forks are Spark's Python workers, in a session that lakeview starts on this machine: pyspark's own,
once it has imported what work of ours needs.

A worker that a cancel or a `limit` leaves in the middle is ended by Spark, and the next would import all of it again.
And each collects garbage after every task, over all that it has imported: that is set aside here.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import subprocess
import sys
from typing import Any

IMPORTED = ("numpy", "pandas", "pyarrow.compute", "pyspark.worker", "lakeview.pipeline.part_task")
_MANY = 20_000  # objects, from which a collection takes longer than a small task


def is_found(python: str) -> bool:
    """Whether that Python, started afresh, finds this module."""
    look = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({__name__!r}) is None)"
    try:
        return subprocess.run([python, "-c", look], capture_output=True, check=False, timeout=30).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def prepare() -> None:
    """Import what there is; what is lacking is told by who needs it (`workers`)."""
    with contextlib.redirect_stdout(sys.stderr):  # standard output is Spark's
        for name in IMPORTED:
            with contextlib.suppress(Exception):
                importlib.import_module(name)
    gc.freeze()  # forks share it


def serve() -> None:
    """Fork workers, as pyspark does."""
    from pyspark import daemon

    prepare()
    worker = daemon.worker

    def work(*task: Any) -> int:
        code = worker(*task)
        if len(gc.get_objects()) > _MANY:  # it has imported more: what is garbage now goes, the rest is set aside
            gc.collect()
            gc.freeze()
        return code  # type: ignore[no-any-return]

    daemon.worker = work
    daemon.manager()


if __name__ == "__main__":
    serve()
