# SPDX-License-Identifier: Apache-2.0
"""Messages of other writers: CDR's representations, and Protobuf that nests or never ends."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
import zstandard
from google.protobuf import descriptor_pb2 as pb
from mcap.writer import Writer

from wirecost.data.messages import cdr
from wirecost.data.messages.fields import walk
from wirecost.data.messages.subject import Subject, subject
from wirecost.data.messages.tally import Tally
from wirecost.data.recordings.recording import Recording


@pytest.mark.parametrize(
    ("header", "form", "order"),
    [
        (b"\0\0", "plain CDR", ">"),
        (b"\0\1", "plain CDR", "<"),
        (b"\0\3", "a parameter list of XCDR1", "<"),
        (b"\0\6", "XCDR2", ">"),
        (b"\0\7", "XCDR2", "<"),
        (b"\0\x09", "delimited XCDR2", "<"),
        (b"\0\x0a", "a parameter list of XCDR2", ">"),
    ],
)
def test_a_representation_is_known_by_two_bytes(header: bytes, form: str, order: str) -> None:
    message = header + bytes(6)
    named = cdr.representation(message)
    assert (named.form, named.order) == (form, order)
    if form == cdr.PLAIN:
        assert cdr.plain_order(message) == order
        return
    with pytest.raises(ValueError, match=f"in {form}"):
        cdr.plain_order(message)


@pytest.mark.parametrize(
    "message", [b"", b"\0\1\0", b"\1\1\0\0", b"\0\x04\0\0", b"\x28\xb5\x2f\xfd"]
)
def test_other_bytes_are_no_header(message: bytes) -> None:
    with pytest.raises(ValueError, match="header of CDR"):
        cdr.representation(message)


def recursive() -> Subject:
    """Return a Protobuf message that may hold itself."""
    files = pb.FileDescriptorSet()
    file = files.file.add(name="a.proto", package="q", syntax="proto3")
    message = file.message_type.add(name="A")
    message.field.add(name="x", number=1, label=1, type=5)
    message.field.add(name="a", number=2, label=1, type=11, type_name=".q.A")
    return subject(files, "test", "q.A")


def nested(depth: int) -> bytes:
    data = b""
    for _ in range(depth):
        size = len(data)
        length = b""
        while size > 127:
            length += bytes([size & 127 | 128])
            size >>= 7
        data = b"\x12" + length + bytes([size]) + data
    return data


def test_messages_nest_as_deep_as_google_reads_them() -> None:
    tally = Tally()
    walk(recursive(), nested(100), tally)
    assert sum(tally.own.values()) == len(nested(100))
    with pytest.raises(ValueError, match="nested more than 100 levels"):
        walk(recursive(), nested(101), Tally())


@pytest.mark.parametrize("before", [b"\x08", b"", b"\x12", b"\x1b" * 2000])
def test_a_number_has_ten_bytes_at_most(before: bytes) -> None:
    with pytest.raises(ValueError, match=r"more than 10 bytes|levels"):
        walk(recursive(), before + b"\xff" * 1_000_000, Tally())


def test_messages_compressed_one_by_one_are_seen_without_their_folder(tmp_path: Path) -> None:
    message = struct.pack("<4sI", b"\0\1\0\0", 7)
    with (tmp_path / "a.mcap").open("wb") as file:
        writer = Writer(file)
        writer.start("ros2", "test")
        schema = writer.register_schema("a/msg/B", "ros2msg", b"int32 x")
        channel = writer.register_channel("/a", "cdr", schema)
        writer.add_message(channel, 1, zstandard.compress(message), 1)
        writer.finish()
    with Recording(tmp_path / "a.mcap") as recording:
        assert [bytes(each.data) for _, each in recording.each()] == [message]
