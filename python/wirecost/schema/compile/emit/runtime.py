# SPDX-License-Identifier: Apache-2.0
"""The files that generated code includes or imports, ``runtime/`` of the repository."""

from __future__ import annotations

from functools import cache
from pathlib import Path, PurePosixPath

from wirecost.schema.compile.emit import Texts

_PACKAGE = Path(__file__).parents[3]


@cache
def _root() -> Path:
    """Return the folder of the runtimes, which a checkout has beside ``python/``."""
    installed = _PACKAGE / "runtime"
    return installed if installed.is_dir() else _PACKAGE.parents[1] / "runtime"


def text(path: str) -> str:
    return (_root() / path).read_text(encoding="utf-8")


def texts(folder: str, pattern: str) -> Texts:
    """Return texts of the files in a folder by their path below the language's."""
    paths = sorted((_root() / folder).glob(pattern))
    return {
        PurePosixPath(*path.relative_to(_root()).parts[1:]): path.read_text(encoding="utf-8")
        for path in paths
    }
