# SPDX-License-Identifier: Apache-2.0
"""A second user of the machine: what one user can do to another. Needs root, who can be both."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

SECOND_USER = 54321
"""Nobody's, and in no list of users: the least that a user can be."""

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be a second user")


def as_second_user(
    *command: str | Path, environment: Mapping[str, str] | None = None, timeout_s: float = 120.0
) -> subprocess.CompletedProcess[str]:
    """Run a command as the second user, from ``/``, and return what it printed."""
    return subprocess.run(
        [str(word) for word in command],
        env=dict(environment or {"PATH": os.environ.get("PATH", "/usr/bin:/bin")}),
        user=SECOND_USER,
        group=SECOND_USER,
        extra_groups=[],
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout_s,
    )


def python_as_second_user(
    program: str, *arguments: str | Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a Python program, given as text, as the second user.

    Skips where that user may not enter our checkout."""
    done = as_second_user(sys.executable, "-c", "import wirecost")
    if done.returncode != 0:
        pytest.skip("the second user cannot read this checkout")
    return as_second_user(sys.executable, "-c", program, *arguments, environment=environment)


@contextmanager
def open_folder(mode: int = 0o755) -> Iterator[Path]:
    """Make a folder that every user can reach, root's, below /tmp; pytest's own are not."""
    folder = Path(tempfile.mkdtemp(prefix="wirecost-test-", dir="/tmp"))
    try:
        folder.chmod(mode)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
