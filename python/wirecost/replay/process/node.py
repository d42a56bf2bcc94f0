# SPDX-License-Identifier: Apache-2.0
"""Starts a node's program under the supervisor and ends it with everything it started."""

from __future__ import annotations

import contextlib
import json
import select
import subprocess
import sys
import threading
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Self

from wirecost.system.errors import UserError

SUPERVISOR = Path(__file__).with_name("supervisor.py")
START_S = 30.0
REMEDIES = {
    "start": "give the program's new path after --",
    "directory": "the node's working directory is gone: make it, or record again",
    "output": "choose a writable --out",
    "cpus": "choose a CPU that this process may use",
    "fifo": "run as root, or allow real-time priorities (ulimit -r, /etc/security/limits.conf)",
    "limits": "record again on this machine",
}


@dataclass(frozen=True)
class Start:
    """Program to start, and how.

    ``output``: file of standard output and error; None: this process's. ``limits``: soft limits by
    the names of Python's ``resource``. ``remove``: folders to remove if this process is killed.
    Signals follow each other ``grace_s`` apart when it ends.
    """

    executable: str
    arguments: list[str]
    environment: dict[str, str]
    directory: str
    output: str | None = None
    cpus: list[int] | None = None
    fifo: int | None = None
    limits: dict[str, int] = field(default_factory=dict)
    remove: list[str] = field(default_factory=list)
    grace_s: float = 5.0


class NodeProcess:
    """A running program. Leaving its context ends it and all its descendants.

    Raises:
        UserError: it cannot be started as asked.
    """

    def __init__(self, start: Start) -> None:
        self._start = start
        self._reported: dict[str, object] = {}
        self._reading = threading.Lock()
        self._supervisor = subprocess.Popen(
            [sys.executable, "-I", "-S", str(SUPERVISOR)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            bufsize=0,
        )
        try:
            self._write(json.dumps(asdict(start)))
            self._read(START_S)
            if "error" in self._reported or "pid" not in self._reported:
                step = str(self._reported.get("step", "start"))
                reason = self._reported.get("error", "its supervisor ended")
                what = start.executable if step == "start" else f"{step} of {start.executable}"
                if step == "directory":
                    what = start.directory
                raise UserError(f"{what}: {reason}; {REMEDIES[step]}")
        except BaseException:
            self.__exit__()
            raise

    @property
    def pid(self) -> int:
        return int(str(self._reported["pid"]))

    def running(self) -> bool:
        if "exit" not in self._reported:
            self._read(0)
        return "exit" not in self._reported

    def status(self) -> int | None:
        """Return the exit status once it ended, negative for a signal; None while it runs."""
        self.running()
        status = self._reported.get("exit")
        return None if status is None else int(str(status))

    def end(self) -> None:
        """Send SIGINT, then SIGTERM, then SIGKILL to the whole process group."""
        if self.running():
            self._write("end")
            self._read(4 * self._start.grace_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        if "pid" in self._reported:
            self.end()
        for stream in (self._supervisor.stdin, self._supervisor.stdout):
            if stream is not None:
                stream.close()
        self._supervisor.wait()

    def _write(self, line: str) -> None:
        assert self._supervisor.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # what it printed states why
            content = memoryview((line + "\n").encode("utf-8"))
            while content:
                content = content[self._supervisor.stdin.write(content) or 0 :]

    def _read(self, timeout_s: float) -> None:
        """Read the supervisor's next line, if there is one in time."""
        output = self._supervisor.stdout
        assert output is not None
        with self._reading:
            if "exit" not in self._reported and select.select([output], [], [], timeout_s)[0]:
                line = output.readline()
                self._reported |= json.loads(line) if line else {"exit": None}


def last_lines(path: Path, count: int = 5) -> list[str]:
    """Return the end of what a program printed."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 16384))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return []
    return ["".join(c if c.isprintable() else " " for c in line)[:300] for line in lines[-count:]]
