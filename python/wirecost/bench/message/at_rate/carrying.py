# SPDX-License-Identifier: Apache-2.0
"""What a transport takes to carry the messages at a rate: processor time of real processes that
send and receive them."""

from __future__ import annotations

import json
import os
import secrets
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from wirecost import children, scratch
from wirecost.bench.message.content_file import write_content
from wirecost.bench.program import ProgramFailedError
from wirecost.transport import find

MODULE = "wirecost.bench.message.at_rate.worker"
SECONDS = 3.0
LEAST_MESSAGES = 50
WARM = 20
"""Messages before those that are measured."""
START_S = 30.0


@dataclass(frozen=True)
class Asked:
    """``rate``: messages a second, None where nobody asks; ``over``: a transport, empty for
    none."""

    rate: float | None = None
    subscribers: int = 1
    over: str = ""

    @property
    def count(self) -> int:
        """Messages that are measured."""
        return max(LEAST_MESSAGES, round((self.rate or 0.0) * SECONDS))


@dataclass(frozen=True)
class Carrying:
    """Processor time of a message, of all threads: ``sender_ns``; ``subscriber_ns`` of each
    subscriber on average; ``server_ns`` of a process between them. ``received``: share of all
    messages that came."""

    over: str
    library: str
    sender_ns: float
    subscriber_ns: float
    server_ns: float
    received: float
    messages: int


def carrying(asked: Asked, messages: Sequence[bytes]) -> Carrying:
    """Sends the messages in turns. Raises ProgramFailedError, UserError."""
    kind = find(asked.over)
    with ExitStack() as stack:
        folder = stack.enter_context(scratch.folder("path"))
        content = folder / "content"
        write_content(content, messages)
        address = stack.enter_context(kind.server())
        servers = psutil.Process().children(recursive=True)
        job = {
            "transport": asked.over,
            "address": address,
            "topic": f"path_{secrets.token_hex(6)}",
            "content": str(content),
            "warm": WARM,
            "count": asked.count,
            "rate": asked.rate,
        }
        listeners = [
            stack.enter_context(_Worker(job | {"role": "receive"}, folder / f"receive{number}"))
            for number in range(asked.subscribers)
        ]
        for one in listeners:
            one.answer()
        sender = stack.enter_context(_Worker(job | {"role": "send"}, folder / "send"))
        before = _processor_ns(servers)
        sent = sender.answer()
        got = [one.answer() for one in listeners]
        taken = _processor_ns(servers) - before
    received = sum(one["received"] for one in got)
    return Carrying(
        asked.over,
        f"{kind.package.name} {kind.package.version() or 'of unknown version'}",
        sent["ns"] / asked.count,
        sum(one["ns"] for one in got) / max(1, received),
        taken / (asked.count + WARM),
        received / (asked.count * asked.subscribers),
        asked.count,
    )


def _processor_ns(processes: Sequence[psutil.Process]) -> float:
    total = 0.0
    for one in processes:
        try:
            times = one.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system
    return total * 1e9


class _Worker:
    """A process of ``worker``; ended with the context, whatever it does."""

    def __init__(self, job: dict[str, Any], log: Path) -> None:
        self._log = log
        # Time for what is sent, and for who has missed its end.
        self._limit_s = START_S + 2 * (job["count"] + job["warm"]) / job["rate"]
        with log.open("wb") as file:
            self._process = children.start(
                [sys.executable, "-P", "-m", MODULE, json.dumps(job)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=file,
            )
        self._read = b""

    def __enter__(self) -> _Worker:
        return self

    def __exit__(self, *_: object) -> None:
        children.end(self._process)

    def answer(self) -> dict[str, Any]:
        """Its next line. Raises ProgramFailedError."""
        assert self._process.stdout is not None
        deadline = time.monotonic() + self._limit_s
        while b"\n" not in self._read:
            left = max(0.0, deadline - time.monotonic())
            ready = select.select([self._process.stdout], [], [], left)[0]
            content = os.read(self._process.stdout.fileno(), 1 << 16) if ready else b""
            if not content:
                said = self._log.read_text(errors="replace").strip().splitlines()
                raise ProgramFailedError((said or ["its process did not answer"])[-1])
            self._read += content
        line, _, self._read = self._read.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        return found
