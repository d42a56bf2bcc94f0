# SPDX-License-Identifier: Apache-2.0
"""The type to measure, and readers of its messages that are independent of our code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from google.protobuf import descriptor_pb2 as pb
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

from wirecost.schema.compile import frontends
from wirecost.schema.compile.frontends.ros.builtin import DUMMY_FIELD
from wirecost.schema.compile.plan.sequential import Planner
from wirecost.schema.compile.plan.wires import SEQUENTIAL
from wirecost.schema.compile.schema import CompileError, EnumRef, File, Message, Schema
from wirecost.system.errors import UserError
from wirecost.system.foreign import printable

if TYPE_CHECKING:
    from wirecost.data.messages.ros.definitions import RosDefinitions
    from wirecost.data.messages.ros.reader import RosReader


class MessageReader(Protocol):
    """A reader of a wire's messages that also compares them, without a contender's code."""

    def read(self, data: bytes) -> Any:
        """Return a message of Google's class. Raises DecodeError."""
        ...

    def difference(self, message: Any, expected: Any) -> str:
        """Return in which two messages differ, empty if they are the same."""
        ...


@dataclass(frozen=True)
class Subject:
    """The type to measure.

    ``schema``: what the type needs and nothing else; ``descriptors``: the same for Protobuf's own
    tools; ``wire``: the one that its messages came on; ``definitions``: those of a type of ROS;
    ``readers``: of further wires, by name.
    """

    type: str
    schema: Schema
    descriptors: pb.FileDescriptorSet
    wire: str = "protobuf"
    definitions: RosDefinitions | None = None
    readers: Mapping[str, MessageReader] = field(default_factory=dict)

    @cached_property
    def ros(self) -> RosReader | None:
        """The reader and writer of ROS's messages."""
        if self.definitions is None:
            return None
        from wirecost.data.messages.ros.reader import RosReader  # noqa: PLC0415 - takes long

        return RosReader(self.definitions, self.schema, self.type)

    @property
    def readable(self) -> tuple[str, ...]:
        """The wires that others than we can read."""
        usual = ("protobuf",) if self.definitions is None else ("protobuf", *SEQUENTIAL)
        return (*usual, *self.readers)

    @cached_property
    def other_wires(self) -> tuple[str, ...]:
        """Wires besides its own that our codecs have for it.

        Protobuf's is not one of ROS: a list of bytes would be one of varints there, which nobody
        would send.
        """
        others = [wire for wire in SEQUENTIAL if wire != self.wire]
        if self.definitions is not None and any(map(_is_empty, self.schema.messages())):
            return ()  # ROS 2 puts a byte into it, ROS 1 none
        return tuple(wire for wire in others if _can_carry(self.schema, wire))

    def read(self, data: bytes, wire: str = "") -> Any:
        """Return a message of Google's class. Raises DecodeError.

        ``wire``: a readable one, else its own.
        """
        message = self.message_class()
        wire = wire or self.wire
        if wire in self.readers:
            return self.readers[wire].read(data)
        if self.ros is None or wire == "protobuf":
            message.ParseFromString(data)
        else:
            self.ros.read(data, wire, message)
        return message

    def write(self, message: Any) -> bytes:
        """Write on its own wire. Raises ValueError where a type of ROS does not hold a value."""
        if self.ros is None:
            return canonical(message)
        return self.ros.write(message, self.wire)

    @cached_property
    def message_class(self) -> Any:
        """Google's Python class of the type."""
        return self.class_of(self.type)

    def class_of(self, name: str) -> Any:
        """Return Google's class of a message in it."""
        return GetMessageClass(self._pool.FindMessageTypeByName(name))

    @cached_property
    def _pool(self) -> DescriptorPool:
        pool = DescriptorPool()
        for file in self.descriptors.file:
            pool.Add(file)
        return pool


