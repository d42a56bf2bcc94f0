# SPDX-License-Identifier: Apache-2.0
"""Running the tools that generate and link, and what a machine has for them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from wirecost.system import children

TIMEOUT_S = 600
"""Longest time of a unit, or of a tool."""


def ran(command: list[str]) -> str:
    """Run a program; return its complaint if it fails."""
    try:
        done = children.run(command, timeout_s=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return f"no end after {TIMEOUT_S} s"
    return first_error(done.stderr) if done.returncode != 0 else ""


def first_error(text: str) -> str:
    """Return the first line of the error; the linker prints it before the line with "error"."""
    lines = text.strip().splitlines()
    for said in ("undefined reference", "/ld: ", "error"):
        for line in lines:
            if said in line:
                return line
    return (lines or ["no reason given"])[0]


def has_header(name: str) -> bool:
    folders = (*os.environ.get("CPATH", "").split(os.pathsep), "/usr/include", "/usr/local/include")
    return any(folder and (Path(folder) / name).is_file() for folder in folders)
