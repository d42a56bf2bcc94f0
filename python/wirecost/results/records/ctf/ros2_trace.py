# SPDX-License-Identifier: Apache-2.0
"""Traces of ROS 2, as ``ros2 trace`` and LTTng write them, read into executions and waits."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from wirecost import _ctf
from wirecost.results.records.ctf.events import FIELDS, LISTS, NOT_NEEDED, PROVIDER, kind_of
from wirecost.results.records.ctf.layout import Layout, Scope, Slot, TextSlot
from wirecost.results.records.ctf.packets import metadata_text
from wirecost.results.records.ctf.tokens import TsdlError
from wirecost.results.records.ctf.tsdl import parse
from wirecost.results.records.ctf.types import Clock, Metadata, Stream
from wirecost.system.errors import UserError
from wirecost.system.printable import printable

METADATA = "metadata"
MOST_FOLDERS = 10_000
MOST_STREAMS = 4096
AT_ONCE = 1 << 20
"""Events between two looks at whether the user has interrupted."""
PACKET_SLOTS = {
    "content_size": Slot.CONTENT_BITS,
    "packet_size": Slot.PACKET_BITS,
    "events_discarded": Slot.DISCARDED,
}
CONTEXT_SLOTS = {"vpid": Slot.PROCESS, "vtid": Slot.THREAD}
BEGIN = "timestamp_begin"


def trace_folders(path: Path) -> list[Path]:
    """Return the folders at and below ``path`` that hold a trace each: one per user or process."""
    folders: list[Path] = []
    for seen, (folder, _, files) in enumerate(os.walk(path)):
        if seen >= MOST_FOLDERS:
            break
        if METADATA in files:
            folders.append(Path(folder))
    return sorted(folders)


class Ros2Trace:
    """One trace, read whole. Times are nanoseconds of the trace's clock, LTTng's CLOCK_MONOTONIC.

    Raises:
        UserError: it cannot be read, or has no events of ROS 2.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            metadata = parse(metadata_text(folder / METADATA))
            self.has_ros2 = any(
                event.name.startswith(PROVIDER) for event in metadata.events.values()
            )
            if not self.has_ros2:
                return
            _check_threads(metadata)
            reader = self._reader(metadata)
            while reader.run(AT_ONCE):
                pass
        except (TsdlError, _ctf.TraceError) as error:
            # Where a file is to blame, its path is there already.
            text = str(error) if str(error).startswith(str(folder)) else f"{folder}: {error}"
            raise UserError(f"{printable(text)}; name a trace of LTTng") from error
        except OSError as error:
            raise UserError(f"{folder}: {error.strerror}; name a trace of LTTng") from error
        self.reader = reader

    def _reader(self, found: Metadata) -> _ctf.Reader:
        clock = next(iter(found.clocks.values()), Clock())
        ns_per_tick = 1e9 / clock.frequency
        self.epoch_ns = clock.offset_s * 10**9 + clock.offset * 10**9 // clock.frequency
        if not abs(self.epoch_ns) < 1 << 62:
            raise TsdlError("a clock that begins in no year")
        layout = Layout(found.big_endian)
        scopes: list[Scope] = []
        header = layout.add(
            found.packet_header, {"magic": Slot.MAGIC, "stream_id": Slot.STREAM}, around=scopes
        )
        streams = [
            _stream(layout, found, number, stream, list(scopes))
            for number, stream in found.streams.items()
        ]
        return _ctf.Reader(
            [step.numbers() for step in layout.steps],
            layout.options,
            header,
            streams,
            [str(path) for path in self._files()],
            ns_per_tick,
            self.epoch_ns,
        )

    def _files(self) -> list[Path]:
        entries = (Path(entry.path) for entry in os.scandir(self.folder) if entry.is_file())
        files = sorted(path for path in entries if path.name != METADATA and path.name[0] != ".")
        return [path for path in files if path.stat().st_size]

    def rows(self, section: int = -1, thread: int = -1) -> dict[str, np.ndarray[Any, Any]]:
        """Return executions and waits; -1: of all. ``parent``: the section's number + 1, or 0."""
        names = ("begin_ns", "end_ns", "loop", "message", "section", "parent", "thread")
        return dict(zip((*names, "kind", "depth"), self.reader.rows(section, thread), strict=True))

    def sections(self) -> list[str]:
        return [_text(name) for name in self.reader.section_names()]

    def threads(self) -> list[tuple[int, int, str]]:
        """Process, thread and program."""
        return [(process, thread, _text(name)) for process, thread, name in self.reader.threads()]

    def counts_of_threads(self) -> list[int]:
        """Return the number of executions and waits of each thread."""
        return self.reader.counts_of_threads()

    def lacks(self) -> Iterator[str]:
        """Return a sentence for each thing that is missing."""
        counts = (
            (self.reader.discarded, "events were discarded while tracing: use larger sub-buffers"),
            (self.reader.damaged, "packets are damaged: their rest was skipped"),
            (self.reader.cut_off, "files are cut off"),
            (self.reader.unmatched, "callbacks have no end"),
            (self.reader.ignored, "events of more objects, threads or messages than are kept"),
        )
        for count, text in counts:
            if count:
                yield f"{count:,} {text}"


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


def _text(name: bytes) -> str:
    text = name.decode("utf-8", "replace")
    return "".join(c if c.isprintable() else "\ufffd" for c in text)
