# SPDX-License-Identifier: Apache-2.0
"""Series of messages as one MCAP file, in the order of time, in compressed chunks with an index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from wirecost.data.recordings.mcap.writer import McapSchema, McapWriter
from wirecost.results.report.series.messages import Encoder, MessageType, Numbers
from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write
from wirecost.system.progress import Progress, silent
from wirecost.system.whole_file import replaced

FORMAT = "1"
"""Version of docs/formats/series.md."""
MOST_CHANNELS = 0xFFFF
"""Numbers of channels have 16 bits, and 0 is none."""
AT_ONCE = 1 << 14
"""Messages that are encoded before they are written."""

Times = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, eq=False)
class Channel:
    """``about``: its metadata, as names that do not fit into the topic."""

    topic: str
    kind: MessageType
    about: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SeriesPart:
    """Messages of a channel.

    ``times``: nanoseconds since 1970; of each column a number a message, NaN where it has none.
    """

    channel: Channel
    times: Times
    columns: Mapping[str, Numbers]


@dataclass(frozen=True)
class Written:
    """Contents of a file."""

    messages: int
    topics: int


def write(
    out: Path, parts: Sequence[SeriesPart], about: Mapping[str, str], advance: Progress = silent
) -> Written:
    """Write the whole file, or nothing of it. Raises UserError."""
    channels = list(dict.fromkeys(part.channel for part in parts))
    if len(channels) > MOST_CHANNELS:
        raise too_many(out)
    if any(len(part.times) and part.times.min() < 0 for part in parts):
        raise UserError(
            f"{out}: a time is before 1970, which MCAP cannot hold; leave out the damaged log"
        )
    try:
        with replaced(out) as path, path.open("wb") as file:
            _write(file, channels, parts, about, advance)
    except OSError as error:
        raise failed_write(out, error, "name a file that can be written") from error
    return Written(sum(len(part.times) for part in parts), len(channels))


def too_many(out: Path) -> UserError:
    return UserError(
        f"{out}: more than {MOST_CHANNELS:,} series, which MCAP cannot hold; convert fewer logs"
    )


def _write(
    file: BinaryIO,
    channels: Sequence[Channel],
    parts: Sequence[SeriesPart],
    about: Mapping[str, str],
    advance: Progress,
) -> None:
    writer = McapWriter(file)
    writer.add_metadata("wirecost", {"format": FORMAT, **about})
    kinds = {channel.kind.name: channel.kind for channel in channels}
    schemas = {
        name: McapSchema(kind.full_name, "protobuf", kind.schema()) for name, kind in kinds.items()
    }
    numbers = {
        channel: writer.channel(
            channel.topic, "protobuf", schemas[channel.kind.name], channel.about
        )
        for channel in channels
    }
    encoders = {name: Encoder(kind) for name, kind in kinds.items()}
    total = sum(len(part.times) for part in parts)
    for done, part, time, message in _in_order(parts, encoders):
        writer.write(numbers[part.channel], time, message)
        if done and done % AT_ONCE == 0:
            advance(done, total, "writing")
    writer.finish()


def _in_order(
    parts: Sequence[SeriesPart], encoders: Mapping[str, Encoder]
) -> Iterator[tuple[int, SeriesPart, int, bytes]]:
    """Yield every message with its place in the file, its part and its time.

    Viewers seek without reading more than they show where chunks do not overlap in time.
    """
    if not parts:
        return
    starts = np.cumsum([0, *(len(part.times) for part in parts)])
    order = np.argsort(np.concatenate([part.times for part in parts]), kind="stable")
    for first in range(0, len(order), AT_ONCE):
        places = order[first : first + AT_ONCE]
        owners = np.searchsorted(starts, places, side="right") - 1
        entries: list[tuple[SeriesPart, int, bytes] | None] = [None] * len(places)
        for owner in np.unique(owners):
            part = parts[owner]
            at = np.flatnonzero(owners == owner)
            rows = places[at] - starts[owner]
            columns = {name: column[rows] for name, column in part.columns.items()}
            encoded = encoders[part.channel.kind.name].encode(columns)
            for place, time, message in zip(
                at.tolist(), part.times[rows].tolist(), encoded, strict=True
            ):
                entries[place] = part, time, message
        for offset, entry in enumerate(entries):
            assert entry is not None
            yield first + offset, *entry
