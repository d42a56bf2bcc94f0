# SPDX-License-Identifier: Apache-2.0
"""The messages of topics as batches of columns, block by block; what is lost is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wirecost._core import RecordBatch, RecordPass
from wirecost.data.columns.json_parts import json_messages
from wirecost.data.columns.json_types import JsonType
from wirecost.data.columns.plan import DATA, ColumnPlan, column_plan
from wirecost.data.columns.points import common_layout, is_cloud
from wirecost.data.columns.values import Leaf, leaves
from wirecost.data.messages import cdr
from wirecost.data.messages.subject import Subject
from wirecost.data.recordings.blocks import ALL_TIMES, LATEST, MessageBlock, Window
from wirecost.data.recordings.connection import JSON
from wirecost.data.recordings.described import kept_for, subject_of
from wirecost.data.recordings.recording import Recording
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.progress import Progress, silent

if TYPE_CHECKING:
    import polars as pl

    FrameShape = Callable[[pl.DataFrame], pl.DataFrame]
    FileMetadata = Callable[["TopicReader"], dict[str, str]]

BATCH_BYTES = 4 << 20
"""Bytes of messages from which on the batch of a topic that is read alone is full."""
LEAST_BYTES = 1 << 20
"""The same, however many topics are read together."""
BATCH_ROWS = 1 << 14
"""Rows of a full batch, few enough that the memory of one serves for the next."""


class TopicReader:
    """Reads the messages of a topic. Raises UserError where it or its type cannot be read.

    ``fields``: dotted paths of those that are read, none for all. Messages of other definitions
    than most of the topic's are left out.
    """

    def __init__(
        self,
        recording: Recording,
        topic: str,
        fields: Sequence[str] = (),
        include: Sequence[Path] = (),
    ) -> None:
        groups = recording.groups(topic, has_schema=False, with_json=True)
        most = max(groups, key=lambda group: group.count).first
        self._recording = recording
        about: Subject | JsonType
        points, has_points = None, False
        if most.wire == JSON:
            self._kept, about = json_messages(recording, groups)
        else:
            about = subject_of(recording, most.topic, "", include)
            self._kept = kept_for(recording, most.topic, about, has_schema=False, include=include)
            has_points = is_cloud(about) and DATA not in fields
            points = common_layout(about, self._samples()) if has_points else None
        self._has_bytes_of_points = has_points and points is None
        self.plan: ColumnPlan = column_plan(about, fields, str(recording.path), points)
        self._pass = RecordPass(self.plan.native)
        self.shared_notes: list[str] = []
        """Sentences on what was lost of the recording, of whatever topics were read with it."""
        self._damage = "too short, or with a length beyond the end"
        self._key = "name" if most.wire == JSON else "number"
        if most.wire == JSON:
            self._damage = "no JSON that fits the columns, too deep, or too large as columns"
        elif most.wire == "protobuf":
            self._damage = f"no {about.type}, or too large as columns"
        self._late = 0
        self.rows = 0
        """Rows of the batches that were read."""
        self.shape: FrameShape | None = None
        """Function that makes a frame that is written out of one that was read."""
        self.metadata: FileMetadata | None = None
        """Function that returns metadata of a Parquet file, called once all rows are in it."""

    def _samples(self) -> Iterator[bytes]:
        """Yield the first message, one of the middle and the last, if they can be read."""
        count = self._kept.count
        for number in sorted({0, count // 2, max(count - 1, 0)}):
            with suppress(UserError):
                yield from self._recording.messages(self._kept.groups, [number])

    @property
    def topic(self) -> str:
        return self._kept.groups[0].first.topic

    @property
    def type(self) -> str:
        """The type as the recording has it."""
        return self._kept.groups[0].first.type or self.plan.type

    @cached_property
    def leaves(self) -> list[Leaf]:
        return leaves(self.plan)

    @property
    def columns(self) -> dict[str, str]:
        """Types of the columns by their dotted paths."""
        return {leaf.path: leaf.type for leaf in self.leaves if leaf.part.format}

    def empty(self) -> RecordBatch:
        """Return a batch without rows."""
        return RecordPass(self.plan.native).take()

    def frame(self, batch: RecordBatch) -> pl.DataFrame:
        """Return a batch as a frame of Polars, as it is written."""
        import polars as pl  # noqa: PLC0415  slow to import

        frame = pl.DataFrame(batch)
        return frame if self.shape is None else self.shape(frame)

    def batches(
        self,
        most_rows: int = BATCH_ROWS,
        window: Window = ALL_TIMES,
        progress: Progress = silent,
    ) -> Iterator[RecordBatch]:
        """Yield the rows in order of the files, once.

        A batch has so many rows, or fewer where they take more than ``BATCH_BYTES``.
        """
        for _, batch in read_together([self], most_rows, window, progress):
            yield batch

    def _add(self, block: MessageBlock, most_rows: int, most_bytes: int) -> Iterator[RecordBatch]:
        at, columns = 0, self._pass
        self._late += int(np.count_nonzero(block.times == LATEST))
        while at < len(block.begins):
            at += columns.add(
                block.memory, block.begins[at:], block.sizes[at:], block.times[at:],
                most_rows, most_bytes,
            )  # fmt: skip
            if columns.rows >= most_rows or columns.bytes >= most_bytes:
                yield self._take()

    def _take(self) -> RecordBatch:
        self.rows += self._pass.rows
        return self._pass.take()

    @property
    def losses(self) -> dict[str, int]:
        """Numbers of what did not become values, or other ones, by what it is."""
        columns = self._pass
        return {
            "damaged": columns.damaged,
            "refused": sum(columns.refused.values()),
            "longer": columns.longer,
            "mended_texts": columns.mended,
            "carried_times": columns.carried,
            "late_times": self._late,
            "clouds_without_points": columns.pointless,
            "unknown_fields": columns.unknown,
        }

    @property
    def notes(self) -> list[str]:
        """Sentences on what was left out or changed, complete once all batches are read."""
        return [*self.own_notes, *self.shared_notes]

    @property
    def own_notes(self) -> list[str]:
        """Those of this topic alone."""
        columns = self._pass
        count = sum(columns.refused.values())
        forms = sorted({_form(first) for first in columns.refused})
        listed = "; ".join(forms[:2]) + ("; …" if len(forms) > 2 else "")
        said = [
            (count, "message", f"no row: plain CDR is read, not {listed}"),
            (columns.damaged, "message", f"no row: {self._damage}"),
            (columns.longer, "message", "bytes behind the last field, which are not read"),
            (columns.mended, "text", "bytes that are no UTF-8; U+FFFD stands for each"),
            (columns.carried, "time", "nanoseconds beyond a second, which were carried"),
            (
                columns.pointless,
                "cloud",
                "null for points: its fields or sizes are not those of the "
                f"topic's other clouds; --fields {DATA} has its bytes",
            ),
            (columns.unknown, "field", f"a {self._key} that the type does not have, and no column"),
            (self._late, "message", "a log_time behind the year 2262, whose end it has here"),
        ]
        lines = [
            f"{counted(count, what)} {'has' if count == 1 else 'have'} {text}"
            for count, what, text in said
            if count
        ]
        dropped = [f"{path} has no fields, so it has no column" for path in self.plan.dropped[:3]]
        dropped += [
            f"{path} is a message in itself and has no column" for path in self.plan.cut[:3]
        ]
        if more := len(self.plan.cut[3:]):
            dropped.append(f"{counted(more, 'more field')} of messages in themselves")
        if self._has_bytes_of_points:
            dropped.append(f"{DATA} has the bytes of points, whose fields are not plain ones")
        if more := len(self.plan.dropped[3:]):
            dropped.append(f"{counted(more, 'more field')} without fields of their own")
        return [*self._kept.notes, *lines, *dropped]


def read_together(
    readers: Sequence[TopicReader],
    most_rows: int = BATCH_ROWS,
    window: Window = ALL_TIMES,
    progress: Progress = silent,
) -> Iterator[tuple[TopicReader, RecordBatch]]:
    """Yield the batches of topics of one recording, which is read and unpacked once."""
    recording = readers[0]._recording
    before = len(recording.warnings)
    most_bytes = max(BATCH_BYTES // len(readers), LEAST_BYTES)
    total = max(sum(reader._kept.count for reader in readers), 1)
    what = readers[0].topic if len(readers) == 1 else counted(len(readers), "topic")
    read = 0
    for block in recording.blocks([reader._kept.groups for reader in readers], window):
        reader = readers[block.topic]
        for batch in reader._add(block, most_rows, most_bytes):
            yield reader, batch
        read += len(block.begins)
        progress(min(read, total), total, f"reading {what}")
    for reader in readers:
        if reader._pass.rows:
            yield reader, reader._take()
        reader.shared_notes = [*recording.opening_warnings, *recording.warnings[before:]]


def _form(first: int) -> str:
    """Return how a message that begins with these two bytes is encoded."""
    try:
        return str(cdr.representation(first.to_bytes(2, "big") + bytes(2)))
    except ValueError as error:
        return str(error).removeprefix("no header of CDR but ")
