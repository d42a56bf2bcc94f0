# SPDX-License-Identifier: Apache-2.0
"""The package that a middleware's library comes in."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import subprocess
from dataclasses import dataclass


@dataclass(frozen=True)
class Package:
    """Package of a library; ``name``: as PyPI or Debian has it."""

    name: str
    modules: tuple[str, ...]
    """Modules that can be imported once it is installed."""
    install: str = ""
    """Instructions to install it, where that is not ``pip install NAME``."""
    debian: bool = False

    def missing(self) -> str | None:
        """Return how to install it; None if its modules can be found. Imports nothing of it."""
        if all(map(_is_there, self.modules)):
            return None
        return f"not installed: {self.install or f'pip install {self.name}'}"

    def version(self) -> str | None:
        """Return None where it is not installed, or its installation records no version."""
        if self.debian:
            return _debian_version(self.name)
        try:
            return importlib.metadata.version(self.name)
        except importlib.metadata.PackageNotFoundError:
            return None


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:  # nor is the package that it is in
        return False


def _debian_version(name: str) -> str | None:
    command = ["dpkg-query", "--show", "--showformat=${Version}", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() or None
