# SPDX-License-Identifier: Apache-2.0
"""One case of ``bench map``: both ways in turns, real processes, every map compared by digest."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field

from wirecost.bench.map_processes.child import Child, ChildFailedError

WAYS = ("copied", "shared")
PROCESSES = "wirecost.bench.map_processes"

Report = Callable[[int, str], None]
"""Called with publications done since the last call and what runs now."""


@dataclass(frozen=True)
class Case:
    size: int
    """Bytes of the map."""
    subscribers: int

    @property
    def name(self) -> str:
        many = "s" if self.subscribers > 1 else ""
        return f"{self.size / 1e6:g} MB, {self.subscribers} subscriber{many}"


@dataclass(frozen=True)
class Publication:
    """One publication; the last subscriber counts. Times in nanoseconds, memory in bytes: Pss of
    all processes together, and of that what came with the map."""

    readable_ns: int
    touch_ns: int
    total_ns: int
    pss_bytes: int
    map_pss_bytes: int


@dataclass
class Lane:
    way: str
    publications: list[Publication] = field(default_factory=list)
    digest: str = ""
    failure: str | None = None


class Processes:
    """A publisher and its subscribers, connected; the map is loaded after their own memory is
    known."""

    def __init__(self, way: str, case: Case, seed: int, stack: ExitStack) -> None:
        self._publisher = _child(stack, f"the {way} publisher", "publisher", way)
        address = self._publisher.hear()
        self._publisher.tell(f"accept {case.subscribers}")
        self._subscribers = [
            _child(stack, f"{way} subscriber {i}", "subscriber", way, address)
            for i in range(1, case.subscribers + 1)
        ]
        for one in (*self._subscribers, self._publisher):
            one.hear()
        self._load = f"load {case.size} {seed}"
        self._before = 0
        self.digest = ""

    def load(self) -> None:
        self._before = self._pss()
        self.digest = self._publisher.ask(self._load)

    def publish(self) -> Publication:
        """Raises ChildFailedError if a process fails or has not got the map as it was sent."""
        try:
            return self._publish()
        except ChildFailedError as error:
            # Who loses its peer fails as well, and may be noticed first: all that ended are told.
            ended = (one.failure(wait_s=0.2) for one in (*self._subscribers, self._publisher))
            told = dict.fromkeys([str(one) for one in ended if one is not None] or [str(error)])
            raise ChildFailedError("; ".join(told)) from None

    def _publish(self) -> Publication:
        for one in self._subscribers:
            one.tell("receive")
        begin = int(self._publisher.ask("publish"))
        times = [tuple(map(int, one.hear().split())) for one in self._subscribers]
        pss = self._pss()
        for one in self._subscribers:
            found = one.ask("digest")
            if found != self.digest:
                raise ChildFailedError(f"{one.name} has a map {found}, sent was {self.digest}")
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
        return sum(one.pss_bytes() for one in (self._publisher, *self._subscribers))


Keep = Callable[[], None]
"""Called between rounds, once each way has published."""


def run_race(
    case: Case, repetitions: int, seed: int, lanes: list[Lane], report: Report, keep: Keep
) -> None:
    """Fills the ways' lanes; a way that fails is not measured on."""
    running: list[tuple[Lane, Processes]] = []
    with ExitStack() as stack:
        report(0, "starting")
        for lane in lanes:
            try:
                processes = Processes(lane.way, case, seed, stack)
                running.append((lane, processes))
            except ChildFailedError as error:
                lane.failure = str(error)
        for lane, processes in running:
            try:
                processes.load()
                processes.publish()  # the first one meets cold sockets and page tables
                lane.digest = processes.digest
            except ChildFailedError as error:
                lane.failure = str(error)
        for repetition in range(repetitions):
            # Each way goes first as often as the other.
            for lane, processes in running[:: 1 if repetition % 2 == 0 else -1]:
                if lane.failure is None:
                    try:
                        lane.publications.append(processes.publish())
                    except ChildFailedError as error:
                        lane.failure = str(error)
                report(1, lane.way)
            keep()


def _child(stack: ExitStack, name: str, module: str, *arguments: str) -> Child:
    child = Child(name, f"{PROCESSES}.{module}", *arguments)
    stack.callback(child.end)
    return child
