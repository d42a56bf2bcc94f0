# SPDX-License-Identifier: Apache-2.0
"""Decoders in Python and C++ fed with frames that atheris makes up, guided by coverage.

Longer: tests/conformance/tensor/fuzz.py."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]
SECONDS = 10


@pytest.fixture(autouse=True)
def path() -> None:
    """Both at once."""


def test_made_up_frames_are_read_or_refused(tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="atheris is not installed: not every Python has it")
    program = TESTS / "conformance" / "tensor" / "fuzz.py"
    corpus = tmp_path / "corpus"
    done = subprocess.run(
        [sys.executable, program, f"-max_total_time={SECONDS}", "-timeout=10", "-rss_limit_mb=4096",
         f"-artifact_prefix={tmp_path}/", "-print_final_stats=1", corpus],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (TESTS, TESTS / "python")))},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
    (executed,) = [
        int(line.split()[-1]) for line in done.stdout.splitlines() if "executed_units" in line
    ]
    assert executed > 1000
