# SPDX-License-Identifier: Apache-2.0
"""Content of an installed package, read from the lists that install it."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from scikit_build_core.build._file_processor import each_unignored_file

ROOT = Path(__file__).parents[3]
RUNTIME = ROOT / "runtime"
WHEEL = re.compile(r"-cp3(\d+)-abi3-manylinux_2_(\d+)_x86_64\.whl")
PAGES = ("README.md", "docs/install.md", "docs/action.md")


def test_the_package_has_all_that_generated_code_includes() -> None:
    (installed,) = re.findall(r'REGEX "\\\\\.\((.*)\)\$"', (RUNTIME / "CMakeLists.txt").read_text())
    files = [path for path in RUNTIME.glob("*/**/[!.]*.*") if path.is_file()]
    suffixes = {path.suffix[1:] for path in files if "__pycache__" not in path.parts}
    assert suffixes == set(installed.split("|"))


@pytest.mark.parametrize("page", PAGES)
def test_pages_say_for_which_python_and_glibc_the_wheel_is(page: str) -> None:
    text = (ROOT / page).read_text()
    script = (ROOT / "setup/wheel").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    minor = project["tool"]["scikit-build"]["wheel"]["py-api"].removeprefix("cp3")
    (glibc,) = re.findall(r"^platform=manylinux_2_(\d+)$", script, flags=re.MULTILINE)
    assert project["project"]["requires-python"] == f">=3.{minor}"
    assert re.search(rf"Python 3\.{minor} (or|and) newer", text)
    assert f"glibc 2.{glibc}" in text or f"manylinux_2_{glibc}" in text
    assert set(WHEEL.findall(text)) <= {(minor, glibc)}


def test_the_linker_and_the_wheel_have_one_python() -> None:
    lists = (ROOT / "CMakeLists.txt").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (version,) = re.findall(r"STABLE_ABI_VERSION 3\.(\d+)", lists)
    assert project["tool"]["scikit-build"]["wheel"]["py-api"] == f"cp3{version}"


def test_the_wheel_has_every_template() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    left_out = project["tool"]["scikit-build"]["wheel"]["exclude"]
    templates = [path for path in (ROOT / "python").rglob("templates/**/*") if path.is_file()]
    assert templates
    assert not [path for path in templates if any(map(path.match, left_out))]


def test_the_source_distribution_leaves_no_tracked_file_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    packed = {path.as_posix() for path in each_unignored_file(Path(), mode="default")}
    listed = subprocess.run([ROOT / "setup" / "files"], capture_output=True, text=True, check=True)
    tracked = {path for path in listed.stdout.split("\0") if path and (ROOT / path).is_file()}
    assert len(tracked) > 1000
    assert tracked - packed == set()
