# SPDX-License-Identifier: Apache-2.0
"""Probe logs (docs/formats/probe-log.md) as one table of events.

A log may be written while it is read, cut anywhere, or hostile: it is read in blocks, never
mapped, and takes memory for the records that it really holds.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import polars as pl

from wirecost.system.errors import UserError
from wirecost.system.regular_file import open_regular

SUFFIX = ".wprobe"
MAGIC = b"WCPROBE\n"
VERSION = 1
HEADER_SIZE = 20480
PROCESSOR = struct.Struct("<QQQ")
PROCESSOR_AT = 120
"""Processor time: the thread's while it was recorded, the process's at both ends of that time."""
NO_PARENT = 0xFFFFFFFF
MAX_COUNTERS = 8
SOURCES_AT, COUNTERS_AT, NAMES_AT, MAX_NAMES, ENTRY = 112, 512, 4096, 256, 64
BLOCK_RECORDS = 1 << 14
FIXED = struct.Struct("<8sIIIIIIQQQQqII16s16s")
RECORD = np.dtype(
    [
        ("sequence", "<u8"),
        ("id", "<u4"),
        ("parent", "<u4"),
        ("part", "<u2"),
        ("kind", "u1"),
        ("depth", "u1"),
        ("counted", "u1"),
        ("scaled", "u1"),
        ("detail", "<u2"),
        ("loop", "<u8"),
        ("value", "<i8"),
        ("begin_ns", "<i8"),
        ("end_ns", "<i8"),
        ("message", "<u8"),
        ("counters", "<u8", (MAX_COUNTERS,)),
    ]
)
KINDS = {1: "section", 2: "mark", 5: "span"}
NUMBERS, TEXT = 3, 4
NAME_VARIABLE = 0xFFFFFFFE
"""Variable of the texts that hold a section's whole name."""
LONGEST_NAME = 16
"""Texts of one name."""
"""Kinds of records that hold values: doubles or a text in the place of the counters."""
COUNTER_STATUS = {1: "counted", 2: "user only"}
COUNTER_SOURCES = {
    1: "rdpmc",
    2: "perf",
    3: "getrusage",
    4: "processor number",
    5: "schedstat",
    6: "preloaded library",
    7: "kernel's events",
}
COUNTER = "counter:"
"""Before a counter's name in its column's name."""

EVENTS = pl.Schema(
    {
        "process": pl.UInt32,
        "thread": pl.UInt32,
        "kind": pl.String,
        "section": pl.String,
        "parent": pl.String,
        "depth": pl.UInt8,
        "part": pl.UInt16,
        "loop": pl.UInt64,
        "value": pl.Int64,
        "begin_ns": pl.Int64,
        "end_ns": pl.Int64,
        "wall_ns": pl.Int64,
        "scaled": pl.Boolean,
        "message": pl.UInt64,
    }
)
"""Columns of every event table; one UInt64 column ``counter:<name>`` a counter follows, null where
it has no value. ``begin_ns`` and ``end_ns`` are CLOCK_MONOTONIC, ``wall_ns`` the begin since 1970;
``parent`` is null outside any section; ``scaled`` says that counters ran part of the time only;
``message`` identifies the message waited for or given, in all processes alike; null: unknown."""


@dataclass(frozen=True)
class Counter:
    """A counter that was asked for.

    ``status`` is counted, user only or n/a; ``source`` is one of ``COUNTER_SOURCES`` or, where
    there is none, empty. A counter of source processor number may have missed some.
    """

    name: str
    status: str
    source: str = ""


