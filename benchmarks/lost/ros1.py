# SPDX-License-Identifier: Apache-2.0
"""Losses made on purpose in ROS 1: what the command said, and what the listeners really took."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from wirecost.replay.ros1.master import on_loopback
from wirecost.replay.ros1.sockets import LOOPBACK
from wirecost.results.records.lost_live import SENDER, TAKER
from wirecost.system.ports import free_port

PYTHON, MASTER = Path("/usr/bin/python3"), Path("/usr/bin/rosmaster")
"""Debian's programs."""
NODE = Path(__file__).with_name("losing_ros1.py")
LARGE, COUNT = 300_000, 100
WATCHED_S = 6.0
"""Seconds after the last message, in which listeners take it and looks confirm what died."""


@dataclass(frozen=True)
class Pair:
    """A talker and a listener, ``py`` or ``cpp``, and where messages between them die.

    ``kept``: queue of the listener where it is another; ``is_stopped``: the listener stands still
    for 1.5 s; ``place``: empty where none die.
    """

    name: str
    talker: str
    listener: str
    place: str = ""
    queue: int = 10
    kept: int = 0
    callback_ms: int = 0
    padding: int = 20
    is_stopped: bool = False


PAIRS = (
    Pair("healthy_py", "py", "py"),
    Pair("healthy_cpp", "cpp", "cpp"),
    Pair("varied", "py", "cpp", padding=-LARGE),
    Pair("slow_py", "py", "py", SENDER, 2, 0, 200, LARGE),
    Pair("slow_cpp", "py", "cpp", TAKER, 2, 0, 100),
    Pair("slow_both", "cpp", "cpp", TAKER, 2, 0, 100),
    Pair("stopped_py", "cpp", "py", SENDER, 5, 0, 0, LARGE, True),
    Pair("stopped_cpp", "cpp", "cpp", SENDER, 5, 1000, 0, LARGE, True),
)
STEADY = (
    Pair("steady_py", "py", "py", SENDER, 2, 0, 200, 3 * LARGE),
    Pair("steady_cpp", "cpp", "py", SENDER, 2, 0, 200, 3 * LARGE),
)
"""Pairs whose listeners cannot keep up for as long as anybody looks."""
STEADY_S, ENDLESS = 12.0, 100_000


def compiled(folder: Path) -> Path:
    """Return the node of roscpp."""
    program = folder / "losing_ros1"
    libraries = ["-lroscpp", "-lrosconsole", "-lroscpp_serialization", "-lrostime"]
    source = str(NODE.parent / "cpp" / "losing_ros1.cpp")
    subprocess.run(["c++", "-std=c++17", source, "-o", program, *libraries], check=True)
    return program


@dataclass
class Watched:
    """What the command counted and printed, and the numbers that each listener took."""

    answer: Any
    said: str
    taken: dict[str, list[int]]

    def of(self, name: str) -> Any:
        """Return the subscription of a pair's listener."""
        (own,) = [
            each
            for each in self.answer["subscriptions"]
            if each["topic"] == f"/{name}" and each["subscribers"] == [f"/{name}_listener"]
        ]
        return own

    def missing(self, name: str) -> int:
        return sum(after - before - 1 for before, after in pairwise(self.taken[name]))

    def is_right(self, pair: Pair) -> bool:
        """Say whether the counts of a pair are exact, or at least below what a steady one lost."""
        if pair not in STEADY:
            return self.is_exact(pair)
        places = self.of(pair.name)["places"]
        return [*places] == [pair.place] and 0 < places[pair.place] <= self.missing(pair.name)

    def is_exact(self, pair: Pair) -> bool:
        """Say whether the counts of a pair are those of its listener, and at its place."""
        own, lost = self.of(pair.name), self.missing(pair.name)
        return (
            own["places"] == ({pair.place: lost} if lost else {})
            and own["taken"] == len(self.taken[pair.name])
            and own["untaken"] == 0
            and bool(lost) == bool(pair.place)
        )


@contextmanager
def system(folder: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Run a master, and yield what starts programs beside it."""
    port = free_port()
    own = on_loopback(f"http://{LOOPBACK}:{port}")
    variables = {**os.environ, **own, "ROS_LOG_DIR": str(folder)}
    with ExitStack() as stack:

        def start(*words: object, **pipes: Any) -> subprocess.Popen[bytes]:
            process = subprocess.Popen([str(word) for word in words], env=variables, **pipes)
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        start(PYTHON, MASTER, "--core", "-p", port, stdout=subprocess.DEVNULL)
        _wait_for_port(port)
        yield start


def run(pairs: Sequence[Pair], folder: Path, seconds: float | None = None) -> Watched:
    """Let pairs run beside the command, in this network; for some seconds, or until they end."""
    with ExitStack() as stack:
        start = stack.enter_context(system(folder))
        program = compiled(folder) if any("cpp" in (p.talker, p.listener) for p in pairs) else None
        talkers, listeners = [], []
        for pair in pairs:
            count = COUNT if seconds is None else ENDLESS
            about = [pair.name, count, pair.queue, pair.callback_ms, pair.padding]
            kept = [*about[:2], pair.kept or pair.queue, *about[3:]]
            by: dict[str, list[object]] = {"py": [PYTHON, NODE], "cpp": [program]}
            numbers = stack.enter_context((folder / pair.name).open("wb"))
            listeners.append(start(*by[pair.listener], "listen", *kept, stdout=numbers))
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            talkers.append(start(*by[pair.talker], "talk", *about, **pipes))
        for talker in talkers:
            wait_for(talker.stdout, b"ready")
        out = folder / "answer.json"
        command = [sys.executable, "-m", "wirecost", "lost", "--live", "ros1"]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        watch = start(*command, "--for", f"{seconds or 3600}s", "--json", out, **pipes)
        for _ in range(2):
            wait_for(watch.stderr, b"watching")
        for talker in talkers:
            go(talker)
        if seconds is None:
            _let_end(pairs, talkers, listeners)
            watch.send_signal(signal.SIGINT)
        said, errors = watch.communicate()
        if watch.returncode:
            sys.exit(errors.decode())
        if seconds is not None:  # what is taken later shows what had died by now
            time.sleep(WATCHED_S)
        taken = {pair.name: [*map(int, (folder / pair.name).read_text().split())] for pair in pairs}
        return Watched(json.loads(out.read_text()), said.decode(), taken)


def go(talker: subprocess.Popen[bytes]) -> None:
    """Let a talker publish."""
    assert talker.stdin is not None
    talker.stdin.write(b"go\n")
    talker.stdin.flush()


def _let_end(
    pairs: Sequence[Pair],
    talkers: Sequence[subprocess.Popen[bytes]],
    listeners: Sequence[subprocess.Popen[bytes]],
) -> None:
    """Wait until all is published and taken; some listeners stand still meanwhile."""
    time.sleep(0.5)
    stopped = [process for pair, process in zip(pairs, listeners, strict=True) if pair.is_stopped]
    for number in (signal.SIGSTOP, signal.SIGCONT):
        for process in stopped:
            process.send_signal(number)
        time.sleep(1.5)
    for talker in talkers:
        wait_for(talker.stdout, b"done")
    time.sleep(WATCHED_S)


def wait_for(stream: Any, word: bytes) -> None:
    line = b" "
    while line and word not in line:
        line = stream.readline()
    if not line:
        sys.exit(f"{word!r} was not said")


def _wait_for_port(port: int) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    sys.exit("no master")
