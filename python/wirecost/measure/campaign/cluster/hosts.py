# SPDX-License-Identifier: Apache-2.0
"""A cluster of one campaign: a scheduler here and a worker on each machine of a lab.

All end with this process, however it ends.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wirecost.measure.campaign.cluster.keys import new_keys
from wirecost.measure.campaign.cluster.lab import Lab, LabMachine
from wirecost.system import children
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

FROM_STDIN = "-"


class Hosts:
    """``address``: of the scheduler; ``keys``: of the cluster."""

    def __init__(self, address: str, keys: str, scheduler: _Started) -> None:
        self.address, self.keys = address, keys
        self._scheduler = scheduler
        self._workers: dict[str, _Started] = {}

    def start(self, machine: LabMachine) -> None:
        """Start the machine's worker."""
        words = ["campaign", "worker", self.address, "--machine", machine.name,
                 "--keys", FROM_STDIN]  # fmt: skip
        self._workers[machine.name] = _Started(machine.words(words), self.keys)

    def ended(self, machine: str) -> str | None:
        """Return why that machine's worker has ended; None while it runs."""
        worker = self._workers.get(machine)
        return worker.ended() if worker else None

    def end(self) -> None:
        for started in (*self._workers.values(), self._scheduler):
            started.end()


@contextmanager
def hosts(lab: Lab) -> Iterator[Hosts]:
    """Raise UserError where the scheduler cannot listen at the lab's address."""
    keys = new_keys()
    address = f"tls://{lab.address}:{lab.port}"
    words = [sys.executable, "-P", "-m", "wirecost", "campaign", "scheduler", address,
             "--keys", FROM_STDIN]  # fmt: skip
    scheduler = _Started(words, keys)
    listening = scheduler.first_line()
    if listening is None:
        why = scheduler.ended() or "gave no address"
        scheduler.end()
        raise UserError(why)
    cluster = Hosts(listening, keys, scheduler)
    try:
        for machine in lab.machines:
            cluster.start(machine)
        yield cluster
    finally:
        cluster.end()


class _Started:
    """A program that gets the keys on its standard input, which stays open.

    The program ends when that does, also on another machine.
    """

    def __init__(self, words: list[str], keys: str) -> None:
        try:
            self._process: subprocess.Popen[Any] = children.start(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True, errors="replace",
            )  # fmt: skip
        except OSError as error:
            raise UserError(f"{words[0]}: cannot be started ({error.strerror})") from error
        self._last = ""
        self._reader = threading.Thread(target=self._read_errors, daemon=True)
        self._reader.start()
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(keys) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # It has ended, which is looked after.

    def first_line(self) -> str | None:
        assert self._process.stdout is not None
        return str(self._process.stdout.readline()).strip() or None

    def ended(self) -> str | None:
        status = self._process.poll()
        if status is None:
            return None
        self._reader.join(timeout=1)
        return shown(self._last, 300) or children.ending(status)

    def end(self) -> None:
        children.end(self._process)

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._last = line.strip() or self._last
