# SPDX-License-Identifier: Apache-2.0
"""An encoded message: a header and the memory of its tensors, not yet copied."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Iterator
from typing import Any

from wirecost.messaging.tensor.layout import SUM, Layout
from wirecost.messaging.tensor.memory import Pieces, bytes_of
from wirecost.messaging.tensor.packages import load
from wirecost.system.errors import UserError

_ZEROS = bytes(64)


class Frame(metaclass=ABCMeta):  # noqa: B024  for its register
    """An encoded message, which refers to the memory of its tensors and keeps them alive.

    C++ has one of its own, which counts as one of these. ``nbytes``: size of the frame. ``copies``,
    ``copied_bytes``: what encoding had to copy, as a tensor whose memory has gaps.
    """

    __slots__ = ("_header", "_layout", "_segments", "copied_bytes", "copies", "nbytes")

    def __init__(
        self, header: bytes, layout: Layout, segments: list[Any], copies: int, copied_bytes: int
    ) -> None:
        """Refer to ``segments``.

        Those are arrays whose memory has no gaps, or memoryviews of bytes, or Pieces.
        """
        self._header = header
        self._layout = layout
        self._segments = segments
        self.nbytes = layout.total
        self.copies = copies
        self.copied_bytes = copied_bytes

    def _pieces(self) -> Iterator[tuple[int, memoryview | bytes]]:
        """Yield offset and bytes, in order; between them is padding."""
        yield 0, self._header
        for (offset, length), segment in zip(self._layout.segments, self._segments, strict=True):
            if not length:
                continue
            if type(segment) is not Pieces:
                yield offset, bytes_of(segment)
                continue
            start = offset
            for piece in segment.pieces:
                yield start, piece
                start += len(piece)

    def parts(self) -> list[memoryview]:
        """Return the frame's bytes in order, the tensors' as they lie, for scatter output."""
        parts: list[memoryview] = []
        end = 0
        for offset, piece in self._pieces():
            if offset > end:
                parts.append(memoryview(_ZEROS)[: offset - end])
            parts.append(memoryview(piece))
            end = offset + len(piece)
        if self._layout.checksum:
            if gap := self._layout.total - SUM.size - end:
                parts.append(memoryview(_ZEROS)[:gap])
            digest = load("xxhash").xxh3_64()
            for part in parts[1:]:
                digest.update(part)
            parts.append(memoryview(SUM.pack(digest.intdigest())))
        elif end < self._layout.total:
            parts.append(memoryview(_ZEROS)[: self._layout.total - end])
        return parts

    def write_into(self, buffer: Any) -> int:
        """Write the frame to the start of ``buffer`` and return its size: the one copy.

        Raises UserError where the buffer is too small or cannot be written.
        """
        target = memoryview(buffer)
        if target.format != "B" or target.ndim != 1:
            target = target.cast("B")
        if target.readonly or len(target) < self.nbytes:
            raise UserError(
                f"a buffer of {len(target)} bytes{', read-only,' if target.readonly else ''}"
                f" cannot take a frame of {self.nbytes}"
            )
        target[: len(self._header)] = self._header
        end = len(self._header)
        for (offset, length), segment in zip(self._layout.segments, self._segments, strict=True):
            if not length:
                continue
            if offset > end:
                target[end:offset] = _ZEROS[: offset - end]
            end = offset + length
            if type(segment) is not Pieces:
                target[offset:end] = bytes_of(segment)
                continue
            start = offset
            for piece in segment.pieces:
                target[start : start + len(piece)] = piece
                start += len(piece)
        if end < self.nbytes:
            self._finish(target, end)
        return self.nbytes

    def _finish(self, target: memoryview, end: int) -> None:
        target[end : self.nbytes] = bytes(self.nbytes - end)
        if self._layout.checksum:
            start = self.nbytes - SUM.size
            data = target[self._layout.header_bytes : start]
            SUM.pack_into(target, start, load("xxhash").xxh3_64_intdigest(data))

    def tobytes(self) -> bytes:
        """Return the frame in memory of its own."""
        return b"".join(self.parts())
