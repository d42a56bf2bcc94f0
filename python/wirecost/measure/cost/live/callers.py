# SPDX-License-Identifier: Apache-2.0
"""Who pays: messages and processor time of each process and topic, by breakpoints in rcl.

A thread's time between two calls belongs to what the first one began: a publish until it returns, a
take until it returns, then the callback of the taken message until the executor waits or takes
again. Time without a processor does not count.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wirecost.measure.cost.live.breakpoints import (
    SWITCH_OUT,
    Breakpoint,
    Breakpoints,
    loaded,
    refused,
)
from wirecost.measure.cost.live.handles import topic_of
from wirecost.measure.cost.live.processes import YOUNG_S
from wirecost.observe.probe.function.listing import Function, listing
from wirecost.system.closing import Closing

PUBLISH, PUBLISHED, TAKE, TAKEN, WAIT, INTRA, SIZE, OUT, IN = range(9)
"""Kinds of events: begin and end of calls, the size of what is published, context switches."""
FUNCTIONS = {
    "rcl_publish": ((PUBLISH, False), (PUBLISHED, True)),
    "rcl_take": ((TAKE, False), (TAKEN, True)),
    "rcl_wait": ((WAIT, False),),
    "ros_trace_rclcpp_intra_publish": ((INTRA, False),),
}
SIZES = ("eprosima::fastcdr::Cdr::get_serialized_data_length*", "*::Cdr::getSerializedDataLength*")
"""Functions that return the size of a message; to record each call would cost too much."""
SAMPLED_EVERY, ALWAYS_BELOW = 32, 200
"""Looks of which one has sizes, and publishes in a look below which every look has."""
LOOK_S = 0.5
"""Seconds between two looks, in which the kernel's memory for records does not fill."""
FORGOTTEN_NS = 60 * 10**9
"""Nanoseconds after which a thread without events has ended, or waits."""
LIBRARIES = ("librcl.so", "libtracetools.so", "libfastcdr")
EVENT = np.dtype(
    [
        ("tid", "<u4"), ("time", "<i8"), ("kind", "<i8"), ("end", "<i8"), ("result", "<i8"),
        ("taken", "<i8"), ("published", "<i8"),
    ]
)  # fmt: skip
"""``end``: number of an end of a topic; ``taken``, ``published``: states that the event begins."""
NOTHING = -1
SCATTER = np.uint64(0x9E3779B97F4A7C15)


@dataclass
class TopicEnd:
    """What one end of a topic in a process has done so far.

    ``messages``: through the middleware; ``intra``: handed over within the process, without it;
    ``call_ns``: processor time in rcl; ``callback_ns``: after a take; ``sizes``, ``bytes``: of a
    sample of its messages.
    """

    pid: int
    topic: str
    is_publisher: bool
    messages: int = 0
    intra: int = 0
    call_ns: float = 0.0
    callback_ns: float = 0.0
    sizes: int = 0
    bytes: int = 0


