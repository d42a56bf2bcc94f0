# SPDX-License-Identifier: Apache-2.0
"""Answering requests."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from wirecost.messaging.api.failure import Failure
from wirecost.messaging.api.opening import chosen
from wirecost.messaging.api.receiver import Receiver
from wirecost.messaging.api.unpacking import DecodeOptions, Unpacker
from wirecost.messaging.tensor import encode
from wirecost.messaging.transport import Replier, Request
from wirecost.system.errors import UserError


class Asked:
    """A question that waits for its answer."""

    def __init__(self, message: Any, send: Callable[[Any], None]) -> None:
        """Answer by ``send``, which encodes and sends what it gets."""
        self.message = message
        """The client's message."""
        self._send: Callable[[Any], None] | None = send

    @property
    def answered(self) -> bool:
        """Return whether it was, be it by a failure."""
        return self._send is None

    def answer(self, message: Any) -> None:
        """Send the answer.

        Raises UserError for a second one, and as ``Publication.send`` does, in which case the
        client gets an error.
        """
        if self._send is None:
            raise UserError("this request was answered already")
        try:
            self._send(message)
        except UserError as error:
            self.fail(str(error))
            raise
        self._send = None

    def fail(self, reason: str) -> None:
        """Make ``Client.ask`` raise a UserError with this text."""
        send, self._send = self._send, None
        if send is None:
            raise UserError("this request was answered already")
        send(Failure(reason))


class Service(Receiver[Replier, Request, Asked]):
    """Service that ``serve`` gives: requests one after the other, each answered before the next."""

    def __init__(
        self,
        transport: str,
        service: str,
        address: str | None,
        depth: int,
        options: DecodeOptions,
        device_to_host: Callable[[Any], Any] | None,
    ) -> None:
        """Take what ``serve`` takes."""
        self._unpacker = Unpacker(depth, options)
        self._device_to_host = device_to_host
        self._last: Asked | None = None
        super().__init__(transport, service, address, lambda opened: opened.replier(service))

    def close(self) -> None:
        """End it; a request that is still open gets an error. A second call does nothing."""
        if not self._closed:
            with suppress(UserError):
                self._give_up("the service ended")
        super().close()

    def _give_up(self, reason: str) -> None:
        last, self._last = self._last, None
        if last is not None and not last.answered:
            last.fail(reason)

    def _take(self, timeout: float) -> Request | None:
        self._give_up("the service gave no answer")
        self._unpacker.check_room()
        return self._endpoint.take(timeout)

    def _message(self, raw: Request) -> Asked:
        def send(message: Any) -> None:
            frame = encode(message, device_to_host=self._device_to_host)
            with self._lock:
                self._check_open()
                raw.answer(frame)

        try:
            message = self._unpacker.message(raw.sample)
        except UserError as error:
            send(Failure(str(error)))
            raise
        self._last = Asked(message, send)
        return self._last

    def _discard(self, raw: Request) -> None:
        raw.sample.release()


def serve(
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
) -> Service:
    """Open a service for answers: ``serve("zeromq", "policy")``, or ``serve("policy")``.

    ``for request in service: request.answer(…)``. ``depth``: requests that may be held by arrays
    in use. The other options are those of ``wirecost.publish`` and ``wirecost.subscribe``. Raises
    UserError, also for middlewares that have no requests.
    """
    name, service = chosen(middleware_or_service, service)
    return Service(
        name, service, address, depth, DecodeOptions(as_, copy, writable), device_to_host
    )
