# SPDX-License-Identifier: Apache-2.0
"""Prices of one page fault, context switch, migration, futex wait, system call and malloc here.

The price of events that every execution has as many of cannot be found in the executions
(``wirecost.results.analysis.causes.costs``), so it is measured once, raw samples are kept, and the
document is stored beside what was recorded.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from wirecost import _core
from wirecost.results.records.recorded_machine import PRICES, MachineEvent, MachinePrices
from wirecost.system.whole_file import write_text

REPETITIONS = 15
EVENTS: dict[str, tuple[str, Callable[[int], list[float]]]] = {
    "minor-fault": (
        "first less second touch of a page of fresh anonymous memory, 4 KiB each; mean of 1,024",
        _core.price_minor_fault,
    ),
    "context-switch": (
        "a thread wakes another on the same CPU and sleeps, less the two futex calls; mean of 600",
        _core.price_context_switch,
    ),
    "migration": (
        "sched_setaffinity that moves the thread, less one that does not; mean of 50",
        _core.price_migration,
    ),
    "futex-wait": (
        "a thread wakes another that sleeps on another CPU; mean of 600",
        _core.price_futex_wait,
    ),
    "system-call": ("getppid; mean of 2,000", _core.price_system_call),
    "allocation": (
        "malloc and free of 16 to 512 bytes, first byte written, while 4,096 other blocks are in "
        "use; mean of 65,536",
        _core.price_allocation,
    ),
}


def measure_prices() -> MachinePrices:
    """Measure each event: raw samples in nanoseconds, or the reason why there are none.

    Takes about 0.5 s. The caches that an event leaves cold are not in its price.
    """
    return MachinePrices(
        measured=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=platform.node(),
        kernel=platform.release(),
        cpus=len(os.sched_getaffinity(0)),
        events={name: _event(what, run) for name, (what, run) in EVENTS.items()},
    )


def write_prices(folder: Path) -> MachinePrices:
    """Measure the prices, and write them into an existing folder. Raises OSError."""
    prices = measure_prices()
    text = msgspec.json.format(msgspec.json.encode(prices), indent=1).decode()
    write_text(folder / PRICES, text + "\n")
    return prices


def _event(what: str, run: Callable[[int], list[float]]) -> MachineEvent:
    try:
        return MachineEvent(what=what, ns=[round(ns, 2) for ns in run(REPETITIONS)])
    except RuntimeError as error:
        return MachineEvent(what=what, ns=[], reason=str(error))
