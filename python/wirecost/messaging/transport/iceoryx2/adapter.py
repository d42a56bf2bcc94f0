# SPDX-License-Identifier: Apache-2.0
"""iceoryx2: frames are written in place into shared memory and read there.

Its publish-subscribe services do not wake anybody; an event service of the same name does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, ClassVar, TypeVar

from wirecost.messaging.transport.base import (
    Capabilities,
    Frame,
    Publisher,
    Replier,
    Requester,
    Sample,
    Subscriber,
    Transport,
)
from wirecost.messaging.transport.iceoryx2.home import Home
from wirecost.messaging.transport.iceoryx2.leftovers import clear_nodes
from wirecost.messaging.transport.iceoryx2.memory import Iceoryx2Memory, Received, lender
from wirecost.messaging.transport.iceoryx2.requests import Iceoryx2Replier, Iceoryx2Requester
from wirecost.messaging.transport.iceoryx2.services import MOST_DEPTH, MOST_ENDS, Services
from wirecost.messaging.transport.package import Package
from wirecost.messaging.transport.shared.shared_memory import (
    ENDPOINT_BYTES,
    check_room,
    reserve_files,
)
from wirecost.system.errors import UserError

NODE_BYTES = 1 << 15
"""Bytes of shared memory for a process that has nothing open yet and may be about to clear away."""


class _Iceoryx2Publisher(Publisher):
    def __init__(self, services: Services, topic: str, waits: bool) -> None:
        super().__init__()
        library = services.library
        self._services = services
        self._memory = Iceoryx2Memory(library)
        self._service = services.open_topic(topic, not waits)
        self._wake = services.open_wake(topic)
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
        return self._services.seen(
            lambda: bool(self._service.dynamic_config.number_of_subscribers), timeout
        )

    def close(self) -> None:
        if self._port is not None:
            self._port.delete()
            self._wake.close()
            self._port = self._service = self._lend = None
        super().close()


class _Iceoryx2Subscriber(Subscriber):
    def __init__(self, services: Services, topic: str, depth: int, waits: bool) -> None:
        super().__init__()
        if not 1 <= depth <= MOST_DEPTH:
            raise UserError(f"iceoryx2: depth {depth} must be 1 to {MOST_DEPTH}")
        self._depth = depth
        self._held = 0
        self._received = Received()
        self._service = services.open_topic(topic, not waits)
        self._wake = services.open_wake(topic)
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
            self._drained()
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


_E = TypeVar("_E", _Iceoryx2Publisher, _Iceoryx2Subscriber, Iceoryx2Requester, Iceoryx2Replier)


class Iceoryx2(Transport):
    """Shared memory without a daemon, for the processes of one user.

    ``address``: what the names of its files in shared memory begin with, which divides those who
    use it from all others.
    """

    name: ClassVar[str] = "iceoryx2"
    title: ClassVar[str] = "iceoryx2"
    package = Package("iceoryx2", ("iceoryx2",))
    capabilities: ClassVar[Capabilities] = Capabilities(
        send_copies=1,
        receive_copies=0,
        aligned=True,
        request_reply=True,
        other_machines=False,
        full="a slow subscriber loses the oldest beyond its depth",
        shared_memory=True,
    )

    def __init__(self, address: str | None = None) -> None:
        super().__init__(address)
        try:
            import iceoryx2  # noqa: PLC0415
        except ImportError as error:
            raise UserError(f"iceoryx2: {error}; pip install iceoryx2") from error
        iceoryx2.set_log_level_from_env_or(iceoryx2.LogLevel.Error)
        self._home = Home(iceoryx2, address)
        check_room(NODE_BYTES, "iceoryx2")
        builder = iceoryx2.NodeBuilder.new().signal_handling_mode(
            iceoryx2.SignalHandlingMode.Disabled
        )
        try:
            with self._home.coming():
                # Making a node clears away what killed processes left.
                node = builder.config(self._home.config).create(iceoryx2.ServiceType.Ipc)
        except iceoryx2.NodeCreationFailure as error:
            raise UserError(
                f"iceoryx2: no node below {self._home.folder} ({error}): remove the folder if"
                " nobody uses it, or set XDG_RUNTIME_DIR"
            ) from error
        clear_nodes(node.config.global_cfg)
        self._services = Services(iceoryx2, node)

    @classmethod
    @contextmanager
    def server(cls) -> Iterator[str | None]:
        try:
            yield None
        finally:
            sweep()

    def publisher(self, topic: str) -> Publisher:
        return self._made(
            lambda: _Iceoryx2Publisher(self._services, topic, self.quality.waits()), topic
        )

    def subscriber(self, topic: str, *, depth: int = 16) -> Subscriber:
        waits = self.quality.waits()
        return self._made(lambda: _Iceoryx2Subscriber(self._services, topic, depth, waits), topic)

    def requester(self, service: str) -> Requester:
        return self._made(lambda: Iceoryx2Requester(self._services, service), service)

    def replier(self, service: str) -> Replier:
        return self._made(lambda: Iceoryx2Replier(self._services, service), service)

    def _made(self, make: Callable[[], _E], name: str) -> _E:
        check_room(ENDPOINT_BYTES, f"iceoryx2 for {name!r}")
        try:
            end = make()
        except UserError:
            raise
        except Exception as error:
            raise UserError(
                f"iceoryx2: {name!r} has {MOST_ENDS} of its kind (1 replier) at most: {error}"
            ) from error
        try:
            reserve_files(self._is_bookkeeping, f"iceoryx2 for {name!r}")
        except UserError:
            end.close()
            raise
        return self._kept(end)

    def _is_bookkeeping(self, name: str) -> bool:
        # Memory of frames is as large as ever may be needed, and reserved frame by frame.
        return name.startswith(self._home.prefix) and not name.endswith(".data")

    def close(self) -> None:
        super().close()
        if self._services.node is not None:
            with self._home.going():
                self._services.node = None


def sweep() -> None:
    """Remove what killed processes left, which a new node does."""
    with suppress(UserError):
        Iceoryx2().close()
