# SPDX-License-Identifier: Apache-2.0
"""Columns of a file as messages in a recording: the inverse of ``reading``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from wirecost._core import RecordPass, record_messages
from wirecost.data.columns.parts import Part, PartKind
from wirecost.data.columns.plan import DATA, POINTS, ColumnPlan, column_plan
from wirecost.data.columns.points import is_cloud, point_bytes
from wirecost.data.messages.ros.definitions import carried, known, short
from wirecost.data.messages.ros.subject import ros_subject
from wirecost.data.messages.subject import Subject
from wirecost.data.recordings.mcap.writer import McapSchema, McapWriter
from wirecost.system import whole_file
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write
from wirecost.system.foreign import shown
from wirecost.system.progress import Progress, silent

SCANS: dict[str, Callable[[Path], pl.LazyFrame]] = {
    ".parquet": pl.scan_parquet,
    ".arrow": pl.scan_ipc,
}
"""Functions that open a file, by the end of its name."""
PIECE_BYTES = 16 << 20
"""Bytes of messages that are held at once, and those of the last one."""
_NO_BYTES, _NO_BEGINS = np.zeros(0, np.uint8), np.zeros(0, np.int64)
_ENCODINGS = {"ros1": "ros1msg", "ros2": "ros2msg"}
_FAULTS = (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)

Bytes = npt.NDArray[np.uint8]
Column = tuple[int, Bytes, npt.NDArray[np.int64]]
"""Node in the plan, values, and where each row's begin."""


@dataclass(frozen=True)
class MessageType:
    """A type of ROS. ``schema``: as recordings carry it."""

    subject: Subject
    dialect: str
    schema: McapSchema


def message_type(name: str, dialect: str, include: Sequence[Path] = ()) -> MessageType:
    """Return the type of this name, from files of folders or as ROS has it. Raises UserError."""
    definitions = known(name, dialect, include)
    full = short(name)
    subject = ros_subject(definitions, f"--type {shown(name)}", full)
    recorded = full if dialect == "ros1" else full.replace("/", "/msg/")
    text = carried(definitions, full)
    return MessageType(subject, dialect, McapSchema(recorded, _ENCODINGS[dialect], text.encode()))


@dataclass
class WrittenTopic:
    """What became of a file's columns."""

    rows: int = 0
    bytes: int = 0
    unused: list[str] = field(default_factory=list)
    """Columns of the file that the type has no field for."""
    early: int = 0
    """Messages recorded before 1970, a time that MCAP cannot hold."""


def write_messages(
    source: Path, about: MessageType, topic: str, out: Path, progress: Progress = silent
) -> WrittenTopic:
    """Write the rows of a file as messages of a topic into an MCAP file. Raises UserError."""
    columns = _ColumnFile(source, about)
    done = WrittenTopic(unused=columns.unused)
    try:
        with whole_file.replaced(out) as path, path.open("wb") as file:
            writer = McapWriter(file, about.dialect)
            channel = writer.channel(topic, about.subject.wire, about.schema)
            for times, memory, ends in columns.pieces():
                view, begin = memory.data, 0
                for time, end in zip(times.tolist(), ends.tolist(), strict=True):
                    writer.write(channel, time, view[begin:end])
                    begin = end
                done.rows += len(times)
                done.bytes += len(memory)
                done.early += int((times < 0).sum())
                progress(done.rows, max(columns.rows, done.rows), f"writing {shown(topic)}")
            writer.finish()
    except OSError as error:
        raise failed_write(out, error, "name a file in a folder with room") from error
    return done


class _ColumnFile:
    """A file with the columns of a type. Raises UserError where it has not."""

    def __init__(self, path: Path, about: MessageType) -> None:
        self._path = path
        self._about = about
        self._plan: ColumnPlan = column_plan(about.subject, source=f"--type {about.subject.type}")
        _check_writable(self._plan)
        with self._reading():
            self._lazy = SCANS[path.suffix.lower()](path)
            given = self._lazy.collect_schema()
            self.rows = int(self._lazy.select(pl.len()).collect().item())
        self._has_points = is_cloud(about.subject) and DATA not in given and POINTS in given
        expected = pl.DataFrame(RecordPass(self._plan.native).take()).schema
        names = [name for name in expected if name != DATA or not self._has_points]
        for name in names:
            self._check(expected[name], given.get(name), name)
        self._names = [*names, POINTS] if self._has_points else names
        self.unused = [name for name in given if name not in self._names]

    def pieces(self) -> Iterator[tuple[npt.NDArray[np.int64], Bytes, npt.NDArray[np.uint64]]]:
        """Yield times of messages, the messages one behind the other, and where each ends."""
        for frame in self._frames():
            columns = column_values(self._plan, frame, str(self._path))
            times = frame[self._plan.parts[1].name].cast(pl.Int64).to_numpy()
            first = 0
            while first < frame.height:
                try:
                    memory, ends = record_messages(
                        self._plan.native, columns, frame.height, first, PIECE_BYTES
                    )
                except (ValueError, IndexError) as error:
                    raise UserError(f"{self._path}: {error}; change the column") from error
                yield times[first : first + len(ends)], memory, ends
                first += len(ends)

    def _frames(self) -> Iterator[pl.DataFrame]:
        batches = iter(self._lazy.select(self._names).collect_batches(maintain_order=True))
        while True:
            with self._reading():
                frame = next(batches, None)
            if frame is None:
                return
            if not frame.height:
                continue
            if self._has_points:
                for name in self._names:
                    _check_nulls(frame[name], name, str(self._path))
                frame = frame.with_columns(point_bytes(frame, str(self._path)))
            yield frame

    def _check(self, expected: Any, given: Any, path: str) -> None:
        """Check a type of Polars against that of a column; None: there is no such column."""
        type_ = self._about.subject.type
        if given is None:
            raise UserError(
                f"{self._path}: has no column {shown(path)}, which {type_} needs; add it, or read "
                "the recording without --fields"
            )
        if isinstance(expected, pl.Struct) and isinstance(given, pl.Struct):
            of = {each.name: each.dtype for each in given.fields}
            for each in expected.fields:
                self._check(each.dtype, of.get(each.name), f"{path}.{each.name}")
        elif (
            isinstance(expected, (pl.List, pl.Array))
            and isinstance(given, type(expected))
            and getattr(expected, "size", 0) == getattr(given, "size", 0)
        ):
            self._check(expected.inner, given.inner, path)
        elif expected != given:
            raise UserError(
                f"{self._path}: column {shown(path)} is {given}, of {type_} it is {expected}; "
                "cast it"
            )

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except _FAULTS as error:
            if isinstance(error, OSError) and error.strerror:
                reason = error.strerror
            else:
                reason = f"cannot be read ({shown(error, 100)})"
            raise UserError(f"{self._path}: {reason}; name a Parquet or Arrow file") from error


