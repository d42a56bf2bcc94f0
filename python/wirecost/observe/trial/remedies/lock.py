# SPDX-License-Identifier: Apache-2.0
"""Locked memory: nothing of the program is paged out or read from its files again."""

from __future__ import annotations

import os
import resource
from pathlib import Path

from wirecost.observe.trial.remedy import Change
from wirecost.system.parts import PROBE, installed, left_out

LIBRARY = "libwirecost-hook-lock-memory.so"


class Lock:
    name = "lock"
    about = "mlockall of all memory, now and later"
    price = "needs privileges"

    def refusal(self) -> str | None:
        limit = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
        if os.geteuid() == 0 or limit == resource.RLIM_INFINITY:
            return None
        return f"at most {limit >> 20} MiB may be locked; run as root, or ulimit -l unlimited"

    def change(self) -> Change:
        folder = os.environ.get("WIRECOST_HOOKS")
        path = Path(folder, LIBRARY) if folder else installed(f"lib/{LIBRARY}", PROBE)
        if not path.is_file():
            raise left_out(path)
        return Change(preload=(path.absolute(),))


REMEDY = Lock()
