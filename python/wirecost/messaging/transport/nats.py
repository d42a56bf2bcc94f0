# SPDX-License-Identifier: Apache-2.0
"""NATS over a server, at most once: subscribers answer who asks whether they are there."""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, ClassVar
from urllib.parse import quote

from wirecost.messaging.transport.base import Capabilities, Frame, Publisher
from wirecost.messaging.transport.meeting import AtServer
from wirecost.messaging.transport.package import Package
from wirecost.messaging.transport.quality import OWN, Quality
from wirecost.messaging.transport.settings import (
    DEFAULT,
    OLDEST,
    UNLIMITED,
    AskedQuality,
    TransportSetting,
    matched,
)
from wirecost.messaging.transport.shared.broker_based import BrokerTransport, Linked
from wirecost.messaging.transport.shared.inbox_based import (
    InboxReplier,
    InboxRequester,
    InboxSubscriber,
    joined,
)
from wirecost.messaging.transport.shared.server_process import host_and_port, reachable
from wirecost.system.errors import UserError
from wirecost.system.waiting import Deadline

_MAX_BYTES = 64 << 20
"""Most bytes that a server can allow; servers that nobody configured allow 1 MiB."""
_WAITING_BYTES = 64 << 20
"""Bytes that may wait in the publisher until the socket takes them."""
_ANSWER_S = 10
_PORT = 4222
_CHANGED_DEFAULTS = (
    f"nats-server: max_payload {_MAX_BYTES}", f"max_pending {4 * _MAX_BYTES}", "write_deadline 60s",
    f"nats-py: pending_size {2 * _WAITING_BYTES}", f"pending_bytes_limit {4 * _MAX_BYTES}",
    "connect_timeout 2 s", "max_reconnect_attempts -1", "reconnect_time_wait 0.5 s",
)  # fmt: skip
_CONFIG = f"""\
host: {{host}}
port: {{port}}
max_payload: {_MAX_BYTES}
max_pending: {4 * _MAX_BYTES}
write_deadline: "60s"
"""


def _subject(kind: str, name: str) -> str:
    if not name:
        raise UserError("topic '': NATS needs a name")
    return f"wirecost.{kind}." + quote(name, safe="").replace(".", "%2E")


class _NatsLink:
    """One connection to the server, in a thread that runs its event loop; made again when lost."""

    def __init__(self, address: str | None) -> None:
        host, port = host_and_port(address or "127.0.0.1", _PORT)
        absent = f"no NATS server at {host}:{port}: start nats-server, or give its address"
        if not reachable(host, port):  # the library would go on trying
            raise UserError(absent)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        try:
            self.client = self.run(asyncio.wait_for(self._connected(host, port), _ANSWER_S / 2))
        except Exception as error:  # the library's own, an operating system's, a timeout
            self._end()
            raise UserError(absent) from error

    async def _connected(self, host: str, port: int) -> Any:
        import nats  # noqa: PLC0415

        async def silent(error: Exception) -> None:
            """Ignore the error of a connection that was lost: the next send or receive knows."""

        return await nats.connect(
            f"nats://{host}:{port}",
            connect_timeout=2,
            allow_reconnect=True,
            max_reconnect_attempts=-1,
            reconnect_time_wait=0.5,
            error_cb=silent,
            pending_size=2 * _WAITING_BYTES,
        )

    def start(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.start(work).result(_ANSWER_S)

    def subscribe(self, subject: str, take: Callable[[Any], object]) -> None:
        """Subscribe; ``take`` is called in the connection's thread, with each message."""

        async def called(message: Any) -> None:
            take(message)

        async def subscribed() -> None:
            await self.client.subscribe(subject, cb=called, pending_bytes_limit=4 * _MAX_BYTES)
            await self.client.flush(_ANSWER_S)

        self.run(subscribed())

    def publish(self, subject: str, content: bytes, reply: str = "") -> Future[Any]:
        return self.start(self.client.publish(subject, content, reply=reply))

    def answer_presence(self, subject: str) -> None:
        self.subscribe(subject + ".present", lambda asked: self.publish(asked.reply, b""))

    def is_present(self, subject: str, timeout: float) -> bool:
        """Return whether someone answers within ``timeout`` seconds."""
        end = Deadline(timeout)
        while True:
            seconds_left = max(end.left, 0.05)
            try:
                self.start(self.client.request(subject + ".present", b"", seconds_left)).result(
                    seconds_left + 1
                )
            except Exception:  # nobody is there yet, or the server is away
                if end.passed:
                    return False
                time.sleep(0.02)
            else:
                return True

    def close(self) -> None:
        if self._loop.is_closed():
            return

        async def closed() -> None:
            with suppress(Exception):  # the server may be away
                await self.client.flush(1)
            with suppress(OSError):  # of what was still to be written: then its tasks go on
                await self.client.close()
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        try:
            self.run(closed())
        finally:
            self._end()

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_ANSWER_S)
        self._loop.close()


