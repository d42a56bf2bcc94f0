# SPDX-License-Identifier: Apache-2.0
"""Budget of one frame: memory and time in proportion to its bytes."""

from __future__ import annotations

from wirecost.messaging.tensor.errors import FrameError

BYTES_PER_BYTE = 8
FREE_BYTES = 12 << 20
"""The promise is 16 MiB; the rest is for what is too small to be counted."""
NANOSECONDS_PER_BYTE = 100
FREE_NANOSECONDS = 1_000_000
MOST_WITHOUT_MEMORY = 1 << 26
"""Elements that take no memory, as nulls and rows of no columns: others would make room for
them."""

MOST_EXPANDED = 256 << 20
"""Bytes that compressed tensors and those on a device take beside all that: they are not in
proportion to the frame."""


class Budget:
    """Budget of one frame, which is asked before more is made than lies in the frame."""

    __slots__ = ("_nanoseconds", "bytes_left", "expanded", "frame_bytes")

    def __init__(self, frame_bytes: int) -> None:
        self.frame_bytes = frame_bytes
        self.expanded = 0
        self.bytes_left: float = FREE_BYTES + BYTES_PER_BYTE * frame_bytes
        self._nanoseconds: float = FREE_NANOSECONDS + NANOSECONDS_PER_BYTE * frame_bytes

    @property
    def patience(self) -> int:
        """Return nanoseconds for what cannot be counted: ten times what the frame should take."""
        return 10 * (FREE_NANOSECONDS + NANOSECONDS_PER_BYTE * self.frame_bytes)

    def take(self, what: str, nbytes: float, nanoseconds: float = 0.0, remedy: str = "") -> None:
        """Raise FrameError where ``what`` would take more than is left.

        ``nanoseconds``: what it takes on a slow machine, for it is not measured.
        """
        self.bytes_left -= nbytes
        self._nanoseconds -= nanoseconds
        if self.bytes_left < 0 or self._nanoseconds < 0:
            cost = f"{nbytes:,.0f} bytes" if self.bytes_left < 0 else f"{nanoseconds:,.0f} ns"
            raise FrameError(
                f"frame: {what}, {cost}, would take more than {self.frame_bytes:,} bytes may cost"
                + (f"; {remedy}" if remedy else "")
            )

    def expand(self, nbytes: int) -> None:
        """Take ``nbytes`` for a tensor that is not in the frame as it is.

        Raises FrameError where those of the frame would take more than ``MOST_EXPANDED`` and what
        is left.
        """
        free = max(MOST_EXPANDED - self.expanded, 0)
        self.expanded += nbytes
        self.take(
            "what its compressed tensors and those on a device take beyond"
            f" {MOST_EXPANDED:,} bytes",
            max(nbytes - free, 0),
            remedy="let the sender compress less of it, or send it in parts",
        )

    def count(self, what: str, elements: int) -> None:
        """Raise FrameError for more elements than a frame may claim without memory for them."""
        if elements > max(MOST_WITHOUT_MEMORY, 8 * self.frame_bytes):
            raise FrameError(f"frame: {elements:,} {what} without memory")
