# SPDX-License-Identifier: Apache-2.0
"""A node's process, where its participant announces it (Cyclone DDS does)."""

from __future__ import annotations

import socket
from pathlib import Path

from wirecost import _dds

# The kernel keeps as many characters of a thread's name.
_COMM_CHARACTERS = 15


def process_of(participant: _dds.FoundParticipant, proc: Path = Path("/proc")) -> int | None:
    """None where it is not announced, not on this machine, or not the process that it was."""
    announced = participant.properties
    pid, name = announced.get("__Pid", ""), announced.get("__ProcessName", "")
    if (
        not pid.isascii()
        or not pid.isdigit()
        or announced.get("__Hostname") != socket.gethostname()
    ):
        return None
    # A process may have renamed itself, and an interpreter's script has a name of its own.
    names = {_text(proc / pid / "comm"), *_arguments(proc / pid / "cmdline")}
    return int(pid) if name and (name in names or name[:_COMM_CHARACTERS] in names) else None


def _arguments(file: Path) -> list[str]:
    return [Path(argument).name for argument in _text(file).split("\0") if argument]


def _text(file: Path) -> str:
    try:
        return file.read_text(errors="replace").rstrip("\n")
    except OSError:
        return ""