def _can_carry(schema: Schema, wire: str) -> bool:
    """Return whether a wire can carry the messages.

    It cannot carry a message that is always within itself, nor that a field is absent.
    """
    if any(item.is_optional for message in schema.messages() for item in message.fields):
        return False
    # The whole compiler takes long to import.
    from wirecost.schema.compile.compiler import emitted  # noqa: PLC0415
    from wirecost.schema.compile.emit import Request  # noqa: PLC0415

    try:
        emitted(schema, (), Request((wire,)))
        planner = Planner(schema, SEQUENTIAL[wire])
        for message in schema.messages():
            planner.plan(message)
    except CompileError:
        return False
    return True


def _is_empty(message: Message) -> bool:
    return [item.name for item in message.fields] in ([], [DUMMY_FIELD])


def canonical(message: Any) -> bytes:
    """Return bytes that are equal for equal messages of Google's class."""
    data: bytes = message.SerializePartialToString(deterministic=True)
    return data


def subject(descriptors: pb.FileDescriptorSet, source: str, type_name: str) -> Subject:
    """Return the subject of a type. Raises UserError.

    ``source``: the descriptors', for people; ``type_name``: whole, or its last part where that says
    which.
    """
    schema = frontends.load_descriptors(descriptors, source)
    type_ = found_type(schema, source, type_name)
    files = needed_files(schema, type_)
    needed = {name for file in files for name in file.imports} | {file.name for file in files}
    ordered = frontends.in_order(descriptors, source)
    imported = _imported(ordered, needed)
    described = pb.FileDescriptorSet(file=[file for file in ordered.file if file.name in imported])
    return Subject(type_, Schema(tuple(files)), described)


def found_type(schema: Schema, source: str, asked: str) -> str:
    """Return the whole name of the type that is meant. Raises UserError."""
    names = [message.full_name for message in schema.messages()]
    if not asked:
        return _only(schema, source, names)
    fitting = [name for name in names if name == asked] or [
        name for name in names if name.endswith(f".{asked}")
    ]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise UserError(
            f"--type {asked}: there are {', '.join(fitting[:5])}; give one of them whole"
        )
    near = [name for name in names if asked.rpartition(".")[2].lower() in name.lower()] or names
    raise UserError(
        f"{source}: has no message {printable(asked)}; give --type with one of "
        f"{', '.join(near[:8])}{' …' if len(near) > 8 else ''}"
    )


def _only(schema: Schema, source: str, names: list[str]) -> str:
    """Return the one message that no other holds."""
    if not names:
        raise UserError(f"{source}: declares no message; name a file that does")
    held = {name for references in schema.references.values() for name in references}
    tops = [name for name in names if name not in held and "google.protobuf" not in name]
    if len(tops) == 1:
        return tops[0]
    listed = tops or names
    raise UserError(
        f"{source}: has several messages; give --type with one of {', '.join(listed[:8])}"
        f"{' …' if len(listed) > 8 else ''}"
    )


def needed_files(schema: Schema, top: str) -> list[File]:
    """Return the files with what a message holds, and that alone, dependencies first."""
    reached: set[str] = set()
    waiting = [top]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += schema.references[name]
    messages = {name: schema.message(name) for name in reached}
    enums = set(_enums(messages.values()))
    homes = {schema.home(name).name for name in (*reached, *enums)}
    return [
        replace(
            file,
            messages=tuple(m for m in file.messages if m.full_name in reached),
            enums=tuple(e for e in file.enums if e.full_name in enums),
            imports=tuple(name for name in file.imports if name in homes),
            extensions=(),
            option_types=(),
            omissions=(),
        )
        for file in schema.files
        if file.name in homes
    ]


def _enums(messages: Iterable[Message]) -> Iterable[str]:
    for message in messages:
        for declared in message.fields:
            held = declared.value or declared
            if isinstance(held.type, EnumRef):
                yield held.type.name


def _imported(descriptors: pb.FileDescriptorSet, names: set[str]) -> set[str]:
    """Return the files of these names and all that they import."""
    files = {file.name: file for file in descriptors.file}
    reached: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in reached and name in files:
            reached.add(name)
            waiting += files[name].dependency
    return reached
