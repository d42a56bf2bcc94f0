# SPDX-License-Identifier: Apache-2.0
"""Small messages of fixed-size fields, which C++ reads and writes in one piece.

They come whole, in another order, in parts, with what is unknown in a field's place."""

from __future__ import annotations

import struct
import subprocess
import sys
from itertools import combinations, permutations
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError, Message

from support.again import Generated
from wirecost.schema.compile import frontends
from wirecost.schema.compile.compiler import emitted, write
from wirecost.schema.compile.emit import Request

SCHEMA = """syntax = "proto3"; package whole;
message Implicit { double x = 1; double y = 2; double z = 3; }
message Explicit { optional double x = 1; optional fixed32 y = 200; optional sfixed64 z = 201; }
message Tree { repeated Tree trees = 1; repeated Implicit points = 2; }
"""
DEPTH = 100
"""Messages in the outermost one that decoders allow."""
Part = tuple[bytes, bytes]
PARTS: dict[str, tuple[Part, ...]] = {
    "whole.Implicit": (
        (b"\x09", struct.pack("<d", 1.5)),
        (b"\x11", struct.pack("<d", -2.5)),
        (b"\x19", struct.pack("<d", 3e300)),
    ),
    "whole.Explicit": (
        (b"\x09", struct.pack("<d", 0.0)),
        (b"\xc5\x0c", struct.pack("<I", 7)),
        (b"\xc9\x0c", struct.pack("<q", -9)),
    ),
}


def variants(parts: tuple[Part, ...]) -> list[bytes]:
    """Messages, most of them as long as the whole one."""
    fields = [tag + value for tag, value in parts]
    whole = b"".join(fields)
    messages = [b"".join(order) for count in range(4) for order in permutations(fields, count)]
    messages += [b"".join(chosen) for chosen in combinations(fields * 2, 3)]
    # Fields 4 and 212, which the schema does not have, and an end of a group.
    strange = (b"\x21", b"\x22", b"\xa2\x0d", b"\x0c")
    for place, (_, value) in enumerate(parts):
        messages += [b"".join([*fields[:place], o + value, *fields[place + 1 :]]) for o in strange]
    return [*messages, *(whole[:length] for length in range(len(whole))), whole + b"\0"]


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    folder = tmp_path_factory.mktemp("whole")
    (folder / "whole.proto").write_text(SCHEMA)
    schema = frontends.load([str(folder / "whole.proto")])
    write(emitted(schema, ["cpp"], Request(("protobuf",), protobuf_api=True)), folder)
    return Generated(schema, folder, "protobuf")


def google_class(name: str, folder: Path) -> type[Message]:
    path = folder / "whole.fds"
    arguments = [f"-I{folder}", f"--descriptor_set_out={path}", str(folder / "whole.proto")]
    subprocess.run([sys.executable, "-P", "-m", "grpc_tools.protoc", *arguments], check=True)
    (file,) = descriptor_pb2.FileDescriptorSet.FromString(path.read_bytes()).file
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


def known(message: Message) -> Message:
    """Without the fields that the schema does not have, which holders drop."""
    message.DiscardUnknownFields()
    return message


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("name", PARTS)
def test_every_form_reads_as_google_reads_it(
    name: str, classes: bool, code: Generated, tmp_path: Path
) -> None:
    home = code.schema.home(name)
    command = code.classes([name], [home], tmp_path) if classes else code.cpp([name], tmp_path)
    google = google_class(name, code.folder)
    for data in variants(PARTS[name]):
        message = google()
        try:
            message.ParseFromString(data)
            expected: str | None = (
                (message if classes else known(message)).SerializeToString().hex()
            )
        except DecodeError:
            expected = None
        line = f"0 {data.hex()}\n"
        done = subprocess.run(command, input=line, capture_output=True, text=True, check=False)
        assert done.returncode == (0 if expected is not None else 1), data.hex()
        assert expected is None or done.stdout == f"{expected}\n", data.hex()


def nested(levels: int, innermost: bytes) -> bytes:
    for _ in range(levels):
        innermost = b"\x0a" + length(innermost) + innermost
    return innermost


def length(data: bytes) -> bytes:
    size = len(data)
    return bytes([size]) if size < 0x80 else bytes([size & 0x7F | 0x80, size >> 7])


@pytest.mark.parametrize("classes", [False, True])
def test_many_small_messages_are_not_deep_and_deep_ones_are_refused(
    classes: bool, code: Generated, tmp_path: Path
) -> None:
    name = "whole.Tree"
    home = code.schema.home(name)
    command = code.classes([name], [home], tmp_path) if classes else code.cpp([name], tmp_path)
    whole = b"".join(tag + value for tag, value in PARTS["whole.Implicit"])
    point = b"\x12" + length(whole) + whole
    for data, accepted in (
        (point * 3 * DEPTH, True),
        (nested(DEPTH - 1, point), True),
        (nested(DEPTH, point), False),
    ):
        line = f"0 {data.hex()}\n"
        done = subprocess.run(command, input=line, capture_output=True, text=True, check=False)
        assert done.returncode == (0 if accepted else 1)
        assert not accepted or done.stdout == f"{data.hex()}\n"
