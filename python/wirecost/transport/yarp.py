# SPDX-License-Identifier: Apache-2.0
"""YARP: frames as the pixels of a grey image, the one type whose memory Python can give and take.

The image is rows of 4096 bytes: the message's size as u64 and 56 zeros, the message, and zeros.
"""

from __future__ import annotations

import importlib
import secrets
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from wirecost.errors import UserError
from wirecost.transport.base import Capabilities, Frame, Publisher, Subscriber, Transport
from wirecost.transport.package import Package
from wirecost.transport.shared.inbox import wait_until
from wirecost.transport.shared.server_process import NoServerError, program

_ROW = 4096
_SIZE = struct.Struct("<Q56x")
_POLL_S = 0.0002
"""Python's binding can wait for a message only where Ctrl-C is not handled."""
_CONNECT_S = 0.2
_START_S = 10
_CARRIER = "fast_tcp"


def _yarp() -> Any:
    # This file's own name is the package's.
    return importlib.import_module("yarp")


def _network() -> Any:
    network = _yarp().Network
    network.init()
    return network


def _port(topic: str) -> str:
    if not topic or any(letter.isspace() for letter in topic):
        raise UserError(f"topic {topic!r}: YARP's names are not empty and have no spaces")
    return "/" + topic.strip("/")


def _rows(height: int) -> Any:
    import numpy as np  # noqa: PLC0415 - transports are listed without it

    return np.zeros((height, _ROW), np.uint8)


def _aligned(height: int, width: int) -> Any:
    """Rows of bytes that start on a multiple of 64."""
    import numpy as np  # noqa: PLC0415 - transports are listed without it

    memory = np.empty(height * width + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + height * width].reshape(height, width)


def _opened(port: Any, name: str) -> Any:
    if not port.open(name):
        raise UserError(f"yarp: port {name} cannot be opened: another process may have it")
    return port


class _Publisher(Publisher):
    def __init__(self, topic: str) -> None:
        super().__init__()
        self._port = _opened(_yarp().Port(), _port(topic))
        self._rows = _rows(0)
        self._image: Any = None

    def _send(self, frame: Frame, trailer: bytes) -> bool:
        self._check_size(frame, "yarp")
        size = frame.nbytes + len(trailer)
        height = -(-(_SIZE.size + size) // _ROW)
        if self._image is None or len(self._rows) != height:
            self._rows = _rows(height)
            self._image = _yarp().ImageMono()
            self._image.setExternal(self._rows, _ROW, height)
        memory = self._rows.reshape(-1).data
        _SIZE.pack_into(memory, 0, size)
        end = _SIZE.size + frame.write_into(memory[_SIZE.size :])
        memory[end : end + len(trailer)] = trailer
        return bool(self._port.write(self._image))

    def wait_for_subscriber(self, timeout: float) -> bool:
        return wait_until(lambda: self._port.getOutputCount() > 0, timeout)

    def close(self) -> None:
        self._port.close()
        super().close()


class _Subscriber(Subscriber):
    def __init__(self, topic: str) -> None:
        super().__init__()
        self._source = _port(topic)
        self._name = f"{self._source}/wirecost-{secrets.token_hex(8)}"
        self._port = _yarp().BufferedPortImageMono()
        self._port.setStrict(True)
        _opened(self._port, self._name)
        self._looked = 0.0
        self._connect()

    def _connect(self) -> None:
        """Again and again: publishers come and go."""
        if time.monotonic() - self._looked < _CONNECT_S:
            return
        network = _network()
        if network.exists(self._source) and not network.isConnected(self._source, self._name):
            network.connect(self._source, self._name, _CARRIER)
        self._looked = time.monotonic()

    def _receive(self, timeout: float | None) -> tuple[Any, Callable[[], object] | None] | None:
        end = None if timeout is None else time.monotonic() + timeout
        while (received := self._port.read(False)) is None:
            if end is not None and time.monotonic() >= end:
                return None
            self._connect()
            time.sleep(_POLL_S)
        rows = _aligned(received.height(), received.width())
        own = _yarp().ImageMono()
        own.setExternal(rows, rows.shape[1], rows.shape[0])
        own.copy(received)
        memory = rows.reshape(-1).data
        if len(memory) >= _SIZE.size:
            (size,) = _SIZE.unpack_from(memory)
            if size <= len(memory) - _SIZE.size:
                return memory[_SIZE.size : _SIZE.size + size], None
        return memory, None  # a stranger's image, which the trailer's check finds

    def close(self) -> None:
        self._port.interrupt()
        self._port.close()


class Yarp(Transport):
    name = "yarp"
    title = "YARP"
    package = Package(
        "yarp",
        ("yarp",),
        "conda install -c robotology yarp, or build YARP with YARP_COMPILE_BINDINGS",
    )
    address_form = "NAMESPACE"
    capabilities: ClassVar[Capabilities] = Capabilities(
        send_copies=1,
        receive_copies=2,
        aligned=True,
        request_reply=False,
        other_machines=True,
        full="the publisher waits for its subscribers, which keep all",
        server="yarpserver",
        not_exercised="written after YARP's documentation: it is not in Debian nor on PyPI",
        exposed="what YARP opens as it is set up",
    )

    def __init__(self, address: str | None = None) -> None:
        """``address``: the name server's namespace; None is the one that YARP is set to."""
        super().__init__(address)
        network = _network()
        if address is not None:
            network.setNameServerName(address)
        if not network.checkNetwork():
            raise UserError("no YARP name server: start yarpserver, or name its namespace")

    @classmethod
    @contextmanager
    def server(cls) -> Iterator[str | None]:
        """The server that is there already, or one of its own while it lasts."""
        network = _network()
        if network.checkNetwork():
            yield None
            return
        found = program("yarpserver")
        if found is None:
            raise NoServerError("yarp: yarpserver cannot be found: it comes with YARP")
        process = subprocess.Popen([found, "--silent"], stdin=subprocess.DEVNULL)
        try:
            if not wait_until(network.checkNetwork, _START_S, 0.1):
                raise UserError(f"{found} does not answer within {_START_S} s")
            yield None
        finally:
            process.terminate()
            process.wait()

    def publisher(self, topic: str) -> Publisher:
        return _Publisher(topic)

    def subscriber(self, topic: str, *, depth: int = 16) -> Subscriber:  # noqa: ARG002
        """``depth``: YARP's ports keep all."""
        return _Subscriber(topic)


TRANSPORTS = [Yarp]
