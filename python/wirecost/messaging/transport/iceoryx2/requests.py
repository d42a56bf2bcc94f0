# SPDX-License-Identifier: Apache-2.0
"""Requests over iceoryx2: one event service wakes who answers, another who has asked."""

from __future__ import annotations

from typing import Any

from wirecost.messaging.transport.base import Frame, Replier, Request, Requester, Sample
from wirecost.messaging.transport.iceoryx2.memory import Iceoryx2Memory, Received, lender
from wirecost.messaging.transport.iceoryx2.services import Services
from wirecost.messaging.transport.shared.trailer import MAGIC, TRAILER, new_stream
from wirecost.system.errors import UserError
from wirecost.system.waiting import Deadline


class _Endpoint:
    """Parts that both sides of a service open and close."""

    def __init__(self, services: Services, service: str) -> None:
        self._services = services
        self._name = service
        self._memory = Iceoryx2Memory(services.library)
        self._received = Received()
        self._service = services.open_service(service)
        self._asked = services.open_wake(f"{service}/asked")
        self._answered = services.open_wake(f"{service}/answered")
        self._port: Any = None

    def _open_port(self, builder: Any) -> None:
        growing = self._services.library.AllocationStrategy.PowerOfTwo
        self._port = builder.allocation_strategy(growing).create()

    def close(self) -> None:
        if self._port is not None:
            self._port.delete()
            self._asked.close()
            self._answered.close()
            self._port = self._service = None


class Iceoryx2Requester(_Endpoint, Requester):
    def __init__(self, services: Services, service: str) -> None:
        super().__init__(services, service)
        self._stream = new_stream()
        self._number = 0
        self._answered.listen()
        self._open_port(self._service.client_builder())
        self._lend: Any = lender(self._port)

    def ask(self, frame: Frame, timeout: float) -> Sample:
        end = Deadline(timeout)
        if not self._there() and not self.wait_for_replier(timeout):
            raise UserError(f"{self._name}: nobody answers requests; start its replier")
        self._number += 1
        trailer = TRAILER.pack(self._stream, self._number, 0, MAGIC)
        pending = self._memory.send(self._lend, frame, trailer)
        self._asked.notify()
        response = self._answered.until(pending.receive, end.left)
        # A reply that comes later finds nobody who waits for it.
        pending.delete()
        if response is None:
            self._services.clear_dead()
            raise UserError(f"{self._name}: no reply within {timeout:g} s")
        stream, number, view = self._received.read(response)
        return Sample(view, stream, number, response.delete)

    def _there(self) -> bool:
        return bool(self._service.dynamic_config.number_of_servers)

    def wait_for_replier(self, timeout: float) -> bool:
        return self._services.seen(self._there, timeout)


class Iceoryx2Replier(_Endpoint, Replier):
    def __init__(self, services: Services, service: str) -> None:
        super().__init__(services, service)
        self._asked.listen()
        self._open_port(self._service.server_builder())

    def take(self, timeout: float | None = None) -> Request | None:
        active = self._asked.until(self._port.receive, timeout)
        if active is None:
            return None
        stream, number, view = self._received.read(active)
        # The request is needed for its content and for its answer.
        open_ends = {"sample", "answer"}

        def done(what: str) -> None:
            open_ends.remove(what)
            if not open_ends:
                active.delete()

        def answer(frame: Frame) -> None:
            if "answer" not in open_ends:
                raise UserError("a request is answered once; this one was")
            self._memory.send(lender(active), frame, TRAILER.pack(stream, number, 0, MAGIC))
            done("answer")
            self._answered.notify()

        return Request(Sample(view, stream, number, lambda: done("sample")), answer)
