# SPDX-License-Identifier: Apache-2.0
"""Another interpreter on this machine, which runs this package with what is installed there."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from wirecost.system import scratch

_BEHIND = "WIRECOST_PACKAGES"
_APPEND = """\
import os, sys
if sys.version_info[:2] == {version}:
    sys.path += os.environ.get({behind!r}, "").split(os.pathsep)
"""
"""Code that Python runs at its start; another version could not load compiled packages."""


def installed_packages() -> list[str]:
    """Return the folders of installed packages that this interpreter looks in."""
    return [path for path in sys.path if Path(path).name in {"site-packages", "dist-packages"}]


def environment(packages: Iterable[str]) -> dict[str, str]:
    """Return the environment in which another interpreter finds this package before all others.

    ``packages``: folders of this interpreter that it finds behind its own.
    """
    folders = (str(_folder()), os.environ.get("PYTHONPATH", ""))
    path = os.pathsep.join(filter(None, folders))  # a ROS that is sourced is found by it
    return {**os.environ, "PYTHONPATH": path, _BEHIND: os.pathsep.join(packages)}


@cache
def _folder() -> Path:
    folder = scratch.make("package")
    (folder / "wirecost").symlink_to(Path(__file__).parents[3])
    version = sys.version_info[:2]
    (folder / "sitecustomize.py").write_text(_APPEND.format(version=version, behind=_BEHIND))
    return folder
