# SPDX-License-Identifier: Apache-2.0
"""Records what a running node receives and sends until it ends or is told to stop."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from wirecost._middleware import Queue
from wirecost.errors import UserError
from wirecost.replay.process.node import NodeProcess, Start
from wirecost.replay.process.state import state_of
from wirecost.replay.recording.snapshot import (
    MESSAGES,
    JoinedTopic,
    Snapshot,
    executable_sha256,
    executable_size,
    parameter_files,
    write_snapshot,
)
from wirecost.replay.recording.writer import INPUT, OUTPUT, RecordingWriter
from wirecost.replay.system import NodeGraph, Recorder, Service, Topic
from wirecost.replay.systems import System

QUEUE_BYTES = 256 << 20
FLUSH_S = 0.2
FOLLOW_S, REPORT_S = 0.5, 0.5
EARLY_S, FOLLOW_EARLY_S = 5.0, 0.05
"""A node that was just started joins one topic after the other, and is asked more often."""
TAKE_S = 0.05
APPEAR_S = 30.0
OF_EVERY_NODE = {"/rosout", "/rosout_agg", "/parameter_events"}
"""Outputs that every node of its system has and that say nothing about its work."""


@dataclass(frozen=True)
class Request:
    """``launch``: the command that starts the node; ``seconds`` None: until stopped."""

    system: System
    node: str
    pid: int | None
    launch: list[str]
    seconds: float | None
    domain: int | None
    interfaces: tuple[str, ...] = ()


@dataclass(frozen=True)
class TopicProgress:
    """``rate``: messages a second since the last report."""

    name: str
    role: str
    messages: int
    rate: float
    bytes: int
    dropped: int


Tell = Callable[[list[TopicProgress], list[str]], None]


def record(request: Request, folder: Path, tell: Tell, stopped: Callable[[], bool]) -> Snapshot:
    """Fills ``folder``; ``tell`` hears of progress and notes every half second.

    Raises:
        UserError: the node or its process cannot be found, or the folder cannot be written. What
            was recorded before stays.
    """
    with (
        _launched(request) as process,
        request.system.recorder(request.domain, request.interfaces) as recorder,
    ):
        graph = _first_graph(recorder, request.node, process, stopped)
        snapshot = _snapshot(request, recorder, graph, process)
        write_snapshot(folder, snapshot)
        with RecordingWriter(folder / MESSAGES, request.system) as writer:
            session = _Session(recorder, writer, snapshot, folder, tell)
            try:
                session.follow(graph)
                # Only now: nothing that the node receives meanwhile is missed. The file that runs,
                # whatever is at its path by now.
                running = Path(f"/proc/{snapshot.pid}/exe")
                snapshot.executable_sha256 = executable_sha256(running)
                snapshot.ended = session.run(request.seconds, process, stopped)
                session.finish()
            except BaseException:
                snapshot.ended = "failed"
                with suppress(UserError):  # a full disk has no room for this either
                    session.write_node()
                raise
    return snapshot


@contextmanager
def _launched(request: Request) -> Iterator[NodeProcess | None]:
    if not request.launch:
        yield None
        return
    program = request.launch[0]
    start = Start(program, request.launch, dict(os.environ), os.fspath(Path.cwd()))
    with NodeProcess(start) as process:
        yield process


def _first_graph(
    recorder: Recorder, node: str, process: NodeProcess | None, stopped: Callable[[], bool]
) -> NodeGraph:
    """A launched node takes its time to join the system."""
    deadline = time.monotonic() + APPEAR_S
    while True:
        try:
            return recorder.graph(node)
        except UserError:
            waited = process is not None and time.monotonic() < deadline and not stopped()
            if not waited:
                raise
            if process is not None and not process.running():
                raise UserError(
                    f"{node}: the command after -- ended with status {process.status()} before "
                    "such a node was there; name the node that it starts"
                ) from None
            time.sleep(FOLLOW_EARLY_S)


def _snapshot(
    request: Request, recorder: Recorder, graph: NodeGraph, process: NodeProcess | None
) -> Snapshot:
    announced = "slave API" if request.system.name == "ros1" else "announced by its DDS"
    if request.pid is not None:
        pid, found = request.pid, "given"
    elif graph.pid is not None:
        pid, found = graph.pid, announced
    elif process is not None:
        pid, found = process.pid, "launched"
    else:
        raise UserError(
            f"{graph.name}: its process is not known; give --pid PID, or let record start it with "
            "--launch -- COMMAND"
        )
    state = state_of(pid)
    return Snapshot(
        system=request.system.name,
        profile=request.system.profile,
        node=graph.name,
        pid=pid,
        pid_found=found,
        process=state,
        executable_size=executable_size(state),
        parameter_files=parameter_files(state),
        parameters=recorder.parameters(graph.name),
        started=datetime.now(UTC).isoformat(timespec="milliseconds"),
    )


@dataclass
class _Followed:
    topic: Topic
    role: str
    after_s: float
    channel: int | None = None
    """In the file; known once the first message came, and with it the topic's definition."""
    messages: int = 0
    """Written; what the queue still holds at the end came after it."""
    bytes: int = 0
    reported: int = 0


