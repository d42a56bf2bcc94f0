# SPDX-License-Identifier: Apache-2.0
"""OSI's top-level messages: their classes, what a frame is, what it holds, what it holds too much.

The classes know every list's columns (docs/formats/columns.md) as one field of bytes beside the
list, so that columns neither get lost nor count as unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import google.protobuf
from google.protobuf import descriptor_pb2 as pb
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.unknown_fields import UnknownFieldSet

from wirecost import _core
from wirecost.data.traces import wire
from wirecost.data.traces.choices import TYPES
from wirecost.system.errors import UserError

SENSOR_PARTS = ("SensorView", "DetectionData")
"""Ends of the types whose own lists (reflections, detections) are counted too."""

BAND = 1 << 26
COLUMNS_FIELD = 6
COUNT = 7 * BAND
PADDING = COUNT + 1
"""Aligns columns; may stand in any message around them."""
STATIC_ONCE = COUNT + 2
"""Field of a GroundTruth that names static data (docs/formats/static-once.md)."""
STATIC_ONCE_FILE = "wirecost_static_once.proto"
INTERFACE_VERSION_OPTION = 81000

PROTOBUF_VERSION: str = google.protobuf.__version__


@cache
def schema() -> pb.FileDescriptorSet:
    """Return OSI as the build derived it from the pinned osi-python package."""
    path = Path(_core.__file__).parent / "schemas" / "osi.fds"
    try:
        return pb.FileDescriptorSet.FromString(path.read_bytes())
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; install wirecost again") from error


@cache
def schema_version() -> str:
    """Return the version of OSI that ``schema`` is, as ``3.8.0``."""
    for file in schema().file:
        options = memoryview(file.options.SerializeToString())
        version = wire.interface_version(options, INTERFACE_VERSION_OPTION)
        if version is not None:
            return version
    raise UserError("the installed OSI schema has no version; install wirecost again")


@cache
def _pool() -> DescriptorPool:
    pool = DescriptorPool()
    pool.Add(_static_once_file())
    for file in schema().file:
        copy = pb.FileDescriptorProto()
        copy.CopyFrom(file)
        if file.package == "osi3":
            for message in copy.message_type:
                _add_columns_fields(message)
                if message.name == "GroundTruth":
                    _add_static_once(copy, message)
        pool.Add(copy)
    return pool


def _add_static_once(file: pb.FileDescriptorProto, truth: pb.DescriptorProto) -> None:
    """Add the field that names static data, and its type, to a GroundTruth."""
    file.dependency.append(STATIC_ONCE_FILE)
    truth.field.add(
        name="static_once",
        number=STATIC_ONCE,
        label=pb.FieldDescriptorProto.LABEL_OPTIONAL,
        type=pb.FieldDescriptorProto.TYPE_MESSAGE,
        type_name=".wirecost.StaticOnce",
    )


def _static_once_file() -> pb.FileDescriptorProto:
    """Return the schema of the field that names static data."""
    kind = pb.FieldDescriptorProto
    file = pb.FileDescriptorProto(name=STATIC_ONCE_FILE, package="wirecost", syntax="proto3")
    mark = file.message_type.add(name="StaticOnce")
    change = mark.nested_type.add(name="Change")
    for message, name, number, type_, repeated in (
        (mark, "version", 1, kind.TYPE_FIXED64, False),
        (mark, "sequence", 2, kind.TYPE_UINT64, False),
        (mark, "complete", 3, kind.TYPE_BOOL, False),
        (mark, "kept", 4, kind.TYPE_UINT32, True),
        (mark, "absent", 5, kind.TYPE_UINT32, True),
        (change, "field", 1, kind.TYPE_UINT32, False),
        (change, "removed", 2, kind.TYPE_UINT64, True),
    ):
        label = kind.LABEL_REPEATED if repeated else kind.LABEL_OPTIONAL
        message.field.add(name=name, number=number, label=label, type=type_)
    mark.field.add(
        name="change",
        number=6,
        label=kind.LABEL_REPEATED,
        type=kind.TYPE_MESSAGE,
        type_name=".wirecost.StaticOnce.Change",
    )
    return file


@cache
def static_once_class() -> type[Message]:
    """Return the class of the field that names static data."""
    return GetMessageClass(_pool().FindMessageTypeByName("wirecost.StaticOnce"))


def _add_columns_fields(message: pb.DescriptorProto) -> None:
    for nested in message.nested_type:
        _add_columns_fields(nested)
    kind = pb.FieldDescriptorProto
    lists = [
        field
        for field in message.field
        if field.label == kind.LABEL_REPEATED and field.type == kind.TYPE_MESSAGE
    ]
    for field in lists:
        message.field.add(
            name=f"{field.name}_columns",
            number=COLUMNS_FIELD * BAND + field.number,
            label=kind.LABEL_OPTIONAL,
            type=kind.TYPE_BYTES,
        )


@cache
def schema_of(name: str) -> bytes:
    """Return the FileDescriptorSet of a message type and all it needs, what is needed first."""
    files = {file.name: file for file in schema().file}
    needed: dict[str, pb.FileDescriptorProto] = {}

    def visit(file: str) -> None:
        for dependency in files[file].dependency:
            visit(dependency)
        needed.setdefault(file, files[file])

    visit(message_class(name).DESCRIPTOR.file.name)
    return pb.FileDescriptorSet(file=needed.values()).SerializeToString()


@cache
def message_class(name: str) -> type[Message]:
    """Return the class of ``SensorView``. Raises UserError on a name that OSI does not have."""
    if name not in TYPES.values():
        raise UserError(f"--type {name}: not an OSI message; there are {', '.join(TYPES.values())}")
    return GetMessageClass(_pool().FindMessageTypeByName(f"osi3.{name}"))


@cache
def field_number(name: str, field: str) -> int:
    """Return the number of a top-level field; 0, which no field has, where the type lacks it."""
    descriptor = message_class(name).DESCRIPTOR.fields_by_name.get(field)
    return descriptor.number if descriptor is not None else 0


def timestamp_ns(name: str, frame: memoryview) -> int | None:
    """Return a frame's own timestamp; None where it has none."""
    return wire.timestamp_ns(frame, field_number(name, "timestamp"))


