# SPDX-License-Identifier: Apache-2.0
"""Waiting for messages, in a thread or in an event loop."""

from __future__ import annotations

import asyncio
import math
import time
from abc import abstractmethod
from collections import deque
from collections.abc import Callable
from typing import Generic, Self, TypeVar

from wirecost.messaging.api.connection import SLICE_S, Closable, Connection
from wirecost.messaging.transport import Transport

Endpoint = TypeVar("Endpoint", bound=Closable)
Raw = TypeVar("Raw")
Message = TypeVar("Message")


class Receiver(Connection[Endpoint], Generic[Endpoint, Raw, Message]):
    """Iterator of messages that arrive: ``for``, ``async for``, ``receive``, ``receive_async``.

    The loops wait for ever and end when this is closed.
    """

    _receives = True

    def __init__(
        self,
        transport: str,
        topic: str,
        address: str | None,
        make: Callable[[Transport], Endpoint],
    ) -> None:
        """Take what ``Connection`` takes."""
        super().__init__(transport, topic, address, make)
        # A message that the worker took for a task that was cancelled meanwhile goes to the next.
        self._pending: deque[Raw] = deque()
        self._turn = asyncio.Lock()

    @abstractmethod
    def _take(self, timeout: float) -> Raw | None:
        """Receive from the middleware. Raises UserError."""

    @abstractmethod
    def _message(self, raw: Raw) -> Message:
        """Return what the caller gets of it. Raises UserError."""

    @abstractmethod
    def _discard(self, raw: Raw) -> None:
        """Give back what nobody will get."""

    def _fileno(self) -> int | None:
        """Return what that of ``wirecost.transport.Subscriber`` does."""
        return None

    def receive(self, timeout: float | None = None) -> Message | None:
        """Return the next message, or None after ``timeout`` seconds.

        0 does not wait, None waits for ever.

        Raises UserError for what cannot be decoded, where too many messages are held, and when
        this is closed. After the first the next call gives the message behind it.
        """
        deadline = _deadline(timeout)
        if (raw := self._wait(deadline)) is not None:
            return self._message(raw)
        self._check_open()
        return None

    async def receive_async(self, timeout: float | None = None) -> Message | None:
        """Call ``receive`` from an event loop. Cancelling the task loses no message."""
        deadline = _deadline(timeout)
        if (raw := await self._wait_async(deadline)) is not None:
            return self._message(raw)
        self._check_open()
        return None

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Message:
        if (raw := self._wait(math.inf)) is not None:
            return self._message(raw)
        raise StopIteration

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Message:
        if (raw := await self._wait_async(math.inf)) is not None:
            return self._message(raw)
        raise StopAsyncIteration

    def close(self) -> None:
        """End it, and with it loops over it in other threads. A second call does nothing."""
        super().close()
        while self._pending:
            self._discard(self._pending.popleft())

    def _wait(self, deadline: float) -> Raw | None:
        """Return None when the time is over or this is closed."""
        while not self._closed:
            raw = self._slice(deadline)
            if raw is not None:
                return raw
            if time.monotonic() >= deadline:
                break
        return None

    def _slice(self, deadline: float) -> Raw | None:
        with self._lock:
            if self._closed:
                return None
            if self._pending:
                return self._pending.popleft()
            try:
                return self._take(min(SLICE_S, max(0.0, deadline - time.monotonic())))
            except Exception:
                if self._closed:  # by a handler of a signal, under the middleware's feet
                    return None
                raise

    async def _wait_async(self, deadline: float) -> Raw | None:
        async with self._turn:
            while not self._closed:
                raw = await self._slice_async(deadline)
                if raw is not None:
                    return raw
                if time.monotonic() >= deadline:
                    break
        return None

    async def _slice_async(self, deadline: float) -> Raw | None:
        fileno = self._fileno()
        if fileno is None:
            if not self._pending:
                await self._in_worker(lambda: self._fill(deadline))
            return self._pending.popleft() if self._pending else None
        raw = self._slice(-math.inf)
        if raw is None and not self._closed:
            await _readable(fileno, min(SLICE_S, max(0.0, deadline - time.monotonic())))
            raw = self._slice(-math.inf)
        return raw

    def _fill(self, deadline: float) -> None:
        with self._lock:
            raw = self._slice(deadline)
            if raw is not None:
                self._pending.append(raw)


def _deadline(timeout: float | None) -> float:
    return math.inf if timeout is None else time.monotonic() + timeout


async def _readable(fileno: int, timeout: float) -> None:
    """Wait until the descriptor is readable or the time is over."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()

    def wake() -> None:
        if not ready.done():
            ready.set_result(None)

    loop.add_reader(fileno, wake)
    try:
        await asyncio.wait((ready,), timeout=timeout)
    finally:
        loop.remove_reader(fileno)
