# SPDX-License-Identifier: Apache-2.0
"""eCAL on this machine: shared memory with an acknowledgement, so that no burst overwrites itself.

Publishers and subscribers find each other by eCAL's registration on loopback. Which side knows of
the other first is left to chance; a probe over the way that frames take says that it is open.
Frames stay in shared memory. eCAL itself listens on all interfaces, and no setting of its changes
that: on UDP port 14000 for registration, and on a TCP port for each service.
"""

from __future__ import annotations

import atexit
import importlib
import importlib.util
import queue
import secrets
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from wirecost.errors import UserError
from wirecost.transport.base import Capabilities, Frame, Publisher, Transport
from wirecost.transport.ecal_leftovers import sweep
from wirecost.transport.inbox import Inbox, wait_until
from wirecost.transport.queued import QueuedReplier, QueuedRequester, QueuedSubscriber, joined

_MAX_BYTES = 1 << 30
_REGISTRATION_MS = 100
_GONE_MS = 3000
_ACKNOWLEDGE_MS = 500
_PROBE = b"wirecost probe "
_METHOD = "ask"
_OPEN: weakref.WeakSet[Any] = weakref.WeakSet()
"""Endpoints that are closed when the program ends: eCAL's would outlive Python."""


def _core() -> Any:
    """eCAL, set up once in a process."""
    # This file's own name is the package's.
    core = importlib.import_module("ecal.nanobind_core")
    if not core.is_initialized():
        config = core.Configuration()
        config.registration.registration_refresh = _REGISTRATION_MS
        config.registration.registration_timeout = _GONE_MS
        for sink in ("console", "file", "udp"):
            getattr(config.logging.provider, sink).enable = False
        sweep()
        if not core.initialize(config, "wirecost"):
            raise UserError("ecal: cannot be set up: is there a loopback interface?")
        atexit.register(_end, core)
    return core


def _way(core: Any, acknowledge_ms: int) -> Any:
    """How a publisher sends: shared memory only, read where it lies."""
    config = core.get_publisher_configuration()
    layer = config.layer
    layer.udp.enable = layer.tcp.enable = False
    layer.shm.zero_copy_mode = True
    layer.shm.acknowledge_timeout_ms = acknowledge_ms
    return config


def _heard(core: Any) -> Any:
    """How a subscriber receives: from shared memory only."""
    config = core.get_subscriber_configuration()
    config.layer.udp.enable = config.layer.tcp.enable = False
    return config


def _end(core: Any) -> None:
    for endpoint in list(_OPEN):
        endpoint.close()
    core.finalize()


def _ready(topic: str) -> str:
    return topic + "/wirecost-ready"


class _Publisher(Publisher):
    def __init__(self, topic: str) -> None:
        super().__init__()
        core = _core()
        self._publisher: Any = core.Publisher(topic, config=_way(core, _ACKNOWLEDGE_MS))
        self._probe = _PROBE + secrets.token_bytes(8)
        self._answers = Inbox(1)
        self._ready: Any = core.Subscriber(_ready(topic), config=_heard(core))
        self._ready.set_receive_callback(self._answered)
        _OPEN.add(self)

    def _answered(self, topic: Any, kind: Any, data: Any) -> None:  # noqa: ARG002
        if data.buffer == self._probe:
            self._answers.put(True)

    def _send(self, frame: Frame, trailer: bytes) -> bool:
        if frame.nbytes + len(trailer) > _MAX_BYTES:
            raise UserError(f"a frame of {frame.nbytes} bytes: ecal carries at most 1 GiB")
        if self._publisher.get_subscriber_count():
            self._publisher.send(joined(frame, trailer))
        return True

    def wait_for_subscriber(self, timeout: float) -> bool:
        end = time.monotonic() + timeout
        while self._answers.take(0):
            pass  # an earlier wait's
        while True:
            if self._publisher.get_subscriber_count():
                self._publisher.send(self._probe)
            if self._answers.take(0.01):
                return True
            if time.monotonic() >= end:
                return False

    def close(self) -> None:
        if self._publisher is not None:
            self._ready.remove_receive_callback()
            self._publisher = self._ready = None


