# SPDX-License-Identifier: Apache-2.0
"""A running graph as a survey: a listener in the Python of its middleware tells what comes."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from wirecost.data.messages.ros.installed import MISSING, Ros2Installation
from wirecost.data.recordings.connection import RecordedConnection
from wirecost.data.recordings.kept import KeptMessages, Room
from wirecost.data.recordings.survey import RecordingSurvey, SubjectCache, TopicSurvey
from wirecost.measure.bench.engine.other_python import environment
from wirecost.measure.cost.live.callers import Callers
from wirecost.measure.cost.live.ends import end_costs
from wirecost.measure.cost.live.listening import KEPT
from wirecost.measure.cost.live.processes import GraphProcesses
from wirecost.observe.usage import clocks
from wirecost.replay.dds import require_fast_dds
from wirecost.replay.dds.domain import domain_number
from wirecost.replay.ros1.master import OWN, Master
from wirecost.results.records.cost import EndCost, ProcessCost, TopicCost
from wirecost.system import children
from wirecost.system.closing import Closing
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

DDS, ROS1, ROS2 = "dds", "ros1", "ros2"
LISTENERS = {ROS2: "ros2_listener.py", ROS1: "ros1_listener.py", DDS: "dds_listener.py"}
MISSING_STATUS = 3
"""Of a listener in whose Python there is no ROS 2."""


@dataclass(frozen=True)
class LiveRequest:
    """``system``: of LISTENERS; ``limit``: bytes a second above which a topic is only looked at.

    ``python``: that of a ROS, None for this one; ``listens``: else only who is there is found;
    ``domain``: of DDS, None for that of ``ROS_DOMAIN_ID``; ``attaches``: breakpoints in rcl say who
    pays; ``told_every_s``: seconds between two reports of ROS 1's listener.
    """

    system: str
    seconds: float
    limit: float
    python: Path | None = None
    listens: bool = True
    domain: int | None = None
    attaches: bool = False
    told_every_s: float = 1.0


class LiveGraph(Closing):
    """A running graph that is listened to as long as this is open. Raises UserError."""

    def __init__(self, request: LiveRequest, include: Sequence[Path]) -> None:
        ros2 = Ros2Installation(request.python)
        roots = [*include, *ros2.shares()] if request.system != ROS1 else list(include)
        self._request = request
        self._subjects = SubjectCache(roots)
        self._room = Room()
        self._topics: dict[tuple[str, str], TopicSurvey] = {}
        self._begun, self._begun_ns = time.monotonic(), time.process_time_ns()
        self._processes = GraphProcesses(request.system == ROS1)
        self._callers = Callers() if request.attaches else None
        # A file: nobody reads a pipe before the end, and a full one would stop the listener.
        self._errors = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 - until close
        self._listener = _started(request, ros2, self._errors)

    def surveys(self) -> Iterator[RecordingSurvey]:
        """Yield what is known at each report, until the time is over. Raises UserError."""
        assert self._listener.stdout is not None
        for line in self._listener.stdout:
            # Whatever else its libraries print there.
            with suppress(ValueError):
                for report in json.loads(line):
                    self._add(report)
            self._processes.look()
            if self._callers is not None:
                self._callers.watch(self._processes.pids)
            yield self.survey()
            if self.seconds >= self._request.seconds:
                return
        raise _ended(self._request, self._listener, self._errors)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begun

    def survey(self) -> RecordingSurvey:
        for topic in self._topics.values():
            if topic.count:
                self._subjects.describe(Path(self._request.system), topic)
        return RecordingSurvey(list(self._topics.values()), self.seconds)

    def processes(self, topics: Sequence[TopicCost]) -> list[ProcessCost]:
        """Return what each process of the middleware took of a core, those that took most first."""
        return self._processes.costs(topics, self._listener.pid)

    def ends(self) -> tuple[list[EndCost], int]:
        """Return what each process paid for each topic, and how many records of calls were lost."""
        if self._callers is None:
            return [], 0
        self._callers.look()
        topics = {topic.connection.topic: topic for topic in self._topics.values()}
        placed = self._processes.nodes_of
        ends = end_costs(self._callers, topics, placed, self._listener.pid)
        return ends, self._callers.lost

    @property
    def pids(self) -> list[int]:
        """Return the processes that are there but the listener."""
        return [pid for pid in self._processes.pids if pid != self._listener.pid]

    def nodes_of(self, pid: int) -> set[str]:
        """Return the nodes that are said to be in a process."""
        return self._processes.nodes_of(pid)

    @property
    def looking(self) -> float:
        """Share of a core that the listener and this process took, from their start on."""
        own_ns = time.process_time_ns() - self._begun_ns
        return (own_ns + (clocks.scheduled(self._listener.pid) or 0)) / 1e9 / self.seconds

    @property
    def lang(self) -> str:
        """Language of most of the graph's processes."""
        return self._processes.lang

    @property
    def langs(self) -> dict[str, str]:
        """Languages of the nodes whose process is known."""
        return self._processes.langs

    def _add(self, told: Mapping[str, Any]) -> None:
        key = (str(told["topic"]), str(told["type"]))
        definition = str(told["definition"])
        connection = RecordedConnection(
            len(self._topics), *key, str(told["wire"]), "ros1msg" if definition else "",
            definition.encode(), 0, str(told["digest"]),
        )  # fmt: skip
        topic = self._topics.setdefault(
            key, TopicSurvey(connection, sample=KeptMessages(self._room))
        )
        if definition:
            topic.connection = connection
        topic.publishers = [str(name) for name in told["publishers"]]
        topic.subscribers = [str(name) for name in told["subscribers"]]
        self._processes.place(told["processes"])
        topic.qos, topic.unknown = str(told["qos"]), topic.unknown or str(told["unknown"])
        topic.watched_s, topic.missed = float(told["watched_s"]), int(told["missed"])
        topic.links, topic.lost = list(told["links"]), int(told["lost"])
        topic.is_numbered = bool(told["is_numbered"])
        for size, time_ns in zip(told["sizes"], told["times"], strict=True):
            if time_ns == KEPT:
                topic.sizes.append(int(size))
            else:
                topic.note(int(time_ns), int(size))
        for place, data in told["sample"].items():
            topic.sample[int(place)] = base64.b64decode(data)

    def close(self) -> None:
        children.end(self._listener)
        if self._callers is not None:
            self._callers.close()
        self._errors.close()


def _started(
    request: LiveRequest, ros2: Ros2Installation, errors: IO[str]
) -> subprocess.Popen[str]:
    own = Path(sys.executable).absolute()
    python = ros2.interpreter if request.system == ROS2 else own
    job: dict[str, object] = {
        "limit": request.limit, "listens": request.listens, "told_every_s": request.told_every_s,
    }  # fmt: skip
    if request.system == DDS:
        require_fast_dds()
        job["domain"] = domain_number(request.domain)
    if request.system == ROS1:
        Master.of_environment(f"{OWN}cost")
    variables = None if python == own else environment([])
    script = Path(__file__).with_name(LISTENERS[request.system])
    command = [str(python), str(script), json.dumps(job)]
    return children.start(command, variables, stdout=subprocess.PIPE, stderr=errors, text=True)


def _ended(request: LiveRequest, listener: subprocess.Popen[str], errors: IO[str]) -> UserError:
    """Return why a listener ended by itself."""
    listener.wait()
    errors.seek(0)
    if listener.returncode == MISSING_STATUS:
        return UserError(f"--live {request.system}: not installed here; {MISSING}")
    said = shown((errors.read().strip().splitlines() or ["no reason given"])[-1])
    return UserError(f"--live {request.system}: the listener ended: {said}")
