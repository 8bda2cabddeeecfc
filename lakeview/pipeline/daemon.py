"""The process whose forks are Spark's Python workers, in a session that lakeview starts on this machine: pyspark's own,
once it has imported what work of ours needs.

A worker that a cancel or a `limit` leaves in the middle is ended by Spark, and the next would import all of it again;
and each collects garbage after every task, over all objects that it did not share from the start.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import subprocess
import sys

IMPORTED = (
    "numpy", "pandas", "pyarrow.compute", "pyarrow.csv", "pyarrow.parquet", "rapidfuzz.distance", "pyspark.worker",
    "lakeview.pipeline.part_task", "lakeview.pipeline.pairs_task", "lakeview.pipeline.search_task",
)  # fmt: skip


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
        with contextlib.suppress(Exception):
            from numba.core.registry import cpu_target

            cpu_target.typing_context.refresh()  # which imports most of numba, at the first kernel that runs
            cpu_target.target_context.refresh()
    gc.freeze()  # forks share it


def serve() -> None:
    """Fork workers, as pyspark does."""
    from pyspark import daemon

    prepare()
    daemon.manager()


if __name__ == "__main__":
    serve()
