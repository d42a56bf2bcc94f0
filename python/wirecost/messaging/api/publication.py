# SPDX-License-Identifier: Apache-2.0
"""Sending messages to whoever listens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wirecost.messaging.api.connection import Connection
from wirecost.messaging.api.opening import chosen
from wirecost.messaging.tensor import encode
from wirecost.messaging.transport import Publisher


class Publication(Connection[Publisher]):
    """Publication that ``publish`` gives."""

    def __init__(
        self,
        transport: str,
        topic: str,
        address: str | None,
        device_to_host: Callable[[Any], Any] | None,
        checksum: bool,
    ) -> None:
        """Take what ``publish`` takes."""
        super().__init__(transport, topic, address, lambda made: made.publisher(topic))
        self._device_to_host = device_to_host
        self._checksum = checksum

    @property
    def sent(self) -> int:
        """Return messages that the middleware took."""
        return self._endpoint.sent

    @property
    def dropped(self) -> int:
        """Return messages that the middleware refused, where it reports that."""
        return self._endpoint.dropped

    def send(self, message: Any) -> bool:
        """Send what ``wirecost.tensor.encode`` has a form for; False if it was dropped.

        Its tensors may be changed afterwards. Does not wait for subscribers. Raises UserError for
        what cannot be sent, as a tensor on a device without ``device_to_host``.
        """
        frame = encode(message, device_to_host=self._device_to_host, checksum=self._checksum)
        with self._lock:
            self._check_open()
            return self._endpoint.send(frame)

    async def send_async(self, message: Any) -> bool:
        """Call ``send`` in a thread, for messages so large or networks so slow that it takes long.

        The message must not be changed before this returns; what was begun is sent even if the
        task is cancelled. ``send`` is quicker where it does not wait.
        """
        return await self._in_worker(lambda: self.send(message))

    def wait_for_subscriber(self, timeout: float = 10.0) -> bool:
        """Return whether somebody listened within ``timeout`` seconds."""
        with self._lock:
            self._check_open()
            return self._endpoint.wait_for_subscriber(timeout)


def publish(
    middleware_or_topic: str,
    topic: str | None = None,
    /,
    *,
    address: str | None = None,
    device_to_host: Callable[[Any], Any] | None = None,
    checksum: bool = False,
) -> Publication:
    """Open a topic for sending: ``publish("zenoh", "camera")``, or ``publish("camera")``.

    Without a middleware it is the first one for one machine that can be used here, iceoryx2 or
    ZeroMQ. ``address``: where the middleware's server or peer is; without it, on this machine.
    ``device_to_host``: gets each tensor on a device, as ``wirecost.to_host`` does; without it such
    tensors are an error. ``checksum``: lets the receiver check the data; needs xxhash on both
    sides. Raises UserError.
    """
    name, topic = chosen(middleware_or_topic, topic)
    return Publication(name, topic, address, device_to_host, checksum)
