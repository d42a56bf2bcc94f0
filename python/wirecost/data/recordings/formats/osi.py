# SPDX-License-Identifier: Apache-2.0
"""A trace of OSI, whose one topic is the type of its messages."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path

from wirecost.data.recordings.connection import (
    RecordedConnection,
    RecordedMessage,
    RecordingFiles,
)
from wirecost.data.traces.messages import schema_of
from wirecost.data.traces.opening import open_trace
from wirecost.data.traces.trace import Trace

PLUGIN_ORDER = 6
SUFFIX = ".osi"
NAME = "OSI's .osi"


class OsiPart:
    """See RecordingPart. A frame without a timestamp has that of the frame before it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._trace: Trace = open_trace(path)
        self.warnings = self._trace.warnings
        self.connections = [
            RecordedConnection(
                0,
                self._trace.type_name,
                f"osi3.{self._trace.type_name}",
                "protobuf",
                "protobuf",
                schema_of(self._trace.type_name),
                self._trace.frame_count or 0,
            )
        ]

    def messages(self, numbers: Collection[int], wanted: Sequence[int]) -> list[bytes]:
        del numbers
        return [
            bytes(message)
            for number in wanted
            for _, message in self._trace.frames(number, number + 1)
        ]

    def span_ns(self, numbers: Collection[int]) -> tuple[int, int]:
        del numbers
        last = self.connections[0].count - 1
        first, *_ = (time for time, _ in islice(self._trace.frames(), 1))
        final, *_ = (time for time, _ in self._trace.frames(last))
        return first or 0, final or 0

    def each(self) -> Iterator[RecordedMessage]:
        known_ns = 0
        for time_ns, message in self._trace.frames():
            known_ns = known_ns if time_ns is None else time_ns
            yield RecordedMessage(0, known_ns, message)

    def close(self) -> None:
        self._trace.close()


def open_files(path: Path) -> RecordingFiles:
    return RecordingFiles([OsiPart(path)])
