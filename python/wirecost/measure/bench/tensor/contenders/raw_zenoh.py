# SPDX-License-Identifier: Apache-2.0
"""Floor: zenoh by itself over a Unix socket, as installed or laying messages out in its memory.

It copies as our transport: into a buffer that is kept, since zenoh takes bytes only, in ``put``,
and out of the payload that arrives.
"""

from __future__ import annotations

import json
import queue
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wirecost.measure.bench.tensor.arrays import Array, raw_bytes
from wirecost.measure.bench.tensor.contenders import base
from wirecost.measure.bench.tensor.contenders.base import (
    ReceivedMessage,
    TensorContender,
    TensorMeeting,
)
from wirecost.messaging.transport.zenoh import memory as zenoh_memory
from wirecost.messaging.transport.zenoh.adapter import Zenoh
from wirecost.system import scratch
from wirecost.system.waiting import wait_until

NAMES = ("raw-zenoh", "raw-zenoh-shm")
PLUGIN_ORDER = 6
SHARED = "raw-zenoh-shm"
POOL_BYTES = 1 << 25
LOOK_S = 0.005


def _session(meeting: TensorMeeting, listening: bool) -> tuple[Any, Any]:
    import zenoh  # noqa: PLC0415

    zenoh.init_log_from_env_or("error")
    settings = zenoh.Config()
    for name, value in {
        "mode": "peer",
        "scouting/multicast/enabled": False,
        "scouting/gossip/enabled": False,
        "listen/endpoints": [meeting.address] if listening else [],
        "connect/endpoints": [] if listening else [meeting.address],
        "connect/timeout_ms": 0,
        "connect/exit_on_failure": False,
        "connect/retry": {"period_init_ms": 20, "period_max_ms": 1000},
    }.items():
        settings.insert_json5(name, json.dumps(value))
    return zenoh, zenoh.open(settings)


class RawZenohSender(base.TensorSender):
    def __init__(self, meeting: TensorMeeting, shared: bool) -> None:
        self._zenoh, self._session = _session(meeting, False)
        self._port = self._session.declare_publisher(
            meeting.topic, congestion_control=self._zenoh.CongestionControl.BLOCK
        )
        self._shared = shared
        self._pool: Any = None
        self._buffer = bytearray()

    def send(self, encoded: Array) -> None:
        if len(self._buffer) != encoded.nbytes:
            self._buffer = bytearray(encoded.nbytes)
        self._buffer[:] = raw_bytes(encoded)
        room = self._room(encoded.nbytes) if self._shared else None
        if room is None:
            self._port.put(self._buffer)
        else:
            room[:] = self._buffer
            self._port.put(room)
        self.number += 1

    def _room(self, size: int) -> Any:
        """Return shared memory; None while the listener holds all of it, as with our transport."""
        shm = self._zenoh.shm
        if self._pool is None:
            self._pool = shm.ShmProvider.default_backend(max(POOL_BYTES, 8 * size))
        try:
            return self._pool.alloc(size, shm.GarbageCollect(shm.JustAlloc(), shm.JustAlloc()))
        except Exception:
            return None

    def wait_for_receiver(self, timeout: float) -> bool:
        return wait_until(lambda: self._port.matching_status.matching, timeout, LOOK_S)

    def close(self) -> None:
        self._session.close()


class RawZenohReceiver(base.TensorReceiver):
    def __init__(self, meeting: TensorMeeting) -> None:
        zenoh, self._session = _session(meeting, True)
        arrived: queue.SimpleQueue[Any] = queue.SimpleQueue()
        handler = zenoh.handlers.Callback(
            lambda sample: arrived.put(sample.payload), indirect=False
        )
        self._port = self._session.declare_subscriber(meeting.topic, handler)
        self._arrived = arrived

    def receive(self, timeout: float) -> ReceivedMessage | None:
        try:
            payload = self._arrived.get(timeout=timeout).to_bytes()
        except queue.Empty:
            return None
        return ReceivedMessage(None, payload, len(payload))

    def decode(self, message: bytes) -> Any:
        return memoryview(message)

    def close(self) -> None:
        self._session.close()


class RawZenoh(TensorContender):
    takes_objects = False
    package = Zenoh.package

    @contextmanager
    def meeting(self) -> Iterator[TensorMeeting]:
        with scratch.folder("zenoh") as folder:
            try:
                yield TensorMeeting(f"unixsock-stream/{folder / 'socket'}")
            finally:
                zenoh_memory.sweep()

    def sender(self, meeting: TensorMeeting) -> RawZenohSender:
        return RawZenohSender(meeting, self.name == SHARED)

    def receiver(self, meeting: TensorMeeting) -> RawZenohReceiver:
        return RawZenohReceiver(meeting)


contender = RawZenoh
