# SPDX-License-Identifier: Apache-2.0
"""Publishes and takes of each message, and losses that readers noticed, by breakpoints.

The trace points of rmw pass on when a message was published: by that a take finds its publish.
A reader of Fast DDS counts the sequence numbers that were left out on the way, and a reliable one
is told each number that the writer no longer has.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wirecost.measure.cost.live.breakpoints import (
    FIRST,
    FOURTH,
    THIRD,
    Breakpoint,
    Breakpoints,
    loaded,
    refused,
)
from wirecost.measure.cost.live.handles import (
    UNKNOWN,
    guid_of_rmw,
    topic_of_proxy,
    topic_of_reader,
    topic_of_rmw,
)
from wirecost.measure.cost.live.processes import YOUNG_S
from wirecost.observe.probe.function.listing import Function, listing
from wirecost.system.closing import Closing

PUBLISH, TAKE, LOST, GONE = range(4)
"""Kinds of calls; LOST: a reader noticed it, GONE: its writer said that it has no such message."""
FUNCTIONS = {"ros_trace_rmw_publish": PUBLISH, "ros_trace_rmw_take": TAKE}
LOSSES = {
    "eprosima::fastdds::dds::DataReaderImpl::InnerDataReaderListener::on_sample_lost*": LOST,
    "eprosima::*::rtps::WriterProxy::irrelevant_change_set*": GONE,
}
TRACED, FAST_DDS = "libtracetools.so", ("libfastrtps.so", "libfastdds.so")
"""Names of the libraries with these functions."""
INT = np.uint64(0xFFFF_FFFF)
LOOK_S = 0.25
"""Seconds between two looks, in which the kernel's memory for records does not fill."""
MOST_CALLS = 8_000_000
"""Calls that are kept, in 128 MB."""
CALL = np.dtype([("time", "<i8"), ("value", "<i8")])


@dataclass
class TopicCalls:
    """Calls of one kind with one handle: ``time`` by CLOCK_MONOTONIC, and a ``value``.

    The value is when the message was published, by the publisher's clock, or the messages lost.
    """

    pid: int
    topic: str
    kind: int
    blocks: list[NDArray[np.void]] = field(default_factory=list)

    @property
    def calls(self) -> NDArray[np.void]:
        """Return them in the order of their times."""
        every = np.concatenate([np.zeros(0, CALL), *self.blocks])
        return every[np.argsort(every["time"], kind="stable")]


class Calls(Closing):
    """Calls in all processes of a graph. Raises UserError."""

    def __init__(self) -> None:
        self._breakpoints = Breakpoints((FOURTH, THIRD, FIRST), switches=False)
        self._lock = threading.Lock()
        self._files: set[tuple[int, int]] = set()
        self._kinds: dict[int, int] = {}
        self._handles: dict[tuple[int, int, int], TopicCalls] = {}
        self._guids: dict[bytes, str] = {}
        self._watched: dict[int, float] = {}
        self._count = 0
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self.of_fast_dds: set[int] = set()
        """Processes whose readers tell what was lost on the way."""

    def _run(self) -> None:
        while not self._ending.wait(LOOK_S):
            self.look()

    def watch(self, pids: Iterable[int]) -> None:
        """Set breakpoints in the libraries of processes, in each file once.

        Old processes have loaded theirs; to read their maps again costs time.
        """
        now = time.monotonic()
        young = [pid for pid in pids if now - self._watched.setdefault(pid, now) <= YOUNG_S]
        of_pids = {pid: dict(loaded(pid, (TRACED, *FAST_DDS))) for pid in young}
        self.of_fast_dds.update(
            pid
            for pid, files in of_pids.items()
            if any(path.name.startswith(FAST_DDS) for path in files.values())
        )
        for identity, path in chain.from_iterable(files.items() for files in of_pids.values()):
            if identity not in self._files:
                self._files.add(identity)
                functions = listing((*FUNCTIONS, *LOSSES), [path]).functions
                with self._lock, refused():
                    for function in functions:
                        self._set(function)

    def _set(self, function: Function) -> None:
        kind = FUNCTIONS.get(function.symbol, GONE if "Proxy" in function.symbol else LOST)
        place = Breakpoint(Path(function.object), function.offset)
        self._kinds |= dict.fromkeys(self._breakpoints.add(place), kind)

    def look(self) -> None:
        """Keep the calls since the last time."""
        with self._lock:
            records = self._breakpoints.calls()
            # Breakpoints are hit in every process that has loaded a library.
            records = records[np.isin(records["pid"], [*self._watched])]
            if not len(records) or self.is_full:
                return
            identifiers, places = np.unique(records["id"], return_inverse=True)
            kinds = np.array([self._kinds[int(each)] for each in identifiers], np.int64)[places]
            # A take that found nothing; the register's other bits are of something else.
            is_kept = (kinds != TAKE) | (records["cx"] & 0xFF != 0)
            records, kinds = records[is_kept], kinds[is_kept]
            keys = np.stack(
                (kinds, records["pid"].astype(np.int64), records["di"].astype(np.int64))
            )
            handles, numbers = np.unique(keys, axis=1, return_inverse=True)
            numbers = numbers.reshape(-1)
            for number, (kind, pid, address) in enumerate(handles.T.tolist()):
                own = records[numbers == number]
                calls = np.zeros(len(own), CALL)
                calls["time"] = own["time"]
                calls["value"] = own["dx"] & INT if kind == LOST else own["dx"]
                if kind == GONE:
                    calls["value"] = 1
                self._of(kind, pid, address).blocks.append(calls)
                self._count += len(calls)

    def _of(self, kind: int, pid: int, address: int) -> TopicCalls:
        key = (kind, pid, address)
        if key not in self._handles:
            self._handles[key] = TopicCalls(pid, UNKNOWN, kind)
        calls = self._handles[key]
        if calls.topic == UNKNOWN:
            if kind == GONE:
                calls.topic = topic_of_proxy(pid, address, self._guids)
            else:
                calls.topic = (topic_of_reader if kind == LOST else topic_of_rmw)(pid, address)
            if kind == PUBLISH and (guid := guid_of_rmw(pid, address)):
                self._guids[guid] = calls.topic
        return calls

    @property
    def handles(self) -> list[TopicCalls]:
        return list(self._handles.values())

    @property
    def is_full(self) -> bool:
        """Whether no more calls are kept."""
        return self._count >= MOST_CALLS

    @property
    def unread(self) -> int:
        """Records for which there was no room."""
        return self._breakpoints.lost

    def close(self) -> None:
        self._ending.set()
        self._thread.join()
        self._breakpoints.close()
