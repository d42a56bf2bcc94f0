# SPDX-License-Identifier: Apache-2.0
"""An MCAP file."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from wirecost.data.traces import mcap_index
from wirecost.data.traces.mcap_file import McapChannel
from wirecost.measure.bench.message.recordings.connection import RecordedConnection

ALL = ""


class McapPart(McapChannel):
    """See Part."""

    what = "channel"
    remedy = "name another recording"
    _contents: mcap_index.Contents

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        frames = np.bincount(np.asarray(self._contents.frames.channel), minlength=1)
        self.connections = []
        for channel in self._contents.channels.values():
            schema = self._contents.schemas.get(channel.schema_id)
            self.connections.append(
                RecordedConnection(
                    channel.id,
                    channel.topic,
                    schema.name if schema else "",
                    channel.message_encoding,
                    schema.encoding if schema else "",
                    schema.data if schema else b"",
                    int(frames[channel.id]) if channel.id < len(frames) else 0,
                    channel.metadata.get("topic_type_hash", ""),
                )
            )

    def channels(  # type: ignore[override]
        self, contents: mcap_index.Contents
    ) -> dict[str, tuple[set[int], str]]:
        self._contents = contents
        return {ALL: (set(contents.channels), "")} if contents.channels else {}

    def messages(self, numbers: Collection[int], wanted: Sequence[int]) -> list[bytes]:
        self._ids = set(numbers)
        self._table = self._contents.frames.of(self._ids)
        return [bytes(self.frame(number)[1]) for number in wanted]

    def span_ns(self, numbers: Collection[int]) -> tuple[int, int]:
        times = self._contents.frames.of(set(numbers)).log_time
        return int(times[0]), int(times[-1])
