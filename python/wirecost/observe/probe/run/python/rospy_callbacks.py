# SPDX-License-Identifier: Apache-2.0
"""Run first by each Python interpreter of a program: rospy's callbacks record themselves.

It waits until rospy is imported, and replaces the functions of rospy that call callbacks. It runs
in the node's Python, with the standard library of 3.8 alone; the probe library it calls by ctypes.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import queue
import sys
import threading
import time
from functools import partial
from typing import Any, Callable  # noqa: UP035 - Python 3.8

from hooked_imports import Patching, name_of  # type: ignore[import-not-found, unused-ignore]

COUNT_LOOPS = 2**64 - 1


class Probe:
    """The C library, without releasing the interpreter's lock: a call takes less than that."""

    def __init__(self, path: str) -> None:
        library = ctypes.PyDLL(path)
        self.section = library.wirecost_probe_section
        self.section.argtypes, self.section.restype = [ctypes.c_char_p], ctypes.c_uint32
        self.begin = library.wirecost_probe_begin
        self.begin.argtypes, self.begin.restype = [ctypes.c_uint32, ctypes.c_uint64], None
        self.end = library.wirecost_probe_end
        self.end.argtypes, self.end.restype = [ctypes.c_uint32, ctypes.c_int64], None
        self.span = library.wirecost_probe_span
        numbers = [ctypes.c_int64, ctypes.c_int64, ctypes.c_uint64, ctypes.c_int64, ctypes.c_uint64]
        self.span.argtypes, self.span.restype = [ctypes.c_uint32, *numbers], None
        self.execution = library.wirecost_probe_execution
        self.execution.argtypes, self.execution.restype = [ctypes.c_uint32, *numbers[:-1]], None


class Received(threading.local):
    """Data that the thread took from a connection last."""

    time_ns = 0
    bytes = 0


class BriefThreads(threading.local):
    """Mark of the threads that rospy makes for each service call.

    Every thread that records has a log of its own, so what these threads do goes into the log of
    one other thread, without counters.
    """

    here = False


class Writer:
    """Record of what brief threads did, in the order in which it ended."""

    def __init__(self) -> None:
        self._records: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def put(self, record: Callable[[], None]) -> None:
        if self._thread is None:
            self._start()
        self._records.put(record)

    def _start(self) -> None:
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._write, name="wirecost", daemon=True)
                self._thread.start()
                atexit.register(self._finish)

    def _write(self) -> None:
        for record in iter(self._records.get, None):
            record()

    def _finish(self) -> None:
        self._records.put(None)
        if self._thread is not None:
            self._thread.join(1)


class Recorder:
    def __init__(self, probe: Probe) -> None:
        self.probe = probe
        self.received = Received()
        self.brief = BriefThreads()
        self.writer = Writer()
        self.unless_probed = "WIRECOST_HOOK_UNLESS_PROBED" in os.environ
        self._sections: dict[str, int] = {}

    def section(self, name: str) -> int:
        section = self._sections.get(name)
        if section is None:
            node = sys.modules["rospy.names"].get_caller_id()
            section = self._sections[name] = self.probe.section(
                f"{node} {name}".encode(errors="backslashreplace")
            )
        return section

    def span(self, section: int, begin_ns: int, end_ns: int, value: int) -> None:
        span = partial(self.probe.span, section, begin_ns, end_ns, COUNT_LOOPS, value, 0)
        if self.brief.here:
            self.writer.put(span)
        else:
            span()

    def recorded_briefly(self, callback: Callable[..., Any], place: str) -> Callable[..., Any]:
        """Return ``callback`` with a record of the time of each call, whatever thread calls it."""
        if self.has_probes():
            return callback
        name = f"{place} {name_of(callback)}"

        def record(*args: Any, **kwargs: Any) -> Any:
            section = self.section(name)
            self.brief.here = True
            begin_ns = time.monotonic_ns()
            try:
                return callback(*args, **kwargs)
            finally:
                times = begin_ns, time.monotonic_ns()
                self.writer.put(partial(self.probe.execution, section, *times, COUNT_LOOPS, 0))
                self.brief.here = False

        return record

    def has_probes(self) -> bool:
        return self.unless_probed and "wirecost.observe.probe" in sys.modules

    def recorded(
        self, callback: Callable[..., Any], place: str, wait: str | None = None
    ) -> Callable[..., Any]:
        """Return ``callback`` with a record of each call. ``wait``: section of the wait before."""
        if self.has_probes():
            return callback
        name = f"{place} {name_of(callback)}"
        probe, received = self.probe, self.received
        sections: list[int] = []

        def record(*args: Any, **kwargs: Any) -> Any:
            if not sections:  # the node has its name by now
                sections.append(self.section(name))
                sections.append(self.section(wait) if wait is not None else 0)
            if wait is not None and received.time_ns:
                now = time.monotonic_ns()
                probe.span(sections[1], received.time_ns, now, COUNT_LOOPS, received.bytes, 0)
            probe.begin(sections[0], COUNT_LOOPS)
            try:
                return callback(*args, **kwargs)
            finally:
                probe.end(sections[0], received.bytes if wait is not None else 0)

        return record