@dataclass(frozen=True)
class ProbeLog:
    """Records of one thread."""

    path: Path
    program: str
    process: int
    thread: int
    thread_name: str
    counters: tuple[Counter, ...]
    names: dict[int, str]
    records: np.ndarray[Any, Any]
    wall_minus_monotonic_ns: int
    dropped: int
    unclosed: int
    unmatched: int
    ended: bool
    """True if the thread ended in order: its file is cut to its records."""
    lacks: tuple[str, ...] = ()
    """Sentences about what else is missing."""
    processor_ns: int | None = None
    """Processor time of the thread while it was recorded; None where its log has no end."""
    process_begin_ns: int = 0
    """Processor time that the process had taken when the log was created."""
    process_end_ns: int | None = None
    """Processor time that the process had taken at the log's end."""

    @property
    def count(self) -> int:
        """Records."""
        return len(self.records)

    def events(self) -> pl.DataFrame:
        """One row a record of a known kind, in the order of their ends (columns: ``EVENTS``)."""
        of_known_kinds = self.records[np.isin(self.records["kind"], list(KINDS))]
        ids = pl.Series(of_known_kinds["id"])
        parents = pl.Series(of_known_kinds["parent"])
        columns: Mapping[str, Any] = {
            "process": np.full(len(of_known_kinds), self.process, np.uint32),
            "thread": np.full(len(of_known_kinds), self.thread, np.uint32),
            "kind": pl.Series(of_known_kinds["kind"]).replace_strict(KINDS, return_dtype=pl.String),
            "section": self._named(ids),
            "parent": self._named(parents.set(parents == NO_PARENT, None)),
            "depth": of_known_kinds["depth"],
            "part": of_known_kinds["part"],
            "loop": of_known_kinds["loop"],
            "value": of_known_kinds["value"],
            "begin_ns": of_known_kinds["begin_ns"],
            "end_ns": of_known_kinds["end_ns"],
            "wall_ns": of_known_kinds["begin_ns"] + np.int64(self.wall_minus_monotonic_ns),
            "scaled": of_known_kinds["scaled"] != 0,
            "message": pl.Series(of_known_kinds["message"]).replace(0, None),
        }
        table = pl.DataFrame(columns, schema=EVENTS)
        for i, counter in enumerate(self.counters):
            values = pl.Series(COUNTER + counter.name, of_known_kinds["counters"][:, i], pl.UInt64)
            absent = pl.Series((of_known_kinds["counted"] & (1 << i)) == 0)
            table = table.with_columns(values.set(absent, None))
        return table

    def values(self) -> pl.DataFrame:
        """Return one row a number or text that the program recorded.

        ``index`` is its place in what was recorded at once, ``time_ns`` is CLOCK_MONOTONIC.
        """
        numbers = self.records[self.records["kind"] == NUMBERS]
        there = np.unpackbits(numbers["counted"][:, None], axis=1, bitorder="little") == 1
        rows, places = np.nonzero(there)
        number_values = self._values(numbers[rows], numbers["part"][rows] * np.uint32(8) + places)
        doubles = np.ascontiguousarray(numbers["counters"]).view("<f8").reshape(-1, MAX_COUNTERS)
        number_values = number_values.with_columns(
            number=pl.Series(doubles[there], dtype=pl.Float64)
        )
        texts = self.records[(self.records["kind"] == TEXT) & (self.records["id"] != NAME_VARIABLE)]
        texts_found = [_text(row.tobytes()) for row in texts["counters"]]
        return pl.concat(
            [
                number_values.with_columns(text=pl.lit(None, pl.String)),
                self._values(texts, texts["part"]).with_columns(
                    number=pl.lit(None, pl.Float64), text=pl.Series(texts_found, dtype=pl.String)
                ),
            ]
        ).sort("time_ns", maintain_order=True)

    def _values(self, records: np.ndarray[Any, Any], index: np.ndarray[Any, Any]) -> pl.DataFrame:
        columns: Mapping[str, Any] = {
            "process": np.full(len(records), self.process, np.uint32),
            "thread": np.full(len(records), self.thread, np.uint32),
            "section": self._named(pl.Series(records["parent"])),
            "variable": self._named(pl.Series(records["id"])),
            "loop": records["loop"],
            "time_ns": records["begin_ns"],
            "index": index.astype(np.uint32),
        }
        return pl.DataFrame(columns)

    def _named(self, ids: pl.Series) -> pl.Series:
        return ids.replace_strict(self.names, default=ids.cast(pl.String), return_dtype=pl.String)


def read_log(path: Path) -> ProbeLog:
    """One log, as far as it is whole. Raises UserError where it is none."""
    try:
        with open_regular(path) as file:
            return _read(path, file)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; name a probe log ({SUFFIX})") from error


def read_logs(paths: Iterable[Path]) -> list[ProbeLog]:
    """Return the logs of files and of folders' files; the logs of one process share their names.

    Raises UserError on a file that is no probe log and a folder without one.
    """
    logs: list[ProbeLog] = []
    for path in paths:
        files = sorted(path.glob("*" + SUFFIX)) if path.is_dir() else [path]
        if not files:
            raise UserError(f"{path}: holds no probe log (*{SUFFIX}); name another folder")
        logs += map(read_log, files)
    shared: dict[tuple[str, int], dict[int, str]] = {}
    for log in logs:
        names = shared.setdefault((log.program, log.process), {})
        # Only the log of the thread that named a section is sure to have the whole name.
        names |= {i: name for i, name in log.names.items() if len(name) > len(names.get(i, ""))}
    return [replace(log, names=shared[log.program, log.process]) for log in logs]


