# SPDX-License-Identifier: Apache-2.0
"""Content of an installed package, read from the lists that install it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
RUNTIME = ROOT / "runtime"
WHEEL = re.compile(r"-cp3(\d+)-cp3\d+-manylinux_2_(\d+)_x86_64\.whl$")
PAGES = ("README.md", "docs/install.md", "docs/action.md")


def test_the_package_has_all_that_generated_code_includes() -> None:
    (installed,) = re.findall(r'REGEX "\\\\\.\((.*)\)\$"', (RUNTIME / "CMakeLists.txt").read_text())
    files = [path for path in RUNTIME.glob("*/**/[!.]*.*") if path.is_file()]
    suffixes = {path.suffix[1:] for path in files if "__pycache__" not in path.parts}
    assert suffixes == set(installed.split("|"))


@pytest.mark.parametrize("page", PAGES)
def test_pages_say_for_which_python_and_glibc_the_wheel_is(page: str) -> None:
    text = (ROOT / page).read_text()
    wheels = [match.groups() for path in (ROOT / "build/dist").glob("*.whl")
              if (match := WHEEL.search(path.name))]  # fmt: skip
    for minor, glibc in wheels or [(str(sys.version_info.minor), "")]:
        assert f"3.{minor}" in text
        assert f"glibc 2.{glibc}" in text or f"manylinux_2_{glibc}" in text
    assert not re.search(r"Python 3\.\d+ or newer", text)
    assert all(minor == str(sys.version_info.minor) for minor, _ in WHEEL.findall(text))
