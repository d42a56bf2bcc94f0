# SPDX-License-Identifier: Apache-2.0
"""A folder of LTTng: its metadata, its streams, and how the reader takes these."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from wirecost import _ctf
from wirecost.results.records.ctf.events import FIELDS, LISTS, NOT_NEEDED, PROVIDER, kind_of
from wirecost.results.records.ctf.layout import Layout, Scope, Slot, TextSlot
from wirecost.results.records.ctf.tokens import TsdlError
from wirecost.results.records.ctf.types import Clock, Metadata, Stream
from wirecost.system.regular_file import open_regular

METADATA = "metadata"
PACKET_SLOTS = {
    "content_size": Slot.CONTENT_BITS,
    "packet_size": Slot.PACKET_BITS,
    "events_discarded": Slot.DISCARDED,
}
CONTEXT_SLOTS = {"vpid": Slot.PROCESS, "vtid": Slot.THREAD}
BEGIN = "timestamp_begin"
PACKET_MAGIC = 0xC1FC1FC1
SAME_BOOT_NS = 10**9
"""Most that LTTng's readings of the wall clock may differ by, from one session to the next."""


@dataclass(frozen=True)
class TraceFolder:
    """A folder of streams, which its metadata describes."""

    path: Path
    metadata: Metadata

    @property
    def has_ros2(self) -> bool:
        return any(event.name.startswith(PROVIDER) for event in self.metadata.events.values())

    @cached_property
    def clock(self) -> Clock:
        return next(iter(self.metadata.clocks.values()), Clock())

    @cached_property
    def epoch_ns(self) -> int:
        """Nanoseconds since 1970 at which the clock was 0. Raises TsdlError."""
        begin = self.clock.offset_s * 10**9 + self.clock.offset * 10**9 // self.clock.frequency
        if not abs(begin) < 1 << 62:
            raise TsdlError("a clock that begins in no year")
        return begin

    def is_of_one_boot(self, other: TraceFolder) -> bool:
        """Return whether both are of one machine since it was started, and so have one clock."""
        hosts = [folder.metadata.env.get("hostname") for folder in (self, other)]
        return (
            hosts[0] == hosts[1]
            and self.clock.frequency == other.clock.frequency
            and abs(self.epoch_ns - other.epoch_ns) <= SAME_BOOT_NS
        )

    def add_to(self, reader: _ctf.Reader) -> None:
        """Add its streams. Raises TsdlError, TraceError, OSError."""
        _check_threads(self.metadata)
        if self.others and not self.streams:
            raise TsdlError(f"{self.path / self.others[0]}: no packet at byte 0")
        layout = Layout(self.metadata.big_endian)
        scopes: list[Scope] = []
        header = layout.add(
            self.metadata.packet_header,
            {"magic": Slot.MAGIC, "stream_id": Slot.STREAM},
            around=scopes,
        )
        streams = [
            _stream(layout, self.metadata, number, stream, list(scopes))
            for number, stream in self.metadata.streams.items()
        ]
        steps = [step.numbers() for step in layout.steps]
        paths = [str(path) for path in self.streams]
        reader.add(steps, layout.options, header, streams, paths)

    @cached_property
    def streams(self) -> list[Path]:
        """Files that begin with a packet."""
        return [path for path in self._files if self._is_stream(path)]

    @cached_property
    def others(self) -> list[str]:
        """Names of files that are no streams, such as somebody's notes."""
        return [path.name for path in self._files if path not in self.streams]

    @cached_property
    def _files(self) -> list[Path]:
        entries = (Path(entry.path) for entry in os.scandir(self.path) if entry.is_file())
        files = sorted(path for path in entries if path.name != METADATA and path.name[0] != ".")
        return [path for path in files if path.stat().st_size]

    def _is_stream(self, path: Path) -> bool:
        if "magic" not in dict(self.metadata.packet_header.fields):
            return True
        magic = PACKET_MAGIC.to_bytes(4, "big" if self.metadata.big_endian else "little")
        with open_regular(path) as file:
            return magic.startswith(file.read(4))


def _check_threads(found: Metadata) -> None:
    """Without them nobody knows which end of a callback belongs to which start."""
    streams = {event.stream for event in found.events.values() if event.name.startswith(PROVIDER)}
    for number in streams:
        context = found.streams.get(number, Stream()).event_context
        names = {name.removeprefix("_") for name, _ in context.fields}
        if lacking := {"vpid", "vtid"} - names:
            raise TsdlError(
                f"its events lack {' and '.join(sorted(lacking))}; record with "
                "lttng add-context --userspace --type=vpid --type=vtid"
            )


def _stream(
    layout: Layout, found: Metadata, number: int, stream: Stream, scopes: list[Scope]
) -> _ctf.StreamNumbers:
    packet = layout.add(stream.packet_context, PACKET_SLOTS, clocks=(BEGIN,), around=scopes)
    header = layout.add(stream.event_header, {"id": Slot.EVENT}, clocks=None, around=scopes)
    texts = {"procname": TextSlot.PROGRAM}
    context = layout.add(stream.event_context, CONTEXT_SLOTS, texts, around=scopes)
    events = []
    for (of_stream, identifier), event in found.events.items():
        if of_stream != number:
            continue
        kind = kind_of(event.name)
        numbers, strings = ((), ()) if kind == NOT_NEEDED else list(FIELDS.values())[kind]
        inner = list(scopes)
        own = layout.add(event.context, {}, around=inner)
        fields = layout.add(
            event.fields,
            {name: Slot.VALUE + i for i, name in enumerate(numbers)},
            {name: TextSlot.VALUE + i for i, name in enumerate(strings)},
            lists=() if kind == NOT_NEEDED else LISTS,
            around=inner,
        )
        events.append((identifier, kind, *own, *fields))
    return (number, *packet, *header, *context), events