def osi_version(name: str, frame: memoryview) -> str | None:
    """Return the OSI version a frame states."""
    return wire.interface_version(frame, field_number(name, "version"))


def parse(name: str, frame: memoryview) -> Message:
    """Raise ValueError on what is no such message."""
    message = message_class(name)()
    try:
        # upb reads bytes only; this copy lives as long as the call.
        message.ParseFromString(bytes(frame))
    except DecodeError as error:
        raise ValueError(str(error)) from error
    return message


def unknown_bytes(message: Message) -> int:
    """Return how many bytes of a parsed message the schema does not know, and drop them."""
    before = message.ByteSize()
    message.DiscardUnknownFields()
    return before - message.ByteSize()


def unknown_fields(message: Message, path: str = "") -> Iterator[str]:
    """Yield the fields that the schema does not know: ``moving_object.base field 99``.

    Padding of columns is not among them.
    """
    for field in UnknownFieldSet(message):  # type: ignore[attr-defined]
        if field.field_number == PADDING:
            continue
        yield f"{path or message.DESCRIPTOR.name} field {field.field_number}"
    for descriptor, value in message.ListFields():
        if descriptor.type == FieldDescriptor.TYPE_MESSAGE:
            below = f"{path}.{descriptor.name}" if path else descriptor.name
            for item in value if descriptor.is_repeated else (value,):
                yield from unknown_fields(item, below)


def lists(message: Message) -> dict[str, int]:
    """Return lengths of the lists of messages in a frame by path, sensors' own lists summed up.

    A list in columns has the path of its field of columns, ``….reflection_columns``.
    """
    counts: dict[str, int] = {}
    _count(message, "", counts)
    return counts


def _count(message: Message, path: str, counts: dict[str, int]) -> None:
    for descriptor, value in message.ListFields():
        below = f"{path}.{descriptor.name}" if path else descriptor.name
        if descriptor.number // BAND == COLUMNS_FIELD:
            counts[below] = counts.get(below, 0) + _elements(value)
        elif descriptor.type != FieldDescriptor.TYPE_MESSAGE:
            continue
        elif not descriptor.is_repeated:
            _count(value, below, counts)
        else:
            counts[below] = counts.get(below, 0) + len(value)
            if descriptor.message_type is not None and descriptor.message_type.name.endswith(
                SENSOR_PARTS
            ):
                for item in value:
                    _count(item, below, counts)


def _elements(columns: bytes) -> int:
    count = wire.first(memoryview(columns), COUNT)
    return count if isinstance(count, int) else 0


def fits(name: str, frames: Iterable[memoryview]) -> float:
    """Return the share of the frames' bytes that a type does not know, 0 … 1.

    1 also where there is no such type.
    """
    unknown = total = 0
    for frame in frames:
        try:
            unknown += unknown_bytes(parse(name, frame))
        except ValueError:
            return 1.0
        total += len(frame)
    return unknown / total if total else 0.0


def identify(frames: Iterable[memoryview]) -> list[str]:
    """Return the types that know the frames best; several where they fit equally, or none."""
    frames = list(frames)
    shares = {name: fits(name, frames) for name in TYPES.values()}
    best = min(shares.values())
    return [name for name, share in shares.items() if share == best] if best < 0.5 else []
