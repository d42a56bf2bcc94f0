# SPDX-License-Identifier: Apache-2.0
"""Schemas of any size, each growing in one direction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import cycle
from pathlib import Path

from google.protobuf import descriptor_pb2 as pb

_Type = pb.FieldDescriptorProto
_OPTIONAL, _REPEATED = _Type.LABEL_OPTIONAL, _Type.LABEL_REPEATED
_KINDS = (
    (_Type.TYPE_DOUBLE, _OPTIONAL, ""),
    (_Type.TYPE_STRING, _OPTIONAL, ""),
    (_Type.TYPE_SINT64, _REPEATED, ""),
    (_Type.TYPE_STRING, _REPEATED, ""),
    (_Type.TYPE_MESSAGE, _OPTIONAL, ".wide.Part"),
    (_Type.TYPE_MESSAGE, _REPEATED, ".wide.Part"),
    (_Type.TYPE_ENUM, _OPTIONAL, ".wide.Kind"),
    (_Type.TYPE_BYTES, _OPTIONAL, ""),
)


def _file(name: str = "wide") -> pb.FileDescriptorProto:
    return pb.FileDescriptorProto(name=f"{name}.proto", package="wide", syntax="proto3")


def _add(message: pb.DescriptorProto, name: str, type_: int, label: int, of: str = "") -> None:
    number = len(message.field) + 1
    field = message.field.add(name=name, number=number, type=type_, label=label)  # type: ignore[arg-type]
    if of:
        field.type_name = of


def _with_part() -> pb.FileDescriptorProto:
    file = _file()
    part = file.message_type.add(name="Part")
    _add(part, "x", _Type.TYPE_DOUBLE, _OPTIONAL)
    file.enum_type.add(name="Kind").value.add(name="NONE", number=0)
    return file


def fields(n: int) -> list[pb.FileDescriptorProto]:
    """Return fields of all kinds in one message."""
    file = _with_part()
    message = file.message_type.add(name="Wide")
    for i in range(n):
        _add(message, f"field_{i}", *_KINDS[i % len(_KINDS)])
    return [file]


def maps(n: int) -> list[pb.FileDescriptorProto]:
    file = _with_part()
    message = file.message_type.add(name="Wide")
    for i in range(n):
        entry = message.nested_type.add(name=f"M{i}Entry")
        entry.options.map_entry = True
        _add(entry, "key", _Type.TYPE_STRING, _OPTIONAL)
        _add(entry, "value", _Type.TYPE_MESSAGE, _OPTIONAL, ".wide.Part")
        _add(message, f"m{i}", _Type.TYPE_MESSAGE, _REPEATED, f".wide.Wide.M{i}Entry")
    return [file]


def oneof(n: int) -> list[pb.FileDescriptorProto]:
    """With many members."""
    file = _with_part()
    message = file.message_type.add(name="Wide")
    message.oneof_decl.add(name="choice")
    for i in range(n):
        type_, _, of = _KINDS[i % len(_KINDS)]
        _add(message, f"field_{i}", type_, _OPTIONAL, of)
        message.field[-1].oneof_index = 0
    return [file]


def oneofs(n: int) -> list[pb.FileDescriptorProto]:
    """Return oneofs of two members each."""
    file = _with_part()
    message = file.message_type.add(name="Wide")
    for i in range(n):
        message.oneof_decl.add(name=f"choice_{i}")
        for name in (f"a_{i}", f"b_{i}"):
            _add(message, name, _Type.TYPE_STRING, _OPTIONAL)
            message.field[-1].oneof_index = i
    return [file]


def messages(n: int) -> list[pb.FileDescriptorProto]:
    """Beside each other, and one that holds each of them."""
    file = _file()
    holder = file.message_type.add(name="Holder")
    for i in range(n):
        _add(file.message_type.add(name=f"M{i}"), "x", _Type.TYPE_INT32, _OPTIONAL)
        _add(holder, f"m{i}", _Type.TYPE_MESSAGE, _REPEATED, f".wide.M{i}")
    return [file]


def nested(n: int) -> list[pb.FileDescriptorProto]:
    """Messages and enums declared inside one."""
    file = _file()
    outer = file.message_type.add(name="Outer")
    for i in range(n):
        inner = outer.nested_type.add(name=f"Inner{i}")
        _add(inner, "x", _Type.TYPE_DOUBLE, _OPTIONAL)
        outer.enum_type.add(name=f"Kind{i}").value.add(name=f"NONE{i}", number=0)
        _add(outer, f"inner{i}", _Type.TYPE_MESSAGE, _OPTIONAL, f".wide.Outer.Inner{i}")
        _add(outer, f"kind{i}", _Type.TYPE_ENUM, _OPTIONAL, f".wide.Outer.Kind{i}")
    return [file]


def values(n: int) -> list[pb.FileDescriptorProto]:
    """Return values of an enum."""
    file = _file()
    enum = file.enum_type.add(name="Kind")
    for i in range(n):
        enum.value.add(name=f"VALUE_{i}", number=i)
    _add(file.message_type.add(name="M"), "x", _Type.TYPE_ENUM, _OPTIONAL, ".wide.Kind")
    return [file]


def files(n: int) -> list[pb.FileDescriptorProto]:
    """Each imports the one before and holds its message, repeated."""
    collected = []
    for i in range(n):
        file = _file(f"wide_{i}")
        message = file.message_type.add(name=f"M{i}")
        _add(message, "x", _Type.TYPE_DOUBLE, _OPTIONAL)
        if i:
            file.dependency.append(f"wide_{i - 1}.proto")
            _add(message, "before", _Type.TYPE_MESSAGE, _REPEATED, f".wide.M{i - 1}")
        collected.append(file)
    return collected


def nesting(n: int, each: int = 1, leaf: bool = True) -> list[pb.FileDescriptorProto]:
    """Messages that each hold ``each`` fields of the next one. ``leaf``: the last has a number."""
    file = _file()
    for i in range(n):
        message = file.message_type.add(name=f"M{i}")
        for j in range(each if i + 1 < n else 0):
            _add(message, f"f{j}", _Type.TYPE_MESSAGE, _OPTIONAL, f".wide.M{i + 1}")
    if leaf:
        _add(file.message_type[-1], "x", _Type.TYPE_DOUBLE, _OPTIONAL)
    return [file]


def shared(n: int) -> list[pb.FileDescriptorProto]:
    return nesting(n, 2)


def hollow(n: int) -> list[pb.FileDescriptorProto]:
    """Nothing but messages."""
    return nesting(n, 2, leaf=False)


def chain(n: int) -> list[pb.FileDescriptorProto]:
    return nesting(n)


SHAPES: dict[str, Callable[[int], list[pb.FileDescriptorProto]]] = {
    shape.__name__: shape
    for shape in (fields, maps, oneof, oneofs, messages, nested, values, files)
}
"""What may be as large as one likes."""


def ros_message(folder: Path, types: Sequence[str], names: Iterable[str]) -> Path:
    """``wide_msgs/msg/Wide.msg``, whose fields take turns in their types."""
    path = folder / "wide_msgs" / "msg" / "Wide.msg"
    path.parent.mkdir(parents=True)
    lines = (f"{type_} {name}" for type_, name in zip(cycle(types), names, strict=False))
    path.write_text("\n".join(lines) + "\n")
    return path


def ros_chain(folder: Path, count: int) -> Path:
    """Return the outermost of so many messages, one inside the other."""
    package = folder / "chain_msgs" / "msg"
    package.mkdir(parents=True)
    for i in range(count):
        text = f"M{i + 1} next\n" if i + 1 < count else "float64 x\n"
        (package / f"M{i}.msg").write_text(text)
    return package / "M0.msg"


def alike(count: int) -> Iterator[str]:
    """Different names that are one in camel case."""
    for i in range(count):
        yield "a" + "".join(
            f"_{c}" if i >> bit & 1 else c.upper() for bit, c in enumerate("bcdefghijklmnopq")
        )


def descriptor_set(made: list[pb.FileDescriptorProto]) -> bytes:
    return pb.FileDescriptorSet(file=made).SerializeToString()
