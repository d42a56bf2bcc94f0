# SPDX-License-Identifier: Apache-2.0
"""Columns of a topic as a file: Parquet, Arrow's IPC or NumPy's .npz, batch by batch."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from wirecost._core import RecordBatch
from wirecost.data.columns.reading import BATCH_ROWS, TopicReader, read_together
from wirecost.data.columns.values import offset_names, offsets, values
from wirecost.data.recordings.blocks import ALL_TIMES, Window
from wirecost.system import scratch
from wirecost.system.failed_write import failed_write
from wirecost.system.progress import Progress, silent

_COPIED = 1 << 20
_GROUPED = 4
"""Batches whose rows are a group of a file, which has something about each group."""


def write(
    files: Mapping[TopicReader, Path], window: Window = ALL_TIMES, progress: Progress = silent
) -> None:
    """Write topics of a recording, each in the format of its file's name. Raises UserError.

    The recording is read once; the files are whole or not there.
    """
    sinks = {reader: _Sink(reader, path) for reader, path in files.items()}
    is_whole = False
    try:
        for reader, batch in read_together(list(sinks), window=window, progress=progress):
            sinks[reader].add(batch)
            if any(sink.fault for sink in sinks.values()):
                break
        else:
            is_whole = True
    finally:
        for sink in sinks.values():
            sink.end(is_whole)
    for sink in sinks.values():
        fault, sink.fault = sink.fault, None  # whose frames have the sink
        if fault is not None and not isinstance(fault, _StoppedError):
            raise fault


class _StoppedError(Exception):
    """Reading ended early, or another file cannot be written."""


class _Sink:
    """A file, and the thread that writes it: writers ask for batches, which come from elsewhere."""

    def __init__(self, reader: TopicReader, path: Path) -> None:
        self.fault: BaseException | None = None
        """Why the file cannot be written."""
        self._batches: Queue[RecordBatch | bool] = Queue(1)
        self._has_ended = False
        self._thread = Thread(target=self._write, args=(reader, path), daemon=True)
        self._thread.start()

    def add(self, batch: RecordBatch) -> None:
        self._batches.put(batch)

    def end(self, is_whole: bool) -> None:
        """Wait until the file is written; not ``is_whole``: until it is removed."""
        self._batches.put(is_whole)
        self._thread.join()

    def _write(self, reader: TopicReader, path: Path) -> None:
        from wirecost.system.whole_table import (  # noqa: PLC0415  slow
            replaced_by_polars as replaced,
        )

        try:
            with replaced(path) as new_file:
                FORMATS[path.suffix.lower()](reader, self._added(), new_file)
        except OSError as error:
            self.fault = failed_write(path, error, "name a file in a folder with room")
        except BaseException as fault:  # whoever adds raises it
            self.fault = fault
        while not self._has_ended:  # lest somebody waits for room
            self._has_ended = isinstance(self._batches.get(), bool)

    def _added(self) -> Iterator[RecordBatch]:
        while not isinstance(batch := self._batches.get(), bool):
            yield batch
        self._has_ended = True
        if not batch:
            raise _StoppedError


def _write_frames(
    sink: str, group_size: str
) -> Callable[[TopicReader, Iterator[RecordBatch], Path], None]:
    """Return a function that writes by a method of Polars' lazy frames."""

    def write_frames(reader: TopicReader, batches: Iterator[RecordBatch], path: Path) -> None:
        import polars as pl  # noqa: PLC0415  slow to import
        from polars.io.plugins import register_io_source  # noqa: PLC0415

        first = next(batches, None)
        rows = min(BATCH_ROWS, _GROUPED * first.rows) if first is not None else BATCH_ROWS
        faults: list[BaseException] = []

        def frames(*_: object) -> Iterator[pl.DataFrame]:
            try:
                for batch in chain([reader.empty() if first is None else first], batches):
                    yield reader.frame(batch)
            except BaseException as fault:  # Polars would make an error of its own of it
                faults.append(fault)

        schema = reader.frame(reader.empty()).schema
        lazy = register_io_source(frames, schema=schema)
        metadata = reader.metadata
        about = {"metadata": lambda _: metadata(reader)} if metadata is not None else {}
        getattr(lazy, sink)(path, **{group_size: rows}, **about, compression="zstd")
        if faults:
            raise faults.pop()  # or Polars, which has `frames`, would keep its frames

    return write_frames


class _GrowingArray:
    """An array in a file, to which rows are added."""

    def __init__(self, path: Path, rows: npt.NDArray[Any]) -> None:
        self._path = path
        self._dtype = rows.dtype
        self._shape = rows.shape[1:]
        self._count = 0
        self.last = 0

    def add(self, rows: npt.NDArray[Any]) -> None:
        self._count += len(rows)
        with self._path.open("ab") as file:
            file.write(np.ascontiguousarray(rows).view(np.uint8).data if rows.size else b"")

    def write(self, file: IO[bytes]) -> None:
        """Write it as an .npy."""
        header = {
            "descr": np.lib.format.dtype_to_descr(self._dtype),
            "fortran_order": False,
            "shape": (self._count, *self._shape),
        }
        np.lib.format.write_array_header_1_0(file, header)
        with self._path.open("rb") as rows:
            shutil.copyfileobj(rows, file, _COPIED)


def _write_npz(reader: TopicReader, batches: Iterator[RecordBatch], path: Path) -> None:
    """Write an array for each column.

    One of texts or lists has the values of all rows, and a second array where each row's begin.
    """
    arrays: dict[str, _GrowingArray] = {}
    named = offset_names(reader.leaves)

    def add(name: str, rows: npt.NDArray[Any]) -> None:
        if name not in arrays:
            arrays[name] = _GrowingArray(folder / str(len(arrays)), rows)
        arrays[name].add(rows)

    with scratch.folder("npz") as folder:
        for batch in chain([reader.empty()], batches):
            for leaf in reader.leaves:
                if leaf.has_offsets:
                    name, begins = named[leaf.node], offsets(batch, leaf)
                    is_first = name not in arrays
                    before = 0 if is_first else arrays[name].last
                    add(name, begins if is_first else begins[1:] + before)
                    arrays[name].last = before + int(begins[-1])
                if leaf.part.format:
                    add(leaf.path, values(batch, leaf))
        with zipfile.ZipFile(path, "w") as archive:
            for name, array in arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    array.write(member)


FORMATS = {
    ".parquet": _write_frames("sink_parquet", "row_group_size"),
    ".arrow": _write_frames("sink_ipc", "record_batch_size"),
    ".npz": _write_npz,
}
"""Functions that write a file, by the end of its name."""
