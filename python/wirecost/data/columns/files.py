# SPDX-License-Identifier: Apache-2.0
"""Columns of a topic as a file: Parquet, Arrow's IPC or NumPy's .npz, batch by batch."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from wirecost.data.columns.reading import BATCH_ROWS, TopicReader
from wirecost.data.columns.values import OFFSETS, offsets, values
from wirecost.system import scratch
from wirecost.system.failed_write import failed_write
from wirecost.system.progress import Progress

_COPIED = 1 << 20


def write(reader: TopicReader, path: Path, progress: Progress) -> None:
    """Write a topic in the format of the file's name. Raises UserError."""
    writer = FORMATS[path.suffix.lower()]
    from wirecost.system.whole_table import replaced_by_polars as replaced  # noqa: PLC0415  slow

    try:
        with replaced(path) as new_file:
            writer(reader, new_file, progress)
    except OSError as error:
        raise failed_write(path, error, "name a file in a folder with room") from error


def _write_frames(sink: str, group_size: str) -> Callable[[TopicReader, Path, Progress], None]:
    """Return a function that writes by a method of Polars' lazy frames."""

    def write_frames(reader: TopicReader, path: Path, progress: Progress) -> None:
        import polars as pl  # noqa: PLC0415  slow to import
        from polars.io.plugins import register_io_source  # noqa: PLC0415

        batches = reader.batches(progress=progress)
        first = next(batches, None)
        rows = min(BATCH_ROWS, first.rows) if first is not None else BATCH_ROWS
        faults: list[BaseException] = []

        def frames(*_: object) -> Iterator[pl.DataFrame]:
            try:
                for batch in chain([reader.empty() if first is None else first], batches):
                    yield pl.DataFrame(batch)
            except BaseException as fault:  # Polars would make an error of its own of it
                faults.append(fault)

        schema = pl.DataFrame(reader.empty()).schema
        lazy = register_io_source(frames, schema=schema)
        getattr(lazy, sink)(path, **{group_size: rows}, compression="zstd")
        if faults:
            raise faults[0]

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


def _write_npz(reader: TopicReader, path: Path, progress: Progress) -> None:
    """Write an array for each column.

    One of texts or lists has the values of all rows, and a second array where each row's begin.
    """
    arrays: dict[str, _GrowingArray] = {}

    def add(name: str, rows: npt.NDArray[Any]) -> None:
        if name not in arrays:
            arrays[name] = _GrowingArray(folder / str(len(arrays)), rows)
        arrays[name].add(rows)

    with scratch.folder("npz") as folder:
        for batch in chain([reader.empty()], reader.batches(progress=progress)):
            for leaf in reader.leaves:
                if leaf.has_offsets:
                    name, begins = leaf.path + OFFSETS, offsets(batch, leaf)
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
