# SPDX-License-Identifier: Apache-2.0
"""Edits that know where a recording's records, lengths and values are."""

from __future__ import annotations

import bz2
import contextlib
import random
import sqlite3
import struct
import zlib
from collections.abc import Callable, Sequence
from functools import cache

import lz4.frame
import zstandard

from attack import mutate
from attack.mutate import WIDE_EDGES

Split = Callable[[bytes], tuple[bytes, list[bytes], bytes]]
"""What stands before the records, these, and what stands behind."""
_MCAP_MAGIC = 8
_BAG_MAGIC = b"#ROSBAG V2.0\n"
_CHUNK, _MCAP_HEAD = 6, struct.Struct("<BQ")
HUGE = (1 << 20, 1 << 30, 1 << 32, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
BYTES_AS_THEY_COME = 0.35
"""Share of inputs whose edits know nothing of the format."""


def mcap(corpus: Sequence[bytes], chance: random.Random) -> bytes:
    """Return an MCAP file after some edits; now and then as it was."""
    return _mutated(corpus, chance, _split_mcap, _mcap_chunk)


def bag(corpus: Sequence[bytes], chance: random.Random) -> bytes:
    """Return a bag of ROS 1 after some edits; now and then as it was."""
    return _mutated(corpus, chance, _split_bag, _bag_chunk)


def _mutated(
    corpus: Sequence[bytes],
    chance: random.Random,
    split: Split,
    within: Callable[[bytes, random.Random], bytes],
) -> bytes:
    if chance.random() < BYTES_AS_THEY_COME:
        return mutate.mutated(corpus, chance)
    head, records, tail = split(chance.choice(corpus))
    for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 3))):
        if not records:
            break
        at = chance.randrange(len(records))
        if chance.random() < 0.3:
            records[at] = within(records[at], chance)
        else:
            _edit(records, at, chance)
    return head + b"".join(records) + tail


def _edit(records: list[bytes], at: int, chance: random.Random) -> None:
    """Drop, repeat, swap or cut a record, or change a number or text in it."""
    kind = chance.randrange(8)
    other = chance.randrange(len(records))
    if kind == 0:
        del records[at]
    elif kind == 1:
        records.insert(other, records[at])
    elif kind == 2:
        records[at], records[other] = records[other], records[at]
    elif kind == 3:
        del records[at + 1 :]
    elif kind == 4:
        records[at] = mutate.mutated([records[at]], chance)
    else:
        records[at] = _numbered(records[at], chance)


def _numbered(record: bytes, chance: random.Random) -> bytes:
    """One number, most likely of the first ones, which are lengths, ids and times."""
    width, code = chance.choice(((1, "<B"), (2, "<H"), (4, "<I"), (8, "<Q")))
    if len(record) < width:
        return record
    data = bytearray(record)
    reach = len(data) - width + 1
    at = chance.randrange(min(reach, chance.choice((2, 32, reach))))
    value = struct.unpack_from(code, data, at)[0]
    value = chance.choice((*WIDE_EDGES, *HUGE, value + 1, value - 1, value ^ 3))
    struct.pack_into(code, data, at, value % (1 << 8 * width))
    return bytes(data)


def _split_mcap(data: bytes) -> tuple[bytes, list[bytes], bytes]:
    records, at = _mcap_records(data, _MCAP_MAGIC)
    return data[:_MCAP_MAGIC], records, data[at:]


def _mcap_records(data: bytes, at: int) -> tuple[list[bytes], int]:
    records = []
    while at + _MCAP_HEAD.size <= len(data):
        end = at + _MCAP_HEAD.size + _MCAP_HEAD.unpack_from(data, at)[1]
        if end > len(data):
            break
        records.append(data[at:end])
        at = end
    return records, at


def _mcap_chunk(record: bytes, chance: random.Random) -> bytes:
    """Change the records of a chunk and pack them again; its checksum and size mostly fit."""
    if record[0] != _CHUNK or len(record) < 60:
        return _numbered(record, chance)
    try:
        (size,) = struct.unpack_from("<I", record, 37)
        kind = record[41 : 41 + size]
        content = _unpacked(kind, record[49 + size :])
    except (ValueError, RuntimeError, struct.error, zstandard.ZstdError):
        return _numbered(record, chance)
    records, at = _mcap_records(content, 0)
    if records:
        _edit(records, chance.randrange(len(records)), chance)
    content = b"".join(records) + content[at:]
    checksum = chance.choice((zlib.crc32(content), zlib.crc32(content), 0, 1))
    stated = len(content) if chance.random() < 0.9 else chance.choice(HUGE)
    data = _packed(kind, content)
    body = (
        record[9:25] + struct.pack("<QII", stated, checksum, size) + kind
        + struct.pack("<Q", len(data)) + data
    )  # fmt: skip
    return _MCAP_HEAD.pack(_CHUNK, len(body)) + body


def _unpacked(kind: bytes, data: bytes) -> bytes:
    if kind == b"lz4":
        return bytes(lz4.frame.decompress(data))
    if kind == b"bz2":
        return bz2.decompress(data)
    return zstandard.decompress(data, 1 << 20) if kind == b"zstd" else data


