# SPDX-License-Identifier: Apache-2.0
"""The current folder, which may be gone: removed while a shell still stood in it."""

from __future__ import annotations

import os
from pathlib import Path


def is_gone() -> bool:
    """Return whether the current folder no longer exists."""
    try:
        os.getcwd()  # noqa: PTH109 - pathlib's asks for the same
    except FileNotFoundError:
        return True
    return False


def from_here(path: Path) -> Path:
    """Return the path as people write it: relative below this folder and the one above."""
    if is_gone():
        return path
    relative = os.path.relpath(path)
    return path if relative.startswith(f"..{os.sep}..") else Path(relative)