class _NatsPublisher(Linked, Publisher):
    def __init__(self, address: str | None, topic: str, quality: Quality = OWN) -> None:
        super().__init__()
        del quality  # core NATS has none for who publishes
        self._subject = _subject("topic", topic)
        self._link = _NatsLink(address)
        self._last: Future[Any] | None = None

    def _send(self, frame: Frame, trailer: bytes) -> bool:
        client = self._link.client
        size = frame.nbytes + len(trailer)
        if size > client.max_payload:
            raise UserError(
                f"a frame of {frame.nbytes} bytes: this NATS server takes {client.max_payload}; "
                "raise its max_payload, at most 64 MiB"
            )
        if not client.is_connected or client.pending_data_size > _WAITING_BYTES:
            return False
        if self._last is not None:
            try:
                self._last.result(_ANSWER_S)
            except Exception:  # the connection broke as it was written
                self._last = None
                return False
        self._last = self._link.publish(self._subject, joined(frame, trailer))
        return True

    def wait_for_subscriber(self, timeout: float) -> bool:
        return self._link.is_present(self._subject, timeout)


class _NatsSubscriber(Linked, InboxSubscriber):
    def __init__(self, address: str | None, topic: str, depth: int, quality: Quality = OWN) -> None:
        super().__init__(depth, quality.waits())
        subject = _subject("topic", topic)
        self._link = _NatsLink(address)
        self._link.subscribe(subject, lambda message: self.inbox.put(message.data))
        self._link.answer_presence(subject)


class _NatsRequester(Linked, InboxRequester):
    def __init__(self, address: str | None, service: str) -> None:
        super().__init__(service)
        self._subject = _subject("service", service)
        self._replies = "wirecost.reply." + secrets.token_hex(16)
        self._link = _NatsLink(address)
        self._link.subscribe(self._replies, lambda message: self.inbox.put(message.data))

    def _send(self, message: bytes) -> None:
        self._link.publish(self._subject, message, self._replies).result(_ANSWER_S)

    def wait_for_replier(self, timeout: float) -> bool:
        return self._link.is_present(self._subject, timeout)


class _NatsReplier(Linked, InboxReplier):
    def __init__(self, address: str | None, service: str) -> None:
        super().__init__()
        subject = _subject("service", service)
        self._link = _NatsLink(address)
        self._link.subscribe(subject, self._take)
        self._link.answer_presence(subject)

    def _take(self, asked: Any) -> None:
        if asked.reply:  # else a stranger's, who wants no reply
            self.inbox.put((asked.data, lambda answer: self._link.publish(asked.reply, answer)))


class Nats(BrokerTransport):
    name = "nats"
    title = "NATS"
    package = Package("nats-py", ("nats",))
    capabilities: ClassVar[Capabilities] = Capabilities(
        send_copies=3,
        receive_copies=3,
        aligned=False,
        request_reply=True,
        other_machines=True,
        full="the publisher drops while 64 MiB wait for the socket; of what waits at the"
        " subscriber the oldest is lost",
        server="nats-server",
        exposed="whoever reaches the server can read and send",
    )

    broker = "nats-server"
    configuration = _CONFIG
    publishes = _NatsPublisher
    subscribes = _NatsSubscriber
    requests = _NatsRequester
    replies = _NatsReplier


_SENDER_QUEUE = "64 MiB, then it refuses"


def settings(asked: AskedQuality) -> list[TransportSetting]:
    """Return the groups of settings of the Python client."""
    core = "core NATS: at most once over TCP"
    cut = "the server cuts off a slow subscriber"
    return [
        TransportSetting(
            DEFAULT,
            core,
            _SENDER_QUEUE,
            "524288",
            f"lost; {cut}",
            options={"depth": 524_288},
            changed_defaults=_CHANGED_DEFAULTS,
        ),
        matched(
            asked,
            (core, f"TCP makes the server wait, then {cut}"),
            (core, OLDEST),
            sender=_SENDER_QUEUE,
            promise=False,
        ),
    ]


def native_settings(asked: AskedQuality) -> list[TransportSetting]:
    """Return the groups of settings of the native client.

    nats.c takes from the socket whatever comes, and cannot make the server wait.
    """
    core = "core NATS: at most once over TCP"
    sender = "32 KiB, then the publisher waits"
    own = "65536, 64 MiB"
    return [
        TransportSetting(DEFAULT, core, sender, own, "the newest is lost"),
        matched(
            asked,
            (core, "nothing waits: memory grows"),
            (core, "the newest is lost"),
            sender=sender,
            receiver=UNLIMITED if asked.reliable else "",
            promise=False,
        ),
    ]


TRANSPORTS = (Nats,)
MEETINGS = {"nats": AtServer()}
PLUGIN_ORDER = 5
