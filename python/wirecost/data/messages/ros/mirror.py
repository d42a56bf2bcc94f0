# SPDX-License-Identifier: Apache-2.0
"""Protobuf's messages with the fields that ROS's have, as people write them who move to it.

They are what Protobuf's contender sends, and the form in which independent readers hand over
messages of any wire.
"""

from __future__ import annotations

from google.protobuf import descriptor_pb2 as pb

from wirecost.data.messages.shapes import is_octets
from wirecost.schema.compile.schema import Field, File, Kind, Label, Message, MessageRef, Schema

_Type = pb.FieldDescriptorProto
_TYPES = {
    Kind.BOOL: _Type.TYPE_BOOL,
    Kind.INT8: _Type.TYPE_INT32,
    Kind.UINT8: _Type.TYPE_UINT32,
    Kind.INT16: _Type.TYPE_INT32,
    Kind.UINT16: _Type.TYPE_UINT32,
    Kind.INT32: _Type.TYPE_INT32,
    Kind.UINT32: _Type.TYPE_UINT32,
    Kind.INT64: _Type.TYPE_INT64,
    Kind.UINT64: _Type.TYPE_UINT64,
    Kind.FLOAT32: _Type.TYPE_FLOAT,
    Kind.FLOAT64: _Type.TYPE_DOUBLE,
    Kind.STRING: _Type.TYPE_STRING,
    Kind.BYTES: _Type.TYPE_BYTES,
}


def descriptors(schema: Schema) -> pb.FileDescriptorSet:
    """Return a ``.proto`` for each file.

    Numbers are places, small integers 32 bits wide, lists of bytes ``bytes``.
    """
    return pb.FileDescriptorSet(file=[_file(schema, file) for file in schema.files])


def file_name(file: File) -> str:
    return f"{file.name.rpartition('.')[0]}.proto"


def _file(schema: Schema, file: File) -> pb.FileDescriptorProto:
    proto = pb.FileDescriptorProto(name=file_name(file), package=file.package, syntax="proto3")
    proto.dependency.extend(sorted(file_name(other) for other in schema.imported(file)))
    proto.message_type.extend(_message(file, message) for message in file.messages)
    return proto


def _message(file: File, message: Message) -> pb.DescriptorProto:
    proto = pb.DescriptorProto(name=file.local_name(message.full_name))
    proto.field.extend(map(_field, message.fields))
    return proto


def _field(field: Field) -> pb.FieldDescriptorProto:
    single = field.label is Label.SINGLE or is_octets(field)
    proto = pb.FieldDescriptorProto(
        name=field.name,
        number=field.number,
        json_name=field.name,
        label=_Type.LABEL_OPTIONAL if single else _Type.LABEL_REPEATED,
    )
    if isinstance(field.type, MessageRef):
        proto.type = _Type.TYPE_MESSAGE
        proto.type_name = f".{field.type.name}"
    else:
        assert isinstance(field.type, Kind)  # ROS has no enums
        proto.type = _Type.TYPE_BYTES if is_octets(field) else _TYPES[field.type]
    return proto
