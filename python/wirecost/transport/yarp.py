# SPDX-License-Identifier: Apache-2.0
"""YARP: frames as the pixels of a grey image, the one type whose memory Python can give and take.

The image is rows of 4096 bytes: the message's size as u64 and 56 zeros, the message, and zeros.
YARP's own threads read it from the socket into the image's memory, where it stays.
"""

from __future__ import annotations

import ctypes
import fcntl
import importlib
import os
import re
import secrets
import shutil
import signal
import socket
import struct
import sys
import termios
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from sysconfig import get_path
from typing import Any, ClassVar

from wirecost import scratch
from wirecost.errors import UserError
from wirecost.transport.base import Capabilities, Frame, Publisher, Subscriber, Transport
from wirecost.transport.package import Package
from wirecost.transport.shared.inbox import wait_until
from wirecost.transport.shared.inbox_based import InboxSubscriber
from wirecost.transport.shared.loopback import kept_on_loopback, own_sockets
from wirecost.transport.shared.server_process import (
    LOOPBACK,
    NoServerError,
    host_and_port,
    program,
    reachable,
    running,
)

_ROW = 4096
_SIZE = struct.Struct("<Q56x")
_CONNECT_S = 0.2
"""Between looks for the publisher, as long as there is no connection."""
_STALLED_S = 5.0
"""A subscriber that takes no byte for so long, or up to twice as long, while its publisher sends,
loses its connection."""
_BYTES_ACKED = struct.Struct("<120xQ")
"""The field of Linux's struct tcp_info."""
_ANSWER_S = 2.0
_ANSWER_BYTES = 4096
_CARRIER = "fast_tcp"
_NAME = re.compile(r"[A-Za-z0-9_./-]+")
_ROOT = "/root"
"""YARP's usual namespace, and its name server's port."""
_PORT = 10_000
_PORTS_TRIED = 5
_BACKLOG = 64
_DESCRIPTORS = 512
"""Above which no port is opened: YARP waits with select(), which writes beyond its memory for a
descriptor from 1,024 on, and each port gets connections, too."""
_SPARE_IMAGES = 2
_INSTALL = "build it with setup/yarp in a checkout of wirecost, or with YARP_COMPILE_BINDINGS"

_state = threading.Lock()
_server = ""
"""The name server that this process uses; YARP has one in a process."""
_users = 0
"""Transports that use it."""


@cache
def _yarp() -> Any:
    """YARP, without its messages on standard output. This file's own name is the package's."""
    with _environment(YARP_QUIET="1"):
        return importlib.import_module("yarp")


def _configured() -> str:
    """The name server that YARP is set to, ``host:port``. Raises UserError if it is set to none."""
    network = _yarp().Network
    namespace = network.getNameServerName()
    stem = "yarp" if namespace == _ROOT else re.sub("[^A-Za-z0-9]", "_", namespace)
    path = Path(network.getConfigFile(f"{stem}.conf"))
    with suppress(OSError, ValueError):
        host, port, *_ = path.read_text().split()
        return f"{host}:{port}"
    raise UserError(
        f"YARP is set to no name server, there is no {path}: start yarpserver, or give its address"
    )


@contextmanager
def _environment(**variables: str | None) -> Iterator[None]:
    """Sets variables for a moment; None takes one away."""
    before = {name: os.environ.get(name) for name in variables}
    _set(variables)
    try:
        yield
    finally:
        _set(before)


