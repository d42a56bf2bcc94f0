# SPDX-License-Identifier: Apache-2.0
"""Receiving messages of a topic."""

from __future__ import annotations

from typing import Any

from wirecost.messaging.api.opening import chosen
from wirecost.messaging.api.receiver import Receiver
from wirecost.messaging.api.unpacking import DecodeOptions, Unpacker
from wirecost.messaging.transport import Count, Sample, Subscriber


class Subscription(Receiver[Subscriber, Sample, Any]):
    """Subscription that ``subscribe`` gives."""

    def __init__(
        self,
        transport: str,
        topic: str,
        address: str | None,
        depth: int,
        options: DecodeOptions,
    ) -> None:
        """Take what ``subscribe`` takes."""
        self._unpacker = Unpacker(depth, options)
        super().__init__(
            transport, topic, address, lambda opened: opened.subscriber(topic, depth=depth)
        )

    @property
    def count(self) -> Count:
        """Return messages received, lost, doubled and out of order, by the senders' numbers."""
        return self._endpoint.count

    def _take(self, timeout: float) -> Sample | None:
        self._unpacker.check_room()
        return self._endpoint.receive(timeout)

    def _message(self, raw: Sample) -> Any:
        return self._unpacker.message(raw)

    def _discard(self, raw: Sample) -> None:
        raw.release()

    def _fileno(self) -> int | None:
        return self._endpoint.fileno()


def subscribe(
    middleware_or_topic: str,
    topic: str | None = None,
    /,
    *,
    address: str | None = None,
    depth: int = 16,
    as_: str | None = None,
    copy: bool = False,
    writable: bool = False,
) -> Subscription:
    """Open a topic for listening: ``subscribe("zenoh", "camera")``, or ``subscribe("camera")``.

    Transport and ``address`` as those of ``wirecost.publish``. ``depth``: messages that may wait,
    and that may be held by arrays in use, each; where more wait the middleware drops some, as
    ``wirecost transports`` shows. ``as_``: framework of the tensors (``"numpy"``, ``"torch"``, …)
    or of the tables (``"pandas"``, …), else the sender's. ``copy``: into memory of the message's
    own, which may be kept and written. ``writable``: arrays may be written without; other
    subscribers see that where the middleware shares its memory. Raises UserError.
    """
    name, topic = chosen(middleware_or_topic, topic)
    return Subscription(name, topic, address, depth, DecodeOptions(as_, copy, writable))