def _packed(kind: bytes, data: bytes) -> bytes:
    if kind == b"lz4":
        return bytes(lz4.frame.compress(data))
    if kind == b"bz2":
        return bz2.compress(data)
    return zstandard.compress(data) if kind == b"zstd" else data


def _split_bag(data: bytes) -> tuple[bytes, list[bytes], bytes]:
    records, at = _bag_records(data, len(_BAG_MAGIC))
    return data[: len(_BAG_MAGIC)], records, data[at:]


def _bag_records(data: bytes, at: int) -> tuple[list[bytes], int]:
    records = []
    while at + 4 <= len(data):
        middle = at + 4 + struct.unpack_from("<I", data, at)[0]
        if middle + 4 > len(data):
            break
        end = middle + 4 + struct.unpack_from("<I", data, middle)[0]
        if end > len(data):
            break
        records.append(data[at:end])
        at = end
    return records, at


def _bag_chunk(record: bytes, chance: random.Random) -> bytes:
    """Change the records of a chunk, or a value of the head of any record: lengths fit."""
    if len(record) < 4:
        return mutate.mutated([record], chance) if record else record
    (size,) = struct.unpack_from("<I", record)
    head, data = record[4 : 4 + size], record[8 + size :]
    kind = next((kind for kind in (b"none", b"lz4", b"bz2") if b"compression=" + kind in head), b"")
    if kind and chance.random() < 0.7:
        with contextlib.suppress(OSError, ValueError, RuntimeError):
            records, at = _bag_records(content := _unpacked(kind, data), 0)
            if records:
                _edit(records, chance.randrange(len(records)), chance)
            data = _packed(kind, b"".join(records) + content[at:])
    else:
        head = _field(head, chance)
    return struct.pack("<I", len(head)) + head + struct.pack("<I", len(data)) + data


def _field(head: bytes, chance: random.Random) -> bytes:
    fields, at = [], 0
    while at + 4 <= len(head):
        end = at + 4 + struct.unpack_from("<I", head, at)[0]
        fields.append(head[at + 4 : end])
        at = end
    if fields:
        at = chance.randrange(len(fields))
        name, _, value = fields[at].partition(b"=")
        edited = (
            mutate.mutated([value], chance) if chance.random() < 0.5 else _numbered(value, chance)
        )
        fields[at] = name + b"=" + edited
    return b"".join(struct.pack("<I", len(field)) + field for field in fields)


_VALUES = (
    "NULL", "''", "'text'", "x'00ff'", "-1", "0", "1", "2", "7", "9223372036854775807", "1e999",
    "0.5", "'unknown'", "'ros2idl'", "zeroblob(70000)", "CAST(x'ff' AS TEXT)", "id",
    "'a' || char(0)",
)  # fmt: skip
_COLUMNS = {
    "topics": ("id", "name", "type", "serialization_format", "offered_qos_profiles",
               "type_description_hash"),
    "messages": ("id", "topic_id", "timestamp", "data"),
    "schema": ("schema_version",),
    "message_definitions": ("topic_type", "encoding", "encoded_message_definition",
                            "type_description_hash"),
}  # fmt: skip


def database(corpus: Sequence[bytes], chance: random.Random) -> bytes:
    """Return a database after edits of its bytes, or of its tables as another program might."""
    if chance.random() < 0.5:
        return mutate.mutated(corpus, chance)
    base = sqlite3.connect(":memory:")
    base.deserialize(_unchecked(chance.choice(corpus)))
    for _ in range(chance.choice((1, 1, 2, 3))):
        with contextlib.suppress(sqlite3.Error):
            base.execute(_statement(chance))
    base.commit()
    data = base.serialize()
    base.close()
    return data if chance.random() < 0.8 else mutate.mutated([data], chance)


@cache
def _unchecked(data: bytes) -> bytes:
    """Return the database without checks, which would keep hostile values out."""
    base = sqlite3.connect(":memory:")
    base.deserialize(data)
    base.execute("PRAGMA writable_schema = ON")
    base.execute("UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '')")
    base.commit()
    content: bytes = base.serialize()
    base.close()
    return content


def _statement(chance: random.Random) -> str:
    table = chance.choice(list(_COLUMNS))
    column = chance.choice(_COLUMNS[table])
    rows = f"rowid % {chance.choice((1, 2, 3))} = 0"
    kind = chance.randrange(12)
    if kind == 0:
        return f"DROP TABLE {table}"
    if kind == 1:
        return f"ALTER TABLE {table} DROP COLUMN {column}"
    if kind == 2:
        return f"DELETE FROM {table} WHERE {rows}"
    if kind == 3:
        return f"ALTER TABLE {table} RENAME COLUMN {column} TO other"
    if kind == 4:
        return f"INSERT INTO {table}({column}) VALUES ({chance.choice(_VALUES)})"
    return f"UPDATE {table} SET {column} = {chance.choice(_VALUES)} WHERE {rows}"
