"""Options: known names with values of their type, everything else refused with help."""

from __future__ import annotations

import subprocess
import sys

import pytest

import lakeview as lv
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
    with pytest.raises(lv.InputError, match="there are: save_values"):
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
