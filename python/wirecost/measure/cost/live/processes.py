# SPDX-License-Identifier: Apache-2.0
"""Processes of a running graph: which nodes are in each, what its threads take of a core."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wirecost.observe.usage import clocks
from wirecost.observe.usage.processes import Thread, read_threads
from wirecost.results.records.cost import ProcessCost, ThreadCost, TopicCost
from wirecost.system.printable import shown

LIBRARIES = (b"/librcl.so", b"/libroscpp.so", b"/libfastrtps", b"/libfastdds", b"/libddsc")
"""Libraries by which a process is one of a graph; wheels add a number to a name."""
TOLD_BITS = 0xFFFF
"""Bits of a process's number that DDS tells (``listening.process_of``)."""

MOST_PID = 1 << 22
"""Linux's PID_MAX_LIMIT: a node may say anything."""


@dataclass(frozen=True)
class _Begin:
    """Processor time of a process and its threads when it was first seen."""

    at_s: float
    used_ns: int
    threads: Mapping[int, Thread]


class GraphProcesses:
    """All processes of a middleware that may be read, from now on.

    ``is_exact``: nodes tell the whole numbers of their processes, so that one is also found that
    has no LIBRARIES.
    """

    def __init__(self, is_exact: bool) -> None:
        self._mask = -1 if is_exact else TOLD_BITS
        self._begins: dict[int, _Begin] = {}
        self._told: dict[str, int] = {}
        for pid in middleware_processes():
            self._begin(pid)

    def _begin(self, pid: int) -> None:
        used_ns = clocks.scheduled(pid)
        if used_ns is not None:
            self._begins[pid] = _Begin(time.monotonic(), used_ns, read_threads(pid))

    @property
    def lang(self) -> str:
        """Language of most of them."""
        python = sum(_is_python(pid) for pid in self._begins)
        return "python" if 2 * python > len(self._begins) else "cpp"

    @property
    def langs(self) -> dict[str, str]:
        """Languages of the nodes whose process is known."""
        numbers = {pid & self._mask: pid for pid in self._begins}
        return {
            node: "python" if _is_python(numbers[number]) else "cpp"
            for node, number in self._told.items()
            if number in numbers
        }

    def place(self, told: Mapping[str, int]) -> None:
        """Note in which process each node is, by its number or the last bits of it."""
        for node, process in told.items():
            if not 0 < process <= MOST_PID:
                continue
            number = process & self._mask
            self._told[str(node)] = number
            if self._mask == -1 and number not in self._begins:
                self._begin(number)

    def costs(self, topics: Sequence[TopicCost], but: int) -> list[ProcessCost]:
        """Return each with its threads, those that took most first; not that of number ``but``."""
        found = []
        for pid, begin in self._begins.items():
            used_ns = clocks.scheduled(pid)
            if used_ns is None or pid == but:
                continue
            seconds, command = time.monotonic() - begin.at_s, _command(pid)
            nodes = self._nodes(pid, command, topics)
            cost = ProcessCost(
                pid=pid,
                command=command,
                share=(used_ns - begin.used_ns) / 1e9 / seconds,
                nodes=sorted(nodes),
                explained=explained(nodes, topics),
                threads=_threads(begin.threads, read_threads(pid), seconds),
            )
            found.append(cost)
        return sorted(found, key=lambda one: -one.share)

    def _nodes(self, pid: int, command: str, topics: Sequence[TopicCost]) -> set[str]:
        """Return the nodes of a process: told, else of the name that the command line gives it."""
        ends = {
            node for topic in topics for node in (*(topic.publishers or ()), *(topic.takers or ()))
        }
        number = pid & self._mask
        if [one & self._mask for one in self._begins].count(number) == 1:
            told = {node for node in ends if self._told.get(node) == number}
            if told:
                return told
        named = {node for node in ends - self._told.keys() if node.rpartition("/")[2] == command}
        return named if len(named) == 1 else set()


def explained(nodes: set[str], topics: Sequence[TopicCost]) -> float | None:
    """Return the share of a core that some nodes take for publishing and taking, as computed."""
    parts = [
        share * sum(node in nodes for node in ends) / len(ends)
        for topic in topics
        for share, ends in (
            (topic.publish_share, topic.publishers),
            (topic.take_share, topic.takers),
        )
        if share is not None and ends and not nodes.isdisjoint(ends)
    ]
    return sum(parts) if parts else None


def _threads(
    before: Mapping[int, Thread], after: Mapping[int, Thread], seconds: float
) -> list[ThreadCost]:
    """Return the threads that are still there, those that took most first."""
    found = []
    for tid, thread in after.items():
        if thread.run_ns is None:
            continue
        former_ns = before[tid].run_ns or 0 if tid in before else 0
        share = max(0, thread.run_ns - former_ns) / 1e9 / seconds
        found.append(ThreadCost(tid=tid, name=thread.name, share=share))
    return sorted(found, key=lambda one: -one.share)


def middleware_processes(proc: Path = Path("/proc")) -> list[int]:
    """Return the processes that may be read and have a middleware's library in their memory."""
    found = []
    for folder in proc.iterdir():
        if not folder.name.isdecimal() or int(folder.name) == os.getpid():
            continue
        with suppress(OSError):
            maps = (folder / "maps").read_bytes()
            if any(library in maps for library in LIBRARIES):
                found.append(int(folder.name))
    return found


def _is_python(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/exe").resolve().name.startswith("python")
    except OSError:
        return False


def _command(pid: int) -> str:
    """Return the name of a node or program by its words."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return str(pid)
    named = [word.partition(":=")[2] for word in words if word.startswith("__n")]
    programs = [Path(word).name for word in words[:2] if word and not word.startswith("-")]
    return shown((named or [programs[-1] if programs else str(pid)])[0])
