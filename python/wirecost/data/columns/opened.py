# SPDX-License-Identifier: Apache-2.0
"""Recordings in programs: ``wirecost.open_recording("drive.mcap")["/imu"].polars()``."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from wirecost.data.columns.reading import BATCH_ROWS, TopicReader
from wirecost.data.columns.values import values
from wirecost.data.recordings.blocks import ALL_TIMES, EARLIEST, LATEST, Window
from wirecost.data.recordings.recording import Recording
from wirecost.system import extras
from wirecost.system.closing import Closing
from wirecost.system.errors import UserError

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from wirecost._core import RecordBatch


class RecordingWarning(UserWarning):
    """Messages or values of a recording that were left out or changed."""


@dataclass(frozen=True)
class RecordedTopic:
    """A topic, whose messages are read anew by each call.

    What is lost on the way is a ``RecordingWarning``. Methods raise UserError.
    """

    recording: Recording = field(repr=False)
    name: str
    include: Sequence[Path] = ()
    fields: Sequence[str] = ()
    """Dotted paths of the fields that are read; none for all."""
    window: Window = ALL_TIMES

    def select(self, *fields: str) -> RecordedTopic:
        """Return the topic with these fields alone, such as ``"orientation.x"``."""
        return replace(self, fields=fields)

    def between(self, begin_ns: int = EARLIEST, end_ns: int = LATEST) -> RecordedTopic:
        """Return the topic with the messages recorded from one time on and before another."""
        return replace(self, window=Window(begin_ns, end_ns))

    @property
    def columns(self) -> dict[str, str]:
        """Types of the columns by their dotted paths."""
        return self._reader().columns

    def batches(self, rows: int = BATCH_ROWS) -> Iterator[RecordBatch]:
        """Yield batches of that many rows, fewer where messages are large.

        Each has Arrow's ``__arrow_c_array__``, by which pyarrow, Polars and others take it without
        a copy.
        """
        reader = self._reader()
        yield from reader.batches(rows, self.window)
        _warn(reader)

    def polars(self) -> pl.DataFrame:
        import polars as pl  # noqa: PLC0415  slow to import

        reader = self._reader()
        frames = [reader.frame(batch) for batch in reader.batches(window=self.window)]
        _warn(reader)
        return pl.concat(frames) if frames else reader.frame(reader.empty())

    def arrow(self) -> pa.Table:
        """Return a table of pyarrow, which must be installed."""
        extras.require("pyarrow")
        import pyarrow as pa  # noqa: PLC0415  optional

        reader = self._reader()
        batches = [pa.record_batch(batch) for batch in reader.batches(window=self.window)]
        _warn(reader)
        return pa.Table.from_batches(batches or [pa.record_batch(reader.empty())])

    def numpy(self, field: str) -> npt.NDArray[Any]:
        """Return the values of a field: one each message, or as many as its array has."""
        reader = replace(self, fields=[field])._reader()
        leaf = next((leaf for leaf in reader.leaves if leaf.path == field), None)
        if leaf is None or leaf.is_ragged:
            kind = "consists of several fields" if leaf is None else "has no fixed size"
            raise UserError(f"{self.recording.path}: {field} {kind}; take polars() or arrow()")
        parts = [values(batch, leaf) for batch in reader.batches(window=self.window)]
        _warn(reader)
        return np.concatenate(parts) if parts else values(reader.empty(), leaf)

    def _reader(self) -> TopicReader:
        return TopicReader(self.recording, self.name, self.fields, self.include)


class OpenRecording(Mapping[str, RecordedTopic], Closing):
    """Topics that have messages, by their names."""

    def __init__(self, path: Path, include: Sequence[Path] = ()) -> None:
        self._recording = Recording(path)
        self._include = include
        of_topics = (each.topic for each in self._recording.connections if each.count)
        self._topics = list(dict.fromkeys(of_topics))

    def __getitem__(self, topic: str) -> RecordedTopic:
        if topic not in self._topics:
            raise KeyError(topic)
        return RecordedTopic(self._recording, topic, self._include)

    def __iter__(self) -> Iterator[str]:
        return iter(self._topics)

    def __len__(self) -> int:
        return len(self._topics)

    @property
    def begin_ns(self) -> int:
        """Time of its first message in nanoseconds."""
        return self._recording.begin_ns

    def close(self) -> None:
        self._recording.close()


def open_recording(path: str | Path, include: Sequence[str | Path] = ()) -> OpenRecording:
    """Open a recording of any format; ``include``: folders with definitions it may lack.

    Raises UserError.
    """
    return OpenRecording(Path(path), [Path(folder) for folder in include])


def _warn(reader: TopicReader) -> None:
    for note in reader.notes:
        warnings.warn(note, RecordingWarning, stacklevel=3)