class _Session:
    def __init__(
        self,
        recorder: Recorder,
        writer: RecordingWriter,
        snapshot: Snapshot,
        folder: Path,
        tell: Tell,
    ) -> None:
        self._recorder = recorder
        self._writer = writer
        self._snapshot = snapshot
        self._folder = folder
        self._tell = tell
        self._queue = Queue(QUEUE_BYTES)
        self._followed: list[_Followed] = []
        self._services: dict[str, Service] = {}
        self._began = time.monotonic()
        self._reported = self._began
        # Receive times are stored as the clock's at the start plus what passed since, so that
        # setting the clock meanwhile moves nothing.
        self._wall_minus_monotonic_ns = time.time_ns() - time.monotonic_ns()

    def run(
        self, seconds: float | None, process: NodeProcess | None, stopped: Callable[[], bool]
    ) -> str:
        """Why it ended."""
        followed = flushed = reported = time.monotonic()
        while True:
            self._take()
            now = time.monotonic()
            if now - flushed >= FLUSH_S:
                self._take_calls()
                self._writer.flush()
                flushed = now
            early = process is not None and now - self._began < EARLY_S
            if now - followed >= (FOLLOW_EARLY_S if early else FOLLOW_S):
                followed = now
                try:
                    self.follow(self._recorder.graph(self._snapshot.node))
                except UserError as error:
                    self._snapshot.notes.append(f"the node went away: {error}")
                    return "node gone"
            if now - reported >= REPORT_S:
                reported = now
                self._report()
            if stopped():
                return "interrupted"
            if process is not None and not process.running():
                self._snapshot.notes.append(f"the node ended with status {process.status()}")
                return "node gone"
            if not Path(f"/proc/{self._snapshot.pid}").exists():
                self._snapshot.notes.append("the node's process ended")
                return "node gone"
            if seconds is not None and now - self._began >= seconds:
                return "time"

    def follow(self, graph: NodeGraph) -> None:
        """Listens to what is new; tells ``node.json`` if anything is."""
        known = {(one.topic.name, one.role) for one in self._followed}
        after_s = round(time.monotonic() - self._began, 3)
        outputs = [topic for topic in graph.published if topic.name not in OF_EVERY_NODE]
        for one in self._followed:
            if one.channel is None:
                self._learn(one, graph)
        new = [(topic, INPUT) for topic in graph.subscribed] + [(t, OUTPUT) for t in outputs]
        new = [(topic, role) for topic, role in new if (topic.name, role) not in known]
        sides = {(topic.name, INPUT) for topic in graph.subscribed}
        sides |= {(topic.name, OUTPUT) for topic in outputs}
        services = {one.name: one for one in (*graph.provides, *graph.calls)}
        self._snapshot.provides, self._snapshot.calls = list(graph.provides), list(graph.calls)
        is_new = bool(new or services.keys() - self._services.keys())
        if is_new:
            # Before the inputs, so that no call is missed that one of them leads to.
            self._recorder.watch_services(graph)
            self._services |= services
        for topic, role in new:
            self._followed.append(_Followed(topic, role, after_s))
            channel = len(self._followed) - 1
            if {(topic.name, INPUT), (topic.name, OUTPUT)} <= sides:
                # What the node itself publishes it is not to be sent again.
                side = {"only" if role == OUTPUT else "without": graph.name}
                self._recorder.listen(topic, channel, self._queue, **side)
            else:
                self._recorder.listen(topic, channel, self._queue)
        if is_new:
            self.write_node()

    def finish(self) -> None:
        """What came is written and ``node.json`` tells how it ended."""
        self._take()
        self._take_calls()
        self._report()
        self.write_node()

    def _take(self) -> None:
        learnt = False
        for channel, _, monotonic_ns, source_ns, message in self._queue.take(1024, TAKE_S):
            one = self._followed[channel]
            if one.channel is None:
                if graph := self._graph():
                    self._learn(one, graph)
                one.channel = self._writer.add_topic(one.topic, one.role)
                learnt = True
            log_ns = monotonic_ns + self._wall_minus_monotonic_ns
            self._writer.write(one.channel, log_ns, source_ns or log_ns, message)
            one.messages += 1
            one.bytes += len(message)
        if learnt:  # that a topic is latched, for one: replay needs it even if we are killed
            self.write_node()

    def _learn(self, one: _Followed, graph: NodeGraph) -> None:
        """A topic's definition may be known only since its publisher was connected to."""
        for topic in graph.subscribed if one.role == INPUT else graph.published:
            if topic.name == one.topic.name:
                one.topic = topic

    def _graph(self) -> NodeGraph | None:
        try:
            return self._recorder.graph(self._snapshot.node)
        except UserError:  # it went away meanwhile; its messages are kept all the same
            return None

    def _take_calls(self) -> None:
        for call in self._recorder.calls():
            service = self._services.get(call.service) or Service(call.service, "")
            self._writer.write_call(service, call, call.request_ns)

    def _report(self) -> None:
        now = time.monotonic()
        passed = max(now - self._reported, 1e-3)
        self._reported = now
        progress = []
        for i, one in enumerate(self._followed):
            rate = (one.messages - one.reported) / passed
            one.reported = one.messages
            progress.append(
                TopicProgress(
                    one.topic.name, one.role, one.messages, rate, one.bytes, self._dropped(i)
                )
            )
        self._writer.write_bag_metadata()
        notes = self._recorder.notes()
        self._snapshot.notes += notes
        self._tell(progress, notes)

    def write_node(self) -> None:
        joined = []
        for i, one in enumerate(self._followed):
            known = JoinedTopic(one.topic, one.after_s, one.messages, self._dropped(i))
            joined.append((one.role, known))
        self._snapshot.inputs = [one for role, one in joined if role == INPUT]
        self._snapshot.outputs = [one for role, one in joined if role == OUTPUT]
        self._snapshot.duration_s = round(time.monotonic() - self._began, 3)
        write_snapshot(self._folder, self._snapshot)

    def _dropped(self, channel: int) -> int:
        return self._queue.counts().get(channel, (0, 0, 0))[1]
