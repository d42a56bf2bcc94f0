# SPDX-License-Identifier: Apache-2.0
"""Content of an installed package, read from the lists that install it."""

from __future__ import annotations

import re
from pathlib import Path

RUNTIME = Path(__file__).parents[3] / "runtime"


def test_the_package_has_all_that_generated_code_includes() -> None:
    (installed,) = re.findall(r'REGEX "\\\\\.\((.*)\)\$"', (RUNTIME / "CMakeLists.txt").read_text())
    files = [path for path in RUNTIME.glob("*/**/[!.]*.*") if path.is_file()]
    suffixes = {path.suffix[1:] for path in files if "__pycache__" not in path.parts}
    assert suffixes == set(installed.split("|"))
