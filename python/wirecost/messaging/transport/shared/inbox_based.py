# SPDX-License-Identifier: Apache-2.0
"""Endpoints of middlewares that deliver whole messages from a thread of their own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from wirecost.messaging.transport.base import Frame, Replier, Request, Requester, Sample, Subscriber
from wirecost.messaging.transport.shared.inbox import Inbox
from wirecost.messaging.transport.shared.trailer import MAGIC, TRAILER, new_stream, split
from wirecost.system.errors import UserError
from wirecost.system.waiting import Deadline

_WAITING_REQUESTS = 64


def joined(frame: Frame, trailer: bytes, before: bytes = b"") -> bytes:
    """Return a message in memory of its own: one copy of the frame."""
    return b"".join([before, *frame.parts(), trailer])


class InboxSubscriber(Subscriber):
    """Subscriber whose middleware's thread puts messages into ``inbox``."""

    def __init__(self, depth: int, waits: bool = False) -> None:
        """Make the inbox.

        ``waits``: who delivers a message waits until there is room for it.
        """
        super().__init__()
        self.inbox = Inbox(depth, waits)

    def _receive(self, timeout: float | None) -> tuple[Any, Callable[[], object] | None] | None:
        message = self.inbox.take(timeout)
        return None if message is None else (message, None)

    def fileno(self) -> int | None:
        return self.inbox.fileno()

    def close(self) -> None:
        self.inbox.close()


class InboxReplier(Replier):
    """Replier whose middleware's thread puts pairs into ``inbox``.

    Each is a request and what sends its reply. Of more requests than wait here, the oldest get
    none.
    """

    def __init__(self) -> None:
        self.inbox = Inbox(_WAITING_REQUESTS)

    def _next(self, timeout: float | None) -> Any:
        """Return a request with what sends its reply, or None after ``timeout`` seconds."""
        return self.inbox.take(timeout)

    def take(self, timeout: float | None = None) -> Request | None:
        entry = self._next(timeout)
        if entry is None:
            return None
        message, reply = entry
        stream, number, frame = split(message)

        def answer(frame: Frame) -> None:
            nonlocal reply
            if reply is None:
                raise UserError("a request was answered before: answer each one once")
            send, reply = reply, None
            # The request's own number, by which its sender knows the reply.
            send(joined(frame, TRAILER.pack(stream, number, 0, MAGIC)))

        return Request(Sample(frame, stream, number), answer)


class InboxRequester(Requester):
    """Requester whose middleware's thread puts replies into ``inbox``, late ones too."""

    def __init__(self, service: str) -> None:
        self.service = service
        self.inbox = Inbox(_WAITING_REQUESTS)
        self._stream = new_stream()
        self._number = 0

    @abstractmethod
    def _send(self, message: bytes) -> None:
        """Send a request."""

    def _next(self, timeout: float) -> Any:
        """Return a reply, or None after ``timeout`` seconds."""
        return self.inbox.take(timeout)

    def ask(self, frame: Frame, timeout: float) -> Sample:
        end = Deadline(timeout)
        if not self.wait_for_replier(timeout):
            raise UserError(
                f"service {self.service!r} was not there within {timeout:g} s: start what answers"
            )
        request = self._stream, self._number
        self._number += 1
        self._send(joined(frame, TRAILER.pack(*request, 0, MAGIC)))
        while (seconds_left := end.left) > 0:
            message = self._next(seconds_left)
            if message is None:
                break
            stream, number, reply = split(message)
            if (stream, number) == request:
                return Sample(reply, stream, number)
        raise UserError(f"service {self.service!r}: no reply within {timeout:g} s")
