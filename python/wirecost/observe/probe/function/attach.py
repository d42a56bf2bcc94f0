# SPDX-License-Identifier: Apache-2.0
"""Functions of a process that runs, by uprobes: nothing is put into it but breakpoints."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from wirecost.observe.probe.function import choice, uprobes
from wirecost.observe.probe.function.listing import PATTERNS, listing
from wirecost.observe.probe.function.means import price
from wirecost.observe.probe.function.request import checked
from wirecost.observe.probe.run.counting import asked_counters
from wirecost.system.errors import UserError
from wirecost.system.function_names import is_python


def attach(
    process: int,
    seconds: float,
    patterns: tuple[str, ...],
    limit: int,
    folder: Path,
    note: Callable[[str], None],
) -> None:
    """Record calls into ``folder`` until the time is over, the process ends, or Ctrl-C.

    Raises:
        UserError: no uprobes here, no such process or function, or the observer failed.
    """
    checked(patterns, limit, "uprobes")
    for pattern in filter(is_python, patterns):
        raise UserError(f"--function {pattern}: Python functions need wirecost probe run")
    why = uprobes.unavailable()
    if why:
        raise UserError(f"--function: no uprobes: {why}; start the program with wirecost probe run")
    objects = uprobes.objects_of_process(process)
    listed = listing(patterns, objects)
    choice.matched(patterns, listed, objects[0], limit, each=False, later=False)
    count = choice.recordable(listed.functions, uprobes.why_not)
    cost = uprobes.cost_ns(os.environ)
    costs = "" if cost is None else f", {price(cost)} per call (measured now)"
    note(f"{count} function{'' if count == 1 else 's'} recorded by uprobes{costs}:")
    for line in choice.lines(listed.functions, uprobes.why_not):
        note(line)
    if lacks := [name for name in asked_counters() if name not in uprobes.COUNTED]:
        note(f"uprobes cannot count {', '.join(lacks)}; wirecost probe run can")
    environment = {
        **os.environ,
        "WIRECOST_PROBE": str(folder),
        PATTERNS: "\n".join(patterns),
    }
    command = uprobes.attached(objects, process, seconds)
    observer = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL)
    try:
        status = observer.wait()
    except KeyboardInterrupt:  # the terminal has interrupted the observer too
        status = observer.wait()
    if status:
        raise UserError(f"process {process}: the observer ended with status {status}")
