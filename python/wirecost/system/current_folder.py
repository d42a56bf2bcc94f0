# SPDX-License-Identifier: Apache-2.0
"""Names of files as seen from the current folder, which may be gone: a build's, a mount's."""

from __future__ import annotations

import os
from pathlib import Path


def is_gone() -> bool:
    """Return whether the current folder was removed since it was entered."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def from_here(path: Path) -> str:
    """Return a path as short as people write it: relative, if at most one folder up."""
    if is_gone():
        return str(path)
    relative = os.path.relpath(path)
    return str(path) if relative.startswith(f"..{os.sep}..") else relative
