# SPDX-License-Identifier: Apache-2.0
"""Kinds of counters, by their names: kernel names and those of libpfm4 alike."""

from __future__ import annotations

import re
from dataclasses import dataclass

INPUT = "value"
"""The number that the program recorded with an execution, as its input's size."""


@dataclass(frozen=True)
class CauseKind:
    """``unit`` is one of what is counted; ``advice`` says in one sentence how to have fewer."""

    unit: str
    advice: str
    event: str | None = None
    """Name in ``records.recorded_machine`` of what prices it where it hardly varies."""
    deed: str = ""
    """Text of what executions did that have this number, ``touched {} new pages``."""


_OTHER = CauseKind("count", "see what changes it")
_KINDS = (
    (
        rf"^{INPUT}$",
        CauseKind("unit", "bound the input or use a cheaper algorithm", deed="had a value of {}"),
    ),
    (
        "^run-queue-wait-ns$",
        CauseKind(
            "ns",
            "give it a core of its own: isolate one (wirecost doctor), taskset, SCHED_FIFO",
            deed="waited {} for a CPU",
        ),
    ),
    (
        "^blocked-ns$",
        CauseKind(
            "ns",
            "wait less inside: for locks, devices, sleeps or other nodes",
            deed="were blocked for {}",
        ),
    ),
    (
        "^lock-wait-ns$",
        CauseKind(
            "ns",
            "hold the lock for less time, or copy what it protects",
            deed="waited {} for a lock",
        ),
    ),
    (
        "^lock-waits$",
        CauseKind(
            "wait", "hold the lock for less time", "futex-wait", "waited for a lock {} times"
        ),
    ),
    (
        "^allocations$",
        CauseKind(
            "allocation",
            "reuse buffers, reserve, or run with wirecost heap",
            "allocation",
            "made {} allocations",
        ),
    ),
    (
        "^allocated-bytes$",
        CauseKind("byte", "reuse buffers, or run with wirecost heap", deed="allocated {} bytes"),
    ),
    (
        "^block-(input|output)$",
        CauseKind("block", "read before, write elsewhere: not in the callback"),
    ),
    (
        "^system-calls$",
        CauseKind(
            "call",
            "make fewer system calls, or let another thread",
            "system-call",
            "made {} system calls",
        ),
    ),
    (
        "major.?faults?",
        CauseKind(
            "fault",
            "keep program and data in memory: mlockall, no swap",
            deed="read {} pages from a disk",
        ),
    ),
    (
        "faults?",
        CauseKind(
            "fault",
            "run with wirecost heap, or reuse buffers touched before",
            "minor-fault",
            "touched {} new pages",
        ),
    ),
    (
        "context.?switches",
        CauseKind(
            "switch",
            "isolate a core (wirecost doctor), taskset, SCHED_FIFO; wait less inside",
            "context-switch",
            "left the CPU {} times",
        ),
    ),
    ("migrations", CauseKind("migration", "pin the thread to a core with taskset", "migration")),
    (
        "branch.*miss|misp",
        CauseKind("miss", "make branches predictable: sort first, or compute both sides"),
    ),
    (
        "store.?miss",
        CauseKind("miss", "write less memory: work in place, copy fewer buffers"),
    ),
    (
        "miss",
        CauseKind("miss", "read less memory, in order: arrays or columns, not rows and pointers"),
    ),
    ("cycles", CauseKind("cycle", "see where they are spent")),
    (
        "instr|inst_retired",
        CauseKind("instruction", "the work differs: record its input's size as the value"),
    ),
)
_TIME = re.compile(r"(^|:)(cpu[-_]|ref[-_]|unhalted_(core|reference)_)?cycles$|clock$", re.I)
_WORK = re.compile("instr|inst_retired", re.I)


def kind_of(name: str) -> CauseKind:
    """Return the first kind whose pattern is in the name."""
    return next((kind for pattern, kind in _KINDS if re.search(pattern, name, re.I)), _OTHER)


def is_time(name: str) -> bool:
    """Say whether it measures how long something took and so explains nothing."""
    return _TIME.search(name) is not None or is_processor_time(name)


def is_processor_time(name: str) -> bool:
    """Say whether it is the time that the thread ran on a processor, in nanoseconds."""
    return name.lower().removeprefix("perf::") in ("task-clock", "processor-ns")


def is_duration(name: str) -> bool:
    """Say whether it is a part of the time itself, in nanoseconds, such as that spent waiting."""
    return name.endswith("-ns") and not is_processor_time(name)


def is_work(name: str) -> bool:
    """Say whether it counts the work done: everything that takes time shows in it."""
    return _WORK.search(name) is not None


def is_avoidable(name: str) -> bool:
    """Say whether a callback can do without any: faults, switches, migrations, allocations."""
    return kind_of(name).unit in ("fault", "switch", "migration", "allocation")
