# SPDX-License-Identifier: Apache-2.0
"""The installation: version, commit, compiler, from a wheel or a checkout, and its folders."""

from __future__ import annotations

import importlib.util
import json
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from wirecost.system.errors import UserError


@dataclass(frozen=True)
class Installation:
    folder: Path
    """Results of the build: programs, FMUs, schemas, and the prefix for C and C++ programs."""
    version: str
    commit: str
    compiler: str
    checkout: Path | None
    """Folder of the source that is installed in place; None for a wheel."""

    @property
    def cmake(self) -> Path:
        """Folder for find_package(wirecost), in CMAKE_PREFIX_PATH or wirecost_DIR."""
        return self.folder / "lib" / "cmake" / "wirecost"

    @property
    def include(self) -> Path:
        return self.folder / "include"

    @property
    def pkgconfig(self) -> Path:
        return self.folder / "lib" / "pkgconfig"

    def __str__(self) -> str:
        where = f"checkout {self.checkout}" if self.checkout else "wheel"
        return f"wirecost {self.version} ({self.commit}, {self.compiler}, {where})"


@cache
def installation() -> Installation:
    """Return the facts of this installation. Raises UserError without the compiled part."""
    core = importlib.util.find_spec("wirecost._core")
    if core is None or core.origin is None:
        raise UserError("its compiled part is missing; install wirecost again, or run `make run`")
    folder = Path(core.origin).parent
    try:
        built = json.loads((folder / "build.json").read_text())
    except (OSError, ValueError) as error:
        raise UserError(f"{folder / 'build.json'}: {error}; install wirecost again") from error
    checkout = Path(built["source"]) if built["source"] else None
    commit = (checkout and _commit(checkout)) or built["commit"]
    return Installation(folder, built["version"], commit, built["compiler"], checkout)


def _commit(checkout: Path) -> str | None:
    """Return the present commit: a checkout goes on after it was installed."""
    program = checkout / "setup" / "commit"
    try:
        done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
