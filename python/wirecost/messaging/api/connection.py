# SPDX-License-Identifier: Apache-2.0
"""Base of publications, subscriptions, clients and services: they open and close."""

from __future__ import annotations

import asyncio
import atexit
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from wirecost.messaging.api.opening import ONE_AT_A_TIME, Shared, shared
from wirecost.messaging.transport import Transport
from wirecost.system.closing import Closing
from wirecost.system.errors import UserError
from wirecost.system.foreign import is_unicode, printable

SLICE_S = 0.1
"""Longest that an endpoint is waited on at once: how soon a close in another thread is noticed."""


class Closable(Protocol):
    """Endpoint of a middleware, as far as it is closed."""

    def close(self) -> None: ...


Endpoint = TypeVar("Endpoint", bound=Closable)
Result = TypeVar("Result")


# Shared memory and sockets would stay behind a program that ends without closing.
_open: weakref.WeakSet[Any] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for connection in list(_open):
        connection.close()


class Connection(Closing, Generic[Endpoint]):
    """An endpoint of a middleware. Leaving ``with`` or ``async with`` closes it."""

    _receives: ClassVar[bool] = False

    def __init__(
        self,
        transport: str,
        topic: str,
        address: str | None,
        make: Callable[[Transport], Endpoint],
    ) -> None:
        """Open it.

        Raises UserError if the middleware cannot be used here, or not for this topic.
        """
        _check_names(topic, address)
        self.transport = transport
        self.topic = topic
        opened = shared(transport, address, self._receives)
        try:
            with ONE_AT_A_TIME:
                self._endpoint = make(opened.transport)
        except NotImplementedError as error:
            opened.let_go()
            raise UserError(f"{transport}: {error}") from error
        except BaseException:
            opened.let_go()
            raise
        self._shared: Shared | None = opened
        # Reentrant: a signal's handler may close what its own thread waits on.
        self._lock = threading.RLock()
        self._worker: ThreadPoolExecutor | None = None
        self._closed = False
        _open.add(self)

    @property
    def closed(self) -> bool:
        """Return whether it was closed, by whatever thread."""
        return self._closed

    def close(self) -> None:
        """End it, and with it loops over it in other threads. A second call does nothing."""
        self._closed = True
        _open.discard(self)
        with self._lock:
            worker, self._worker = self._worker, None
            opened, self._shared = self._shared, None
            if opened is not None:
                try:
                    with ONE_AT_A_TIME:
                        self._endpoint.close()
                finally:
                    opened.let_go()
        if worker is not None:
            worker.shutdown()

    def _check_open(self) -> None:
        if self._closed:
            raise UserError(f"{self.topic} over {self.transport}: it is closed already")

    async def _in_worker(self, function: Callable[[], Result]) -> Result:
        """Run it in this connection's one thread, which outlives the task that waits for it."""
        with self._lock:
            self._check_open()
            if self._worker is None:
                self._worker = ThreadPoolExecutor(1, f"wirecost-{self.topic}")
            worker = self._worker
        return await asyncio.get_running_loop().run_in_executor(worker, function)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        # Closing waits for a thread that is in the middleware; the loop must not.
        await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, self.close))


def _check_names(topic: str, address: str | None) -> None:
    """Raise UserError for one that is no text: no middleware could carry its name."""
    for what, name in (("topic", topic), ("address", address or "")):
        if not is_unicode(name):
            raise UserError(f"{what} {printable(name)}: not UTF-8; name it in UTF-8")
