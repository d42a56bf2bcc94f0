# SPDX-License-Identifier: Apache-2.0
"""Hosts joined by a switch in user space, for kernels without netem.

A program of ours forwards between TAP devices. It ends with this process.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from wirecost.measure.network.namespace import Namespace, NetworkError
from wirecost.measure.network.profiles import Profile
from wirecost.measure.network.wire import FRAME, Wire
from wirecost.system import children
from wirecost.system.parts import TRANSPORT, installed

NAME = "network_relay"
COUNTED = ("forwarded", "lost", "dropped", "cut")
SEED = 1


def program() -> Path:
    """Return the relay's path. Raises UserError where the compiled part is missing."""
    return installed(f"programs/{NAME}", TRANSPORT)


class Relay(Wire):
    made_by = "relay"

    def __init__(self, profile: Profile, hosts: Sequence[Namespace], seed: int = SEED) -> None:
        """Start the relay between the hosts. Raises NetworkError, UserError."""
        descriptors = [host.descriptor for host in hosts]
        numbers = (
            round(profile.delay_ms * 1e6),
            round(profile.jitter_ms * 1e6),
            profile.loss_percent / 100,
            profile.rate_mbit / 1e3,  # bits per nanosecond
            profile.queue_packets * FRAME,
            seed,
        )
        self._process = children.start(
            [str(program()), *map(str, (*numbers, *descriptors))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            pass_fds=descriptors,
        )  # fmt: skip
        try:
            self._expect("ready")
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int:
        """Its processor time is no part of a measurement."""
        return int(self._process.pid)

    def set_down(self, host: int, down: bool) -> None:
        self._ask(f"{'down' if down else 'up'} {host}")
        self._expect("ok")

    def counts(self) -> dict[str, int]:
        self._ask("counts")
        return dict(zip(COUNTED, map(int, self._line().split()), strict=True))

    def _ask(self, command: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{command}\n")
            self._process.stdin.flush()
        except OSError:
            raise self._failure() from None

    def _line(self) -> str:
        assert self._process.stdout is not None
        line: str = self._process.stdout.readline()
        if not line.endswith("\n"):
            raise self._failure()
        return line.strip()

    def _expect(self, answer: str) -> None:
        if (line := self._line()) != answer:
            raise NetworkError(f"{NAME} answers {line!r}")

    def _failure(self) -> NetworkError:
        try:
            self._process.wait(1)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        assert self._process.stderr is not None
        last = self._process.stderr.read().strip().rpartition("\n")[2]
        return NetworkError(last or f"{NAME} {children.ending(self._process.returncode)}")

    def close(self) -> None:
        children.end(self._process)
