# SPDX-License-Identifier: Apache-2.0
"""Programs that tests run to their end."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

JAVAC = ("javac", "-J-XX:TieredStopAtLevel=1")
JAVA = ("java", "-XX:TieredStopAtLevel=1", "-cp")
"""Programs that end before the second compiler of the virtual machine is worth its time."""


def execute(
    command: Sequence[str | Path] | str, *, check: bool = False, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run a command and return its status with what it printed.

    ``options``: those of ``subprocess.run``."""
    return subprocess.run(command, capture_output=True, text=True, check=check, **options)
