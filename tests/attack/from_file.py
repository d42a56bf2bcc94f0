# SPDX-License-Identifier: Apache-2.0
"""Inputs as files, for readers of paths."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class FromFile:
    """Reads the input as a file of that name."""

    name: str
    read: Callable[[Path], object]

    def __call__(self, data: bytes) -> None:
        path = Path(tempfile.gettempdir(), self.name)
        path.write_bytes(data)
        try:
            self.read(path)
        finally:
            path.unlink()
