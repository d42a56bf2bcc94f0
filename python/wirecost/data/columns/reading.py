# SPDX-License-Identifier: Apache-2.0
"""The messages of a topic as batches of columns, block by block; what is lost is counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from wirecost._core import RecordBatch, RecordPass
from wirecost.data.columns.plan import ColumnPlan, column_plan
from wirecost.data.columns.values import Leaf, leaves
from wirecost.data.messages import cdr
from wirecost.data.recordings.blocks import ALL_TIMES, LATEST, Window
from wirecost.data.recordings.described import kept_for, subject_of
from wirecost.data.recordings.recording import Recording
from wirecost.system.counted import counted
from wirecost.system.progress import Progress, silent

BATCH_BYTES = 16 << 20
"""Bytes of messages from which on a batch is full."""
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
        window: Window = ALL_TIMES,
    ) -> None:
        about = subject_of(recording, topic, "", include)
        self.plan: ColumnPlan = column_plan(about, fields, str(recording.path))
        self._kept = kept_for(recording, topic, about, has_schema=False, include=include)
        self._recording = recording
        self._window = window
        self._pass = RecordPass(self.plan.native)
        self._warned: list[str] = []
        self._late = 0
        self.rows = 0
        """Rows of the batches that were read."""

    @property
    def topic(self) -> str:
        return self._kept.groups[0].first.topic

    @property
    def type(self) -> str:
        """The type as the recording has it."""
        return self._kept.groups[0].first.type

    @cached_property
    def leaves(self) -> list[Leaf]:
        return leaves(self.plan)

    def empty(self) -> RecordBatch:
        """Return a batch without rows."""
        return RecordPass(self.plan.native).take()

    def batches(
        self, most_rows: int = BATCH_ROWS, progress: Progress = silent
    ) -> Iterator[RecordBatch]:
        """Yield the rows in order of the files, once.

        A batch has so many rows, or fewer where they take more than ``BATCH_BYTES``.
        """
        before = len(self._recording.warnings)
        columns, total = self._pass, max(self._kept.count, 1)
        read = 0
        for block in self._recording.blocks(self._kept.groups, self._window):
            at = 0
            self._late += int((block.times == LATEST).sum())
            while at < len(block.begins):
                at += columns.add(
                    block.memory, block.begins[at:], block.sizes[at:], block.times[at:],
                    most_rows, BATCH_BYTES,
                )  # fmt: skip
                if columns.rows >= most_rows or columns.bytes >= BATCH_BYTES:
                    self.rows += columns.rows
                    yield columns.take()
            read += at
            progress(min(read, total), total, f"reading {self.topic}")
        if columns.rows:
            self.rows += columns.rows
            yield columns.take()
        self._warned = self._recording.warnings[before:]

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
        }

    @property
    def notes(self) -> list[str]:
        """Sentences on what was left out or changed, complete once all batches are read."""
        columns = self._pass
        count = sum(columns.refused.values())
        forms = sorted({_form(first) for first in columns.refused})
        listed = "; ".join(forms[:2]) + ("; …" if len(forms) > 2 else "")
        said = [
            (count, "message", f"no row: plain CDR is read, not {listed}"),
            (columns.damaged, "message", "no row: too short, or with a length beyond the end"),
            (columns.longer, "message", "bytes behind the last field, which are not read"),
            (columns.mended, "text", "bytes that are no UTF-8; U+FFFD stands for each"),
            (columns.carried, "time", "nanoseconds beyond a second, which were carried"),
            (self._late, "message", "a log_time behind the year 2262, whose end it has here"),
        ]
        lines = [
            f"{counted(count, what)} {'has' if count == 1 else 'have'} {text}"
            for count, what, text in said
            if count
        ]
        dropped = [f"{path} has no fields, so it has no column" for path in self.plan.dropped[:3]]
        if more := len(self.plan.dropped) - len(dropped):
            dropped.append(f"{counted(more, 'more field')} without fields of their own")
        return [*self._kept.notes, *lines, *self._warned, *dropped]


def _form(first: int) -> str:
    """Return how a message that begins with these two bytes is encoded."""
    try:
        return str(cdr.representation(first.to_bytes(2, "big") + bytes(2)))
    except ValueError as error:
        return str(error).removeprefix("no header of CDR but ")
