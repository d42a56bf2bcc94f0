# SPDX-License-Identifier: Apache-2.0
"""eCAL on this machine: shared memory with an acknowledgement, so that no burst overwrites itself.

Publishers and subscribers find each other by eCAL's registration on loopback. Which side knows of
the other first is left to chance; a probe over the path of the frames shows that it is open.
Frames stay in shared memory, which eCAL makes for every user of the machine; here it is closed to
others. eCAL would listen on all interfaces, and no setting of its changes that: on UDP port 14000
for registration, and on a TCP port for each service. Its sockets are bound to loopback instead.
"""

from __future__ import annotations

import atexit
import importlib
import os
import queue
import secrets
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from wirecost.messaging.transport.base import Capabilities, Frame, Publisher, Transport
from wirecost.messaging.transport.ecal.ending import end, finalize
from wirecost.messaging.transport.ecal.leftovers import sweep
from wirecost.messaging.transport.package import Package
from wirecost.messaging.transport.shared.inbox import Inbox
from wirecost.messaging.transport.shared.inbox_based import (
    InboxReplier,
    InboxRequester,
    InboxSubscriber,
    joined,
)
from wirecost.messaging.transport.shared.loopback import kept_on_loopback
from wirecost.messaging.transport.shared.shared_memory import (
    ENDPOINT_BYTES,
    check_room,
    mappings,
    reserve_files,
)
from wirecost.system.errors import UserError
from wirecost.system.waiting import Deadline, wait_until

_REGISTRATION_MS = 100
_GONE_MS = 3000
CHANGED_DEFAULTS = (
    "layer.udp.enable and layer.tcp.enable false", "layer.shm.zero_copy_mode true",
    f"registration_refresh {_REGISTRATION_MS} ms", f"registration_timeout {_GONE_MS} ms",
    "logging off",
)  # fmt: skip
_ACKNOWLEDGE_MS = 500
_PROBE = b"wirecost probe "
_METHOD = "ask"
_STARTING = threading.Lock()
_OPEN: weakref.WeakSet[Any] = weakref.WeakSet()
"""Endpoints that are closed when the program ends: eCAL's would outlive Python."""


def _core() -> Any:
    """Return eCAL, set up once in a process, for one more endpoint."""
    core = importlib.import_module("ecal.nanobind_core")
    keep_umask()
    with _STARTING:
        if not core.is_initialized():
            _start(core)
    check_room(ENDPOINT_BYTES, "ecal")
    return core


def _start(core: Any) -> None:
    config = core.Configuration()
    config.registration.registration_refresh = _REGISTRATION_MS
    config.registration.registration_timeout = _GONE_MS
    for sink in ("console", "file", "udp"):
        getattr(config.logging.provider, sink).enable = False
    sweep()
    with kept_on_loopback():
        if not core.initialize(config, "wirecost"):
            raise UserError("ecal: cannot be set up: is there a loopback interface?")
    atexit.register(_end, core)


def _opened(endpoint: Any) -> None:
    _OPEN.add(endpoint)
    keep_umask()


def _sending(core: Any, acknowledge_ms: int) -> Any:
    """Return how a publisher sends: shared memory only, read where it lies."""
    config = core.get_publisher_configuration()
    layer = config.layer
    layer.udp.enable = layer.tcp.enable = False
    layer.shm.zero_copy_mode = True
    layer.shm.acknowledge_timeout_ms = acknowledge_ms
    return config


def _receiving(core: Any) -> Any:
    """Return how a subscriber receives: from shared memory only."""
    config = core.get_subscriber_configuration()
    config.layer.udp.enable = config.layer.tcp.enable = False
    return config


def _end(core: Any) -> None:
    ours = {mapping.path for mapping in mappings(_is_ecals)}
    for endpoint in list(_OPEN):
        endpoint.close()
    finalize(core)
    keep_umask()
    sweep(ours=ours)


def _is_ecals(name: str) -> bool:
    return name.startswith("ecal_")


def _settle() -> None:
    """Reserve what this process has mapped of eCAL's shared memory, and close it to others.

    Raises UserError where there is not enough.
    """
    keep_umask()
    reserve_files(_is_ecals, "ecal")
    for mapping in mappings(_is_ecals):
        # Another user's, or gone again.
        with suppress(OSError):
            mapping.path.chmod(0o600)


def _close(endpoint: Any) -> None:
    end(endpoint)
    keep_umask()


def _ready(topic: str) -> str:
    return topic + "/wirecost-ready"


class _EcalPublisher(Publisher):
    def __init__(self, topic: str, acknowledged: bool = True) -> None:
        super().__init__()
        core = _core()
        acknowledge_ms = _ACKNOWLEDGE_MS if acknowledged else 0
        self._most = self._subscribers = 0
        self._publisher: Any = core.Publisher(topic, config=_sending(core, acknowledge_ms))
        self._probe = _PROBE + secrets.token_bytes(8)
        self._answers = Inbox(1)
        self._ready: Any = core.Subscriber(_ready(topic), config=_receiving(core))
        self._ready.set_receive_callback(self._answered)
        _opened(self)

    def _answered(self, topic: Any, kind: Any, data: Any) -> None:  # noqa: ARG002
        if data.buffer == self._probe:
            self._answers.put(True)

    def _send(self, frame: Frame, trailer: bytes) -> bool:
        self._check_size(frame, "ecal", len(trailer))
        if subscribers := self._publisher.get_subscriber_count():
            message = joined(frame, trailer)
            if len(message) <= self._most and subscribers == self._subscribers:
                self._publisher.send(message)
            else:
                self._send_first(message)
                self._subscribers = subscribers
        return True

    def _send_first(self, message: bytes) -> None:
        """Send to new subscribers, or more than ever before.

        eCAL makes files then, that for messages with room for half as much again.
        """
        check_room(2 * len(message) + ENDPOINT_BYTES, f"a message of {len(message)} bytes")
        self._publisher.send(message)
        _settle()
        self._most = max(self._most, len(message))

    def wait_for_subscriber(self, timeout: float) -> bool:
        end = Deadline(timeout)
        while self._answers.take(0):
            pass  # an earlier wait's
        while True:
            if self._publisher.get_subscriber_count():
                self._publisher.send(self._probe)
            if self._answers.take(0.01):
                _settle()
                return True
            if end.passed:
                return False

    def close(self) -> None:
        if self._publisher is not None:
            _close(self._ready)
            self._publisher = self._ready = None
        super().close()


