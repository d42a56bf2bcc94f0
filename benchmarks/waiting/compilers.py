# SPDX-License-Identifier: Apache-2.0
"""Times of the compilers that a command starts."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

WRAPPER = """\
#!/bin/bash
TIMEFORMAT="%U %S"
{{ time "{compiler}" "$@" 2>&3 ; }} 3>&2 2>> "{times}"
"""
"""A compiler that also writes its processor seconds, a line per call."""


def compilers(words: Sequence[str], folder: Path) -> str:
    """Return what the compilers take of a command that finds nothing compiled."""
    compiler = os.environ.get("CXX") or shutil.which("c++") or ""
    times, wrapper = folder / "times", folder / "c++"
    times.write_text("", encoding="utf-8")
    wrapper.write_text(WRAPPER.format(compiler=compiler, times=times), encoding="utf-8")
    wrapper.chmod(0o755)
    environment = {**os.environ, "CXX": str(wrapper), "XDG_CACHE_HOME": str(folder / "profiled")}
    subprocess.run(words, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    calls = [sum(map(float, line.split())) for line in times.read_text("utf-8").splitlines()]
    return (
        f"{len(calls)} calls of the C++ compiler take {sum(calls):.1f} s of CPU time, the "
        f"longest {max(calls):.1f} s"
    )
