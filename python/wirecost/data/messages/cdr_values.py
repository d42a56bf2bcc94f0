# SPDX-License-Identifier: Apache-2.0
"""Part of CDR (XCDR version 1) that reading ROS 2's own messages takes."""

from __future__ import annotations

import struct

from wirecost.data.messages.cdr import HEADER_BYTES, plain_order


class CdrError(ValueError):
    """The bytes are no message of the expected form."""


class Reader:
    """Reads values one after the other; raises ``CdrError`` instead of reading past the end."""

    def __init__(self, message: bytes) -> None:
        try:
            self._order = plain_order(message)
        except ValueError as error:
            raise CdrError(f"not plain CDR: {error}") from error
        self._bytes = message
        self._at = HEADER_BYTES

    @property
    def remaining(self) -> int:
        return len(self._bytes) - self._at

    def octets(self, count: int) -> bytes:
        if count > self.remaining:
            raise CdrError(f"{count} bytes expected, {self.remaining} left")
        start = self._at
        self._at += count
        return self._bytes[start : self._at]

    def scalar(self, code: str) -> int | float:
        """Read a value of a ``struct`` code, aligned to its size from the header's end."""
        size = struct.calcsize(f"<{code}")
        self._at += -(self._at - HEADER_BYTES) % size
        if self.remaining < size:
            raise CdrError(f"a value of {size} bytes expected, {max(self.remaining, 0)} left")
        value: int | float = struct.unpack_from(self._order + code, self._bytes, self._at)[0]
        self._at += size
        return value

    def integer(self, code: str) -> int:
        return int(self.scalar(code))

    def boolean(self) -> bool:
        return self.integer("B") != 0

    def count(self, least_bytes: int) -> int:
        """Return a sequence's length; each element takes ``least_bytes`` or more."""
        count = self.integer("I")
        if count * least_bytes > self.remaining:
            raise CdrError(f"{count} elements announced, {self.remaining} bytes left")
        return count

    def string(self) -> str:
        size = self.integer("I")
        # Some writers leave out the final zero of an empty string.
        return self.octets(size).rstrip(b"\0").decode(errors="replace")


class Writer:
    """Writes little-endian CDR."""

    def __init__(self) -> None:
        self._bytes = bytearray(b"\x00\x01\x00\x00")

    def octets(self, value: bytes) -> None:
        self._bytes += value

    def scalar(self, code: str, value: float) -> None:
        self._bytes += bytes(-(len(self._bytes) - HEADER_BYTES) % struct.calcsize(f"<{code}"))
        self._bytes += struct.pack(f"<{code}", value)

    def string(self, value: str) -> None:
        encoded = value.encode() + b"\0"
        self.scalar("I", len(encoded))
        self.octets(encoded)

    def message(self) -> bytes:
        return bytes(self._bytes)
