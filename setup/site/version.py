# SPDX-License-Identifier: Apache-2.0
"""Which version the site describes."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path


def number(root: Path) -> str:
    return str(tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"])


def line(root: Path) -> str:
    """What the foot of every page says."""
    done = subprocess.run([root / "setup" / "commit"], capture_output=True, text=True, check=False)
    commit = done.stdout.strip()
    return f"wirecost {number(root)}" + (f", commit {commit}" if commit else "") + ". Apache-2.0."
