# SPDX-License-Identifier: Apache-2.0
"""libzmq as pyzmq has loaded it, and a socket that writes frames into its messages."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from errno import EAGAIN
from typing import Any

from wirecost.messaging.transport.base import Frame
from wirecost.system.errors import UserError

START = 8
"""libzmq's memory for large messages begins 8 bytes behind a multiple of 16."""
_PADDING = bytes(START)
_DONTWAIT = 1
_WRITE = 0x200
MOST_BYTES = 1 << 32
RECONNECT_MS = 20


_Message = ctypes.c_uint64 * 8
"""``zmq_msg_t``."""


CHANGED_DEFAULTS = (
    "linger 0",
    "maxmsgsize 4 GiB",
    f"reconnect_ivl {RECONNECT_MS} ms",
    "zap_domain",
)


class Library:
    """libzmq as pyzmq has loaded it, for the calls that pyzmq does not offer."""

    def __init__(self) -> None:
        import zmq  # noqa: PLC0415
        from zmq.backend.cython import _zmq  # noqa: PLC0415

        self.zmq = zmq
        # None of these blocks, so that they keep the interpreter's lock.
        library = ctypes.PyDLL(_zmq.__file__)
        self._init = library.zmq_msg_init_size
        self._init.argtypes = ctypes.c_void_p, ctypes.c_size_t
        self._data = library.zmq_msg_data
        self._data.argtypes = (ctypes.c_void_p,)
        self._data.restype = ctypes.c_void_p
        self._send = library.zmq_msg_send
        self._send.argtypes = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int
        self._close = library.zmq_msg_close
        self._close.argtypes = (ctypes.c_void_p,)
        self._errno = library.zmq_errno
        self._view = ctypes.pythonapi.PyMemoryView_FromMemory
        self._view.argtypes = ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int
        self._view.restype = ctypes.py_object

    def send(
        self, end: Socket, frame: Frame, trailer: bytes, envelope: Sequence[bytes] = ()
    ) -> None:
        """Send padding, frame and trailer as one message, without waiting.

        Raises ZMQError, Again where there is no room.
        """
        behind = START + frame.nbytes
        size = behind + len(trailer)
        if size > MOST_BYTES:
            raise UserError(
                f"a frame of {frame.nbytes} bytes is above the {MOST_BYTES} that a message may"
                " have: send it in parts"
            )
        # The socket's own: others send meanwhile, in other threads.
        at = end.at
        if self._init(at, size):
            raise UserError(f"no memory for a message of {size} bytes")
        try:
            view = self._view(self._data(at), size, _WRITE)
            view[:START] = _PADDING
            frame.write_into(view[START:])
            view[behind:] = trailer
            for part in envelope:
                end.socket.send(part, self.zmq.SNDMORE | self.zmq.NOBLOCK)
            if self._send(at, end.handle, _DONTWAIT) < 0:
                number = self._errno()
                # Its constructor does not look for its name.
                raise (self.zmq.Again if number == EAGAIN else self.zmq.ZMQError)(number)
        except BaseException:
            self._close(at)
            raise


_DOMAIN = b"wirecost"
"""With one, libzmq refuses peers that speak ZMTP 1 or 2, for which it takes whatever sends bytes
that are no greeting. One of those that comes while the socket is closed would end the process: an
assertion of libzmq 4.3.5 (src/zmtp_engine.cpp) expects that its subscription can still be passed
on. Nobody is authenticated: no handler of ZAP is in the socket's context, nor is one required."""


class Socket:
    """A socket with a context of its own: ending that waits until the endpoint is free again."""

    def __init__(self, library: Library, kind: int, **options: int) -> None:
        self.library = library
        self._context = library.zmq.Context()
        self.zmq = library.zmq
        self.socket = self._context.socket(kind)
        self.socket.linger = 0
        self.socket.maxmsgsize = MOST_BYTES
        self.socket.reconnect_ivl = RECONNECT_MS
        self.socket.zap_domain = _DOMAIN
        for name, value in options.items():
            setattr(self.socket, name, value)
        self.handle: int | None = self.socket.underlying
        self._message = _Message()
        self.at = ctypes.addressof(self._message)
        self._timeout: float | None = None
        self._recv = self.socket.recv
        self._again = library.zmq.Again
        self._on_close = ExitStack()

    def attach(self, endpoint: str, bind: bool, *on_close: Callable[[], object]) -> None:
        for call in on_close:
            self._on_close.callback(call)
        try:
            (self.socket.bind if bind else self.socket.connect)(endpoint)
        except self.zmq.ZMQError as error:
            self.close()
            raise UserError(
                f"{endpoint}: {error.strerror}; give an address that is free and of this machine"
            ) from error

    def wait(self, events: int, timeout: float) -> bool:
        return bool(self.socket.poll(min(int(timeout * 1000 + 0.999), 2**31 - 1), events))

    def one(self, timeout: float | None) -> Any:
        """Return a part of a message, not copied; None after ``timeout`` seconds."""
        flags = 0
        if timeout != self._timeout:
            if timeout is not None and timeout <= 0:
                flags = _DONTWAIT
            else:
                self.socket.rcvtimeo = (
                    -1 if timeout is None else min(int(timeout * 1000 + 0.999), 2**31 - 1)
                )
                self._timeout = timeout
        try:
            return self._recv(flags, False)
        except self._again:
            return None

    def receive(self, timeout: float | None) -> list[Any] | None:
        """Return the parts of a message, not copied; None after ``timeout`` seconds."""
        part = self.one(timeout)
        if part is None:
            return None
        parts = [part]
        while parts[-1].more:
            parts.append(self._recv(0, False))
        return parts

    def close(self) -> None:
        if not self.socket.closed:
            self.handle = None
            self.socket.close()
            self._context.term()
        self._on_close.close()
