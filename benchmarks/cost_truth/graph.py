# SPDX-License-Identifier: Apache-2.0
"""The robot as a running graph of rclpy, a process for each node, and what the kernel counts."""

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
from wirecost.observe.usage import clocks
from wirecost.system import children, scratch
from wirecost.system.free_domain import FreeDomain

from .robot import NODES, TOPICS

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


@contextmanager
def running(
    python: Path,
    environment: Mapping[str, str],
    messages: Mapping[str, Sequence[bytes]],
    packed: Mapping[str, Sequence[bytes]],
) -> Iterator[RunningGraph]:
    """Run all nodes in a domain of their own; nothing is published yet."""
    with ExitStack() as stack:
        folder = stack.enter_context(scratch.folder("robot"))
        domain = stack.enter_context(FreeDomain())
        variables = {
            **os.environ, "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
            **environment, "ROS_DOMAIN_ID": str(domain.number), "ROS_LOG_DIR": str(folder),
        }  # fmt: skip
        paths = {}
        for topic in TOPICS:
            paths[topic.name] = folder / topic.name[1:], folder / f"{topic.name[1:]}.packed"
            write_content(paths[topic.name][0], messages[topic.name])
            write_content(paths[topic.name][1], packed.get(topic.name, messages[topic.name]))
        processes = {}
        for name in NODES:
            command = [str(python), str(NODE), json.dumps(_asked(name, paths))]
            process = children.start(
                command, variables, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
            )
            stack.callback(children.end, process)
            processes[name] = process
        time.sleep(START_S)
        yield RunningGraph(processes)


def _asked(name: str, paths: Mapping[str, tuple[Path, Path]]) -> dict[str, Any]:
    published = [
        {
            "topic": topic.name, "type": topic.type, "hz": topic.hz,
            "content": str(paths[topic.name][0]), "packed": str(paths[topic.name][1]),
        }
        for topic in TOPICS
        if topic.publisher == name
    ]  # fmt: skip
    taken = [{"topic": topic.name, "type": topic.type} for topic in TOPICS if name in topic.takers]
    return {"name": name, "out": published, "in": taken}
