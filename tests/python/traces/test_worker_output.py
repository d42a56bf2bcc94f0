# SPDX-License-Identifier: Apache-2.0
"""Where the words of worker processes go."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from wirecost.traces.batch.worker_output import last_line

WORKER = """
import os, subprocess, sys
from pathlib import Path
from wirecost.traces.batch.worker_output import redirect
redirect(Path(sys.argv[1]), 1)
print("of Python", flush=True)
subprocess.run(["echo", "of a child"], check=True)
raise RuntimeError(f"of worker\x1b[31m {sys.argv[2]}")
"""


def test_nothing_that_a_worker_prints_reaches_the_terminal(tmp_path: Path) -> None:
    for number in "12":
        done = subprocess.run(
            [sys.executable, "-c", WORKER, str(tmp_path), number],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
        assert last_line(tmp_path, 1) == f"RuntimeError: of worker\\x1b[31m {number}"
    (file,) = tmp_path.iterdir()
    text = file.read_text()
    assert text.count("of Python\nof a child\nTraceback") == 2
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (None, ""),
        (b"", ""),
        (b"\n \n", ""),
        (b"one\ntwo\n\n", "two"),
        (b"cut off", "cut off"),
        (b"\xff\n", "\ufffd"),
        (b"x" * 10_000 + b"\nend\n", "end"),
        (b"x" * 10_000, "x" * 80 + "… (4016 characters more)"),
    ],
)
def test_the_last_line(tmp_path: Path, content: bytes | None, line: str) -> None:
    if content is not None:
        (tmp_path / "worker-0.txt").write_bytes(content)
    assert last_line(tmp_path, 0) == line
