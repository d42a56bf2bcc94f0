# SPDX-License-Identifier: Apache-2.0
"""The Python client of ``protocol``: one end of one of wirecost's transports."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wirecost.measure.bench.transport import loops, priming
from wirecost.measure.bench.transport.protocol import (
    PROTOCOL,
    RECEIVED,
    ROLES,
    SENT,
    quality_of,
    write_rows,
)
from wirecost.messaging.transport import Transport, find, names, open_transport
from wirecost.messaging.transport.quality import Quality
from wirecost.system.channel.json_stream import JsonObject
from wirecost.system.channel.serving import Lines, drive
from wirecost.system.errors import UserError

_PR_SET_TIMERSLACK = 29
RECEIVING = ("subscriber", "replier")
OWN_DEPTH = 16
"""Default number of messages that may wait at a subscriber."""

Opened = Callable[[str, str | None, Quality], Transport]


class TransportClient:
    """Client; ``opened`` makes a transport of its name, address and quality."""

    def __init__(self, lines: Lines, opened: Opened) -> None:
        self._lines = lines
        self._opened = opened
        self._transport: Transport | None = None
        self._role = ""
        self._end: Any = None

    def do(self, command: JsonObject) -> JsonObject:
        match command["do"]:
            case "hello":
                return _hello()
            case "open":
                self._open(command)
                return {"done": "open"}
            case "prime":
                there = priming.PRIMES[self._role](self._end, self._lines, command["timeout"])
                return {"there": there}
            case "run":
                return self._run(loops.RunOrder.of(command))
            case other:
                return {"failure": f"{other!r} is no command"}

    def _open(self, command: JsonObject) -> None:
        role, topic = command["role"], command["topic"]
        if role not in ROLES:
            raise UserError(f"{role!r} is no role")
        quality = quality_of(command)
        self._transport = transport = self._opened(
            command["transport"], command["address"], quality
        )
        self._role = role
        if role == "subscriber":
            depth = quality.get("depth", quality.room(OWN_DEPTH, OWN_DEPTH))
            self._end = transport.subscriber(topic, depth=depth)
        else:
            self._end = getattr(transport, role)(topic)

    def _run(self, order: loops.RunOrder) -> JsonObject:
        receiving = self._role in RECEIVING
        done = loops.RUNS[self._role](self._end, order, self._lines)
        write_rows(Path(order.records), done.rows, RECEIVED if receiving else SENT)
        return {
            "done": "run",
            "messages": len(done.rows),
            "refused": done.refused,
            "failure": done.failure,
        }

    def close(self) -> None:
        if self._end is not None:
            self._end.close()
        if self._transport is not None:
            self._transport.close()


def _hello() -> JsonObject:
    usable = [name for name in names() if find(name).missing() is None]
    packages = {find(name).package for name in usable}
    return {
        "protocol": PROTOCOL,
        "client": "python",
        "transports": usable,
        "versions": {package.name: package.version() or "unknown" for package in packages},
    }


def main(opened: Opened = open_transport) -> None:
    # A sleep ends when it is due, not up to 50 us later.
    ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, 1)
    drive(lambda lines: TransportClient(lines, opened))


if __name__ == "__main__":
    main()
