# SPDX-License-Identifier: Apache-2.0
"""kill -9 of the daemon, broker, router or master, which is started again as it was."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wirecost.measure.bench.transport.contender import TransportContender
from wirecost.measure.bench.transport.faults import judging
from wirecost.measure.bench.transport.faults.course import BEFORE_S, Course
from wirecost.measure.bench.transport.faults.fault import FaultOutcome, InjectedFault, Setup
from wirecost.messaging.transport import find
from wirecost.system import children
from wirecost.system.errors import UserError

DOWN_S = 0.5
AFTER_S = 8.0


@dataclass(frozen=True)
class _KilledServer:
    """Server process, and what it takes to start it again."""

    words: list[str]
    environment: dict[str, str]
    folder: str

    @classmethod
    def of(cls, process: int) -> _KilledServer:
        """Read a process's command. Raises UserError where it does not live."""
        proc = Path(f"/proc/{process}")
        try:
            words = (proc / "cmdline").read_bytes().split(b"\0")[:-1]
            pairs = (proc / "environ").read_bytes().split(b"\0")[:-1]
            folder = str((proc / "cwd").readlink())
        except OSError as error:
            raise UserError(f"process {process}: {error.strerror}; it has ended") from error
        variables = [os.fsdecode(pair).partition("=") for pair in pairs]
        return cls([os.fsdecode(word) for word in words], {n: v for n, _, v in variables}, folder)


class ServerKilled(InjectedFault):
    name = "server-killed"
    about = (
        "kill -9 of the daemon, broker, router or master; recovered: from its restart 0.5 s later"
    )

    def refusal(self, contender: TransportContender) -> str | None:
        served = contender.setting.router
        with suppress(UserError):  # of a library that only a native client has
            served |= bool(find(contender.mware).capabilities.server)
        return None if served else "no process runs between the ends"

    def run(self, setup: Setup) -> FaultOutcome:
        outcome, seconds = FaultOutcome(), BEFORE_S + DOWN_S + AFTER_S
        started: list[subprocess.Popen[bytes]] = []
        with Course(setup, 2) as course:
            tops = _tops(course.servers)
            if not tops:
                raise UserError(f"{setup.contender.mware}: no server runs")
            servers = [_KilledServer.of(process) for process in tops]
            run = course.another_run()
            listening = [course.listen(receiver, run) for receiver in course.receivers]
            speaking = course.speak(course.sender, run, seconds)
            time.sleep(BEFORE_S)
            outcome.memory_bytes_before = course.memory()
            fault_ns = time.monotonic_ns()
            for server in course.servers:
                with suppress(ProcessLookupError):
                    os.kill(server, signal.SIGKILL)
            time.sleep(DOWN_S)
            try:
                again_ns = time.monotonic_ns()
                prefix = setup.ground.sender.prefix
                started += [_start(killed, prefix, setup.logs) for killed in servers]
                sent = course.sent(speaking, seconds)
                received = course.received(listening, len(sent))
                course.servers = tuple(process.pid for process in started)
                outcome.memory_bytes_after = course.memory()
                ended = [process.poll() for process in started]
            finally:
                for process in started:
                    children.end(process)
        if any(status is not None for status in ended):
            raise UserError(f"{servers[0].words[0]} does not start again after kill -9")
        firsts = [judging.first_after(sent, rows, again_ns) for rows in received]
        if None not in firsts:
            outcome.recovered_ns = (
                max(first_ns for first_ns in firsts if first_ns is not None) - again_ns
            )
        outcome.lost = sum(judging.lost(sent, rows) for rows in received)
        outcome.duplicates = sum(map(judging.duplicates, received))
        outcome.messages = judging.timeline(sent, [(0, rows) for rows in received], fault_ns)
        while_down = sum(judging.lost(sent, rows, fault_ns, again_ns) for rows in received)
        refused = int((sent[:, 3] < 0).sum())
        outcome.others = (
            f"{while_down} lost while it was down, {outcome.lost - while_down} before and after; "
            f"{refused} were refused; sending took at most "
            f"{judging.in_ms(judging.longest_call(sent, fault_ns, int(sent[-1, 2]) + 1))}"
        )
        return outcome


def _tops(processes: tuple[int, ...]) -> list[int]:
    """Return the processes that no other one of them has started."""
    tops = []
    for process in processes:
        with suppress(OSError):
            stat = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            if int(stat[1]) not in processes:
                tops.append(process)
    return tops


def _start(server: _KilledServer, prefix: tuple[str, ...], logs: Path) -> subprocess.Popen[bytes]:
    with (logs / "server-again.txt").open("ab") as printed:
        return children.start(
            [*prefix, *server.words], server.environment,
            stdin=subprocess.DEVNULL, stdout=printed, stderr=printed, cwd=server.folder,
        )  # fmt: skip


FAULT = ServerKilled()
