"""Workers that begin at once: where their process is found, and what they have from the start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lakeview.pipeline import daemon


def test_it_is_used_where_a_fresh_python_finds_it(tmp_path: Path) -> None:
    assert daemon.is_found(sys.executable)
    bare = tmp_path / "python"  # one that has no lakeview, as it looks at its own library alone
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
    bare.chmod(0o755)
    assert not daemon.is_found(str(bare))
    assert not daemon.is_found(str(tmp_path / "nothing"))


def test_what_cannot_be_imported_and_what_is_printed_meanwhile_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "pandas").mkdir()
    (tmp_path / "pandas" / "__init__.py").write_text("print('hello'); 1 / 0")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from lakeview.pipeline import daemon; daemon.prepare();"
        "print([name in sys.modules for name in ('numpy', 'pandas', 'lakeview.pipeline.part_task')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[True, False, True]" and "hello" in done.stderr


@pytest.mark.spark
def test_workers_have_it_from_the_start_and_set_aside_what_they_import(spark: Any) -> None:
    from pyspark.sql import functions as F

    def look(_: int) -> list[int]:
        import gc
        import sys

        had = [name in sys.modules for name in ("numpy", "pandas", "lakeview.pipeline.part_task")]
        import numba.core.cpu  # noqa: F401
        import scipy.stats  # noqa: F401

        return [sum(had), len(gc.get_objects()), gc.get_freeze_count()]

    look_at = F.udf(look, "array<long>", useArrow=False)
    for _ in range(3):
        told = [row[0] for row in spark.range(0, 4, 1, 4).select(look_at("id")).collect()]
        assert [had for had, *_ in told] == [3] * 4
    assert all(left < 20_000 < held for _, left, held in told)
