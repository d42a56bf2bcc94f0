# SPDX-License-Identifier: Apache-2.0
"""Content of a point cloud's file, without copying it."""

from __future__ import annotations

import mmap
from pathlib import Path

from wirecost.system.errors import UserError
from wirecost.system.regular_file import open_regular


def mapped(path: Path, kind: str) -> mmap.mmap:
    """Map a file of that kind, ``.pcd``, to be read. Raises UserError."""
    try:
        with open_regular(path) as file:
            if not path.stat().st_size:  # an empty file cannot be mapped
                raise ValueError("is empty")
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"{path}: {reason}; name a readable {kind} file") from error
