# SPDX-License-Identifier: Apache-2.0
"""One line for a package that an installation lacks."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from support.programs import execute


def test_without_nanobinds_part_the_line_says_what_brings_it(tmp_path: Path) -> None:
    (tmp_path / "nanobind_backend.py").write_text(
        "raise ModuleNotFoundError('none', name='nanobind_backend')\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [Path(sys.executable).with_name("wirecost"), "bench", "osi"]
    done = execute(list(map(str, command)), env=environment)
    assert done.returncode == 2
    assert done.stderr == (
        "wirecost: nanobind_backend is not installed; it comes with wirecost: "
        "pip install wirecost, without --no-deps\n"
    )
