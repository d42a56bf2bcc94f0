# SPDX-License-Identifier: Apache-2.0
"""Serialized messages given to and taken from ROS 2's C library (rcl) by their addresses.

rclpy would copy each twice more, into memory that is new every time: for large messages that takes
longer than ROS 2 itself.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from wirecost.system.errors import UserError

_TAKE_FAILED = 401
"""There is no message."""
_WASTE = 4
"""Times its size that a message may take of memory."""
_SMALL = 4096
_KEPT = 2
"""Free memory of messages that is kept for the next."""
_INFO_BYTES = 1024
"""More than the details of a message take."""


class _Allocator(ctypes.Structure):
    """``rcutils_allocator_t``."""

    _fields_ = (
        ("allocate", ctypes.c_void_p),
        ("deallocate", ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)),
        ("reallocate", ctypes.c_void_p),
        ("zero_allocate", ctypes.c_void_p),
        ("state", ctypes.c_void_p),
    )


class _Array(ctypes.Structure):
    """``rcutils_uint8_array_t``, which a serialized message is."""

    _fields_ = (
        ("buffer", ctypes.c_void_p),
        ("length", ctypes.c_size_t),
        ("capacity", ctypes.c_size_t),
        ("allocator", _Allocator),
    )

    def __del__(self) -> None:
        if self.buffer and self.allocator.deallocate:
            self.allocator.deallocate(self.buffer, self.allocator.state)


class _ErrorText(ctypes.Structure):
    """``rcutils_error_string_t``."""

    _fields_ = (("text", ctypes.c_char * 1024),)


class _Library:
    """rclpy has loaded both."""

    def __init__(self) -> None:
        rcl, rcutils = ctypes.CDLL("librcl.so"), ctypes.CDLL("librcutils.so")
        self.publish = rcl.rcl_publish_serialized_message
        self.publish.argtypes = [ctypes.c_void_p] * 3
        self.take = rcl.rcl_take_serialized_message
        self.take.argtypes = [ctypes.c_void_p] * 4
        self._text = rcutils.rcutils_get_error_string
        self._text.restype = _ErrorText
        self._forget = rcutils.rcutils_reset_error
        allocator = rcutils.rcutils_get_default_allocator
        allocator.restype = _Allocator
        self.allocator = allocator()

    def why(self) -> str:
        """Return why the last call failed."""
        text: str = self._text().text.decode(errors="replace")
        self._forget()
        return text


_library = cache(_Library)


class SerializedPublisher:
    """Publisher of serialized messages by a publisher of rclpy's."""

    def __init__(self, publisher: Any) -> None:
        self._handle = publisher.handle
        self._library = _library()
        self._room(_SMALL)

    def _room(self, size: int) -> None:
        self._bytes = bytearray(size)
        self.view = memoryview(self._bytes)
        """Memory of the message that is published next."""
        memory = (ctypes.c_char * size).from_buffer(self._bytes)
        self._message = _Array(buffer=ctypes.addressof(memory), capacity=size)
        self._at = ctypes.addressof(self._message)

    def room(self, size: int) -> memoryview:
        """Return where the next message of ``size`` bytes is to be written."""
        if size > len(self._bytes):
            self._room(size)
        self._message.length = size
        return self.view

    def publish(self) -> None:
        """Publish what was written. Raises UserError."""
        with self._handle:
            if self._library.publish(self._handle.pointer, self._at, None) != 0:
                raise UserError(f"ros2: not published: {self._library.why()}")


class SerializedSubscription:
    """Subscription that takes serialized messages from one of rclpy's."""

    def __init__(self, subscription: Any) -> None:
        self._handle = subscription.handle
        self._library = _library()
        self._info = ctypes.create_string_buffer(_INFO_BYTES)
        self._free: list[_Array] = []

    def take(self) -> memoryview | None:
        """Return the oldest message, if there is one.

        Its memory is used again once nobody has the view any more. Raises UserError.
        """
        array = self._free.pop() if self._free else _Array(allocator=self._library.allocator)
        with self._handle:
            code = self._library.take(
                self._handle.pointer, ctypes.addressof(array), self._info, None
            )
        if code == 0:
            return self._lent(array)
        self._free.append(array)
        if code == _TAKE_FAILED:
            return None
        raise UserError(f"ros2: no message can be taken: {self._library.why()}")

    def _lent(self, array: _Array) -> memoryview:
        memory = (ctypes.c_char * array.length).from_address(array.buffer)
        if array.capacity > max(_SMALL, _WASTE * array.length):
            self._free.append(array)
            return memoryview(memory.raw)
        memory.lent = _Lent(array, self._free)
        return memoryview(memory).cast("B")


class _Lent:
    """Memory that goes back when the last view of it is gone."""

    def __init__(self, array: _Array, free: list[_Array]) -> None:
        self._array, self._free = array, free

    def __del__(self) -> None:
        if len(self._free) < _KEPT:
            self._free.append(self._array)
