# SPDX-License-Identifier: Apache-2.0
"""Stacks in probe logs (docs/formats/probe-log.md): where in the program a count grew."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from wirecost.results.records.probe_log import NO_PARENT, ProbeLog
from wirecost.results.records.system_calls import NAMES

STACK, STACK_TEXT = 6, 7
SYSTEM_CALLS, LOCK_WAITS = "system-calls", {"lock-waits", "lock-wait-ns"}
MODULE, PYTHON, STOPPED = 0, 1, 2
"""Kinds of a stack's texts."""
MODULE_SHIFT, UNKNOWN_MODULE = 48, 0xFFFF
MOST_PARTS = 64
"""Records of one stack or text; a log that has more of them is damaged or hostile."""
_PYTHON_LINE = re.compile(r'\s*File "(?P<file>.*)", line (?P<line>\d{1,9}|\?\?\?) in (?P<name>.*)')


@dataclass(frozen=True)
class SourceLine:
    """A function and where in it the stack goes on; ``line`` 0 and ``file`` empty: unknown."""

    function: str
    file: str = ""
    line: int = 0


@dataclass(frozen=True)
class Address:
    """A place in a file that the process had loaded; ``module`` empty: unknown."""

    module: str
    offset: int


@dataclass(frozen=True)
class Priorities:
    """Real-time priorities of who waits for a lock and who holds it; 0: of no real-time class.

    ``is_inherited``: the holder has that of whoever waits, as long as it holds the lock.
    """

    own: int
    holder: int
    is_inherited: bool

    @property
    def are_inverted(self) -> bool:
        """Return whether a thread in between can make the wait as long as it likes."""
        return self.own > self.holder and not self.is_inherited


@dataclass(frozen=True)
class Stack:
    """One of the stacks at which counters of a section grew, the innermost function first.

    ``parent``: the section around it, None where there is none; ``count``: how often; ``first_ns``:
    when the first time, CLOCK_MONOTONIC; ``wall_ns``: since 1970. ``python``: lines of Python.
    ``call``: the name of the system call; ``holder``: where the lock that was waited for was taken,
    by a stack or its innermost function; ``priorities``: of both threads. None: unknown.
    """

    process: int
    section: str
    parent: str | None
    counters: tuple[str, ...]
    count: int
    loop: int
    first_ns: int
    last_ns: int
    wall_ns: int
    addresses: tuple[Address, ...]
    python: tuple[SourceLine, ...]
    call: str | None = None
    holder: tuple[Address, ...] = ()
    priorities: Priorities | None = None


@dataclass(frozen=True)
class Stopped:
    """A program that was stopped because a counter went over its limit in a section."""

    section: str
    counter: str
    count: int
    stack: Stack | None


def stacks_of(logs: Iterable[ProbeLog]) -> list[Stack]:
    """Return the whole stacks of all logs."""
    return [stack for log in logs for stack in _stacks(log).values()]


def stopped_in(logs: Iterable[ProbeLog]) -> Stopped | None:
    """Return where a program was stopped; None if none was."""
    for log in logs:
        for number, text in _texts(log, STOPPED).items():
            counter, _, rest = text.partition(" ")
            count, _, section = rest.partition(" ")
            if count.isascii() and count.isdigit() and len(count) < MOST_PARTS:
                return Stopped(section, counter, int(count), _stacks(log).get(number))
    return None


def _stacks(log: ProbeLog) -> dict[int, Stack]:
    """Return a log's stacks by their numbers."""
    records = log.records[log.records["kind"] == STACK]
    modules, python = _texts(log, MODULE), _texts(log, PYTHON)
    stacks: dict[int, Stack] = {}
    for number, parts in _parts(records, "message").items():
        first = parts[0]
        own = [part["counters"] for part in parts if not part["scaled"]]
        addresses = np.concatenate([*own, np.empty(0, np.uint64)])
        holder = [word for part in parts if part["scaled"] for word in part["counters"] if word]
        counted = int(first["counted"])
        counters = tuple(counter.name for i, counter in enumerate(log.counters) if counted >> i & 1)
        detail = int(first["detail"]) - 1
        parent = int(first["parent"])
        stacks[number] = Stack(
            process=log.process,
            section=_name(log, int(first["id"])),
            parent=None if parent == NO_PARENT else _name(log, parent),
            counters=counters,
            count=max(0, int(first["value"])),
            loop=int(first["loop"]),
            first_ns=int(first["begin_ns"]),
            last_ns=int(first["end_ns"]),
            wall_ns=int(first["begin_ns"]) + log.wall_minus_monotonic_ns,
            addresses=tuple(_address(int(word), modules) for word in addresses if word),
            python=tuple(_python_lines(python.get(number, ""))),
            call=_call(detail) if SYSTEM_CALLS in counters and detail >= 0 else None,
            holder=tuple(_address(int(word), modules) for word in holder),
            priorities=_priorities(detail) if LOCK_WAITS & {*counters} and detail >= 0 else None,
        )
    return stacks


def _call(number: int) -> str:
    return NAMES.get(number, f"system call {number}")


def _priorities(both: int) -> Priorities:
    return Priorities(both >> 7 & 0x7F, both & 0x7F, bool(both >> 14 & 1))


def _name(log: ProbeLog, identifier: int) -> str:
    return log.names.get(identifier, str(identifier))


def _address(word: int, modules: dict[int, str]) -> Address:
    number = word >> MODULE_SHIFT
    module = "" if number == UNKNOWN_MODULE else modules.get(number, "")
    return Address(module, word & ((1 << MODULE_SHIFT) - 1))


def _texts(log: ProbeLog, kind: int) -> dict[int, str]:
    """Return the whole texts of a kind by the numbers of what they are about."""
    records = log.records
    records = records[(records["kind"] == STACK_TEXT) & (records["parent"] == kind)]
    texts = {}
    for number, parts in _parts(records, "id").items():
        whole = b"".join(part["counters"].tobytes() for part in parts)
        size = int(parts[0]["value"])
        if 0 <= size <= len(whole):
            texts[number] = whole[:size].decode("utf-8", "replace")
    return texts


def _parts(records: np.ndarray[Any, Any], key: str) -> dict[int, list[Any]]:
    """Return records by number, each number's in the order of their parts, none missing."""
    parts_by_number: dict[int, list[Any]] = {}
    for record in records:
        parts = parts_by_number.setdefault(int(record[key]), [])
        if int(record["part"]) == len(parts) < MOST_PARTS:
            parts.append(record)
    return {number: parts for number, parts in parts_by_number.items() if parts}


def _python_lines(text: str) -> Iterable[SourceLine]:
    for line in text.splitlines():
        if match := _PYTHON_LINE.fullmatch(line):
            number = match["line"]
            yield SourceLine(match["name"], match["file"], int(number) if number.isdigit() else 0)
