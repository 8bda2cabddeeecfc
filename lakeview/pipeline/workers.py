"""What Spark's workers run: which Python, what that lacks, and lakeview's own code, sent where it is not found.

Asked once a session, before the first work that needs them: a plan's frame is computed later, by the analyst, whom a
worker's traceback would tell nothing.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lakeview.errors import SparkUnavailable
from lakeview.pipeline import failures
from lakeview.pipeline.progress import Job

NEEDED = ("numpy", "pyarrow")
USED = ("numba", "rapidfuzz")  # by some work alone
_KNOWN = "_lakeview_workers"
_PACKAGE = Path(__file__).parents[1]


@dataclass(frozen=True)
class Workers:
    """The Python of a session's workers, and which of the packages `USED` it has."""

    python: str
    version: str
    has: frozenset[str]


def ready(spark: Any) -> Workers:
    """The workers of a session, able to do lakeview's work. Raises SparkUnavailable, naming their Python, what it lacks
    and the setting."""
    known: Workers | None = getattr(spark, _KNOWN, None)
    if known is None:
        said = Job(spark, lambda: _asked(spark), "asking Spark's workers").wait()
        if said["lacks"]:
            raise SparkUnavailable(failures.workers_lack(said["lacks"], said["python"], said["version"]))
        if not (is_local(spark) and said["lakeview"] == str(_PACKAGE / "__init__.py")):
            spark.addArtifacts(str(_archive()), pyfile=True)
        known = Workers(said["python"], said["version"], frozenset(said["has"]))
        setattr(spark, _KNOWN, known)
    return known


def is_local(spark: Any) -> bool:
    """Whether the session's workers are processes of this machine."""
    try:
        return spark.sparkContext.master.startswith("local[") or spark.sparkContext.master == "local"  # type: ignore[no-any-return]
    except Exception:  # Connect: the workers may be anywhere
        return False


def _asked(spark: Any) -> dict[str, Any]:
    """What one worker says of itself. Not through Arrow, which it may lack."""
    from pyspark.sql import functions as F

    needed, used = NEEDED, USED

    def look(_: int) -> str:  # sent by value, as the worker may not find this module
        from importlib import import_module
        from importlib.util import find_spec

        lacks = []
        for name in needed:
            try:
                import_module(name)
            except Exception:  # a package may also be there and broken
                lacks.append(name)
        found = find_spec("lakeview")
        return json.dumps({
            "python": sys.executable, "version": "{}.{}".format(*sys.version_info[:2]), "lacks": lacks,
            "lakeview": found and found.origin, "has": [name for name in used if find_spec(name)],
        })  # fmt: skip

    asked = F.udf(look, "string", useArrow=False)
    return json.loads(spark.range(0, 1, 1, 1).select(asked("id")).first()[0])  # type: ignore[no-any-return]


def _archive() -> Path:
    """The package's Python files as an archive that Python imports from."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for path in sorted(_PACKAGE.rglob("*.py")):
            archive.writestr(zipfile.ZipInfo(str(Path("lakeview") / path.relative_to(_PACKAGE))), path.read_bytes())
    # Named by content: Spark refuses another artifact of the same name.
    folder = Path(tempfile.mkdtemp(prefix="lakeview-"))
    path = folder / f"lakeview_{hashlib.sha256(content.getvalue()).hexdigest()[:12]}.zip"
    path.write_bytes(content.getvalue())
    return path
