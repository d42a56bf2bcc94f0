# SPDX-License-Identifier: Apache-2.0
"""Places where the frames of an ``.osi`` file begin, and the file beside it that remembers them.

The format is docs/formats/trace-index.md.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from wirecost.data.traces.files import WholeFile
from wirecost.system.errors import UserError
from wirecost.system.mapped import RELEASED, Mapped
from wirecost.system.progress import Progress
from wirecost.system.regular_file import open_regular

MAGIC = b"OSIINDEX"
VERSION = 1
HEADER = struct.Struct("<8sIIQq16sQQ")
ENDS = 4096
"""Bytes of the trace's beginning and end that the digest covers."""
WORTHWHILE = 1 << 20
"""Smaller traces are walked quicker than an index is read, so they get none."""
BATCH = 1 << 16

Offsets = npt.NDArray[np.uint64]
"""N + 1 of them: where the length of each frame stands, and where the last whole frame ends."""

_LENGTH = struct.Struct("<I")


def index_path(trace: Path) -> Path:
    """Return the path of a trace's index: ``drive.osi`` → ``drive.osi.index``."""
    return trace.with_name(f"{trace.name}.index")


def offsets(trace: Path, data: Mapped, progress: Progress, worthwhile: int = WORTHWHILE) -> Offsets:
    """Read the index beside the trace, or write it where it is missing or stale.

    Where the folder cannot be written the offsets are kept in memory only.
    """
    if data.size < worthwhile:
        return _collected(data.view, progress)
    remembered = _read(trace, data)
    if remembered is not None:
        return remembered
    try:
        _write(trace, data, progress)
    except UserError:
        return _collected(data.view, progress)
    written = _read(trace, data)
    return written if written is not None else _collected(data.view, progress)


def forget(trace: Path) -> None:
    """Remove an index that turned out to be wrong; where that is not possible it stays unused."""
    try:
        index_path(trace).unlink(missing_ok=True)
    except OSError:
        return


def walk(data: memoryview, progress: Progress) -> Iterator[Offsets]:
    """Yield the offsets in batches, by going from length to length."""
    at, size = 0, len(data)
    reported = 0
    batch: list[int] = []
    read = _LENGTH.unpack_from
    while size - at >= 4:
        end = at + 4 + int(read(data, at)[0])
        if end > size:
            break
        batch.append(at)
        at = end
        if at - reported >= RELEASED:
            reported = at
            progress(at, size, "finding the frames")
        if len(batch) == BATCH:
            yield np.array(batch, dtype=np.uint64)
            batch.clear()
    batch.append(at)
    yield np.array(batch, dtype=np.uint64)


def _collected(data: memoryview, progress: Progress) -> Offsets:
    return np.concatenate(list(walk(data, progress)))


def digest(data: memoryview) -> bytes:
    """Return BLAKE2b, 16 bytes, of the trace's first and last 4096 bytes."""
    return hashlib.blake2b(bytes(data[:ENDS]) + bytes(data[-ENDS:]), digest_size=16).digest()


def _header(data: Mapped, frames: int) -> bytes:
    stat = data.stat
    return HEADER.pack(MAGIC, VERSION, 0, data.size, stat.st_mtime_ns, digest(data.view), frames, 0)


def _read(trace: Path, data: Mapped) -> Offsets | None:
    """Return None where there is no index, or it is another trace's, or not whole."""
    path = index_path(trace)
    try:
        size = path.stat().st_size
        with open_regular(path) as file:
            header = file.read(HEADER.size)
        frames = HEADER.unpack(header)[6]
        if header != _header(data, frames) or size != HEADER.size + 8 * (frames + 1):
            return None
        content = np.memmap(path, dtype="<u8", mode="r", offset=HEADER.size, shape=(frames + 1,))
    except (OSError, struct.error, ValueError, OverflowError):
        return None
    # Frames are checked when they are read; these two are what is relied on before.
    return content if content[0] == 0 and content[-1] <= data.size else None


def _write(trace: Path, data: Mapped, progress: Progress) -> None:
    with WholeFile(index_path(trace)) as out:
        frames = -1  # the last offset is the end of the last frame
        try:
            out.file.write(bytes(HEADER.size))
            for batch in walk(data.view, progress):
                out.file.write(batch.astype("<u8").tobytes())
                frames += len(batch)
            out.file.seek(0)
            out.file.write(_header(data, frames))
        except OSError as error:
            raise UserError(f"{index_path(trace)}: {error.strerror}; free some room") from error
