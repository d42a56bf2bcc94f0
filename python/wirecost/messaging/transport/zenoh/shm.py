# SPDX-License-Identifier: Apache-2.0
"""Zenoh with messages laid out in shared memory, which saves a copy beside its default."""

from __future__ import annotations

import itertools
import weakref
from typing import ClassVar

from wirecost.messaging.transport.base import Capabilities
from wirecost.messaging.transport.shared.shared_memory import ENDPOINT_BYTES, check_room
from wirecost.messaging.transport.shared.trailer import Publishing
from wirecost.messaging.transport.zenoh.adapter import Zenoh, ZenohPublisher, ZenohSubscriber
from wirecost.messaging.transport.zenoh.memory import (
    LEAST_BYTES,
    POOL,
    free_dead,
    lockable_bytes,
)


class _ZenohShmPublisher(ZenohPublisher):
    """Publisher that copies the message into shared memory, of which only the place is sent."""

    _numbers = itertools.count()

    def __init__(self, transport: Zenoh, topic: str) -> None:
        super().__init__(transport, topic)
        self._shm = transport.library.shm
        self._number = next(self._numbers)

    def _put(self, message: bytearray) -> None:
        room = POOL.room(self._shm, self._number, len(message))
        if room is None:
            # Subscribers hold all of it; without shared memory it goes on.
            self._port.put(message)
            return
        room[:] = message
        self._port.put(room)

    def close(self) -> None:
        super().close()
        POOL.leave(self._number)


class _ZenohShmSubscriber(ZenohSubscriber):
    def __init__(self, transport: Zenoh, topic: str, depth: int) -> None:
        super().__init__(transport, topic, depth)
        _SUBSCRIBERS.add(self)

    def _met(self, stream: int) -> Publishing | None:
        if not any(subscriber.inbox.waiting for subscriber in _SUBSCRIBERS):
            # It may be in place of one that was killed.
            free_dead()
        return super()._met(stream)


_SUBSCRIBERS: weakref.WeakSet[_ZenohShmSubscriber] = weakref.WeakSet()


class ZenohSharedMemory(Zenoh):
    """Zenoh with messages in shared memory on one machine."""

    name: ClassVar[str] = "zenoh-shm"
    title: ClassVar[str] = "Zenoh (shared memory)"
    capabilities: ClassVar[Capabilities] = Capabilities(
        send_copies=2,
        receive_copies=1,
        aligned=False,
        request_reply=True,
        other_machines=True,
        full=Zenoh.capabilities.full,
        kept="a publisher's pool of 33 MB or more until its process ends; that of one that was"
        " killed until those who received from it end or receive from two others",
        shared_memory=True,
    )
    sender: ClassVar[type[ZenohPublisher]] = _ZenohShmPublisher
    listener: ClassVar[type[ZenohSubscriber]] = _ZenohShmSubscriber

    def __init__(self, address: str | None = None) -> None:
        check_room(ENDPOINT_BYTES, "zenoh-shm")
        super().__init__(address)

    @classmethod
    def missing(cls) -> str | None:
        lockable = lockable_bytes()
        if (why := super().missing()) is not None or lockable is None:
            return why
        if lockable >= 2 * LEAST_BYTES:
            return None
        return (
            f"zenoh locks pools of {LEAST_BYTES} bytes or more in memory, and this user may lock"
            f" {lockable}: raise the limit (ulimit -l, or a container's --ulimit memlock=-1)"
        )
