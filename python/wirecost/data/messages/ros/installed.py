# SPDX-License-Identifier: Apache-2.0
"""ROS 2 as it is installed on this machine: sourced, or in an environment of Python's packages."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wirecost.system.errors import UserError

MISSING = "pip install 'wirecost[ros2]', source a ROS 2, or name a Python that has it with --python"


@dataclass(frozen=True)
class Ros2Installation:
    """``python``: another Python than this one, in which it is installed."""

    python: Path | None = None

    @property
    def interpreter(self) -> Path:
        # Not resolved: the link in a virtual environment is what makes it one.
        return (self.python or Path(sys.executable)).absolute()

    def having(self, path: str) -> Path | None:
        """Return the prefix in which it has a file or folder."""
        return next((prefix for prefix in self._prefixes() if (prefix / path).exists()), None)

    def shares(self) -> list[Path]:
        """Return the folders that hold packages with their definitions."""
        return [folder for prefix in self._prefixes() if (folder := prefix / "share").is_dir()]

    def _prefixes(self) -> Iterator[Path]:
        """Yield folders with ``include``, ``lib`` and ``share``."""
        if self.python is None:
            sourced = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
            yield from (Path(folder) for folder in sourced if folder)
        yield self.interpreter.parents[1]


def check(python: Path | None) -> None:
    """Raise UserError where ``--python`` names no program."""
    if python is not None and (python.is_dir() or not os.access(python, os.X_OK)):
        raise UserError(f"--python {python}: cannot be run; name the Python of a ROS 2")
