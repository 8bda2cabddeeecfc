"""Options: known names with values of their type, everything else refused with help."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

import lakeview as lv
from lakeview.guards import memory
from lakeview.options import Options


def test_a_setting_can_be_read_and_set():
    options = Options()
    assert options.save_values is True
    options.save_values = False
    assert options.save_values is False
    assert lv.options.save_values is True


def test_unknown_names_are_refused_with_the_nearest():
    with pytest.raises(lv.InputError, match="did you mean 'save_values'"):
        Options().save_value = True
    with pytest.raises(lv.InputError, match="there are: memory, save_values"):
        _ = Options().quux
    assert not hasattr(Options(), "quux")


@pytest.mark.parametrize("value", [1, 0, "no", None])
def test_values_of_another_type_are_refused(value: object):
    with pytest.raises(lv.InputError, match="is True or False"):
        Options().save_values = value


def test_repr_and_dir_tell_what_there_is():
    assert "save_values = True" in repr(Options())
    assert "save_values" in dir(Options())


def test_the_name_means_the_settings_whoever_imports_first():
    """`lakeview.options` is a module too; importing it must not hide the settings."""
    code = "import lakeview.options, lakeview.errors; import lakeview as lv; print(lv.options.save_values)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "True"


@pytest.mark.parametrize(
    ("value", "size"),
    [("1 GB", 1 << 30), ("1.5g", 3 << 29), ("512 MiB", 1 << 29), (" 300mb ", 300 << 20), (1 << 30, 1 << 30)],
)
def test_memory_is_a_size(a_quarter, value: object, size: int):
    lv.options.memory = value
    assert lv.options.memory == size
    assert f"memory = {size}" in repr(lv.options)


@pytest.mark.parametrize("value", ["much", "", "1 PB", "10 MB", 5, True, -1, float("nan"), float("inf"), [1], "1e9 GB"])
def test_other_sizes_are_refused(a_quarter, value: object):
    before = lv.options.memory
    with pytest.raises(lv.InputError, match='a size such as "4 GB"'):
        lv.options.memory = value
    assert lv.options.memory == before


def test_memory_is_a_quarter_of_what_there_is(a_quarter, monkeypatch, tmp_path):
    import psutil

    assert lv.options.memory <= psutil.virtual_memory().total // 4
    (tmp_path / "container").write_text(f"{8 << 30}\n")
    monkeypatch.setattr(memory, "_CONTAINERS", (str(tmp_path / "no"), str(tmp_path / "container")))
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(total=64 << 30))
    memory._of_machine.cache_clear()
    assert lv.options.memory == 2 << 30
    (tmp_path / "container").write_text("max\n")
    memory._of_machine.cache_clear()
    assert lv.options.memory == 16 << 30


@pytest.fixture
def a_quarter() -> Iterator[None]:
    """The setting as it was, afterwards."""
    yield
    lv.options.memory = None
    memory._of_machine.cache_clear()
