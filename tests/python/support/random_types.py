# SPDX-License-Identifier: Apache-2.0
"""Types of Protobuf made up of every kind of field, for hypothesis."""

from __future__ import annotations

from google.protobuf import descriptor_pb2 as pb
from hypothesis import strategies as st

_Field = pb.FieldDescriptorProto
_SCALARS = [kind for kind in range(1, 19) if kind not in (_Field.TYPE_GROUP, _Field.TYPE_MESSAGE)]
_KEYS = [_Field.TYPE_STRING, _Field.TYPE_SINT64, _Field.TYPE_FIXED32, _Field.TYPE_BOOL]
_NUMBERS = st.one_of(st.integers(1, 40), st.sampled_from([255, 256, 5000, (1 << 29) - 1]))
TOP = "t.M0"


@st.composite
def types(draw: st.DrawFn) -> pb.FileDescriptorSet:
    """Draw a file of messages that hold each other and themselves; the top one is ``TOP``."""
    is_proto2 = draw(st.booleans())
    file = pb.FileDescriptorProto(
        name="t.proto", package="t", syntax="proto2" if is_proto2 else "proto3"
    )
    enum = file.enum_type.add(name="E")
    for name, number in (("ZERO", 0), ("ONE", 1), ("LESS", -5)):
        enum.value.add(name=name, number=number)
    count = draw(st.integers(1, 4))
    for place in range(count):
        message = file.message_type.add(name=f"M{place}")
        numbers = draw(st.lists(_NUMBERS, unique=True, max_size=8))
        for number in numbers:
            _add_field(draw, message, number, count, is_proto2)
        for field in message.field:  # those of real oneofs come before those that proto3 makes up
            if field.proto3_optional:
                field.oneof_index = len(message.oneof_decl)
                message.oneof_decl.add(name=f"_{field.name}")
    return pb.FileDescriptorSet(file=[file])


def _add_field(
    draw: st.DrawFn, message: pb.DescriptorProto, number: int, count: int, is_proto2: bool
) -> None:
    kind = draw(st.sampled_from([*_SCALARS, *[_Field.TYPE_MESSAGE] * 8, _Field.TYPE_GROUP]))
    form = draw(st.sampled_from(["single", "single", "repeated", "optional", "oneof", "map"]))
    if kind == _Field.TYPE_GROUP and (not is_proto2 or form == "map"):
        kind = _Field.TYPE_MESSAGE
    name = f"f{number}"
    field = message.field.add(name=name, number=number, type=kind, label=_Field.LABEL_OPTIONAL)
    if kind == _Field.TYPE_GROUP:
        field.name = f"g{number}"
        inner = message.nested_type.add(name=f"G{number}")
        inner.field.add(name="x", number=1, type=draw(st.sampled_from(_SCALARS[:5])), label=1)
        field.type_name = f".t.{message.name}.G{number}"
    elif kind == _Field.TYPE_MESSAGE:
        field.type_name = f".t.M{draw(st.integers(0, count - 1))}"
    elif kind == _Field.TYPE_ENUM:
        field.type_name = ".t.E"
    if form == "repeated":
        field.label = _Field.LABEL_REPEATED
        texts = (_Field.TYPE_STRING, _Field.TYPE_BYTES, _Field.TYPE_MESSAGE, _Field.TYPE_GROUP)
        if kind not in texts:
            field.options.packed = draw(st.booleans())
    elif form == "oneof":
        if not message.oneof_decl:
            message.oneof_decl.add(name="choice")
        field.oneof_index = 0
    elif form == "optional":
        field.proto3_optional = not is_proto2
    elif form == "map":
        entry = message.nested_type.add(name=f"F{number}Entry")
        entry.options.map_entry = True
        key = draw(st.sampled_from(_KEYS))
        entry.field.add(name="key", number=1, type=key, label=_Field.LABEL_OPTIONAL)
        value = entry.field.add(name="value", number=2)
        value.CopyFrom(field)
        value.name, value.number = "value", 2
        field.label, field.type = _Field.LABEL_REPEATED, _Field.TYPE_MESSAGE
        field.type_name = f".t.{message.name}.{entry.name}"
