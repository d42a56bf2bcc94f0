# SPDX-License-Identifier: Apache-2.0
"""``.osi``: length (u32, little-endian) and message, again and again."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from wirecost.data.traces import messages, osi_index, wire
from wirecost.data.traces.trace import About, Frame, TraceWriter
from wirecost.system.closing import Closing
from wirecost.system.errors import UserError
from wirecost.system.mapped import Mapped
from wirecost.system.progress import Progress, silent

MAX_LENGTH = 2**32 - 1
_LENGTH = struct.Struct("<I")
_BIG_ENDIAN = struct.Struct(">I")
_PACKED = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"BZh", "bzip2"),
    (b"PK\x03\x04", "zip"),
)
"""First bytes of files of these programs."""
_SEPARATOR = b"$$__$$"
"""Between messages, in the format of OSI before it had lengths."""
_LOOKED_AT = 1 << 20
"""Bytes that are looked at for what a file may be."""


class OsiTrace(Closing):
    """Frames by number at once, as views into the mapped file. Raises UserError.

    ``type_name``: as which message the frames' timestamps are read; it may be set later.
    """

    def __init__(
        self,
        path: Path,
        type_name: str = "",
        progress: Progress = silent,
        worthwhile: int = osi_index.WORTHWHILE,
    ) -> None:
        self.path = path
        self.type_name = type_name
        self.about = About()
        self.warnings: list[str] = []
        self._data = Mapped(path)
        self._offsets = osi_index.offsets(path, self._data, self._data.noting(progress), worthwhile)
        rest = self._data.size - int(self._offsets[-1])
        if rest:
            self.warnings.append(
                f"{path}: cut off, its last {rest} bytes are no whole frame; the "
                f"{self.frame_count} whole frames before are read"
            )

    @property
    def frame_count(self) -> int:
        return len(self._offsets) - 1

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._data.size

    @property
    def sizes(self) -> npt.NDArray[np.uint64]:
        """Bytes of every message, without touching any.

        Raises UserError where the file cannot hold them.
        """
        begins, ends = self._offsets[:-1], self._offsets[1:]
        # Compared before they are subtracted: the numbers are unsigned.
        if (ends > self._data.size).any() or (ends < begins + np.uint64(_LENGTH.size)).any():
            raise self._wrong_index()
        return ends - begins - np.uint64(_LENGTH.size)

    def message(self, number: int) -> memoryview:
        """Return frame ``number`` from 0, not copied. Raises IndexError beyond the last frame."""
        if not 0 <= number < self.frame_count:
            raise IndexError(number)
        at, end = map(int, self._offsets[number : number + 2])
        data = self._data.view
        # The offsets may come from a file that somebody else wrote.
        if not (at + 4 <= end <= len(data) and _LENGTH.unpack_from(data, at)[0] == end - at - 4):
            raise self._wrong_index()
        return data[at + 4 : end]

    def no_trace(self) -> UserError:
        """Return the error for a file whose frames are no messages, with what it may be."""
        remedy = "write each message behind its length (4 bytes, little-endian)"
        if _SEPARATOR in bytes(self._data.view[:_LOOKED_AT]):
            what = f"in OSI's former format, with {_SEPARATOR.decode()} between messages"
        elif self._is_big_endian():
            what = "its lengths are big-endian"
        elif packed := [name for magic, name in _PACKED if self._data.view[: len(magic)] == magic]:
            what, remedy = f"is packed by {packed[0]}", "unpack it first"
        elif self.size <= _LOOKED_AT and wire.is_message(self._data.view):
            what = "is one message without its length before it"
        elif not self.frame_count:
            what, remedy = "no trace, or damaged: holds no whole frame", "record it again"
        else:
            what, remedy = "its frames are not OSI messages", "is it a trace file?"
        return UserError(f"{self.path}: {what}; {remedy}")

    def _is_big_endian(self) -> bool:
        """Return whether its first bytes lead to a message if they are read so."""
        if self.size < _BIG_ENDIAN.size:
            return False
        (length,) = _BIG_ENDIAN.unpack_from(self._data.view)
        message = self._data.view[_LENGTH.size : _LENGTH.size + length]
        return 0 < length == len(message) and wire.is_message(message)

    def _wrong_index(self) -> UserError:
        osi_index.forget(self.path)
        return UserError(
            f"{osi_index.index_path(self.path)}: does not fit its trace; it was removed, "
            "run the command again"
        )

    def frames(self, start: int = 0, stop: int | None = None) -> Iterator[Frame]:
        last = self.frame_count if stop is None else min(stop, self.frame_count)
        for number in range(start, last):
            message = self.message(number)
            self._data.note_read(len(message))
            yield (
                (messages.timestamp_ns(self.type_name, message) if self.type_name else None),
                message,
            )

    def close(self) -> None:
        self._data.close()


class OsiWriter(TraceWriter):
    """Writes frames as they come; the file appears whole or not at all."""

    def _write(self, _timestamp_ns: int | None, message: memoryview | bytes) -> None:
        """Write a message, which has its own timestamp. Raises UserError."""
        if len(message) > MAX_LENGTH:
            raise UserError(
                f"{self.path}: frame {self.frame_count} has {len(message)} bytes, an .osi frame "
                "at most 4294967295; write .mcap"
            )
        self.file.write(_LENGTH.pack(len(message)))
        self.file.write(message)