def _set(variables: dict[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@contextmanager
def _configuration(host: str, port: int) -> Iterator[dict[str, str | None]]:
    """Variables that set YARP to a name server, by a folder that is there meanwhile."""
    with scratch.folder("yarp") as folder:
        (folder / "yarp.conf").write_text(f"{host} {port} yarp\n")
        yield {"YARP_CONFIG_HOME": str(folder), "YARP_NAMESPACE": None}


def _use(address: str | None) -> str:
    """Makes this process use a name server, until ``_leave``; gives its address."""
    global _server, _users  # noqa: PLW0603
    with _state:
        host, port = host_and_port(address or _configured(), _PORT)
        if not reachable(host, port):
            raise UserError(f"no YARP name server at {host}:{port}: start yarpserver there")
        address = f"{host}:{port}"
        if address != _server:
            if _users:
                raise UserError(
                    f"yarp: this process uses the name server at {_server} already, and can use"
                    f" none at {address}: use another process"
                )
            with _configuration(host, port) as variables, _environment(**variables):
                _yarp().Network.init()
                # Reads the configuration again; what it writes lies in that folder, too.
                _yarp().Network.setNameServerName(_ROOT)
            _server = address
        _users += 1
    return address


def _leave() -> None:
    global _users  # noqa: PLW0603
    with _state:
        _users -= 1


def _name(topic: str) -> str:
    """The port's name."""
    name = topic.strip("/")
    if not _NAME.fullmatch(name):
        raise UserError(f"topic {topic!r}: YARP's names are of letters, digits and _ . / -")
    if "/" + name in {_ROOT, _yarp().Network.getNameServerName()}:
        raise UserError(f"topic {topic!r}: the port of YARP's name server has that name")
    return "/" + name


@contextmanager
def _own_children() -> Iterator[None]:
    """Keeps the process's handling of ended children, in place of which YARP sets one that takes
    every child's exit status, whoever waits for it."""
    library = ctypes.CDLL(None)
    handling = ctypes.create_string_buffer(256)  # larger than any struct sigaction
    library.sigaction(signal.SIGCHLD, None, handling)
    try:
        yield
    finally:
        library.sigaction(signal.SIGCHLD, handling, None)


def _free_port(host: str) -> int:
    with socket.socket() as probe:
        if probe.fileno() >= _DESCRIPTORS:
            raise UserError(
                f"yarp: this process has {_DESCRIPTORS} files and connections open, and YARP fails"
                " beyond 1,024, with those to come: open fewer topics in a process"
            )
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def _host_towards(server: str) -> str:
    """This machine's address that the name server's machine reaches: loopback for one on it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(host_and_port(server, _PORT))
        return str(probe.getsockname()[0])


class _Port:
    """An open port, which listens on one address alone."""

    def __init__(self, name: str, server: str, reader: Any = None) -> None:
        yarp = _yarp()
        host = _host_towards(server)
        self.name = name
        self.port = yarp.Port()
        if reader is not None:
            self.port.setReader(reader)
        for _ in range(_PORTS_TRIED):
            # Name servers give away ports without looking whether another has them.
            contact = yarp.Contact(name, "tcp", host, _free_port(host))
            with _own_children(), kept_on_loopback():
                opened = self.port.open(contact)
            if opened:
                _widen(contact.getHost(), contact.getPort())
                if yarp.Network.registerContact(contact).getPort() > 0:
                    return
                self.port.close()
                raise UserError(f"no YARP name server at {server} any more: start yarpserver there")
        raise UserError(f"yarp: port {name} cannot be opened at {host}")

    def close(self) -> None:
        self.port.interrupt()
        self.port.close()
        _yarp().Network.unregisterName(self.name)


def _widen(host: str, port: int) -> None:
    """Lets more callers wait than the one that YARP has room for: others try again after 1 s."""
    for _, one in own_sockets():
        if one.family == socket.AF_INET and one.getsockname() == (host, port):
            one.listen(_BACKLOG)


def _style() -> Any:
    """How this process talks to ports of others, which may be stopped."""
    style = _yarp().ContactStyle()
    style.quiet = True
    style.timeout = _ANSWER_S
    style.carrier = _CARRIER
    return style


def _is_there(name: str, server: str) -> bool:
    """Whether a port that has this name listens; those that were killed are still registered.

    Asks by itself: YARP would print errors for what is not there.
    """
    with (
        suppress(OSError),
        socket.create_connection(host_and_port(server, _PORT), _ANSWER_S) as link,
    ):
        link.sendall(f"NAME_SERVER query {name}\n".encode())
        answer = link.recv(_ANSWER_BYTES)
        if found := re.match(rb'registration name \S+ ip "?([\d.]+)"? port (\d+)', answer):
            return reachable(found[1].decode(), int(found[2]), _ANSWER_S)
    return False


def _known_ports() -> set[tuple[str, int]]:
    """Addresses of all ports that the name server knows."""
    yarp = _yarp()
    reply, style = yarp.Bottle(), _style()
    style.carrier = "name_ser"
    yarp.Network.write(yarp.Network.getNameServerContact(), yarp.Bottle("bot list"), reply, style)
    found = re.findall(r'\(ip "?([\d.]+)"?\) \(port_number (\d+)\)', reply.toString())
    return {(host, int(port)) for host, port in found}


class _Watch:
    """Ends the connections of subscribers that take nothing: YARP would wait for them without end,
    and its own timeout would leave a message's rest out and go on with the next."""

    def __init__(self) -> None:
        self.sending = 0
        """The number of the send that is under way, else 0."""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        before: dict[int, int] = {}
        number = 0
        while not self._ended.wait(_STALLED_S):
            acknowledged: dict[int, int] = {}
            if self.sending:
                ports = _known_ports()
                for descriptor, one in own_sockets():
                    with suppress(OSError):  # it is not connected
                        if one.getpeername() not in ports:
                            continue
                        info = one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
                        (acknowledged[descriptor],) = _BYTES_ACKED.unpack_from(info)
                        stalled = before.get(descriptor) == acknowledged[descriptor]
                        if stalled and number == self.sending and _unsent(one):
                            one.shutdown(socket.SHUT_RDWR)
            before, number = acknowledged, self.sending

    def close(self) -> None:
        self._ended.set()
        self._thread.join()


def _unsent(one: socket.socket) -> int:
    """Bytes that the other side has not acknowledged."""
    return int.from_bytes(fcntl.ioctl(one, termios.TIOCOUTQ, bytes(4)), sys.byteorder)


class _Publisher(Publisher):
    def __init__(self, topic: str, server: str) -> None:
        super().__init__()
        name = _name(topic)
        if _is_there(name, server) and _yarp().Network.exists(name, _style()):
            raise UserError(f"topic {topic!r}: another publisher has YARP's port {name}")
        self._port: _Port | None = _Port(name, server)
        self._watch = _Watch()
        self._rows = bytearray()
        self._image: Any = None

    def _send(self, frame: Frame, trailer: bytes) -> bool:
        self._check_size(frame, "yarp")
        if self._port is None:
            raise UserError("yarp: this publisher is closed")
        size = frame.nbytes + len(trailer)
        height = -(-(_SIZE.size + size) // _ROW)
        if len(self._rows) != height * _ROW:
            self._rows = bytearray(height * _ROW)
            self._image = _yarp().ImageMono()
            self._image.setExternal(self._rows, _ROW, height)
        memory = memoryview(self._rows)
        _SIZE.pack_into(memory, 0, size)
        end = _SIZE.size + frame.write_into(memory[_SIZE.size :])
        memory[end : end + len(trailer)] = trailer
        self._watch.sending = self.sent + self.dropped + 1
        try:
            return bool(self._port.port.write(self._image))
        finally:
            self._watch.sending = 0

    def wait_for_subscriber(self, timeout: float) -> bool:
        port = self._port
        return port is not None and wait_until(lambda: port.port.getOutputCount() > 0, timeout)

    def close(self) -> None:
        port, self._port = self._port, None
        if port is not None:
            self._watch.sending = -1  # it takes leave of its subscribers
            port.close()
            self._watch.close()
        super().close()


@cache
def _reader() -> type[Any]:
    """The class of what YARP's threads call with a message."""
    yarp = _yarp()
    kind = yarp.Port().getType()
    kind.disown()  # it would be no one's to delete, of which the binding complains

    base: Any = yarp.PortReader

    class Reader(base):  # type: ignore[misc]
        def __init__(self, take: Callable[[Any], object]) -> None:
            super().__init__()
            self._take = take
            self._spare: list[Any] = []

        def read(self, connection: Any) -> bool:
            if not connection.isValid():
                return False  # the port closes
            image = self._spare.pop() if self._spare else yarp.ImageMono()
            there = connection.getSize()
            if not image.read(connection) or image.getRawImageSize() > there:
                return False  # it announces more than comes
            self._take((image, self))
            return True

        def getReadType(self) -> Any:  # noqa: N802
            return kind

        def give_back(self, image: Any) -> None:
            """Its memory takes another message of the same size."""
            if len(self._spare) < _SPARE_IMAGES:
                self._spare.append(image)

    return Reader


def _content(image: Any) -> memoryview:
    """The message in an image's memory."""
    size = image.getRawImageSize()
    memory = (ctypes.c_ubyte * size).from_address(int(image.getRawImage())) if size else b""
    view = memoryview(memory).cast("B")
    if size >= _SIZE.size:
        (length,) = _SIZE.unpack_from(view)
        if length <= size - _SIZE.size:
            return view[_SIZE.size : _SIZE.size + length]
    return view  # a stranger's image, which the trailer's check finds


class _Subscriber(InboxSubscriber):
    """If it ``waits``, of more than ``depth`` messages the later ones do so at their publisher."""

    def __init__(self, topic: str, server: str, depth: int, waits: bool) -> None:
        super().__init__(depth, waits)
        self._source, self._server = _name(topic), server
        self._reader = _reader()(self.inbox.put)
        self._port = _Port(f"{self._source}/wirecost-{secrets.token_hex(8)}", server, self._reader)
        self._open = True
        self._changing = threading.Lock()
        self.connect()

    def connect(self) -> None:
        """Connects to the publisher if that is there, and not connected."""
        with self._changing:
            if not self._open or self._port.port.getInputCount():
                return
            if _is_there(self._source, self._server):
                _yarp().Network.connect(self._source, self._port.name, _style())

    def _receive(self, timeout: float | None) -> tuple[Any, Callable[[], object] | None] | None:
        found = self.inbox.take(timeout)
        if found is None:
            return None
        image, reader = found
        return _content(image), lambda: reader.give_back(image)

    def close(self) -> None:
        with self._changing:
            if not self._open:
                return
            self._open = False
            super().close()
            # A port that closes would ask its publisher without end, which may be stopped.
            port, network = self._port.port, _yarp().Network
            if port.getInputCount():
                network.disconnect(self._source, self._port.name, _style())
            if port.getInputCount():
                network.disconnectInput(self._port.name, self._source, True)
            self._port.close()


class _Connecting:
    """Connects a transport's subscribers again and again: publishers come and go."""

    def __init__(self) -> None:
        self._subscribers: weakref.WeakSet[_Subscriber] = weakref.WeakSet()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def add(self, subscriber: _Subscriber) -> None:
        self._subscribers.add(subscriber)

    def _run(self) -> None:
        while not self._ended.wait(_CONNECT_S):
            for one in list(self._subscribers):
                one.connect()

    def close(self) -> None:
        self._ended.set()
        self._thread.join()


class Yarp(Transport):
    name = "yarp"
    title = "YARP"
    package = Package("yarp-middleware", ("yarp",), _INSTALL)
    address_form = "SERVER:PORT"
    capabilities: ClassVar[Capabilities] = Capabilities(
        send_copies=1,
        receive_copies=0,
        aligned=False,
        request_reply=False,
        other_machines=True,
        full="the publisher waits for its subscribers, up to 10 s for one that takes nothing,"
        " which then loses its connection",
        server="yarpserver",
        exposed="every user of this machine can connect to its ports on loopback; so can other"
        " machines if the name server is at another address",
    )

    def __init__(self, address: str | None = None) -> None:
        """``address``: the name server's; None is the one that YARP is set to."""
        super().__init__(address)
        self._server: str | None = _use(address)
        self._connecting = _Connecting()

    @classmethod
    def missing(cls) -> str | None:
        if why := cls.package.missing():
            return why
        found = find_spec("yarp")
        folder = Path(found.origin).parent if found and found.origin else Path()
        if not any(chain(folder.glob("_yarp*"), folder.glob("bindings/_yarp*"))):
            return f"PyPI's yarp is another library: pip uninstall yarp, and {_INSTALL}"
        return None

    @classmethod
    @contextmanager
    def server(cls) -> Iterator[str | None]:
        with cls.server_at(LOOPBACK) as address:
            yield address

    @classmethod
    @contextmanager
    def server_at(cls, host: str) -> Iterator[str | None]:
        found = program("yarpserver") or shutil.which("yarpserver", path=get_path("scripts"))
        if found is None:
            raise NoServerError("yarp: yarpserver cannot be found: it comes with YARP")
        with scratch.folder("yarp") as folder:
            environment = {k: v for k, v in os.environ.items() if k != "YARP_NAMESPACE"}
            environment["YARP_CONFIG_HOME"] = str(folder)

            def command(port: int) -> list[str]:
                (folder / "yarp.conf").write_text(f"{host} {port} yarp\n")
                # Of a second socket that it has for a moment; where it cannot, it ends.
                environment["YARP_PORT_RANGE"] = str(port)
                memory = ["--portdb", ":memory:", "--subdb", ":memory:"]
                # Without --read it prefers another address to loopback.
                return [found, "--read", "--ip", host, "--socket", str(port), *memory]

            with running(command, folder / "log", environment, host) as port:
                yield f"{host}:{port}"

    def publisher(self, topic: str) -> Publisher:
        return self._kept(_Publisher(topic, self._address()))

    def subscriber(self, topic: str, *, depth: int = 16) -> Subscriber:
        waits = self.quality.waits(own=True)
        subscriber = self._kept(_Subscriber(topic, self._address(), depth, waits))
        self._connecting.add(subscriber)
        return subscriber

    def _address(self) -> str:
        if self._server is None:
            raise UserError("yarp: this transport is closed")
        return self._server

    def close(self) -> None:
        self._connecting.close()
        super().close()
        server, self._server = self._server, None
        if server is not None:
            _leave()


TRANSPORTS = [Yarp]
