# SPDX-License-Identifier: Apache-2.0
"""What every trace file offers, whatever its format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

Frame = tuple[int | None, memoryview]
"""A frame's timestamp in nanoseconds (None where it has none) and its message.

The view stays valid as long as it is held; it may lie in the file's mapping and is read-only.
"""

Progress = Callable[[int, int, str], None]
"""Called with what is done, what there is in all, and what runs now."""


def silent(_done: int, _total: int, _text: str) -> None:
    """The progress of those who do not watch."""


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
        """Frames ``start`` up to ``stop`` (the end) in the order of the file."""
        ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...


class TraceWriter(Protocol):
    """A trace file that is written: it gets its name when the block ends without an exception."""

    path: Path
    frame_count: int

    def write(self, timestamp_ns: int | None, message: memoryview | bytes) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...


class Closing:
    """``with`` for readers: they are closed at the end of the block."""

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
