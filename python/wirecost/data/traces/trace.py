# SPDX-License-Identifier: Apache-2.0
"""Interface of every trace file, whatever its format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, Self

from wirecost.data.traces.files import WholeFile, unwritable

Frame = tuple[int | None, memoryview]
"""A frame's timestamp in nanoseconds (None where it has none) and its message.

The view stays valid as long as it is held; it may lie in the file's mapping and is read-only.
"""


@dataclass(frozen=True)
class About:
    """A trace file's own metadata; empty where the format has none."""

    topic: str = ""
    file: Mapping[str, str] = field(default_factory=dict)
    """The entries of MCAP's metadata record ``net.asam.osi.trace``."""
    channel: Mapping[str, str] = field(default_factory=dict)
    """The channel's metadata, by full key."""


class Trace(Protocol):
    """A trace file that is read. Reading raises UserError where the file is damaged."""

    path: Path
    type_name: str
    """``SensorView``, …"""
    about: About
    warnings: list[str]
    """One line each: what the file lacks though all whole frames of it are read."""

    @property
    def frame_count(self) -> int | None:
        """None where it is known only after reading to the end."""
        ...

    def frames(self, start: int = 0, stop: int | None = None) -> Iterator[Frame]:
        """Yield frames ``start`` up to ``stop`` (the end) in the order of the file."""
        ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *raised: object) -> None: ...


@dataclass
class FrameNumbers:
    """Frames that have something in common: how many, and the number of the first."""

    count: int = 0
    first: int = 0

    def add(self, number: int) -> None:
        """Count frame ``number`` too."""
        self.first = self.first if self.count else number
        self.count += 1

    def of(self, total: int) -> str:
        """Return ``frame 3``, ``all 20 frames`` or ``5 of 20 frames, first 3``."""
        if self.count == total:
            return f"all {total} frames" if total > 1 else "its one frame"
        if self.count == 1:
            return f"frame {self.first}"
        return f"{self.count} of {total} frames, first {self.first}"


class TraceWriter(WholeFile, ABC):
    """A trace file that is written: it gets its name when the block ends without an exception."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.frame_count = 0
        self.warnings: list[str] = []
        """One line each, once all frames are written: what the format holds otherwise."""

    def write(self, timestamp_ns: int | None, message: memoryview | bytes) -> None:
        """Write one more frame. Raises UserError where the format or the disk cannot hold it."""
        try:
            self._write(timestamp_ns, message)
        except OSError as error:
            raise unwritable(self.path, error) from error
        self.frame_count += 1

    @abstractmethod
    def _write(self, timestamp_ns: int | None, message: memoryview | bytes) -> None:
        """Raise UserError, OSError."""
