# SPDX-License-Identifier: Apache-2.0
"""Places of the frames of an MCAP file: from its own index, else by reading all of it."""

from __future__ import annotations

import struct
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, cast

import lz4.frame
import numpy as np
import zstandard
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.reader import SeekingReader
from mcap.records import Channel, Chunk, Header, McapRecord, Message, Metadata, Schema
from mcap.stream_reader import StreamReader
from mcap.summary import Summary

from wirecost._core import crc32, scratch_memory
from wirecost.data.recordings.mcap.frames import OUTSIDE, Entries, FoundFrames, FrameIndex
from wirecost.system.foreign import shown
from wirecost.system.progress import Progress

MAX_CHUNK = 1 << 30
"""Bytes a chunk may have unpacked; a small file can claim any number."""
USUAL_CHUNK = 64 << 20
"""Bytes of a chunk for which nobody looks at the free memory."""
MEMORY_SHARE = 0.4
"""Share of the free memory that a larger chunk may take."""
MAX_DEFINITIONS = 64 << 20
"""Bytes that all schemas and channels in chunks may have: packed, a small file holds any number."""
MAX_FRAMES = 1 << 26
"""Frames that a file without an index of its own may have."""
INDEX_ENTRY = 16
"""Bytes that a frame takes in an index."""

DAMAGE = (
    McapError,
    struct.error,
    ValueError,
    KeyError,
    IndexError,
    OverflowError,
    EOFError,
    RuntimeError,
    zstandard.ZstdError,
)
"""Errors that the readers of records and chunks raise on hostile bytes."""

MESSAGE = struct.Struct("<BQHIQQ")
"""Opcode, length behind it, channel, sequence, log time and publish time; the data follows."""
HEAD = 9
"""Bytes of a record before its content."""
_CHUNK = struct.Struct("<BQQQQII")
"""Opcode, length behind it, times of first and last message, unpacked bytes, checksum, length of
the compression's name; that and the records follow."""
_INDEX_HEAD = 6
"""Bytes of a message index before its entries: channel, and bytes of the entries."""
_ENDS = ((Opcode.DATA_END, 4), (Opcode.FOOTER, 20))
_DATA = (Opcode.MESSAGE, Opcode.CHUNK)
_NOTED = (*_DATA, Opcode.SCHEMA, Opcode.CHANNEL, Opcode.METADATA)
"""Records that are read; MCAP asks readers to skip all others, known or not."""
COMPRESSIONS = ("", "lz4", "zstd")


class _OfThread(threading.local):
    """What unpacks the chunks of a thread: the memory of a new one would be fresh pages."""

    def __init__(self) -> None:
        self.zstd = zstandard.ZstdDecompressor()


_OF_THREAD = _OfThread()


class RefusedChunkError(ValueError):
    """Chunks that are whole, and not read; its text says what they are."""


class UnknownCompressionError(RefusedChunkError):
    """Chunks that no reader here unpacks; its text names the compression."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"compressed by {shown(name, 40)}, which is not read; `mcap compress` writes zstd"
        )


class Bytes:
    """A view as the file that the mcap package reads.

    A read of more than there is raises EOFError: the package would take the rest for the whole.
    """

    def __init__(self, view: memoryview) -> None:
        self._view = view
        self._at = 0

    def read(self, size: int) -> bytes:
        part = bytes(self._view[self._at : self._at + size])
        if len(part) < size:
            raise EOFError(f"{size} bytes are wanted, {len(part)} are left")
        self._at += size
        return part

    def seek(self, offset: int, whence: int = 0) -> int:
        at = offset + (0, self._at, len(self._view))[whence]
        if not 0 <= at <= len(self._view):
            raise ValueError(f"offset {at} lies outside the file")
        self._at = at
        return at

    def tell(self) -> int:
        return self._at

    def seekable(self) -> bool:
        return True


def stream(view: memoryview, at: int = 0) -> IO[bytes]:
    """Return the view from ``at`` on, as the mcap package wants it."""
    return cast(IO[bytes], Bytes(view[at:]))


@dataclass
class Contents:
    """Everything but the frames' data; ``found``: frames as they are found without an index."""

    channels: dict[int, Channel] = field(default_factory=dict)
    schemas: dict[int, Schema] = field(default_factory=dict)
    metadata: list[Metadata] = field(default_factory=list)
    frames: FrameIndex = field(default_factory=lambda: FoundFrames().index())
    found: FoundFrames = field(default_factory=FoundFrames)
    redefined: bool = False
    """True if two channels or schemas that differ have one number."""
    definition_bytes: int = 0
    """Bytes of the schemas and channels in chunks, each of another content."""
    profile: str = ""
    complaint: str = ""
    """Fault of the file, in half a sentence; empty if there is none."""


