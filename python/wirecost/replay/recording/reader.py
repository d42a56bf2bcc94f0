# SPDX-License-Identifier: Apache-2.0
"""Reads ``recording.mcap``, as far as it is whole; a hostile file takes no unbounded memory."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import lz4.frame
import psutil
import zstandard
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.records import Channel, Chunk, Header, Message

from wirecost.replay.middleware import Call
from wirecost.replay.recording import call_record
from wirecost.replay.recording.writer import CALL, INPUT, OUTPUT, ROLE
from wirecost.system.errors import UserError
from wirecost.system.regular_file import open_regular

MAGIC = b"\x89MCAP0\r\n"
HEADER, CHANNEL, MESSAGE, CHUNK, DATA_END = 0x01, 0x04, 0x05, 0x06, 0x0F
PARSED = {HEADER, CHANNEL, MESSAGE}
RECORD_HEAD = struct.Struct("<BQ")
LARGEST_CHUNK = 1 << 31
PIECE = 1 << 20
OBJECT_BYTES = 200
MEMORY_SHARE = 0.4
"""Share of the free memory that messages may take: the player holds them a second time."""
TOO_LARGE = "larger than the free memory; record for a shorter time"
DAMAGED = (McapError, ValueError, KeyError, IndexError, EOFError, struct.error, RuntimeError,
           OverflowError, zstandard.ZstdError)  # fmt: skip


@dataclass(frozen=True)
class Stored:
    """A message by its topic. ``log_ns``: received; ``publish_ns``: sent, where that is known."""

    topic: str
    log_ns: int
    publish_ns: int
    data: bytes


@dataclass
class Recorded:
    """Content of a recording, in the order of its times."""

    profile: str = ""
    inputs: list[Stored] = field(default_factory=list)
    outputs: list[Stored] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_recording(path: Path, profile: str) -> Recorded:
    """Return all messages.

    Raises:
        UserError: not MCAP, of another profile than ``profile``, or larger than memory allows. A
            file that is cut or damaged further in is read up to there, with a note.
    """
    recorded = Recorded()
    allowed = int(psutil.virtual_memory().available * MEMORY_SHARE)
    try:
        with open_regular(path) as file:
            _read(path, file, profile, recorded, allowed)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; name a folder of wirecost record") from error
    except MemoryError as error:
        raise UserError(f"{path}: {TOO_LARGE}") from error
    for messages in (recorded.inputs, recorded.outputs):
        messages.sort(key=lambda message: message.log_ns)
    recorded.calls.sort(key=lambda call: call.request_ns)
    return recorded


def _read(path: Path, file: BinaryIO, profile: str, recorded: Recorded, allowed: int) -> None:
    channels: dict[int, Channel] = {}
    try:
        for record in _records(file, path.stat().st_size, allowed):
            if isinstance(record, Header):
                recorded.profile = record.profile
                if record.profile != profile:
                    raise UserError(
                        f"{path}: MCAP of profile {record.profile[:40]!r}, but node.json has "
                        f"{profile!r}; keep a recording's files together"
                    )
            elif isinstance(record, Channel):
                channels[record.id] = record
            elif isinstance(record, Message) and record.channel_id in channels:
                allowed -= len(record.data) + OBJECT_BYTES
                if allowed < 0:
                    raise UserError(f"{path}: {TOO_LARGE}")
                _keep(channels[record.channel_id], record, recorded)
    except DAMAGED as error:
        if not recorded.profile:
            raise UserError(f"{path}: not MCAP; name a folder of wirecost record") from error
        count = len(recorded.inputs) + len(recorded.outputs) + len(recorded.calls)
        recorded.notes.append(
            f"{path.name} is cut or damaged; its first {count:,} messages were read"
        )


def _records(file: BinaryIO, size: int, allowed: int) -> Iterator[Any]:
    """Yield header, channels and messages, also the ones in chunks.

    The library's own reader trusts the lengths in a file; this one hands it records whose length
    was checked.
    """
    if file.read(len(MAGIC)) != MAGIC:
        raise ValueError("not MCAP")
    while True:
        kind, length = RECORD_HEAD.unpack(file.read(RECORD_HEAD.size))
        if length > size - file.tell():
            raise ValueError("a record longer than its file")
        content = file.read(length)
        if kind == DATA_END:
            return
        if kind == CHUNK:
            yield from _in_chunk(Chunk.read(_stream(content)), allowed)
        elif kind in PARSED:
            yield _parsed(kind, content)


def _in_chunk(chunk: Chunk, allowed: int) -> Iterator[Any]:
    if chunk.uncompressed_size > min(LARGEST_CHUNK, allowed):
        raise ValueError("a chunk larger than memory")
    content = _content(chunk)
    if len(content) != chunk.uncompressed_size:
        raise ValueError("a chunk of another size than it states")
    if chunk.uncompressed_crc and zlib.crc32(content) != chunk.uncompressed_crc:
        raise ValueError("a damaged chunk")
    at = 0
    while at < len(content):
        kind, length = RECORD_HEAD.unpack_from(content, at)
        at += RECORD_HEAD.size
        if length > len(content) - at:
            raise ValueError("a record longer than its chunk")
        if kind in PARSED:
            yield _parsed(kind, content[at : at + length])
        at += length


def _parsed(kind: int, content: bytes) -> Any:
    if kind == MESSAGE:
        return Message.read(_stream(content), len(content))
    return (Header if kind == HEADER else Channel).read(_stream(content))


def _stream(content: bytes) -> ReadDataStream:
    return ReadDataStream(io.BytesIO(content))


def _content(chunk: Chunk) -> bytes:
    if not chunk.compression:
        return chunk.data
    source = io.BytesIO(chunk.data)
    if chunk.compression == "lz4":
        stream: Any = lz4.frame.open(source)
    elif chunk.compression == "zstd":
        stream = zstandard.ZstdDecompressor().stream_reader(source)
    else:
        raise ValueError("a chunk of unknown compression")
    with stream:
        return _up_to(stream, chunk.uncompressed_size + 1)


def _up_to(stream: BinaryIO, most: int) -> bytes:
    """Read in pieces: a size that is only stated takes no memory."""
    content = bytearray()
    while len(content) < most and (piece := stream.read(min(PIECE, most - len(content)))):
        content += piece
    return bytes(content)


def _keep(channel: Channel, message: Message, recorded: Recorded) -> None:
    role = channel.metadata.get(ROLE, INPUT)
    if role == CALL:
        recorded.calls.append(
            call_record.decode(channel.topic.removesuffix(call_record.SUFFIX), message.data)
        )
        return
    stored = Stored(channel.topic, message.log_time, message.publish_time, message.data)
    (recorded.outputs if role == OUTPUT else recorded.inputs).append(stored)
