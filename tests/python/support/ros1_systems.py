# SPDX-License-Identifier: Apache-2.0
"""Debian's ROS 1 for tests: a master on a free port, and nodes that end with the test."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.waiting import until
from wirecost.replay.ros1 import rpc
from wirecost.replay.ros1.master import on_loopback
from wirecost.replay.ros1.sockets import PeerError
from wirecost.system.ports import free_port

PYTHON = "/usr/bin/python3"
ROSMASTER = Path("/usr/bin/rosmaster")
TOPIC_TOOLS = Path("/usr/lib/topic_tools")


class System:
    """Programs in one ROS 1 system."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self.environment = environment
        self.folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []

    @property
    def uri(self) -> str:
        return self.environment["ROS_MASTER_URI"]

    def start(self, *command: str | Path, **more: str) -> subprocess.Popen[bytes]:
        log = (self.folder / f"{len(self._processes)}.out").open("wb")
        with log:
            process = subprocess.Popen(
                [str(word) for word in command],
                env={**os.environ, **self.environment, "PYTHONUNBUFFERED": "1", **more},
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._processes.append(process)
        return process

    def rospy(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a node written in Python, by the interpreter that has rospy."""
        return self.start(PYTHON, "-c", program, *arguments)

    def output(self) -> str:
        return "\n".join(log.read_text() for log in sorted(self.folder.glob("*.out")))

    def call(self, method: str, *arguments: Any) -> Any:
        """Call a method of the master, as a tool of ROS would."""
        return rpc.call(self.uri, method, "/test", *arguments)

    def names(self) -> set[str]:
        state = self.call("getSystemState")
        return {name for kind in state for _, owners in kind for name in owners}

    def stop(self) -> None:
        for process in reversed(self._processes):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
        for process in self._processes:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


@contextmanager
def ros_system(folder: Path) -> Iterator[System]:
    """Debian's master."""
    port = free_port()
    environment = {
        **on_loopback(f"http://127.0.0.1:{port}"),
        "ROS_LOG_DIR": str(folder),
    }
    system = System(environment, folder)
    system.start(ROSMASTER, "--core", "-p", str(port))

    def answers() -> bool:
        try:
            system.call("getPid")
        except PeerError:
            return False
        return True

    try:
        until(answers, what="the master")
        yield system
    finally:
        system.stop()