def read_contents(view: memoryview, progress: Progress) -> Contents:
    """Read the summary where it is complete, else all chunks once.

    Raises the errors in DAMAGE only where the file is not MCAP at all.
    """
    first = next(StreamReader(stream(view), record_size_limit=len(view)).records, None)
    if first is None:
        raise ValueError("no record")
    contents = _read(view, progress)
    contents.profile = first.profile if isinstance(first, Header) else ""
    return contents


def _read(view: memoryview, progress: Progress) -> Contents:
    summary, complaint = _summary(view)
    if summary is not None and _indexed(summary):
        try:
            by_index = _by_summary(view, summary, progress)
            if len(by_index.frames) or _is_empty(_scan(view, progress)):
                return by_index
        except DAMAGE:
            pass
        complaint = "its index does not fit it"
    contents = _scan(view, progress)
    contents.complaint = "; ".join(filter(None, (complaint, contents.complaint)))
    count = len(contents.frames)
    counted = summary.statistics.message_count if summary and summary.statistics else count
    if count != counted and not contents.complaint:
        contents.complaint = f"its statistics count {counted} messages"
    return contents


def _is_empty(contents: Contents) -> bool:
    return not len(contents.frames) and not contents.complaint


def _summary(view: memoryview) -> tuple[Summary | None, str]:
    try:
        summary = SeekingReader(stream(view), record_size_limit=len(view)).get_summary()
    except DAMAGE:
        return None, "cut off, or still being written"
    return summary, "" if summary is not None else "has no summary"


def _indexed(summary: Summary) -> bool:
    """Return whether the summary leads to every message."""
    statistics = summary.statistics
    if statistics is None or not all(c.message_index_offsets for c in summary.chunk_indexes):
        return False
    used = {number for c in summary.chunk_indexes for number in c.message_index_offsets}
    schemas = {c.schema_id for c in summary.channels.values()} - {0}
    if not (used <= summary.channels.keys() and schemas <= summary.schemas.keys()):
        return False
    return bool(summary.chunk_indexes) or statistics.message_count == 0


def _by_summary(view: memoryview, summary: Summary, progress: Progress) -> Contents:
    most = len(view) // INDEX_ENTRY
    frames = FrameIndex(lambda at, _count: _message_index(view, at)[1])
    places = {chunk.chunk_start_offset for chunk in summary.chunk_indexes}
    for chunk in summary.chunk_indexes:
        # The kernel maps pages around each one that is read: of all indexes they are much memory.
        progress(chunk.chunk_start_offset, len(view), "finding the frames")
        offsets = []
        for at in chunk.message_index_offsets.values():
            channel, entries = _message_index(view, at)
            most -= len(entries)
            if most < 0:
                raise ValueError("an index larger than its file")
            frames.add(channel, chunk.chunk_start_offset, at, entries)
            offsets.append(entries[:, 1])
        in_order = np.sort(np.concatenate(offsets))
        if (in_order[1:] == in_order[:-1]).any():
            raise ValueError("an index that has a message twice")
    if len(places) < len(summary.chunk_indexes):
        raise ValueError("an index that has a chunk twice")
    _compare_counts(frames, summary)
    metadata = [_record(view, index.offset) for index in summary.metadata_indexes]
    return Contents(
        dict(summary.channels),
        dict(summary.schemas),
        [record for record in metadata if isinstance(record, Metadata)],
        frames,
    )


