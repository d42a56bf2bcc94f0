# SPDX-License-Identifier: Apache-2.0
"""wirecost's own frames over a transport of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wirecost.measure.bench.tensor.contenders import base
from wirecost.measure.bench.tensor.contenders.base import (
    ReceivedMessage,
    TensorContender,
    TensorMeeting,
)
from wirecost.messaging.tensor import SamplePool, decode, encode, to_device, to_host_pinned
from wirecost.messaging.transport import Sample, find, open_transport

DEPTH = 16


def _release(sample: Sample) -> None:
    sample.release()


class _TransportEnd:
    """End of a transport that is opened for it alone."""

    def __init__(self, name: str, meeting: TensorMeeting, role: str, **options: Any) -> None:
        self._transport = open_transport(name, meeting.address)
        self._end: Any = getattr(self._transport, role)(meeting.topic, **options)

    def close(self) -> None:
        self._end.close()
        self._transport.close()


class TransportSender(_TransportEnd, base.TensorSender):
    def __init__(self, name: str, meeting: TensorMeeting) -> None:
        super().__init__(name, meeting, "publisher")

    @property
    def number(self) -> int:  # type: ignore[override]
        return int(self._end.sent + self._end.dropped)

    def to_host(self, obj: Any) -> Any:
        return to_host_pinned(obj)

    encode = staticmethod(encode)  # as programs call it

    def send(self, encoded: Any) -> None:
        self._end.send(encoded)

    def wait_for_receiver(self, timeout: float) -> bool:
        return bool(self._end.wait_for_subscriber(timeout))


class _ReceivingEnd(_TransportEnd):
    """Receiving end whose objects keep their sample, and give it back with their last array."""

    as_: str | None = None

    def __init__(self, name: str, meeting: TensorMeeting, role: str, **options: Any) -> None:
        super().__init__(name, meeting, role, **options)
        self._pool = SamplePool(DEPTH)

    def decode(self, message: Sample) -> Any:
        owner = self._pool.borrow(message, _release)
        return decode(message.buffer, as_=self.as_, owner=owner)


class TransportReceiver(_ReceivingEnd, base.TensorReceiver):
    def __init__(self, name: str, meeting: TensorMeeting) -> None:
        super().__init__(name, meeting, "subscriber", depth=DEPTH)

    def receive(self, timeout: float) -> ReceivedMessage | None:
        sample = self._end.receive(timeout)
        return (
            None if sample is None else ReceivedMessage(sample.number, sample, len(sample.buffer))
        )

    def to_device(self, obj: Any, device: str) -> Any:
        return to_device(obj, device)


class TransportAsker(_ReceivingEnd, base.TensorAsker):
    def __init__(self, name: str, meeting: TensorMeeting) -> None:
        super().__init__(name, meeting, "requester")

    def encode(self, obj: Any) -> Any:
        return encode(obj)

    def ask(self, encoded: Any, timeout: float) -> ReceivedMessage:
        sample = self._end.ask(encoded, timeout)
        return ReceivedMessage(None, sample, len(sample.buffer))

    def wait_for_receiver(self, timeout: float) -> bool:
        return bool(self._end.wait_for_replier(timeout))


class TransportAnswerer(_ReceivingEnd, base.TensorAnswerer):
    def __init__(self, name: str, meeting: TensorMeeting) -> None:
        super().__init__(name, meeting, "replier")

    def receive(self, timeout: float) -> ReceivedMessage | None:
        request = self._end.take(timeout)
        return (
            None if request is None else ReceivedMessage(None, request, len(request.sample.buffer))
        )

    def decode(self, message: Any) -> Any:
        return super().decode(message.sample)

    def answer(self, received: ReceivedMessage, obj: Any) -> None:
        received.message.answer(encode(obj))


class Transported(TensorContender):
    def __init__(self, name: str, size: int) -> None:
        """Find the transport. Raises UserError for a name that is none."""
        super().__init__(name, size)
        self._kind = find(name)
        self.package = self._kind.package

    def missing(self) -> str | None:
        return self._kind.missing()

    def no_server(self) -> str | None:
        return self._kind.no_server()

    def about(self) -> dict[str, object]:
        can = self._kind.capabilities
        return {
            **super().about(),
            "send_copies": can.send_copies,
            "receive_copies": can.receive_copies,
            "aligned": can.aligned,
        }

    def requests(self) -> bool:
        return self._kind.capabilities.request_reply

    @contextmanager
    def meeting(self) -> Iterator[TensorMeeting]:
        with self._kind.server() as address:
            yield TensorMeeting(address)

    def sender(self, meeting: TensorMeeting) -> TransportSender:
        return TransportSender(self.name, meeting)

    def receiver(self, meeting: TensorMeeting) -> TransportReceiver:
        return TransportReceiver(self.name, meeting)

    def asker(self, meeting: TensorMeeting) -> TransportAsker:
        return TransportAsker(self.name, meeting)

    def answerer(self, meeting: TensorMeeting) -> TransportAnswerer:
        return TransportAnswerer(self.name, meeting)


contender = Transported
