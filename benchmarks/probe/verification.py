# SPDX-License-Identifier: Apache-2.0
"""Verification of a contender's work.

It must have seen what was planted into sections; its log must hold every section that was timed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from wirecost.results.records.probe_log import COUNTER, ProbeLog, read_logs
from wirecost.system.errors import UserError

from .program import (
    SECTIONS_OF_A_SAMPLE,
    WARM_SECTIONS,
    Planted,
    ProbeContender,
)

STRAY = 0.1
"""Share of the sections that may hold faults beyond those planted, as the kernel's own."""


def fault(
    contender: ProbeContender, planted: list[Planted], samples: int, logs: Path
) -> str | None:
    """Return what is wrong, or None.

    ``logs``: folder of this contender's probe logs, which hold the planted sections and those of
    all samples.
    """
    if contender.records:
        return _log_fault(contender, planted, samples, logs)
    if logs.exists():
        return "it recorded, and was not asked to"
    if contender.counters:
        return _count_fault(contender, planted, [section.counted for section in planted])
    if contender.mode != "off" and sum(section.ns for section in planted) <= 0:
        return "it saw no time pass in sections with work in them"
    return None


def absent(contender: ProbeContender, logs: Path) -> str | None:
    """Return which of its counters this machine does not have."""
    if not contender.records:
        return None
    try:
        (log,) = read_logs([logs])
    except (UserError, ValueError):
        return None  # its work cannot be checked: that is a fault
    missing = [counter.name for counter in log.counters if counter.status == "n/a"]
    return f"{', '.join(missing)}: not counted on this machine" if missing else None


def _log_fault(
    contender: ProbeContender, planted: list[Planted], samples: int, logs: Path
) -> str | None:
    try:
        logs_read = read_logs([logs])
    except UserError as error:
        return str(error)
    if len(logs_read) != 1:
        return f"it left {len(logs_read)} logs instead of one"
    log = logs_read[0]
    sections = len(planted) + samples * (SECTIONS_OF_A_SAMPLE + WARM_SECTIONS)
    expected = sections * (2 if contender.records == "marks" else 1)
    lost = log.dropped + log.unclosed + log.unmatched
    if len(log.records) != expected or lost != 0:
        return f"its log has {len(log.records)} records instead of {expected}, {lost} were lost"
    return _records_fault(contender, planted, log)


def _records_fault(contender: ProbeContender, planted: list[Planted], log: ProbeLog) -> str | None:
    events = log.events()
    if contender.records == "marks":
        in_turns = events["part"].to_list() == [0, 1] * (len(events) // 2)
        return None if in_turns else "its marks are not in turns"
    if set(events["kind"]) != {"section"}:
        return "its log holds something else than sections"
    if not (log.records["end_ns"] >= log.records["begin_ns"]).all():
        return "a section of it ends before it begins"
    without = [name for name in contender.counters if events[COUNTER + name].null_count() != 0]
    if without:
        return f"{', '.join(without)}: without a value in some sections"
    if not contender.counters:
        return None
    first = events[COUNTER + contender.counters[0]].head(len(planted))
    return _count_fault(contender, planted, first.to_list())


def _count_fault(
    contender: ProbeContender, planted: list[Planted], counted: list[int]
) -> str | None:
    """Compare counts: page faults must be those planted, instructions at least those."""
    counter = contender.counters[0]
    faults = counter == "minor-faults"
    least = np.array([section.pages if faults else section.instructions for section in planted])
    beyond = np.array(counted) - least
    if (beyond < 0).any():
        at = int(np.flatnonzero(beyond < 0)[0])
        return f"it counted {counted[at]} {counter} where there were {least[at]}"
    if faults and np.count_nonzero(beyond) > STRAY * len(planted):
        return (
            f"it counted other {counter} than those planted in {np.count_nonzero(beyond)} of them"
        )
    return None