def events_of(logs: list[ProbeLog]) -> pl.DataFrame:
    """Return the events of all logs; a counter is null where a log does not have it."""
    return pl.concat([log.events() for log in logs], how="diagonal")


def _read(path: Path, file: BinaryIO) -> ProbeLog:
    header = file.read(HEADER_SIZE)
    if not header.startswith(MAGIC):
        raise UserError(f"{path}: not a probe log; name a {SUFFIX} file")
    if len(header) < HEADER_SIZE:
        raise UserError(f"{path}: cut off within its header; nothing of it can be read")
    fields = FIXED.unpack_from(header)
    version, header_size, record_size, counter_count, process, thread = fields[1:7]
    capacity, dropped, unclosed, unmatched, wall_minus_monotonic_ns = fields[7:12]
    if (version, header_size, record_size) != (VERSION, HEADER_SIZE, RECORD.itemsize):
        raise UserError(
            f"{path}: version {version} with records of {record_size} bytes; this wirecost reads "
            f"version {VERSION} with {RECORD.itemsize}: update the older of the two"
        )
    records = _records(file, capacity)
    processor_ns, process_begin_ns, process_end_ns = PROCESSOR.unpack_from(header, PROCESSOR_AT)
    size = os.fstat(file.fileno()).st_size
    return ProbeLog(
        path=path,
        program=_text(fields[14]),
        process=process,
        thread=thread,
        thread_name=_text(fields[15]),
        counters=_counters(header, counter_count, access=fields[12]),
        names=_names(header) | _whole_names(records),
        records=records,
        wall_minus_monotonic_ns=wall_minus_monotonic_ns,
        dropped=dropped,
        unclosed=unclosed,
        unmatched=unmatched,
        ended=size == HEADER_SIZE + len(records) * RECORD.itemsize,
        processor_ns=processor_ns if process_end_ns else None,
        process_begin_ns=process_begin_ns,
        process_end_ns=process_end_ns or None,
    )


def _records(file: BinaryIO, capacity: int) -> np.ndarray[Any, Any]:
    blocks: list[np.ndarray[Any, Any]] = []
    count = 0
    while count < capacity:
        block_count = min(BLOCK_RECORDS, capacity - count)
        content = file.read(block_count * RECORD.itemsize)
        block = np.frombuffer(content, RECORD, len(content) // RECORD.itemsize)
        expected = np.arange(count + 1, count + 1 + len(block), dtype=np.uint64)
        torn = np.flatnonzero(block["sequence"] != expected)
        whole = int(torn[0]) if len(torn) else len(block)
        blocks.append(block[:whole])
        count += whole
        if whole < block_count:
            break
    return np.concatenate(blocks) if blocks else np.zeros(0, RECORD)


def _counters(header: bytes, count: int, access: int) -> tuple[Counter, ...]:
    counters: dict[str, Counter] = {}
    for i in range(min(count, MAX_COUNTERS)):
        name, status = struct.unpack_from("<56sI", header, COUNTERS_AT + i * ENTRY)
        wording = COUNTER_STATUS.get(status, "n/a")
        # Older logs have one source for all counters.
        source = COUNTER_SOURCES.get(header[SOURCES_AT + i] or access, "")
        key = _text(name)
        while key in counters:  # columns need names of their own
            key += "#"
        counters[key] = Counter(key, wording, "" if wording == "n/a" else source)
    return tuple(counters.values())


def _names(header: bytes) -> dict[int, str]:
    entries = (struct.unpack_from("<II56s", header, NAMES_AT + i * ENTRY) for i in range(MAX_NAMES))
    return {identifier: _text(name) for identifier, used, name in entries if used == 1}


def _whole_names(records: np.ndarray[Any, Any]) -> dict[int, str]:
    """Names that have no room in the header, from records."""
    parts: dict[int, dict[int, bytes]] = {}
    for record in records[(records["kind"] == TEXT) & (records["id"] == NAME_VARIABLE)]:
        if record["part"] < LONGEST_NAME:
            parts.setdefault(int(record["parent"]), {})[int(record["part"])] = record[
                "counters"
            ].tobytes()
    return {
        identifier: _text(b"".join(pieces[part].rstrip(b"\0") for part in range(len(pieces))))
        for identifier, pieces in parts.items()
        if set(pieces) == set(range(len(pieces)))
    }


def _text(field: bytes) -> str:
    text = field.partition(b"\0")[0].decode("utf-8", "replace")
    return "".join(c if c.isprintable() else "\ufffd" for c in text)
