"""Jobs in a process of their own, as what they try may end it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import lakeview as lv


def counted(script: str, jobs: list[Any]) -> Counter[str]:
    """What a script beside this one says of its jobs, a JSON object of counts a line; fails where the process ended."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name(script)), json.dumps(jobs)],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(Path(lv.__file__).parents[1])},
    )  # fmt: skip
    assert done.returncode == 0, f"the process ended ({done.returncode}): {done.stderr[-2000:]}"
    told: Counter[str] = Counter()
    for line in done.stdout.splitlines():
        told.update(json.loads(line))
    return told
