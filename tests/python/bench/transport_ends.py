# SPDX-License-Identifier: Apache-2.0
"""Ends of a transport in processes of their own, driven by the commands of ``protocol``."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from wirecost.measure.bench.transport import clients
from wirecost.measure.bench.transport.choices import (
    NATIVE_PROGRAMS,
    PYTHON,
    RUST_PROGRAMS,
)
from wirecost.measure.bench.transport.clients import ClientProgram
from wirecost.measure.bench.transport.ground import Spot
from wirecost.measure.bench.transport.protocol import SENT, Rows, read_rows
from wirecost.system.channel.process import Channel

LIMIT_S = 20.0


def client_of(kind: str, mware: str) -> ClientProgram:
    """Return a client; skips where the native one was built without the library."""
    if kind == PYTHON:
        return clients.python()
    matching = [client for client in clients.native() if mware in client.transports]
    if not matching:
        needs = ": needs Rust" if NATIVE_PROGRAMS[mware] in RUST_PROGRAMS else " is installed"
        pytest.skip(f"no native client of {mware}{needs}")
    return matching[0]


@contextmanager
def opened(
    client: ClientProgram,
    role: str,
    mware: str,
    address: str,
    folder: Path,
    size: int,
    queue: int | None = None,
    reliable: bool | None = None,
    *,
    topic: str = "a",
    **options: int | bool,
) -> Iterator[Channel]:
    process = client.start(role, Spot(), folder / f"{role}.txt")
    try:
        process.ask(
            "open", LIMIT_S, role=role, transport=mware, address=address, topic=topic, size=size,
            queue=queue, reliable=reliable, settings=options,
        )  # fmt: skip
        yield process
    finally:
        process.end()


def run(
    process: Channel,
    file: Path,
    size: int,
    count: int = 0,
    seconds: float = 0.0,
    hold_ns: int = 0,
) -> None:
    """Begin a run and wait until the process is ready."""
    process.ask(
        "run", LIMIT_S, run=1, count=count, seconds=seconds, rate=0, size=size, check=1,
        records=str(file), hold_ns=hold_ns,
    )  # fmt: skip


def go(process: Channel, file: Path) -> Rows:
    """Send what was begun, and return the rows."""
    process.ask("start", LIMIT_S, start_ns=time.monotonic_ns())
    return read_rows(file, SENT)


def prime(publisher: Channel, subscriber: Channel) -> None:
    """Send until a message arrives."""
    subscriber.send("prime", timeout=LIMIT_S)
    publisher.send("prime", timeout=LIMIT_S)
    assert subscriber.receive(LIMIT_S)["there"]
    publisher.send("finish", count=0, quiet=0)
    publisher.receive(LIMIT_S)
