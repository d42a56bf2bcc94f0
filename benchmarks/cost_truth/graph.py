# SPDX-License-Identifier: Apache-2.0
"""The robot as a running graph, a process for each node, and what the kernel counts."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirecost.data.messages.content_file import write_content
from wirecost.messaging.transport import find
from wirecost.observe.usage import clocks
from wirecost.system import children, scratch
from wirecost.system.free_domain import FreeDomain

from .robot import RobotTopic, nodes_of, topics_of

NODE = Path(__file__).with_name("node.py")
START_S, SETTLE_S = 10.0, 1.5
Shares = Mapping[str, float]
"""Share of a core by node."""


@dataclass(frozen=True)
class RunningGraph:
    """Processes by node."""

    processes: Mapping[str, subprocess.Popen[str]]

    def set(self, topic: str, mode: str) -> None:
        """Let the publisher of a topic, ``*`` for all, publish in another mode."""
        for process in self.processes.values():
            assert process.stdin is not None
            process.stdin.write(json.dumps({"topic": topic, "mode": mode}) + "\n")
            process.stdin.flush()

    def shares(self, seconds: float) -> Shares:
        """Return what each process takes of a core in so many seconds."""
        time.sleep(SETTLE_S)
        begin, before = time.monotonic(), self._clocks()
        time.sleep(seconds)
        took_ns, after = 1e9 * (time.monotonic() - begin), self._clocks()
        return {name: (after[name] - before[name]) / took_ns for name in before}

    def _clocks(self) -> dict[str, int]:
        spent = {name: clocks.scheduled(one.pid) for name, one in self.processes.items()}
        if dead := [name for name, ns in spent.items() if ns is None]:
            raise RuntimeError(f"{dead[0]}: has ended; run it by itself to see why")
        return {name: ns or 0 for name, ns in spent.items()}


@dataclass(frozen=True)
class GraphClient:
    """``name``: ``rclpy`` or ``rospy``; ``middleware``: as ``cost`` names it.

    ``python``: the Python that has the client library; ``environment``: variables of all nodes.
    """

    name: str
    middleware: str
    python: Path
    environment: Mapping[str, str]

    @property
    def wire(self) -> str:
        return "ros1" if self.name == "rospy" else "cdr"

    @contextmanager
    def meeting(self, folder: Path) -> Iterator[dict[str, str]]:
        """Yield variables by which nodes meet each other and nobody else."""
        own = {**os.environ, **self.environment, "ROS_LOG_DIR": str(folder)}
        if self.name == "rospy":
            with find("ros1").server() as master:
                yield {**own, "ROS_MASTER_URI": str(master), "ROS_HOSTNAME": "127.0.0.1"}
            return
        with FreeDomain() as domain:
            near = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
            yield {**near, **own, "ROS_DOMAIN_ID": str(domain.number)}


@contextmanager
def running(
    client: GraphClient,
    messages: Mapping[str, Sequence[bytes]],
    packed: Mapping[str, Sequence[bytes]],
) -> Iterator[RunningGraph]:
    """Run all nodes by themselves; nothing is published yet."""
    topics = topics_of(client.wire)
    with ExitStack() as stack:
        folder = stack.enter_context(scratch.folder("robot"))
        variables = stack.enter_context(client.meeting(folder))
        paths = {}
        for topic in topics:
            paths[topic.name] = folder / topic.name[1:], folder / f"{topic.name[1:]}.packed"
            write_content(paths[topic.name][0], messages[topic.name])
            write_content(paths[topic.name][1], packed.get(topic.name, messages[topic.name]))
        processes = {}
        for name in nodes_of(topics):
            asked = json.dumps(_asked(name, topics, paths))
            command = [str(client.python), str(NODE), client.name, asked]
            process = children.start(
                command, variables, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
            )
            stack.callback(children.end, process)
            processes[name] = process
        time.sleep(START_S)
        yield RunningGraph(processes)


def _asked(
    name: str, topics: Sequence[RobotTopic], paths: Mapping[str, tuple[Path, Path]]
) -> dict[str, Any]:
    published = [
        {
            "topic": topic.name, "type": topic.type, "hz": topic.hz,
            "content": str(paths[topic.name][0]), "packed": str(paths[topic.name][1]),
        }
        for topic in topics
        if topic.publisher == name
    ]  # fmt: skip
    taken = [{"topic": topic.name, "type": topic.type} for topic in topics if name in topic.takers]
    return {"name": name, "out": published, "in": taken}