def patch_topics(module: Any, recorder: Recorder) -> None:
    subscriber, publisher = module._SubscriberImpl, module._PublisherImpl
    invoke, publish = subscriber._invoke_callback, publisher.publish

    def invoke_recorded(self: Any, msg: Any, cb: Any, cb_args: Any) -> Any:
        by_callback = self.__dict__.setdefault("_wirecost", {})
        try:
            recorded = by_callback.get(cb)
        except TypeError:  # a callback that cannot be hashed
            return invoke(self, msg, cb, cb_args)
        if recorded is None:
            place = f"{self.resolved_name} {self.type}"
            recorded = by_callback[cb] = recorder.recorded(
                cb, place, self.resolved_name + " queue wait"
            )
        return invoke(self, msg, recorded, cb_args)

    def publish_recorded(self: Any, message: Any, connection_override: Any = None) -> Any:
        before, begin = self.message_data_sent, time.monotonic_ns()
        result = publish(self, message, connection_override)
        end, sent = time.monotonic_ns(), self.message_data_sent - before
        section = recorder.section("publish " + self.resolved_name)
        recorder.span(section, begin, end, sent)
        return result

    subscriber._invoke_callback, publisher.publish = invoke_recorded, publish_recorded


def patch_connections(module: Any, recorder: Recorder) -> None:
    transport, receive = module.TCPROSTransport, module.TCPROSTransport.receive_once
    buffer = module.recv_buff

    def receive_recorded(self: Any) -> Any:
        before = self.read_buff.tell() - self.stat_bytes
        messages = receive(self)
        received = before + self.stat_bytes - self.read_buff.tell()
        recorder.received.bytes = received // max(1, len(messages))
        return messages

    def buffer_recorded(*args: Any, **kwargs: Any) -> Any:
        result = buffer(*args, **kwargs)
        recorder.received.time_ns = time.monotonic_ns()
        return result

    transport.receive_once, module.recv_buff = receive_recorded, buffer_recorded


def patch_services(module: Any, recorder: Recorder) -> None:
    handle = module.ServiceImpl._handle_request

    def handle_recorded(self: Any, transport: Any, request: Any) -> Any:
        if "_wirecost" not in self.__dict__:
            self._wirecost = True
            place = f"service {self.resolved_name} {self.service_class._type}"
            self.handler = recorder.recorded_briefly(self.handler, place)
        return handle(self, transport, request)

    module.ServiceImpl._handle_request = handle_recorded


def patch_timers(module: Any, recorder: Recorder) -> None:
    run = module.Timer.run

    def run_recorded(self: Any) -> Any:
        period = self._period.to_sec() * 1e3
        self._callback = recorder.recorded(self._callback, f"timer {period:.6g} ms")
        return run(self)

    module.Timer.run = run_recorded


PATCHES: dict[str, Callable[[Any, Recorder], None]] = {
    "rospy.topics": patch_topics,
    "rospy.impl.tcpros_base": patch_connections,
    "rospy.impl.tcpros_service": patch_services,
    "rospy.timer": patch_timers,
}


def patch_by(recorder: Recorder, patch: Callable[[Any, Recorder], None]) -> Callable[[Any], None]:
    return lambda module: patch(module, recorder)


def failed(module: str, error: AttributeError) -> None:
    print(
        f"wirecost: {module}: not the rospy that is known ({error}); "
        "its callbacks are not recorded",
        file=sys.stderr,
    )


if os.environ.get("WIRECOST_PROBE") and os.environ.get("WIRECOST_PROBE_LIBRARY"):
    the_recorder = Recorder(Probe(os.environ["WIRECOST_PROBE_LIBRARY"]))
    bound = {name: patch_by(the_recorder, patch) for name, patch in PATCHES.items()}
    sys.meta_path.insert(0, Patching(bound, failed))
