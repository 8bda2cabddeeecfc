"""What tests build and run outside this environment: the sdist, the wheel that is built from it, other programs."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
BIN = str(Path(sys.executable).parent)  # jlpm is there


def run(*command: object, cwd: Path, **env: str) -> str:
    """What a program prints; it fails the test where it fails, with what it said."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | env
    done = subprocess.run(list(map(str, command)), cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def build_sdist(folder: Path) -> Path:
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", folder, ROOT, cwd=folder, PATH=path)
    return next(folder.glob("*.tar.gz"))


def build_wheel(sdist: Path, folder: Path) -> Path:
    """Built without Node on the PATH: the sdist carries the built extension."""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    source = folder / sdist.name.removesuffix(".tar.gz")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, source, cwd=folder, PATH=BIN)
    return next(folder.glob("*.whl"))
