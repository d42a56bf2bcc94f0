# SPDX-License-Identifier: Apache-2.0
"""Messages that are kept of all topics: in memory up to a bound, beyond it in a file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import IO, NamedTuple

from wirecost.system.failed_write import failed_write

MEMORY_BYTES = 128 << 20


class _Slot(NamedTuple):
    """Where a message stands in the file, and the bytes that may stand there."""

    offset: int
    size: int
    room: int


class Room:
    """Room for messages of all topics; the file has no name and is gone with the process."""

    def __init__(self, memory_bytes: int = MEMORY_BYTES) -> None:
        self._left = memory_bytes
        self._file: IO[bytes] | None = None
        self._end = 0

    def put(self, data: bytes, before: bytes | _Slot | None) -> bytes | _Slot:
        """Return a message, or its slot; ``before``: what it replaces. Raises UserError."""
        self.give_back(before)
        if len(data) <= self._left:
            self._left -= len(data)
            return data
        if isinstance(before, _Slot) and len(data) <= before.room:
            slot = before._replace(size=len(data))
        else:
            slot = _Slot(self._end, len(data), len(data))
            self._end += len(data)
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile()  # noqa: SIM115 - until it is gone
            self._file.seek(slot.offset)
            self._file.write(data)
            self._file.flush()
        except OSError as error:
            folder = Path(tempfile.gettempdir())
            raise failed_write(folder, error, "set TMPDIR to a folder with room") from error
        return slot

    def give_back(self, held: bytes | _Slot | None) -> None:
        """Take a message out of the memory; what is in the file stays there."""
        self._left += len(held) if isinstance(held, bytes) else 0

    def read(self, slot: _Slot) -> bytes:
        assert self._file is not None
        self._file.seek(slot.offset)
        return self._file.read(slot.size)


class KeptMessages(MutableMapping[int, bytes]):
    """Messages of a topic by their place in the sample, read from the file when asked for."""

    def __init__(self, room: Room | None = None) -> None:
        self._room = room or Room()
        self._held: dict[int, bytes | _Slot] = {}
        self.byte_count = 0

    def size(self, place: int) -> int:
        """Return the bytes of a message, 0 where none is."""
        held = self._held.get(place, b"")
        return held.size if isinstance(held, _Slot) else len(held)

    def __getitem__(self, place: int) -> bytes:
        held = self._held[place]
        return self._room.read(held) if isinstance(held, _Slot) else held

    def __setitem__(self, place: int, data: bytes) -> None:
        self.byte_count += len(data) - self.size(place)
        self._held[place] = self._room.put(data, self._held.get(place))

    def __delitem__(self, place: int) -> None:
        self.byte_count -= self.size(place)
        self._room.give_back(self._held.pop(place))

    def __iter__(self) -> Iterator[int]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)
