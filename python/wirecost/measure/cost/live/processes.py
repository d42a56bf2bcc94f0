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
from wirecost.system.foreign import shown

LIBRARIES = (b"/librcl.so", b"/libroscpp.so", b"/libfastrtps", b"/libfastdds", b"/libddsc")
"""Libraries by which a process is one of a graph; wheels add a number to a name."""
TOLD_BITS = 0xFFFF
"""Bits of a process's number that DDS tells (``listening.process_of``)."""

PROC = Path("/proc")
YOUNG_S = 30.0
"""Seconds after which a process that had no such library is not looked at any more."""
SHORTEST_S = 0.1
"""Seconds below which a share of a core says nothing."""
MOST_PID = 1 << 22
"""Linux's PID_MAX_LIMIT: a node may say anything."""


@dataclass
class _Seen:
    """Processor time of a process when it was first and last seen, and its first threads'."""

    begun_s: float
    begun_ns: int
    threads: Mapping[int, Thread]
    command: str
    seen_s: float
    seen_ns: int
    has_ended: bool = False

    @property
    def share(self) -> float | None:
        """Share of a core that it took while it was seen, None where that was too short."""
        seconds = self.seen_s - self.begun_s
        return (self.seen_ns - self.begun_ns) / 1e9 / seconds if seconds > SHORTEST_S else None


class GraphProcesses:
    """All processes of a middleware that may be read, from when they were first looked for.

    ``is_exact``: nodes tell the whole numbers of their processes, so that one is also found that
    has no LIBRARIES.
    """

    def __init__(self, is_exact: bool) -> None:
        self._mask = -1 if is_exact else TOLD_BITS
        self._seen: dict[int, _Seen] = {}
        self._ended: list[tuple[int, _Seen]] = []
        self._others: dict[int, float] = {}
        self._told: dict[int, set[str]] = {}
        self.look()

    def look(self) -> None:
        """Find processes that began, and note what all have used until now."""
        living = {int(entry.name) for entry in PROC.iterdir() if entry.name.isdecimal()}
        for pid, seen in list(self._seen.items()):
            used_ns = clocks.scheduled(pid) if pid in living else None
            if used_ns is None or used_ns < seen.seen_ns:  # the number is another process's
                seen.has_ended = True
                self._ended.append((pid, self._seen.pop(pid)))
            else:
                seen.seen_s, seen.seen_ns = time.monotonic(), used_ns
        now = time.monotonic()
        self._others = {pid: since for pid, since in self._others.items() if pid in living}
        for pid in living - self._seen.keys():
            # A library is loaded at the begin of a program; to look at old ones again costs time.
            is_first = pid not in self._others
            if is_first:
                self._others[pid] = now - _age_s(pid)
            if (is_first or now - self._others[pid] <= YOUNG_S) and has_middleware(pid):
                self._begin(pid)

    def _begin(self, pid: int) -> None:
        used_ns = clocks.scheduled(pid)
        if used_ns is not None:
            now = time.monotonic()
            self._seen[pid] = _Seen(now, used_ns, read_threads(pid), _command(pid), now, used_ns)

    @property
    def lang(self) -> str:
        """Language of most of them."""
        python = sum(_is_python(pid) for pid in self._seen)
        return "python" if 2 * python > len(self._seen) else "cpp"

    @property
    def pids(self) -> list[int]:
        """Return the processes that are there."""
        return list(self._seen)

    def nodes_of(self, pid: int) -> set[str]:
        """Return the nodes that are said to be in a process."""
        return self._told.get(pid & self._mask, set())

    @property
    def langs(self) -> dict[str, str]:
        """Languages of the nodes whose process is known."""
        return {
            node: "python" if _is_python(pid) else "cpp"
            for pid in self._seen
            for node in self._told.get(pid & self._mask, ())
        }

    def place(self, told: Mapping[str, int]) -> None:
        """Note in which process each node is, by its number or the last bits of it."""
        for node, process in told.items():
            if not 0 < process <= MOST_PID:
                continue
            number = process & self._mask
            self._told.setdefault(number, set()).add(str(node))
            if self._mask == -1 and number not in self._seen:
                self._begin(number)

    def costs(self, topics: Sequence[TopicCost], but: int) -> list[ProcessCost]:
        """Return each with its threads, those that took most first; not that of number ``but``."""
        self.look()
        found = []
        for pid, seen in (*self._seen.items(), *self._ended):
            if pid == but or seen.share is None:
                continue
            nodes = self._nodes(pid, seen.command, topics)
            threads = {} if seen.has_ended else read_threads(pid)
            cost = ProcessCost(
                pid=pid,
                command=seen.command,
                share=seen.share,
                nodes=sorted(nodes),
                explained=None if seen.has_ended else explained(nodes, topics),
                threads=_threads(seen.threads, threads, seen.seen_s - seen.begun_s),
                has_ended=seen.has_ended,
            )
            found.append(cost)
        return sorted(found, key=lambda cost: -cost.share)

    def _nodes(self, pid: int, command: str, topics: Sequence[TopicCost]) -> set[str]:
        """Return the nodes of a process: told, else of the name that the command line gives it."""
        ends = {
            node for topic in topics for node in (*(topic.publishers or ()), *(topic.takers or ()))
        }
        number = pid & self._mask
        if [other & self._mask for other in self._seen if other != pid].count(number) == 0:
            told = self._told.get(number, set()) & ends
            if told:
                return told
        placed = {node for nodes in self._told.values() for node in nodes}
        named = {node for node in ends - placed if node.rpartition("/")[2] == command}
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


def has_middleware(pid: int) -> bool:
    """Say whether a process of this network has a middleware's library in its memory.

    False of one that may not be read.
    """
    with suppress(OSError):
        if pid == os.getpid() or _network(pid) != _network(os.getpid()):
            return False
        maps = (PROC / str(pid) / "maps").read_bytes()
        return any(library in maps for library in LIBRARIES)
    return False


def _age_s(pid: int) -> float:
    """Return how long ago a process began, 0 where that cannot be read."""
    with suppress(OSError, IndexError, ValueError):
        words = (PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
        return time.clock_gettime(time.CLOCK_BOOTTIME) - int(words[19]) / os.sysconf("SC_CLK_TCK")
    return 0.0


def _network(pid: int) -> str:
    """Return the network namespace of a process."""
    return str((PROC / str(pid) / "ns/net").readlink())


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
