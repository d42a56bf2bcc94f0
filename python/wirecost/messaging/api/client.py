# SPDX-License-Identifier: Apache-2.0
"""Asking a service."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wirecost.messaging.api.connection import Connection
from wirecost.messaging.api.failure import Failure
from wirecost.messaging.api.opening import chosen
from wirecost.messaging.api.unpacking import DecodeOptions, Unpacker
from wirecost.messaging.tensor import encode
from wirecost.messaging.transport import Requester
from wirecost.system.errors import UserError
from wirecost.system.waiting import Deadline


class Client(Connection[Requester]):
    """Client that ``request`` gives."""

    def __init__(
        self,
        transport: str,
        service: str,
        address: str | None,
        depth: int,
        options: DecodeOptions,
        device_to_host: Callable[[Any], Any] | None,
    ) -> None:
        """Take what ``request`` takes."""
        self._unpacker = Unpacker(depth, options)
        self._device_to_host = device_to_host
        self._found = False
        super().__init__(transport, service, address, lambda opened: opened.requester(service))

    def ask(self, message: Any, timeout: float = 10.0) -> Any:
        """Return the service's answer. The first question also waits for the service to be there.

        Raises UserError if no answer comes within ``timeout`` seconds, if the service failed, and
        as ``Publication.send`` and ``Subscription.receive`` do.
        """
        frame = encode(message, device_to_host=self._device_to_host)
        deadline = Deadline(timeout)
        with self._lock:
            self._check_open()
            self._unpacker.check_room()
            if not self._found:
                self._found = self._endpoint.wait_for_replier(timeout)
                if not self._found:
                    raise UserError(
                        f"{self.topic} over {self.transport}: nobody serves it within {timeout:g} s"
                    )
            sample = self._endpoint.ask(frame, deadline.left)
            answer = self._unpacker.message(sample)
        if isinstance(answer, Failure):
            raise UserError(f"{self.topic} over {self.transport}: {answer.reason}")
        return answer

    async def ask_async(self, message: Any, timeout: float = 10.0) -> Any:
        """Call ``ask`` in a thread.

        After a cancelled task the answer is waited for and dropped before the next question is
        asked.
        """
        return await self._in_worker(lambda: self.ask(message, timeout))


def request(
    middleware_or_service: str,
    service: str | None = None,
    /,
    *,
    address: str | None = None,
    depth: int = 16,
    as_: str | None = None,
    copy: bool = False,
    writable: bool = False,
    device_to_host: Callable[[Any], Any] | None = None,
) -> Client:
    """Open a service for questions: ``request("zeromq", "policy")``, or ``request("policy")``.

    ``depth``: answers that may be held by arrays in use. The other options are those of
    ``wirecost.publish`` and ``wirecost.subscribe``. Raises UserError, also for middlewares that
    have no requests.
    """
    name, service = chosen(middleware_or_service, service)
    return Client(name, service, address, depth, DecodeOptions(as_, copy, writable), device_to_host)
