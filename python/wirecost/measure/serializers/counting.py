# SPDX-License-Identifier: Apache-2.0
"""Allocations and instructions of programs that have the command ``count MODE CONTENT``."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from wirecost.data.messages.content_file import read_content
from wirecost.measure.bench.engine.program import INSTALLED, run
from wirecost.observe.heap.launch import COUNTING
from wirecost.system import scratch
from wirecost.system.children import ProgramFailedError

COUNTED_FUNCTION = "wirecost_counted*"
"""The harness's, or a clone of it, whose instructions are counted."""
_TOTALS = re.compile(r"^(?:summary|totals): (\d+)", re.MULTILINE)


def counted_allocations(command: Sequence[str]) -> float:
    """Return allocations per message. Raises ProgramFailedError.

    How often memory is asked for does not depend on who gives it.
    """
    counting = {**os.environ, "LD_PRELOAD": str(INSTALLED / "lib" / COUNTING)}
    (allocations,) = run(command, environment=counting)
    return float(allocations)


def counted_instructions(
    command: Sequence[str], content: Path, environment: Mapping[str, str] | None = None
) -> float | None:
    """Return instructions per message, as callgrind counts them.

    None where there is no callgrind, or the environment's allocator does not run under it.
    """
    if not shutil.which("valgrind"):
        return None
    with scratch.folder("callgrind") as folder, suppress(ProgramFailedError):
        out = folder / "out"
        # A killed one would leave the pipes by which a debugger could reach it.
        before = [
            "valgrind",
            "--tool=callgrind",
            "--vgdb=no",
            f"--toggle-collect={COUNTED_FUNCTION}",
        ]
        list(run([*before, f"--callgrind-out-file={out}", *command], environment=environment))
        total = _TOTALS.search(out.read_text(errors="replace"))
        if total:
            return int(total[1]) / len(read_content(content))
    return None
