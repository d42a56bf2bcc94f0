# SPDX-License-Identifier: Apache-2.0
"""Floor: pyzmq by itself sends an array's bytes.

It copies as our transport: once into libzmq's message, not on receiving.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from wirecost.measure.bench.tensor.arrays import Array, raw_bytes
from wirecost.measure.bench.tensor.contenders import base
from wirecost.measure.bench.tensor.contenders.base import (
    ReceivedMessage,
    TensorContender,
    TensorMeeting,
)
from wirecost.messaging.transport.zeromq.adapter import ZeroMQ
from wirecost.system import scratch
from wirecost.system.errors import UserError
from wirecost.system.ports import free_port

NAMES = ("raw-zeromq", "raw-zeromq-tcp")
PLUGIN_ORDER = 3
TCP = "raw-zeromq-tcp"
SEND_WAITING, RECEIVE_WAITING = 32, 16
"""High-water marks, those of our transport."""


class RawZeroMQSender(base.TensorSender):
    def __init__(self, endpoint: str) -> None:
        import zmq  # noqa: PLC0415

        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.XPUB)
        self._socket.sndhwm = SEND_WAITING
        self._socket.bind(endpoint)

    def send(self, encoded: Array) -> None:
        self._socket.send(raw_bytes(encoded), copy=True)
        self.number += 1

    def wait_for_receiver(self, timeout: float) -> bool:
        return bool(self._socket.poll(int(timeout * 1000)) and self._socket.recv())

    def close(self) -> None:
        self._socket.close(linger=0)
        self._context.term()


class RawZeroMQReceiver(base.TensorReceiver):
    def __init__(self, endpoint: str) -> None:
        import zmq  # noqa: PLC0415

        self._zmq = zmq
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.SUB)
        self._socket.rcvhwm = RECEIVE_WAITING
        self._socket.connect(endpoint)
        self._socket.subscribe(b"")

    def receive(self, timeout: float) -> ReceivedMessage | None:
        self._socket.rcvtimeo = int(timeout * 1000)
        try:
            frame = self._socket.recv(copy=False)
        except self._zmq.Again:
            return None
        return ReceivedMessage(None, frame.buffer, len(frame.buffer))

    def close(self) -> None:
        self._socket.close(linger=0)
        self._context.term()


class RawZeroMQ(TensorContender):
    takes_objects = False
    package = ZeroMQ.package

    @contextmanager
    def meeting(self) -> Iterator[TensorMeeting]:
        if self.name == TCP:
            yield TensorMeeting(f"tcp://127.0.0.1:{free_port()}")
            return
        with scratch.folder("zeromq") as folder:
            yield TensorMeeting(f"ipc://{folder}/socket")

    def sender(self, meeting: TensorMeeting) -> RawZeroMQSender:
        return RawZeroMQSender(_endpoint(meeting))

    def receiver(self, meeting: TensorMeeting) -> RawZeroMQReceiver:
        return RawZeroMQReceiver(_endpoint(meeting))


def _endpoint(meeting: TensorMeeting) -> str:
    if meeting.address is None:
        raise UserError("raw-zeromq: an address is needed")
    return meeting.address


contender = RawZeroMQ
