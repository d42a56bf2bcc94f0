# SPDX-License-Identifier: Apache-2.0
"""Breakpoints that the kernel keeps, observed by a process outside the program."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from wirecost.observe.probe.function.listing import PATTERNS, Function, helper
from wirecost.system import scratch
from wirecost.system.errors import UserError

OBSERVED = "wirecost_observed_function"
CALLS, LONGEST_S = 300, 30.0
COUNTED = frozenset({"minor-faults", "major-faults", "context-switches", "cpu-migrations"})
"""The kernel's events that come with a breakpoint; whatever is read in the thread is not."""


def why_not(function: Function) -> str:
    return function.refusal or function.no_exits


def unavailable() -> str:
    """Why this kernel or this user has none; empty: they can be used."""
    try:
        done = subprocess.run(
            [helper(), "observe"], capture_output=True, text=True, timeout=LONGEST_S, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    return done.stdout.strip() or (f"status {done.returncode}" if done.returncode else "")


def before(objects: Sequence[Path]) -> tuple[str, ...]:
    """Return words that start a program so that its calls are recorded."""
    return (str(helper()), "observe", *map(str, objects), "--")


def attached(objects: Sequence[Path], process: int, seconds: float) -> list[str]:
    """Return the command that records a process's calls for so long."""
    options = ["--pid", str(process), "--seconds", f"{seconds:g}"]
    return [str(helper()), "observe", *options, *map(str, objects), "--"]


def cost_ns(environment: Mapping[str, str]) -> float | None:
    """Measure the cost of one call now; None: that failed."""
    try:
        with scratch.folder("probe-cost", in_memory=True) as folder:
            changed = {
                "WIRECOST_PROBE": str(folder),
                "WIRECOST_PROBE_SIZE": "1M",
                PATTERNS: OBSERVED,
            }
            done = subprocess.run(
                [*before([helper()]), str(helper()), "measure", str(CALLS)],
                env={**environment, **changed},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=LONGEST_S,
                check=True,
            )
        return float(done.stdout)
    except (OSError, subprocess.SubprocessError, UserError, ValueError):
        return None


def objects_of_process(process: int) -> list[Path]:
    """Return the files that a running process executes code of, its program first.

    Raises:
        UserError: there is no such process, or it is another user's.
    """
    try:
        program = str(Path(f"/proc/{process}/exe").readlink())
        lines = Path(f"/proc/{process}/maps").read_text(errors="replace").splitlines()
    except OSError as error:
        raise UserError(
            f"process {process}: {error.strerror}; give a process that runs, as a user who may "
            "observe it"
        ) from error
    columns = (line.split(maxsplit=5) for line in lines)
    mapped = (words[5] for words in columns if len(words) == 6 and "x" in words[1])
    return list(dict.fromkeys(Path(path) for path in (program, *mapped) if path.startswith("/")))
