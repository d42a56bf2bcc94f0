# SPDX-License-Identifier: Apache-2.0
"""A ROS 1 system of Debian's programs for a test module, and wirecost in it."""

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

from wirecost.replay.ros1.master import on_loopback
from wirecost.system.ports import free_port

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
        except (OSError, xmlrpc.client.Error):
            pass
        assert time.monotonic() < deadline
        time.sleep(0.1)


class Ros1System:
    """Programs that share a master; ``environment`` is that of a program of Debian."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        self.folder = folder
        self.environment = {
            **os.environ,
            **on_loopback(f"http://127.0.0.1:{port}"),
            "ROS_HOME": str(folder),
            "ROS_LOG_DIR": str(folder),
            "PATH": f"/usr/bin:{os.environ['PATH']}",
        }
        self.master: Any = xmlrpc.client.ServerProxy(self.environment["ROS_MASTER_URI"])
        self._started: list[subprocess.Popen[bytes]] = []
        self.start("/usr/bin/roscore", "-p", str(port))
        until(lambda: self.master.getPid("/test")[0] == 1)

    def start(self, *command: str | Path, **variables: str) -> None:
        with (self.folder / f"{len(self._started)}.log").open("wb") as log:
            self._started.append(
                subprocess.Popen(
                    [str(word) for word in command],
                    env=self.environment | variables,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )

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

    def stop(self) -> None:
        for process in reversed(self._started):
            process.send_signal(signal.SIGINT)
        for process in reversed(self._started):
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


@contextmanager
def ros1_system(folder: Path) -> Iterator[Ros1System]:
    system = Ros1System(folder)
    try:
        yield system
    finally:
        system.stop()
