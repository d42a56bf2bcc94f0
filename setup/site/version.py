# SPDX-License-Identifier: Apache-2.0
"""Version that the site describes."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path


def number(root: Path) -> str:
    return str(tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"])


def line(root: Path) -> str:
    """Return the line at the foot of every page."""
    done = subprocess.run([root / "setup" / "commit"], capture_output=True, text=True, check=False)
    commit = done.stdout.strip()
    return f"wirecost {number(root)}" + (f", commit {commit}" if commit else "") + ". Apache-2.0."