class _EcalSubscriber(InboxSubscriber):
    def __init__(self, topic: str, depth: int, waits: bool = False) -> None:
        super().__init__(depth, waits)
        core = _core()
        # It sends from eCAL's own thread, which must not wait for the peer that waits for it.
        self._ready: Any = core.Publisher(_ready(topic), config=_sending(core, 0))
        self._subscriber: Any = core.Subscriber(topic, config=_receiving(core))
        self._subscriber.set_receive_callback(self._take)
        _opened(self)

    def _take(self, topic: Any, kind: Any, data: Any) -> None:  # noqa: ARG002
        message = data.buffer
        if message.startswith(_PROBE):
            if (ready := self._ready) is not None:
                ready.send(message)
        else:
            self.inbox.put(message)

    def close(self) -> None:
        if self._subscriber is not None:
            _close(self._subscriber)
            self._subscriber = self._ready = None
        super().close()


class _EcalRequester(InboxRequester):
    def __init__(self, name: str, service: str) -> None:
        super().__init__(service)
        core = _core()
        self._method = core.ServiceMethodInformation()
        self._method.method_name = _METHOD
        self._client: Any = core.ServiceClient(name, {self._method})
        _opened(self)

    def _take(self, response: Any) -> None:
        if response.response:
            self.inbox.put(response.response)

    def _send(self, message: bytes) -> None:
        self._client.call_with_callback_async(_METHOD, message, self._take)

    def wait_for_replier(self, timeout: float) -> bool:
        return wait_until(self._client.is_connected, timeout)

    def close(self) -> None:
        if self._client is not None:
            _close(self._client)
            self._client = None


class _EcalReplier(InboxReplier):
    def __init__(self, name: str) -> None:
        super().__init__()
        core = _core()
        self._waiting: set[queue.SimpleQueue[bytes]] = set()
        with kept_on_loopback():
            self._server: Any = core.ServiceServer(name)
        method = core.ServiceMethodInformation()
        method.method_name = _METHOD
        self._server.set_method_callback(method, self._take)
        _opened(self)

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
            _close(self._server)
            self._server = None


class Ecal(Transport):
    name = "ecal"
    title = "eCAL"
    package = Package("eclipse-ecal", ("ecal.nanobind_core",))
    capabilities: ClassVar[Capabilities] = Capabilities(
        send_copies=2,
        receive_copies=1,
        aligned=False,
        request_reply=True,
        other_machines=False,
        full="the subscriber's oldest waiting frame is lost; a process that does not react delays"
        " frames by up to 0.5 s each until it is given up after 3 s",
        exposed="every user of this machine can see its topics on loopback, UDP port 14000; before"
        " Linux 5.7 and unless root, other machines reach that port and a TCP port of each service",
        kept="shared memory of a killed process stays until the next one of this user starts",
        shared_memory=True,
    )

    def __init__(self, address: str | None = None) -> None:
        """Set eCAL up; ``address``: what precedes the names of topics and services."""
        super().__init__(address)
        self._prefix = f"{address}/" if address else ""

    @classmethod
    @contextmanager
    def server(cls) -> Iterator[str | None]:
        try:
            yield f"wirecost-{secrets.token_hex(8)}"
        finally:
            sweep()

    def publisher(self, topic: str) -> Publisher:
        return _EcalPublisher(self._prefix + topic, self.quality.waits(own=True))

    def subscriber(self, topic: str, *, depth: int = 16) -> InboxSubscriber:
        return _EcalSubscriber(self._prefix + topic, depth, self.quality.waits())

    def requester(self, service: str) -> InboxRequester:
        return _EcalRequester(self._prefix + service, service)

    def replier(self, service: str) -> InboxReplier:
        return _EcalReplier(self._prefix + service)


_STATUS = Path("/proc/self/status")
_REMEMBERED = [0]


def keep_umask() -> None:
    """Remember the umask if it is not 0, else set the one remembered, if any.

    eCAL sets it to 0 for each file of shared memory that it makes, and then back, in the caller's
    thread and in its own. Of two threads that do so at once, the later takes the other's 0 for the
    process's umask and leaves it so: all may write new files.
    """
    if now := current_umask():
        _REMEMBERED[0] = now
    elif _REMEMBERED[0]:
        os.umask(_REMEMBERED[0])


def current_umask() -> int:
    """Return the umask without setting it, which another thread would see."""
    lines = _STATUS.read_text(errors="replace").splitlines()
    return next((int(line[6:], 8) for line in lines if line.startswith("Umask:")), 0)
