# SPDX-License-Identifier: Apache-2.0
"""Frames in the memory that iceoryx2 lends: how a message lies there, is written and is read."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from typing import Any, ClassVar

from wirecost.messaging.transport.base import Frame
from wirecost.messaging.transport.shared.shared_memory import check_room, give_back, reserve
from wirecost.messaging.transport.shared.trailer import MAGIC
from wirecost.system.errors import UserError


class Block(ctypes.Structure):
    """A message is a row of these: lengths are rounded up for the sake of alignment."""

    _fields_: ClassVar = [("bytes", ctypes.c_uint8 * 64)]

    @staticmethod
    def type_name() -> str:
        return "wirecost::Block64"


_view = ctypes.pythonapi.PyMemoryView_FromMemory
_view.argtypes = ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int
_view.restype = ctypes.py_object
_READ, _WRITE = 0x100, 0x200
_FILE_BYTES = 1 << 16
"""Bytes that iceoryx2 writes into a new file before it lends of it."""
END = struct.Struct("<QQIIQ")
"""The trailer and the frame's bytes, at the end of the last block; between is what rounds up."""


class _Places:
    """Views of lent memory, made once: the same few places are lent over and over."""

    MOST = 4096

    def __init__(self, flag: int) -> None:
        self._flag = flag
        self.views: dict[int, memoryview] = {}

    def add(self, address: int, size: int) -> memoryview:
        if len(self.views) >= self.MOST:
            self.views.clear()
        view: memoryview = _view(address, size, self._flag)
        self.views[address] = view
        return view


class Received(_Places):
    """Reader of frames that others wrote."""

    def __init__(self) -> None:
        super().__init__(_READ)

    def read(self, message: Any) -> tuple[int, int, memoryview]:
        """Return stream, number and frame of a received message. Raises UserError."""
        room = message.header.number_of_elements << 6
        address = message.payload_ptr
        whole = self.views.get(address)
        if whole is None or len(whole) != room:
            whole = self.add(address, room)
        stream, number, _, magic, nbytes = END.unpack_from(whole, room - END.size)
        if magic != MAGIC or nbytes > room - END.size:
            raise UserError(
                f"a message of {room} bytes is none of wirecost's: publish with wirecost.publish,"
                " or read the topic with the middleware's own tools"
            )
        return stream, number, whole[:nbytes]


class Iceoryx2Memory(_Places):
    """Writer of frames into what a port lends."""

    def __init__(self, library: Any) -> None:
        super().__init__(_WRITE)
        self._loan_error = library.LoanError
        self._most_blocks = 0

    def send(self, lend: Callable[[int], Any], frame: Frame, trailer: bytes) -> Any:
        """Send frame and trailer in blocks from ``lend``; what iceoryx2 returns.

        Raises UserError.
        """
        nbytes = frame.nbytes
        blocks = (nbytes + END.size + 63) >> 6
        room = blocks << 6
        if blocks > self._most_blocks:
            # It may come from a new file, of which nothing is reserved yet.
            check_room(room + _FILE_BYTES, f"a message of {room} bytes")
            self._most_blocks = blocks
            self.views.clear()
        try:
            loan = lend(blocks)
        except self._loan_error as error:
            raise UserError(f"no shared memory for a frame of {nbytes} bytes: {error}") from error
        try:
            address = loan.payload_ptr
            view = self.views.get(address)
            if view is None or len(view) != room:
                self._reserve(address, room)
                view = self.add(address, room)
            frame.write_into(view)
            view[room - END.size :] = trailer + nbytes.to_bytes(8, "little")
        except BaseException:
            loan.delete()
            raise
        return getattr(loan, _INIT, loan.assume_init)().send()

    @staticmethod
    def _reserve(address: int, room: int) -> None:
        try:
            reserve(address, room, f"a message of {room} bytes")
        except UserError:
            give_back(address, room)
            raise


def lender(port: Any) -> Callable[[int], Any]:
    """Return what lends blocks.

    iceoryx2's Python looks at the payload's type at each call, which costs more than the call; what
    it then calls is taken if it is there, as ``_INIT``.
    """
    loan: Callable[[int], Any] = getattr(port, "__loan_slice_uninit", port.loan_slice_uninit)
    return loan


_INIT = "__assume_init"
