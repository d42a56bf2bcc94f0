# SPDX-License-Identifier: Apache-2.0
"""What the extension's classes raise and take."""

from __future__ import annotations

Buffer = bytes | bytearray | memoryview


class WireError(ValueError):
    """Bytes that are no message, or a message that cannot be bytes.

    ``position`` is the byte near which decoding failed; None if encoding failed.
    """

    def __init__(self, reason: str, position: int | None = None) -> None:
        super().__init__(reason if position is None else f"{reason} at byte {position}")
        self.reason = reason
        self.position = position
