# SPDX-License-Identifier: Apache-2.0
"""One recording while it runs: what is done how often, and what ends it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from wirecost.replay.middleware import NodeGraph, Recorder, Service
from wirecost.replay.process.node import NodeProcess
from wirecost.replay.record.topics import RecordedTopics, TopicProgress
from wirecost.replay.recording.snapshot import Snapshot, write_snapshot
from wirecost.replay.recording.writer import INPUT, OUTPUT, RecordingWriter
from wirecost.system.errors import UserError

FLUSH_S, FOLLOW_S, REPORT_S = 0.2, 0.5, 0.5
EARLY_S, FOLLOW_EARLY_S = 5.0, 0.05
"""A node that was just started joins one topic after the other, so it is looked at more often."""

Report = Callable[[list[TopicProgress], list[str]], None]


class _Timer:
    def __init__(self) -> None:
        self._last = time.monotonic()

    def due(self, period_s: float) -> bool:
        """Return whether ``period_s`` passed since this was last true."""
        now = time.monotonic()
        if now - self._last < period_s:
            return False
        self._last = now
        return True


class Session:
    def __init__(
        self,
        recorder: Recorder,
        writer: RecordingWriter,
        snapshot: Snapshot,
        folder: Path,
        report: Report,
        cache_bytes: int,
    ) -> None:
        self._recorder = recorder
        self._writer = writer
        self._snapshot = snapshot
        self._folder = folder
        self._report = report
        self._topics = RecordedTopics(recorder, writer, cache_bytes)
        self._services: dict[str, Service] = {}
        self._began = self._reported = time.monotonic()

    def run(
        self, seconds: float | None, process: NodeProcess | None, stopped: Callable[[], bool]
    ) -> str:
        """Record until something ends it: ``Snapshot.ended``."""
        flush, follow, report = _Timer(), _Timer(), _Timer()
        while True:
            self._write_messages()
            if flush.due(FLUSH_S):
                self._write_calls()
                self._writer.flush()
            early = process is not None and self._passed_s() < EARLY_S
            if follow.due(FOLLOW_EARLY_S if early else FOLLOW_S):
                try:
                    self.follow(self._recorder.graph(self._snapshot.node))
                except UserError as error:
                    return self._gone(f"the node went away: {error}")
            if report.due(REPORT_S):
                self._report_progress()
            if stopped():
                return "interrupted"
            if process is not None and not process.running():
                return self._gone(f"the node ended with status {process.status()}")
            if not Path(f"/proc/{self._snapshot.pid}").exists():
                return self._gone("the node's process ended")
            if seconds is not None and self._passed_s() >= seconds:
                return "time"

    def follow(self, graph: NodeGraph) -> None:
        """Record topics and services that are new, and list them in ``node.json``."""
        self._topics.complete(graph)
        services = {service.name: service for service in (*graph.provides, *graph.calls)}
        self._snapshot.provides, self._snapshot.calls = list(graph.provides), list(graph.calls)
        new = self._topics.new(graph)
        if not new and services.keys() <= self._services.keys():
            return
        # Before the inputs, so that no call is missed that one of them leads to.
        self._recorder.watch_services(graph)
        self._services |= services
        self._topics.follow(new, graph, round(self._passed_s(), 3))
        self.write_snapshot()

    def finish(self) -> None:
        """Write what came until now, and how the recording ended."""
        self._write_messages()
        self._write_calls()
        self._report_progress()
        self.write_snapshot()

    def write_snapshot(self) -> None:
        self._snapshot.inputs = self._topics.joined(INPUT)
        self._snapshot.outputs = self._topics.joined(OUTPUT)
        self._snapshot.duration_s = round(self._passed_s(), 3)
        write_snapshot(self._folder, self._snapshot)

    def _write_messages(self) -> None:
        if self._topics.write_messages(self._graph):
            # A first message shows that a topic is latched, which replay needs even if we are
            # killed.
            self.write_snapshot()

    def _graph(self) -> NodeGraph | None:
        try:
            return self._recorder.graph(self._snapshot.node)
        except UserError:  # it went away meanwhile; its messages are kept all the same
            return None

    def _write_calls(self) -> None:
        for call in self._recorder.calls():
            service = self._services.get(call.service) or Service(call.service, "")
            self._writer.write_call(service, call, call.request_ns)

    def _report_progress(self) -> None:
        now = time.monotonic()
        progress = self._topics.progress(max(now - self._reported, 1e-3))
        self._reported = now
        self._writer.write_bag_metadata()
        self._writer.note_dropped(self._topics.overflowed())
        notes = self._recorder.notes()
        self._snapshot.notes += notes
        self._report(progress, notes)

    def _gone(self, note: str) -> str:
        self._snapshot.notes.append(note)
        return "node gone"

    def _passed_s(self) -> float:
        return time.monotonic() - self._began