class _Subscriber(QueuedSubscriber):
    def __init__(self, topic: str, depth: int) -> None:
        super().__init__(depth)
        core = _core()
        # Told from eCAL's own thread, which must not wait for who waits for it.
        self._ready: Any = core.Publisher(_ready(topic), config=_way(core, 0))
        self._subscriber: Any = core.Subscriber(topic, config=_heard(core))
        self._subscriber.set_receive_callback(self._take)
        _OPEN.add(self)

    def _take(self, topic: Any, kind: Any, data: Any) -> None:  # noqa: ARG002
        message = data.buffer
        if message.startswith(_PROBE):
            if (ready := self._ready) is not None:
                ready.send(message)
        else:
            self.inbox.put(message)

    def close(self) -> None:
        if self._subscriber is not None:
            self._subscriber.remove_receive_callback()
            self._subscriber = self._ready = None
        self.inbox.close()


class _Requester(QueuedRequester):
    def __init__(self, name: str, service: str) -> None:
        super().__init__(service)
        core = _core()
        self._method = core.ServiceMethodInformation()
        self._method.method_name = _METHOD
        self._client: Any = core.ServiceClient(name, {self._method})
        _OPEN.add(self)

    def _take(self, response: Any) -> None:
        if response.response:
            self.inbox.put(response.response)

    def _send(self, message: bytes) -> None:
        self._client.call_with_callback_async(_METHOD, message, self._take)

    def wait_for_replier(self, timeout: float) -> bool:
        return wait_until(self._client.is_connected, timeout)

    def close(self) -> None:
        self._client = None
        self.inbox.close()


class _Replier(QueuedReplier):
    def __init__(self, name: str) -> None:
        super().__init__()
        core = _core()
        self._waiting: set[queue.SimpleQueue[bytes]] = set()
        self._server: Any = core.ServiceServer(name)
        method = core.ServiceMethodInformation()
        method.method_name = _METHOD
        self._server.set_method_callback(method, self._take)
        _OPEN.add(self)

    def _take(self, method: Any, request: bytes) -> tuple[int, bytes]:  # noqa: ARG002
        reply: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._waiting.add(reply)
        self.inbox.put((request, reply.put))
        answer = reply.get()
        self._waiting.discard(reply)
        return 0, answer

    def close(self) -> None:
        for reply in list(self._waiting):
            reply.put(b"")
        if self._server is not None:
            self._server.remove_method_callback(_METHOD)
            self._server = None
        self.inbox.close()


class Ecal(Transport):
    name = "ecal"
    title = "eCAL"
    capabilities: ClassVar[Capabilities] = Capabilities(
        send_copies=2,
        receive_copies=1,
        aligned=False,
        request_reply=True,
        other_machines=False,
        full="the subscriber's oldest waiting frame is lost; a process that does not react delays"
        " frames by up to 0.5 s each until it is given up after 3 s",
    )

    def __init__(self, address: str | None = None) -> None:
        """``address``: what precedes the names of topics and services."""
        super().__init__(address)
        self._prefix = f"{address}/" if address else ""

    @classmethod
    def missing(cls) -> str | None:
        try:
            found = importlib.util.find_spec("ecal.nanobind_core")
        except ImportError:
            found = None
        return None if found else "not installed: pip install eclipse-ecal"

    @classmethod
    @contextmanager
    def server(cls) -> Iterator[str | None]:
        yield f"wirecost-{secrets.token_hex(8)}"

    def publisher(self, topic: str) -> Publisher:
        return _Publisher(self._prefix + topic)

    def subscriber(self, topic: str, *, depth: int = 16) -> QueuedSubscriber:
        return _Subscriber(self._prefix + topic, depth)

    def requester(self, service: str) -> QueuedRequester:
        return _Requester(self._prefix + service, service)

    def replier(self, service: str) -> QueuedReplier:
        return _Replier(self._prefix + service)

    def close(self) -> None:
        """eCAL itself stays until the program ends."""


TRANSPORTS = [Ecal]
