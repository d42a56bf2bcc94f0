# SPDX-License-Identifier: Apache-2.0
"""System calls, wherever they are made, by Syscall User Dispatch."""

from __future__ import annotations

from wirecost.observe.probe.run.counting import CountingHook
from wirecost.observe.probe.run.hooks.stacks import LIBRARY

HOOK = CountingHook(
    name="system-calls",
    about="system-calls, where WIRECOST_PROBE_COUNTERS has them",
    library=LIBRARY,
    counters=("system-calls",),
)
