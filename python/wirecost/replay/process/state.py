# SPDX-License-Identifier: Apache-2.0
"""State that the kernel reports of a process (proc(5)): how it was started, what it cost so far."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from wirecost.system.errors import UserError

POLICIES = {
    os.SCHED_OTHER: "other",
    os.SCHED_FIFO: "fifo",
    os.SCHED_RR: "rr",
    os.SCHED_BATCH: "batch",
    os.SCHED_IDLE: "idle",
}
SWITCHES = ("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")


@dataclass(frozen=True)
class Counts:
    """Since the process began; switches of the threads that run now."""

    minor_faults: int
    major_faults: int
    voluntary_switches: int
    involuntary_switches: int

    def since(self, before: Counts) -> Counts:
        return Counts(
            self.minor_faults - before.minor_faults,
            self.major_faults - before.major_faults,
            self.voluntary_switches - before.voluntary_switches,
            self.involuntary_switches - before.involuntary_switches,
        )


@dataclass(frozen=True)
class ProcessState:
    """``executable`` is the file that runs, ``arguments`` with the program's name first."""

    executable: str
    arguments: list[str]
    working_directory: str
    environment: dict[str, str]
    affinity: list[int]
    policy: str
    priority: int
    nice: int
    limits: dict[str, tuple[int | None, int | None]]
    """Soft and hard by the kernel's names; None: unlimited."""
    user: int | None = None
    """Owner of the process; None in recordings of earlier versions."""


def state_of(pid: int) -> ProcessState:
    """Raise UserError where there is no such process or it is another user's."""
    folder = Path(f"/proc/{pid}")
    try:
        policy = os.sched_getscheduler(pid) & ~os.SCHED_RESET_ON_FORK
        return ProcessState(
            executable=str((folder / "exe").readlink()),
            arguments=_words(folder / "cmdline"),
            working_directory=str((folder / "cwd").readlink()),
            environment={
                name: value
                for name, equals, value in (w.partition("=") for w in _words(folder / "environ"))
                if equals
            },
            affinity=sorted(os.sched_getaffinity(pid)),
            policy=POLICIES.get(policy, str(policy)),
            priority=os.sched_getparam(pid).sched_priority,
            nice=os.getpriority(os.PRIO_PROCESS, pid),
            limits=_limits((folder / "limits").read_text()),
            user=folder.stat().st_uid,
        )
    except (FileNotFoundError, ProcessLookupError) as error:
        raise UserError(f"--pid {pid}: no such process; give the PID of the node") from error
    except PermissionError as error:
        raise UserError(
            f"process {pid} belongs to another user; record as that user or as root"
        ) from error


def counts_of(pid: int) -> Counts | None:
    """Return None where the process is gone."""
    folder = Path(f"/proc/{pid}")
    try:
        fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
        switches = [_switches(task) for task in (folder / "task").iterdir()]
    except (OSError, IndexError):
        return None
    voluntary, involuntary = (sum(column) for column in zip(*switches, strict=True))
    return Counts(int(fields[7]), int(fields[9]), voluntary, involuntary)


def _switches(task: Path) -> tuple[int, int]:
    try:
        lines = (task / "status").read_text().splitlines()
    except OSError:  # a thread that ended meanwhile
        return 0, 0
    table = dict(line.split(":", 1) for line in lines if ":" in line)
    return int(table.get(SWITCHES[0], 0)), int(table.get(SWITCHES[1], 0))


def _words(path: Path) -> list[str]:
    """Return zero-terminated strings; bytes that are no UTF-8 stay what they are (PEP 383)."""
    content = path.read_bytes().removesuffix(b"\0")
    return [os.fsdecode(word) for word in content.split(b"\0")] if content else []


def _limits(text: str) -> dict[str, tuple[int | None, int | None]]:
    limits = {}
    for line in text.splitlines()[1:]:
        name = line[:26].strip()
        words = line[26:].split()
        if len(words) >= 2:
            limits[name] = (_limit(words[0]), _limit(words[1]))
    return limits


def _limit(word: str) -> int | None:
    return int(word) if word.isdigit() else None