def _check_writable(plan: ColumnPlan) -> None:
    """Raise UserError where a type has lists that no column holds."""
    lists = (PartKind.LIST, PartKind.SEQUENCE)
    for part in plan.parts:
        if part.kind in lists and not part.is_kept:
            raise UserError(
                f"{plan.type}: {part.name} is a list of messages without fields, so no column has "
                "its length; choose another --type"
            )


def _check_nulls(series: pl.Series, path: str, source: str) -> None:
    if count := series.null_count():
        remedy = "fill them"
        if path == POINTS:
            remedy = f"read the recording with --fields {DATA} and the other fields"
        raise UserError(
            f"{source}: column {shown(path)} has {counted(count, 'null')}, and a message has a "
            f"value there; {remedy}"
        )


def column_values(plan: ColumnPlan, frame: pl.DataFrame, source: str) -> list[Column]:
    """Return what the columns of a frame have for the nodes of a plan. Raises UserError.

    The frame has the plan's columns, of its types; ``source``: where it is from, for people.
    """
    return list(_Columns(plan.parts, source).of(frame))


class _Columns:
    def __init__(self, parts: list[Part], source: str) -> None:
        self._parts = parts
        self._source = source
        self._at = 0

    def of(self, frame: pl.DataFrame) -> Iterator[Column]:
        self._at = 2  # behind the message and log_time, which is no part of it
        while self._at < len(self._parts):
            part = self._parts[self._at]
            yield from self._below(frame[part.name] if part.is_kept else None, part.name)

    def _below(self, series: pl.Series | None, path: str) -> Iterator[Column]:
        """Yield what a part and those in it have; None for one that has no column."""
        node, part = self._at, self._parts[self._at]
        self._at += 1
        inner = None
        if series is not None:
            _check_nulls(series, path, self._source)
            if part.kind in (PartKind.LIST, PartKind.ARRAY):
                inner = series.explode(empty_as_null=False)
            if part.kind is PartKind.LIST:
                yield node, _NO_BYTES, _begins(series.list.len())
            elif part.kind not in (PartKind.STRUCTURE, PartKind.ARRAY):
                yield node, *self._values(part, series, path)
        for _ in range(part.children):
            child = self._parts[self._at]
            if part.kind is not PartKind.STRUCTURE or series is None:
                yield from self._below(inner, path)
            else:
                own = series.struct.field(child.name) if child.is_kept else None
                yield from self._below(own, f"{path}.{child.name}")

    def _values(
        self, part: Part, series: pl.Series, path: str
    ) -> tuple[Bytes, npt.NDArray[np.int64]]:
        if series.dtype in (pl.String, pl.Binary):
            binary = series.cast(pl.Binary)
            sizes = binary.bin.size()
            if part.kind is PartKind.BLOCK and (wrong := int((sizes != part.size).sum())):
                raise UserError(
                    f"{self._source}: column {shown(path)} has {counted(wrong, 'value')} of other "
                    f"sizes than {counted(part.size, 'byte')}; change them"
                )
            joined = np.frombuffer(b"".join(binary.to_list()), np.uint8)
            return joined, _NO_BEGINS if part.kind is PartKind.BLOCK else _begins(sizes)
        begins = _NO_BEGINS
        if part.kind in (PartKind.SEQUENCE, PartKind.BLOCK):
            if part.kind is PartKind.SEQUENCE:
                begins = _begins(series.list.len())
            series = series.explode(empty_as_null=False)
            _check_nulls(series, path, self._source)
        return _bytes_of(series), begins


def _bytes_of(series: pl.Series) -> Bytes:
    if series.dtype == pl.Boolean:
        series = series.cast(pl.UInt8)
    elif not series.dtype.is_numeric():  # times
        series = series.cast(pl.Int64)
    array: npt.NDArray[Any] = np.ascontiguousarray(series.to_numpy())
    return array.view(np.uint8)


def _begins(sizes: pl.Series) -> npt.NDArray[np.int64]:
    """Return where each row begins, and where the last ends."""
    begins = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes.to_numpy(), out=begins[1:])
    return begins
