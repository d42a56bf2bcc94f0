# SPDX-License-Identifier: Apache-2.0
"""Debian's ROS 1 for tests: a master on a free port, nodes that end with the test, wirecost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import xmlrpc.client
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wirecost.replay.ros1 import rpc
from wirecost.replay.ros1.master import on_loopback
from wirecost.replay.ros1.sockets import PeerError
from wirecost.system.ports import free_port

PYTHON = "/usr/bin/python3"
ROSMASTER = Path("/usr/bin/rosmaster")
TOPIC_TOOLS = Path("/usr/lib/topic_tools")
MISSING = not ((TOPIC_TOOLS / "relay").exists() and Path("/usr/bin/roscore").exists())
NODES = Path(__file__).with_name("replay_nodes.py")
DEBIAN_MODULES = "/usr/lib/python3/dist-packages"
WIRECOST = Path(sys.executable).with_name("wirecost")


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            if condition():
                return
        except (OSError, PeerError, xmlrpc.client.Error):
            pass
        assert time.monotonic() < deadline
        time.sleep(0.1)


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
                process.send_signal(signal.SIGINT)
        for process in reversed(self._processes):
            try:
                process.wait(15)
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

    try:
        until(lambda: system.call("getPid") > 0)
        yield system
    finally:
        system.stop()


class Ros1System(System):
    """Programs of one roscore; ``environment`` is that of a program of Debian."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        environment = {
            **os.environ,
            **on_loopback(f"http://127.0.0.1:{port}"),
            "ROS_HOME": str(folder),
            "ROS_LOG_DIR": str(folder),
            "PATH": f"/usr/bin:{os.environ['PATH']}",
        }
        super().__init__(environment, folder)
        self.master: Any = xmlrpc.client.ServerProxy(self.uri)
        self.start("/usr/bin/roscore", "-p", str(port))
        until(lambda: self.master.getPid("/test")[0] == 1)

    def node(self, role: str) -> None:
        """One of ``replay_nodes.py``."""
        self.start(sys.executable, NODES, role, PYTHONPATH=DEBIAN_MODULES)

    def published(self) -> set[str]:
        return {name for name, _ in self.master.getSystemState("/test")[2][0]}

    def provided(self) -> set[str]:
        return {name for name, _ in self.master.getSystemState("/test")[2][2]}

    def wirecost(self, *words: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        command = [str(WIRECOST), *map(str, words)]
        return subprocess.run(
            command,
            env=self.environment | variables,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


@contextmanager
def ros1_system(folder: Path) -> Iterator[Ros1System]:
    system = Ros1System(folder)
    try:
        yield system
    finally:
        system.stop()
