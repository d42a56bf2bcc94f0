# SPDX-License-Identifier: Apache-2.0
"""A transport within one process, with and without a descriptor to wait on."""

from __future__ import annotations

import gc
import os
import queue
import sys
import types
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
import pytest

from wirecost.messaging import transport
from wirecost.messaging.transport import (
    Capabilities,
    Publisher,
    Replier,
    Request,
    Requester,
    Sample,
    Subscriber,
    Transport,
)

MISSING: dict[str, str] = {}
OPEN: list[Transport] = []
RELEASED: list[int] = []
"""Lengths of samples that were given back."""
_INBOXES: dict[str, list[queue.Queue[Any]]] = defaultdict(list)
_SERVICES: dict[str, queue.Queue[Any]] = defaultdict(queue.Queue)


class FakePublisher(Publisher):
    def __init__(self, topic: str) -> None:
        super().__init__()
        self.topic = topic

    def _send(self, frame: Any, trailer: bytes) -> bool:
        # As shared memory is: what is written to a message of one subscriber the others see.
        message = np.frombuffer(bytearray(frame.tobytes() + trailer), np.uint8)
        for inbox in _INBOXES[self.topic]:
            inbox.put(message)
        return bool(_INBOXES[self.topic])

    def wait_for_subscriber(self, timeout: float) -> bool:  # noqa: ARG002
        return bool(_INBOXES[self.topic])

    def close(self) -> None:
        pass


class Inbox(queue.Queue[Any]):
    def __init__(self) -> None:
        super().__init__()
        self.event = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_SEMAPHORE)

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        os.eventfd_write(self.event, 1)
        super().put(item, block, timeout)


class FakeSubscriber(Subscriber):
    def __init__(self, topic: str, depth: int, descriptor: bool) -> None:
        super().__init__()
        self.topic, self.depth, self.descriptor = topic, depth, descriptor
        self.inbox = Inbox()
        _INBOXES[topic].append(self.inbox)

    def _receive(self, timeout: float | None) -> tuple[Any, Callable[[], object]] | None:
        try:
            message = self.inbox.get(timeout != 0, timeout)
        except queue.Empty:
            return None
        os.eventfd_read(self.inbox.event)
        return message, lambda: RELEASED.append(len(message))

    def fileno(self) -> int | None:
        return self.inbox.event if self.descriptor else None

    def close(self) -> None:
        _INBOXES[self.topic].remove(self.inbox)
        os.close(self.inbox.event)


class FakeRequester(Requester):
    def __init__(self, service: str) -> None:
        self.service = service

    def ask(self, frame: Any, timeout: float) -> Sample:
        answers: queue.Queue[bytes] = queue.Queue()
        _SERVICES[self.service].put((frame.tobytes(), answers))
        return Sample(memoryview(answers.get(timeout=timeout)))

    def wait_for_replier(self, timeout: float) -> bool:  # noqa: ARG002
        return self.service in _SERVICES

    def close(self) -> None:
        pass


class FakeReplier(Replier):
    def __init__(self, service: str) -> None:
        self.service = service
        self.waiting = _SERVICES[service]

    def take(self, timeout: float | None = None) -> Request | None:
        try:
            message, answers = self.waiting.get(timeout != 0, timeout)
        except queue.Empty:
            return None
        sample = Sample(memoryview(message), release=lambda: RELEASED.append(len(message)))
        return Request(sample, lambda frame: answers.put(frame.tobytes()))

    def close(self) -> None:
        del _SERVICES[self.service]


class FakeTransport(Transport):
    name = "fake"
    title = "Fake"
    capabilities = Capabilities(1, 0, True, True, False, "waits")
    descriptor: ClassVar[bool] = False

    def __init__(self, address: str | None = None) -> None:
        super().__init__(address)
        OPEN.append(self)

    @classmethod
    def missing(cls) -> str | None:
        return MISSING.get(cls.name)

    def publisher(self, topic: str) -> Publisher:
        return FakePublisher(topic)

    def subscriber(self, topic: str, *, depth: int = 16) -> Subscriber:
        return FakeSubscriber(topic, depth, self.descriptor)

    def requester(self, service: str) -> Requester:
        return FakeRequester(service)

    def replier(self, service: str) -> Replier:
        return FakeReplier(service)

    def close(self) -> None:
        OPEN.remove(self)


class WithDescriptor(FakeTransport):
    name = "fake-descriptor"
    descriptor = True


class WithoutRequests(FakeTransport):
    name = "fake-topics"

    def requester(self, service: str) -> Requester:
        return Transport.requester(self, service)

    def replier(self, service: str) -> Replier:
        return Transport.replier(self, service)


MODULES = transport.modules()


@contextmanager
def fake_transports(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Known in here; checks that all were closed."""
    module: Any = types.ModuleType("wirecost.messaging.transport.fake")
    module.TRANSPORTS = [FakeTransport, WithDescriptor, WithoutRequests]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(transport, "modules", lambda: [*MODULES, "fake"])
    gc.collect()  # what former tests hold is given back now
    MISSING.clear()
    RELEASED.clear()
    yield
    assert not OPEN