class Callers(Closing):
    """Accounts for calls of rcl in all processes of a graph. Raises UserError."""

    def __init__(self) -> None:
        self._breakpoints, self._lock = Breakpoints(), threading.Lock()
        self._files: set[tuple[int, int]] = set()
        self._kinds: dict[int, int] = {}
        self._sized: list[Breakpoint] = []
        self._sizing: list[dict[int, int]] = []
        self._looks = 0
        self._numbers: dict[int, int] = {}
        self._last = np.zeros(0, EVENT)
        self.ends: list[TopicEnd] = []
        self._begun_s: dict[int, float] = {}
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def seconds(self, pid: int) -> float:
        """Return for how long calls of a process are counted; 0 for those not watched."""
        begun = self._begun_s.get(pid)
        return 0.0 if begun is None else time.monotonic() - begun

    def _run(self) -> None:
        while not self._ending.wait(LOOK_S):
            self.look()

    def watch(self, pids: Iterable[int]) -> None:
        """Set breakpoints in the libraries of processes, in each file once.

        Old processes have loaded theirs; to read their maps again costs time.
        """
        pids, now = list(pids), time.monotonic()
        young = [pid for pid in pids if now - self._begun_s.get(pid, now) <= YOUNG_S]
        places = dict(chain.from_iterable(loaded(pid, LIBRARIES) for pid in young))
        for identity, path in places.items():
            if identity not in self._files:
                self._files.add(identity)
                functions = listing((*FUNCTIONS, *SIZES), [path]).functions
                with self._lock, refused():
                    self._look()
                    self._set(path, functions)
                    self._events()  # Until all were set, ends of calls were missing.
        for pid in pids:
            self._begun_s.setdefault(pid, time.monotonic())

    def _set(self, path: Path, functions: Sequence[Function]) -> None:
        for function in functions:
            for kind, at_return in FUNCTIONS.get(function.symbol, ()):
                self._add(Breakpoint(path, function.offset, at_return), kind)
            if function.symbol not in FUNCTIONS and "Cdr" in function.symbol:
                self._sized.append(Breakpoint(path, function.offset, at_return=True))

    def _add(self, place: Breakpoint, kind: int) -> dict[int, int]:
        added = self._breakpoints.add(place)
        self._kinds |= dict.fromkeys(added, kind)
        return added

    def look(self) -> None:
        """Account for all calls since the last time."""
        with self._lock:
            self._look()

    def _look(self) -> None:
        events = self._events()
        self._account(events)
        is_quiet = np.count_nonzero(events["kind"] == PUBLISH) < ALWAYS_BELOW
        is_sized = is_quiet or self._looks % SAMPLED_EVERY == 0
        while self._sizing and not is_sized:
            self._breakpoints.remove(self._sizing.pop())
        with suppress(OSError):  # Bytes stay unknown.
            for place in self._sized[len(self._sizing) :] if is_sized else []:
                self._sizing.append(self._add(place, SIZE))
        self._looks += 1

    def _account(self, events: NDArray[np.void]) -> None:
        if not len(events):
            return
        kind = events["kind"]
        ns = np.zeros(len(events))
        ns[:-1] = np.diff(events["time"])
        is_last = np.append(events["tid"][1:] != events["tid"][:-1], True)
        ns[is_last | (kind == OUT)] = 0
        taken, published = states(events)
        state = np.where(published != NOTHING, published, taken)
        spent = self._sums(state, ns, 2)
        is_taken = (kind == TAKEN) & (taken != NOTHING)
        begun = np.where(kind == PUBLISH, events["end"], NOTHING)
        messages = self._sums(np.where(is_taken, taken // 2, begun))
        intra = self._sums(np.where(kind == INTRA, events["end"], NOTHING))
        sized = np.where((kind == SIZE) & (published != NOTHING), published // 2, NOTHING)
        sizes, size = self._sums(sized), self._sums(sized, events["result"])
        for number, end in enumerate(self.ends):
            end.call_ns += float(spent[2 * number])
            end.callback_ns += float(spent[2 * number + 1])
            end.messages += int(messages[number])
            end.intra += int(intra[number])
            end.sizes += int(sizes[number])
            end.bytes += int(size[number])
        last = events[is_last]
        last["taken"], last["published"] = taken[is_last], published[is_last]
        self._last = last[last["time"] > events["time"].max() - FORGOTTEN_NS]
        self._last["kind"] = np.where(self._last["kind"] == OUT, OUT, IN)

    def _sums(
        self, places: NDArray[np.int64], values: NDArray[Any] | None = None, parts: int = 1
    ) -> NDArray[Any]:
        """Return the sum of the values, or their number, for each part of each end."""
        return np.bincount(places + 1, values, parts * len(self.ends) + 1)[1:]

    def _events(self) -> NDArray[np.void]:
        """Return the last events, calls and their threads' switches, by thread and time."""
        calls = self._breakpoints.calls()
        switches = self._breakpoints.switches()
        known = np.union1d(calls["tid"], self._last["tid"])
        switches = switches[np.isin(switches["tid"], known)]
        called, switched = np.zeros(len(calls), EVENT), np.zeros(len(switches), EVENT)
        identifiers, places = np.unique(calls["id"], return_inverse=True)
        kinds = np.array([self._kinds[int(one)] for one in identifiers], np.int64)
        called["kind"] = kinds[places] if len(calls) else 0
        called["result"] = calls["ax"].astype(np.uint32)
        called["end"] = self._ends(calls, called["kind"])
        switched["kind"] = np.where(switches["header"]["misc"] & SWITCH_OUT, OUT, IN)
        for state in ("end", "taken", "published"):  # a thread that was not seen before is in none
            switched[state] = NOTHING
        for events, records in ((called, calls), (switched, switches)):
            events["tid"], events["time"] = records["tid"], records["time"]
        events = np.concatenate([self._last, called, switched])
        return events[np.lexsort((events["time"], events["tid"]))]

    def _ends(self, calls: NDArray[np.void], kind: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each begin of a call the number of its end of a topic."""
        numbers = np.full(len(calls), NOTHING, np.int64)
        begins = np.flatnonzero(np.isin(kind, (PUBLISH, TAKE, INTRA)))
        keys = calls["di"][begins] ^ (calls["pid"][begins].astype(np.uint64) * SCATTER)
        _, firsts, places = np.unique(keys, return_index=True, return_inverse=True)
        found = []
        for first in firsts:
            key, call = int(keys[first]), calls[begins[first]]
            if key not in self._numbers:
                self._numbers[key] = len(self.ends)
                topic = topic_of(int(call["pid"]), int(call["di"]))
                is_publisher = bool(kind[begins[first]] != TAKE)
                self.ends.append(TopicEnd(int(call["pid"]), topic, is_publisher))
            found.append(self._numbers[key])
        if found:
            numbers[begins] = np.array(found)[places]
        return numbers

    @property
    def lost(self) -> int:
        """Records for which there was no room."""
        return self._breakpoints.lost

    def close(self) -> None:
        self._ending.set()
        self._thread.join()
        self._breakpoints.close()


def states(events: NDArray[np.void]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each event the take or callback, and the publish, in which its thread is then.

    Both are twice the number of an end, one more for a callback, or NOTHING. ``events``: by thread
    and time; the first of each thread says what it is in.
    """
    kind = events["kind"]
    is_first = np.append(True, events["tid"][1:] != events["tid"][:-1])
    carried = is_first & np.isin(kind, (OUT, IN))
    opened = _filled(
        kind == TAKE, 2 * events["end"], is_first, np.where(carried, events["taken"], NOTHING)
    )
    taken = np.where(kind == TAKE, 2 * events["end"], NOTHING)
    is_callback = (kind == TAKEN) & (events["result"] == 0) & (opened != NOTHING)
    taken[is_callback] = opened[is_callback] // 2 * 2 + 1
    taken = _filled(
        np.isin(kind, (TAKE, TAKEN, WAIT)),
        taken,
        is_first,
        np.where(carried, events["taken"], NOTHING),
    )
    published = np.where(kind == PUBLISH, 2 * events["end"], NOTHING)
    ends = np.isin(kind, (PUBLISH, PUBLISHED, TAKE, WAIT))
    return taken, _filled(
        ends, published, is_first, np.where(carried, events["published"], NOTHING)
    )


def _filled(
    is_set: NDArray[np.bool_], values: NDArray[np.int64], is_first: NDArray[np.bool_],
    firsts: NDArray[np.int64],
) -> NDArray[np.int64]:  # fmt: skip
    """Return for each event the value of the last one that set one, in its thread."""
    own = np.where(is_set, values, firsts)
    places = np.where(is_set | is_first, np.arange(len(values)), 0)
    return own[np.maximum.accumulate(places)]