def _message_index(view: memoryview, at: int) -> tuple[int, Entries]:
    """Return the channel of a message index, and pairs of log time and offset.

    The mcap package would make objects of each, of which a recording has millions.
    """
    opcode, length = struct.unpack_from("<BQ", view, at)
    channel, size = struct.unpack_from("<HI", view, at + HEAD)
    begin = at + HEAD + _INDEX_HEAD
    if opcode != Opcode.MESSAGE_INDEX or _INDEX_HEAD + size > length or size % INDEX_ENTRY:
        raise ValueError("no message index")
    entries = np.frombuffer(view, "<u8", size // 8, begin)
    return channel, entries.astype(np.uint64, copy=False).reshape(-1, 2)


def _compare_counts(frames: FrameIndex, summary: Summary) -> None:
    """Raise ValueError where the index has other messages than the statistics count."""
    about = summary.statistics
    if about is None:
        return
    counted = {number: count for number, count in about.channel_message_counts.items() if count}
    counts = {
        number: int(frames.counts[number]) for number in np.flatnonzero(frames.counts).tolist()
    }
    if len(frames) != about.message_count or (counted and counted != counts):
        raise ValueError("an index of other messages than were counted")


def _record(view: memoryview, at: int) -> McapRecord:
    if at > len(view):
        raise ValueError("offset beyond the file")
    reader = StreamReader(
        stream(view, at), skip_magic=True, emit_chunks=True, record_size_limit=len(view)
    )
    record = next(reader.records, None)
    if record is None:
        raise ValueError("no record")
    return record


def _scan(view: memoryview, progress: Progress) -> Contents:
    contents = Contents()
    complaints: list[str] = []
    damaged: Counter[str] = Counter()
    for at, record in _records(view, complaints):
        progress(at, len(view), "finding the frames")
        if isinstance(record, Chunk):
            try:
                _scan_chunk(at, unpacked(record), contents)
            except RefusedChunkError as error:
                damaged[str(error)] += 1
            except DAMAGE:
                damaged["damaged"] += 1
        else:
            _note(record, OUTSIDE, at, contents)
    complaints += [f"{count} of its chunks are {why}" for why, count in damaged.items()]
    described = np.isin(np.asarray(contents.found.channel), list(contents.channels))
    if lost := int(np.count_nonzero(~described)):
        complaints.append(f"{lost} of its messages are of no channel that it describes")
    if contents.redefined:
        complaints.append("two of its channels or schemas have one number, the last is taken")
    contents.complaint = "; ".join(complaints)
    contents.frames = contents.found.index()
    return contents


def _records(view: memoryview, complaints: list[str]) -> Iterator[tuple[int, McapRecord]]:
    """Yield records before the summary with their places; complain where it is not reached."""
    at = 8
    ended = 0
    while at < len(view):
        try:
            opcode, length = struct.unpack_from("<BQ", view, at)
            if length > len(view) - at - HEAD:
                raise ValueError("a record longer than its file")
            if opcode in (Opcode.DATA_END, Opcode.FOOTER) and (opcode, length) not in _ENDS:
                raise ValueError("an end of another length")
            if opcode == Opcode.FOOTER:
                return
            if opcode == Opcode.DATA_END:
                ended = at
            elif ended and opcode in _DATA:
                complaints.append(f"data behind their end at byte {ended}")
                ended = 0
            is_read = not ended and opcode in _NOTED
            record = _record(view[: at + HEAD + length], at) if is_read else None
        except DAMAGE:
            break
        if record is not None:
            yield at, record
        at += HEAD + length
    complaints.append(f"damaged or cut off at byte {at}")


def _scan_chunk(place: int, data: memoryview, contents: Contents) -> None:
    at = 0
    while at < len(data):
        opcode, length = struct.unpack_from("<BQ", data, at)
        end = at + HEAD + length
        if end > len(data):
            raise ValueError("a record reaches beyond its chunk")
        if opcode == Opcode.MESSAGE:
            _, _, channel, _, log_time, _ = MESSAGE.unpack_from(data, at)
            _add(contents, channel, log_time, place, at)
        elif opcode in (Opcode.SCHEMA, Opcode.CHANNEL):
            record = _record(data[:end], at)
            if not _is_known(record, contents):
                contents.definition_bytes += length
            if contents.definition_bytes > MAX_DEFINITIONS:
                raise RefusedChunkError("behind 64 MiB of definitions, the most that are kept")
            _note(record, place, at, contents)
        at = end


def _is_known(record: McapRecord, contents: Contents) -> bool:
    """Say whether a schema or channel came before, as it does in each chunk of some writers."""
    if isinstance(record, Schema):
        return contents.schemas.get(record.id) == record
    return isinstance(record, Channel) and contents.channels.get(record.id) == record


def _note(record: McapRecord, place: int, at: int, contents: Contents) -> None:
    if isinstance(record, Schema):
        contents.redefined |= contents.schemas.setdefault(record.id, record) != record
        contents.schemas[record.id] = record
    elif isinstance(record, Channel):
        contents.redefined |= contents.channels.setdefault(record.id, record) != record
        contents.channels[record.id] = record
    elif isinstance(record, Metadata):
        contents.metadata.append(record)
    elif isinstance(record, Message):
        _add(contents, record.channel_id, record.log_time, place, at)


def _add(contents: Contents, channel: int, log_time: int, place: int, at: int) -> None:
    if len(contents.found.channel) >= MAX_FRAMES:
        raise ValueError("more frames than a file without an index may have")
    contents.found.add(channel, log_time, place, at)


def claimed_size(view: memoryview, at: int) -> int:
    """Return the bytes that the chunk at a place says it has unpacked; 0 where there is none."""
    if not 0 <= at <= len(view) - _CHUNK.size:
        return 0
    return int(_CHUNK.unpack_from(view, at)[4])


def chunk_at(view: memoryview, at: int) -> memoryview:
    """Return the unpacked content of the chunk whose record is there. Raises what DAMAGE names."""
    opcode, length, begin, end, size, crc, name_size = _CHUNK.unpack_from(view, at)
    content = view[at + _CHUNK.size : at + HEAD + length]
    (data_size,) = struct.unpack_from("<Q", content, name_size)
    data = content[name_size + 8 :][:data_size]
    if opcode != Opcode.CHUNK or length > len(view) - at - HEAD or len(data) != data_size:
        raise ValueError("no chunk")
    name = str(content[:name_size], "utf-8")
    return unpacked(Chunk(name, cast(bytes, data), end, begin, crc, size))


def _largest_chunk(size: int) -> float:
    """Return the bytes that a chunk of this size may have."""
    if size <= USUAL_CHUNK:
        return MAX_CHUNK
    import psutil  # noqa: PLC0415 - few chunks are so large

    free: int = psutil.virtual_memory().available
    return min(MAX_CHUNK, MEMORY_SHARE * free)


def unpacked(chunk: Chunk) -> memoryview:
    """Return a chunk's records, at most one byte more than it claims and MAX_CHUNK allows.

    The byte more shows that there are more than it claims.
    """
    size = chunk.uncompressed_size
    if size > _largest_chunk(size):
        raise ValueError(f"a chunk of {size} bytes")
    if chunk.compression not in COMPRESSIONS:
        raise UnknownCompressionError(chunk.compression)
    if chunk.compression == "zstd":
        memory = scratch_memory(size + 1)
        with _OF_THREAD.zstd.stream_reader(chunk.data) as reader:
            data = memory.data[: reader.readinto(memory.data)]
    elif chunk.compression == "lz4":
        unpacker = lz4.frame.LZ4FrameDecompressor()
        data = memoryview(unpacker.decompress(chunk.data, max_length=size + 1))
    else:
        data = memoryview(chunk.data)
    if len(data) != size:
        raise ValueError("a chunk of another size than it states")
    # 0: its writer took none
    if chunk.uncompressed_crc not in (0, crc32(np.frombuffer(data, np.uint8))):
        raise ValueError("a chunk's checksum is wrong")
    return data
