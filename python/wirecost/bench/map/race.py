# SPDX-License-Identifier: Apache-2.0
"""One case: the contenders in turns, real processes, every map compared by digest."""

from __future__ import annotations

import statistics
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from wirecost.bench.conversation import Conversation
from wirecost.bench.entry import Entry
from wirecost.bench.processes import Plan
from wirecost.bench.program import ProgramFailedError
from wirecost.bench.scenario import Case

PROCESSES = "wirecost.bench.map.processes"
TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Work:
    """A map of ``size`` bytes and the processes that receive it."""

    size: int
    subscribers: int
    seed: int

    @property
    def name(self) -> str:
        many = "s" if self.subscribers > 1 else ""
        return f"{self.size / 1e6:g} MB, {self.subscribers} subscriber{many}"

    def entry(self, contender: str) -> Entry[str]:
        who = {
            "case": self.name,
            "variant": self.name,
            "build": "release",
            "contender": contender,
            "subscribers": self.subscribers,
        }
        facts = {"memory_bytes": None, "map_memory_bytes": None}
        return Entry(contender, contender, who, facts, bytes=self.size)


@dataclass(frozen=True)
class Publication:
    """One publication; the last subscriber counts. Times in nanoseconds, memory in bytes: Pss of
    all processes together, and of that what came with the map."""

    readable_ns: int
    touch_ns: int
    total_ns: int
    pss_bytes: int
    map_pss_bytes: int


class Processes:
    """A publisher and its subscribers, connected; the map is loaded after their own memory is
    known. Methods raise ProgramFailedError."""

    def __init__(self, contender: str, work: Work, stack: ExitStack) -> None:
        self._publisher = _process(stack, f"the {contender} publisher", "publisher", contender)
        address = self._publisher.receive()
        self._publisher.send(f"accept {work.subscribers}")
        self._subscribers = [
            _process(stack, f"{contender} subscriber {i}", "subscriber", contender, address)
            for i in range(1, work.subscribers + 1)
        ]
        self._all = (*self._subscribers, self._publisher)
        for one in self._all:
            one.receive()
        self._load = f"load {work.size} {work.seed}"
        self._before = 0
        self.digest = ""

    def load(self) -> None:
        """Makes the map, when no further process starts: libraries' memory is shared by all."""
        self._before = self._pss()
        self.digest = self._publisher.ask(self._load)

    def publish(self) -> Publication:
        """Raises ProgramFailedError too if a process has not got the map as it was sent."""
        try:
            return self._publish()
        except ProgramFailedError as error:
            # One that loses its peer fails as well, and may be noticed first: all are named.
            ended = [str(one.failure()) for one in self._all if one.has_ended(within_s=0.2)]
            raise ProgramFailedError("; ".join(dict.fromkeys(ended or [str(error)]))) from None

    def _publish(self) -> Publication:
        for one in self._subscribers:
            one.send("receive")
        begin = int(self._publisher.ask("publish"))
        times = [tuple(map(int, one.receive().split())) for one in self._subscribers]
        pss = self._pss()
        for one in self._subscribers:
            found = one.ask("digest")
            if found != self.digest:
                raise ProgramFailedError(
                    f"{one.name} received the map {found}, but {self.digest} was sent"
                )
        for one in self._subscribers:
            one.ask("release")
        return Publication(
            readable_ns=max(readable for readable, _ in times) - begin,
            touch_ns=max(touched - readable for readable, touched in times),
            total_ns=max(touched for _, touched in times) - begin,
            pss_bytes=pss,
            map_pss_bytes=pss - self._before,
        )

    def _pss(self) -> int:
        return sum(map(_pss, self._all))


def run_race(work: Work, case: Case[str], plan: Plan) -> None:
    """Fills the entries; a contender that fails is not measured any further."""
    entries = {entry.key: entry for entry in case.entries}
    publications: dict[str, list[Publication]] = {key: [] for key in entries}
    first = 0
    for number in range(plan.processes):
        order = [entries[key] for key in plan.order(number, list(entries))]
        with ExitStack() as stack:
            processes = _started(work, case, order, stack)
            for repetition in range(first, first + plan.samples_of(number)):
                for entry in order:
                    if entry.failure is not None:
                        continue
                    with entry.failing(ProgramFailedError):
                        publications[entry.key].append(processes[entry.key].publish())
                        _add(entry, repetition, number, publications[entry.key])
                    case.report(entry.key, 1)
                case.keep()
        first += plan.samples_of(number)


def _started(
    work: Work, case: Case[str], order: list[Entry[str]], stack: ExitStack
) -> dict[str, Processes]:
    """Processes of each contender that has not failed, which have the map."""
    processes: dict[str, Processes] = {}
    case.report("starting")
    for entry in order:
        if entry.failure is None:
            with entry.failing(ProgramFailedError):
                processes[entry.key] = Processes(entry.contender, work, stack)
    for entry in (one for one in order if one.failure is None):
        with entry.failing(ProgramFailedError):
            processes[entry.key].load()
            processes[entry.key].publish()  # the first one meets cold sockets and page tables
            entry.digest = processes[entry.key].digest
    return processes


def _add(entry: Entry[str], repetition: int, process: int, publications: list[Publication]) -> None:
    """The last one's samples, and the medians of all by now."""
    last = publications[-1]
    for stage, ns in (
        ("readable", last.readable_ns),
        ("touch", last.touch_ns),
        ("total", last.total_ns),
    ):
        entry.row(stage=stage, repetition=repetition, process=process, ns=ns)
    entry.facts["memory_bytes"] = _median([one.pss_bytes for one in publications])
    entry.facts["map_memory_bytes"] = _median([one.map_pss_bytes for one in publications])


def _median(values: list[int]) -> int:
    return round(statistics.median(values))


def _process(stack: ExitStack, name: str, module: str, *arguments: str) -> Conversation:
    command = [sys.executable, "-P", "-m", f"{PROCESSES}.{module}", *arguments]
    process = Conversation(name, command, timeout_s=TIMEOUT_S)
    stack.callback(process.end)
    return process


def _pss(process: Conversation) -> int:
    """Bytes of its proportional set size: pages that n processes map count as 1/n. Raises
    ProgramFailedError."""
    try:
        text = Path(f"/proc/{process.pid}/smaps_rollup").read_text()
    except OSError:
        raise process.failure() from None
    values = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    return int(values["Pss"].split()[0]) * 1024
