# SPDX-License-Identifier: Apache-2.0
"""iceoryx2: frames are written in place into shared memory and read there.

Its publish-subscribe services do not wake anybody; an event service of the same name does.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, TypeVar

from wirecost.errors import UserError
from wirecost.transport.base import (
    Capabilities,
    Frame,
    Publisher,
    Replier,
    Request,
    Requester,
    Sample,
    Subscriber,
    Transport,
)
from wirecost.transport.iceoryx2_leftovers import clear_nodes, clear_services
from wirecost.transport.iceoryx2_memory import Block, Memory, Received, lender
from wirecost.transport.iceoryx2_wake import Wake
from wirecost.transport.trailer import MAGIC, TRAILER, new_stream

MOST_DEPTH = 64
MOST_ENDS = 16
"""Publishers, and subscribers, of a topic."""
MOST_NODES = 64
POLL_S = 0.002
"""Between looks at whether somebody is there: iceoryx2 tells nobody of it."""
DEAD_S = 0.2
"""Between looks for killed processes, which count as there until they are cleared away."""
PATIENCE_S = 6.0
"""For services that others make or remove at the same moment."""


class _Publisher(Publisher):
    def __init__(self, transport: Iceoryx2, topic: str) -> None:
        super().__init__()
        library = transport.library
        self._transport = transport
        self._memory = Memory(library)
        self._service = transport.open_topic(topic)
        self._wake = transport.open_wake(topic)
        self._port = (
            self._service.publisher_builder()
            .allocation_strategy(library.AllocationStrategy.PowerOfTwo)
            .max_loaned_samples(1)
            .create()
        )
        self._lend: Any = lender(self._port)

    def _send(self, frame: Frame, trailer: bytes) -> bool:
        self._memory.send(self._lend, frame, trailer)
        self._wake.notify()
        return True

    def wait_for_subscriber(self, timeout: float) -> bool:
        return self._transport.seen(
            lambda: bool(self._service.dynamic_config.number_of_subscribers), timeout
        )

    def close(self) -> None:
        if self._port is not None:
            self._port.delete()
            self._wake.close()
            self._port = self._service = self._lend = None


class _Subscriber(Subscriber):
    def __init__(self, transport: Iceoryx2, topic: str, depth: int) -> None:
        super().__init__()
        if not 1 <= depth <= MOST_DEPTH:
            raise UserError(f"iceoryx2: depth {depth} must be 1 to {MOST_DEPTH}")
        self._depth = depth
        self._held = 0
        self._received = Received()
        self._service = transport.open_topic(topic)
        self._wake = transport.open_wake(topic)
        # Before the subscriber, so that nobody sees one that cannot be woken.
        self._wake.listen()
        self._port = self._service.subscriber_builder().buffer_size(depth).create()
        self._take: Any = self._port.receive

    def receive(self, timeout: float | None = None) -> Sample | None:
        if self._held >= self._depth:
            raise UserError(
                f"{self._held} received samples are held by arrays in use, the most there may be:"
                " let go of them, or decode with copy=True"
            )
        message = self._wake.until(self._take, timeout)
        if message is None:
            return None
        try:
            stream, number, frame = self._received.read(message)
        except BaseException:
            message.delete()
            raise
        self._held += 1
        self._counter.add(stream, number)
        return Sample(frame, stream, number, partial(self._release, message))

    def _release(self, sample: Any) -> None:
        self._held -= 1
        sample.delete()

    def close(self) -> None:
        if self._port is not None:
            self._port.delete()
            self._wake.close()
            self._port = self._service = self._take = None


class _Requester(Requester):
    def __init__(self, transport: Iceoryx2, service: str) -> None:
        library = transport.library
        self._transport = transport
        self._name = service
        self._memory = Memory(library)
        self._received = Received()
        self._stream = new_stream()
        self._number = 0
        self._service = transport.open_service(service)
        self._asked = transport.open_wake(f"{service}/asked")
        self._answered = transport.open_wake(f"{service}/answered")
        self._answered.listen()
        self._port = (
            self._service.client_builder()
            .allocation_strategy(library.AllocationStrategy.PowerOfTwo)
            .create()
        )
        self._lend: Any = lender(self._port)

    def ask(self, frame: Frame, timeout: float) -> Sample:
        end = time.monotonic() + timeout
        if not self._there() and not self.wait_for_replier(timeout):
            raise UserError(f"{self._name}: nobody answers requests; start its replier")
        self._number += 1
        trailer = TRAILER.pack(self._stream, self._number, 0, MAGIC)
        pending = self._memory.send(self._lend, frame, trailer)
        self._asked.notify()
        response = self._answered.until(pending.receive, end - time.monotonic())
        # A reply that comes later finds nobody who waits for it.
        pending.delete()
        if response is None:
            self._transport.clear_dead()
            raise UserError(f"{self._name}: no reply within {timeout:g} s")
        stream, number, view = self._received.read(response)
        return Sample(view, stream, number, response.delete)

    def _there(self) -> bool:
        return bool(self._service.dynamic_config.number_of_servers)

    def wait_for_replier(self, timeout: float) -> bool:
        return self._transport.seen(self._there, timeout)

    def close(self) -> None:
        if self._port is not None:
            self._port.delete()
            self._asked.close()
            self._answered.close()
            self._port = self._service = None


class _Replier(Replier):
    def __init__(self, transport: Iceoryx2, service: str) -> None:
        library = transport.library
        self._memory = Memory(library)
        self._received = Received()
        self._service = transport.open_service(service)
        self._asked = transport.open_wake(f"{service}/asked")
        self._answered = transport.open_wake(f"{service}/answered")
        self._asked.listen()
        self._port = (
            self._service.server_builder()
            .allocation_strategy(library.AllocationStrategy.PowerOfTwo)
            .create()
        )

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

    def close(self) -> None:
        if self._port is not None:
            self._port.delete()
            self._asked.close()
            self._answered.close()
            self._port = self._service = None


_E = TypeVar("_E", _Publisher, _Subscriber, _Requester, _Replier)


class Iceoryx2(Transport):
    """Shared memory without a daemon. ``address``: a prefix of the names of its files, which
    divides those who use it from all others."""

    name: ClassVar[str] = "iceoryx2"
    title: ClassVar[str] = "iceoryx2"
    capabilities: ClassVar[Capabilities] = Capabilities(
        send_copies=1,
        receive_copies=0,
        aligned=True,
        request_reply=True,
        other_machines=False,
        full="a slow subscriber loses the oldest beyond its depth",
    )

    def __init__(self, address: str | None = None) -> None:
        super().__init__(address)
        try:
            import iceoryx2  # noqa: PLC0415
        except ImportError as error:
            raise UserError(f"iceoryx2: {error}; pip install iceoryx2") from error
        self.library: Any = iceoryx2
        iceoryx2.set_log_level_from_env_or(iceoryx2.LogLevel.Error)
        builder = iceoryx2.NodeBuilder.new().signal_handling_mode(
            iceoryx2.SignalHandlingMode.Disabled
        )
        try:
            if address:
                config = iceoryx2.config.default()
                config.global_cfg.prefix = iceoryx2.FileName.new(address)
                builder = builder.config(config)
            # Making a node clears away what killed processes left.
            self._node = builder.create(iceoryx2.ServiceType.Ipc)
        except (iceoryx2.SemanticStringError, iceoryx2.NodeCreationFailure) as error:
            raise UserError(f"iceoryx2: no node with prefix {address!r}: {error}") from error
        clear_nodes(self._node.config.global_cfg)
        self._open: list[Any] = []

    @classmethod
    def missing(cls) -> str | None:
        return None if importlib.util.find_spec("iceoryx2") else "pip install iceoryx2"

    def open(self, make: Callable[[Any], Any], name: str) -> Any:
        """A service, which somebody else may just be making or removing. Raises UserError."""
        try:
            service_name = self.library.ServiceName.new(name)
        except self.library.SemanticStringError as error:
            raise UserError(f"iceoryx2: topic {name!r} must have 1 to 255 characters") from error
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                return make(self._node.service_builder(service_name))
            except Exception as error:
                if time.monotonic() > end:
                    raise UserError(
                        f"iceoryx2: {name!r} cannot be opened ({error}): another program uses it"
                        " in another way, or a killed one left it; take another name"
                    ) from error
            clear_services(self._node.config.global_cfg)
            self.clear_dead()
            time.sleep(POLL_S)

    def open_wake(self, name: str) -> Wake:
        return Wake(
            self.library,
            self.open(
                lambda builder: (
                    builder.event()
                    .max_listeners(MOST_ENDS)
                    .max_notifiers(MOST_ENDS)
                    .max_nodes(MOST_NODES)
                    .open_or_create()
                ),
                name,
            ),
        )

    def open_topic(self, topic: str) -> Any:
        return self.open(
            lambda builder: (
                builder.publish_subscribe(self.library.Slice[Block])
                .payload_alignment(self.library.Alignment.new(64))
                .enable_safe_overflow(True)
                .subscriber_max_buffer_size(MOST_DEPTH)
                .subscriber_max_borrowed_samples(MOST_DEPTH)
                .max_publishers(MOST_ENDS)
                .max_subscribers(MOST_ENDS)
                .max_nodes(MOST_NODES)
                .open_or_create()
            ),
            topic,
        )

    def open_service(self, service: str) -> Any:
        blocks = self.library.Slice[Block]
        alignment = self.library.Alignment.new(64)
        return self.open(
            lambda builder: (
                builder.request_response(blocks, blocks)
                .request_payload_alignment(alignment)
                .response_payload_alignment(alignment)
                .max_clients(MOST_ENDS)
                .max_servers(1)
                .max_nodes(MOST_NODES)
                .open_or_create()
            ),
            service,
        )

    def clear_dead(self) -> None:
        """Removes what killed processes left, and that they are counted as there."""
        self._node.try_cleanup_dead_nodes()

    def seen(self, there: Callable[[], bool], timeout: float) -> bool:
        """Whether somebody who is alive is there within ``timeout`` seconds."""
        end = time.monotonic() + timeout
        self.clear_dead()
        cleared = time.monotonic()
        while not there():
            now = time.monotonic()
            if now >= end:
                return False
            if now - cleared > DEAD_S:
                self.clear_dead()
                cleared = now
            time.sleep(POLL_S)
        return True

    def publisher(self, topic: str) -> Publisher:
        return self._made(lambda: _Publisher(self, topic), topic)

    def subscriber(self, topic: str, *, depth: int = 16) -> Subscriber:
        return self._made(lambda: _Subscriber(self, topic, depth), topic)

    def requester(self, service: str) -> Requester:
        return self._made(lambda: _Requester(self, service), service)

    def replier(self, service: str) -> Replier:
        return self._made(lambda: _Replier(self, service), service)

    def _made(self, make: Callable[[], _E], name: str) -> _E:
        try:
            end = make()
        except UserError:
            raise
        except Exception as error:
            raise UserError(
                f"iceoryx2: {name!r} has {MOST_ENDS} of its kind (1 replier) at most: {error}"
            ) from error
        self._open.append(end)
        return end

    def close(self) -> None:
        for end in self._open:
            end.close()
        self._open.clear()
        self._node = None


TRANSPORTS = (Iceoryx2,)
