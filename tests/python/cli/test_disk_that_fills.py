# SPDX-License-Identifier: Apache-2.0
"""Disks that become full during the work.

Finished files stay, and one line says how to go on."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from support import result_folders

WIRECOST = f"{shlex.quote(sys.executable)} -m wirecost"
LISTED = "; echo status $?; (cd place; find . -type f | sort)"
SAID = "wirecost: place/out"
FULL = "No space left on device; make room"


def _printed(folder: Path, kilobytes: int, *commands: str) -> list[list[str]]:
    """Return lines that each command prints, its status and then the files below ``place``.

    ``place`` is a file system of that size, in a mount namespace of its own, so that it is gone
    afterwards."""
    (folder / "place").mkdir()
    mount = f"mount -t tmpfs -o size={kilobytes}k small place || exit 77"
    script = "\n".join((mount, *(f"echo ====; {command} 2>&1{LISTED}" for command in commands)))
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script],
        cwd=folder, env={**os.environ, "NO_COLOR": "1", "COLUMNS": "200"},
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    if done.returncode == 77 or "unshare failed" in done.stderr:
        pytest.skip("no file system can be mounted here")
    return [part.strip().splitlines() for part in done.stdout.split("====\n")[1:]]


def test_a_store_for_which_there_is_no_room_is_not_begun(tmp_path: Path) -> None:
    command = f"{WIRECOST} campaign import place/out {result_folders.DATA / 'heap'}"
    (printed,) = _printed(tmp_path, 8, command)
    assert printed == [f"{SAID}: {FULL}", "status 2"]


def test_what_a_program_printed_until_then_is_kept(tmp_path: Path) -> None:
    """The tables of a trial come last."""
    program = "head -c 20000 /dev/zero"
    command = f"{WIRECOST} probe try --remedies malloc --rounds 1 --out place/out -- {program}"
    (printed,) = _printed(tmp_path, 28, command)
    said = [line for line in printed if line.startswith("wirecost: ")]
    assert len(said) == 1 and said[0].endswith("in place/out"), printed
    assert FULL in said[0]
    assert "./out/runs/as-it-is-1/printed" in printed and "status 2" in printed
