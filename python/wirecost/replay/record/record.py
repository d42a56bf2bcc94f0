# SPDX-License-Identifier: Apache-2.0
"""Records what a running node receives and sends until it ends or the user stops it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from wirecost.replay.middleware import NodeGraph, Recorder
from wirecost.replay.process.node import NodeProcess, Start
from wirecost.replay.process.state import state_of
from wirecost.replay.record.session import Report, Session
from wirecost.replay.record.topics import CACHE_BYTES
from wirecost.replay.recording.snapshot import (
    MESSAGES,
    Snapshot,
    executable_sha256,
    executable_size,
    parameter_files,
    write_snapshot,
)
from wirecost.replay.recording.writer import RecordingWriter
from wirecost.replay.systems import System
from wirecost.system.errors import UserError
from wirecost.system.waiting import Deadline

APPEAR_S, LOOK_S = 30.0, 0.05


@dataclass(frozen=True)
class Request:
    """What to record.

    ``launch``: the command that starts the node; ``seconds`` None: until stopped; ``cache_bytes``:
    of messages that wait for the disk.
    """

    system: System
    node: str
    pid: int | None
    launch: list[str]
    seconds: float | None
    domain: int | None
    interfaces: tuple[str, ...] = ()
    cache_bytes: int = CACHE_BYTES


def record(request: Request, folder: Path, report: Report, stopped: Callable[[], bool]) -> Snapshot:
    """Fill ``folder``; ``report`` gets progress and notes every half second.

    Raises:
        UserError: the node or its process cannot be found, or the folder cannot be written. What
            was recorded before stays.
    """
    with (
        _launched(request) as process,
        request.system.recorder(request.domain, request.interfaces) as recorder,
    ):
        graph = _first_graph(recorder, request.node, process, stopped)
        snapshot = _snapshot(request, graph, process)
        write_snapshot(folder, snapshot)
        with RecordingWriter(folder / MESSAGES, request.system) as writer:
            session = Session(recorder, writer, snapshot, folder, report, request.cache_bytes)
            try:
                session.follow(graph)
                # Once calls are recorded, so that none that sets a parameter is missed.
                snapshot.parameters = recorder.parameters(graph.name)
                # Only now, so that no message is missed meanwhile. /proc has the program that
                # runs, whatever is at its path by now.
                running = Path(f"/proc/{snapshot.pid}/exe")
                snapshot.executable_sha256 = executable_sha256(running)
                snapshot.ended = session.run(request.seconds, process, stopped)
                session.finish()
            except BaseException:
                snapshot.ended = "failed"
                with suppress(UserError):  # a full disk has no room for this either
                    session.write_snapshot()
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
    """Wait for the node's first graph: a launched node takes its time to join the system."""
    deadline = Deadline(APPEAR_S)
    while True:
        try:
            return recorder.graph(node)
        except UserError:
            if process is None or stopped() or deadline.passed:
                raise
            if not process.running():
                raise UserError(
                    f"{node}: the command after -- ended with status {process.status()} before "
                    "this node appeared; give the node that the command starts"
                ) from None
            time.sleep(LOOK_S)


def _snapshot(request: Request, graph: NodeGraph, process: NodeProcess | None) -> Snapshot:
    pid, pid_found = _process_id(request, graph, process)
    state = state_of(pid)
    return Snapshot(
        system=request.system.name,
        profile=request.system.profile,
        node=graph.name,
        pid=pid,
        pid_found=pid_found,
        process=state,
        executable_size=executable_size(state),
        parameter_files=parameter_files(state),
        started=datetime.now(UTC).isoformat(timespec="milliseconds"),
    )


def _process_id(request: Request, graph: NodeGraph, process: NodeProcess | None) -> tuple[int, str]:
    """Return the node's process and how it was found."""
    if request.pid is not None:
        return request.pid, "given"
    if graph.pid is not None:
        by_node = "slave API" if request.system.name == "ros1" else "announced by its DDS"
        return graph.pid, by_node
    if process is not None:
        return process.pid, "launched"
    raise UserError(
        f"{graph.name}: its process is not known; give --pid PID, or let record start it with "
        "--launch -- COMMAND"
    )
