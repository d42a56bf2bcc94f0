# SPDX-License-Identifier: Apache-2.0
"""Whole numbers and stamps of a message, read without decoding the rest of it."""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

from google.protobuf.message import DecodeError

from wirecost.data.messages import cdr
from wirecost.data.messages.subject import Subject
from wirecost.schema.compile.plan.sequential import PREFIX, Rules
from wirecost.schema.compile.plan.wires import SEQUENTIAL
from wirecost.schema.compile.schema import Field, Kind, Label, Message, MessageRef, Schema

MOST_STEPS = 64
"""Fields from the front of a message in which numbers are looked for."""
SECONDS = ("sec", "secs", "seconds")
NANOSECONDS = ("nanosec", "nsec", "nsecs", "nanos")
"""Names of the two numbers that a stamp consists of."""
INTEGERS = {kind for kind in Kind if kind.value.removeprefix("u") in ("int16", "int32", "int64")}
"""Numbers that can count messages: shorter ones come again too soon."""

Values = list[int] | None
"""A message's numbers in the order of the fields, None where it cannot be read."""


@dataclass(frozen=True)
class NumberField:
    """A number at the front of a message; ``bits``: after which a counter begins at 0 again."""

    path: str
    bits: int


@dataclass(frozen=True)
class _Step:
    """A field of a sequential wire; ``count``: of its values, None where the message has it."""

    path: str
    kind: Kind
    count: int | None = 1
    is_number: bool = False


@dataclass(frozen=True)
class MessageNumbers:
    """Reads numbers of messages; ``fields`` are those that it returns, in this order."""

    fields: list[NumberField]
    read: Callable[[bytes | memoryview], Values]
    only: Callable[[Collection[str]], MessageNumbers]
    """Returns a reader of these fields alone, by their paths."""


def numbers_of(subject: Subject, wire: str) -> MessageNumbers:
    """Return a reader of the numbers that stand before the first list of messages."""
    top = subject.schema.message(subject.type)
    if wire in SEQUENTIAL:
        return _sequential(list(_steps(subject.schema, top))[:MOST_STEPS], SEQUENTIAL[wire])
    return _protobuf(subject, list(_number_fields(subject.schema, top)))


def stamp_fields(fields: Collection[NumberField]) -> tuple[str, str] | None:
    """Return the paths of the seconds and nanoseconds of the first stamp, None without one."""
    paths = [field.path for field in fields]
    for path in paths:
        outer, _, name = path.rpartition(".")
        if name in SECONDS:
            parts = [f"{outer}.{part}" for part in NANOSECONDS if f"{outer}.{part}" in paths]
            if parts and outer:
                return path, parts[0]
    return None


def is_of_stamp(path: str) -> bool:
    """Say whether a field is a part of a stamp or a duration."""
    return "." in path and path.rpartition(".")[2] in (*SECONDS, *NANOSECONDS)


class _ListOfMessages(Exception):  # noqa: N818 - no error: fields behind it have no known place
    pass


def _steps(schema: Schema, top: Message) -> Iterator[_Step]:
    try:
        yield from _inner_steps(schema, top, "")
    except _ListOfMessages:
        return


def _inner_steps(schema: Schema, message: Message, outer: str) -> Iterator[_Step]:
    for field in message.fields:
        path = outer + field.name
        if isinstance(field.type, MessageRef):
            if field.label is not Label.SINGLE:
                raise _ListOfMessages
            yield from _inner_steps(schema, schema.message(field.type), f"{path}.")
            continue
        assert isinstance(field.type, Kind)  # ROS has no enums
        counts = {Label.SINGLE: 1, Label.ARRAY: field.capacity, Label.REPEATED: None}
        is_number = field.label is Label.SINGLE and field.type in INTEGERS
        yield _Step(path, field.type, counts[field.label], is_number)


def _sequential(steps: list[_Step], rules: Rules) -> MessageNumbers:
    wanted = [number for number, step in enumerate(steps) if step.is_number]
    steps = steps[: wanted[-1] + 1] if wanted else []

    def read(data: bytes | memoryview) -> Values:
        try:
            return _values(steps, rules, data)
        except (struct.error, ValueError):
            return None

    def only(paths: Collection[str]) -> MessageNumbers:
        fewer = [replace(step, is_number=step.is_number and step.path in paths) for step in steps]
        return _sequential(fewer, rules)

    numbers = [NumberField(s.path, 8 * (s.kind.width or 0)) for s in steps if s.is_number]
    return MessageNumbers(numbers, read, only)


def _values(steps: list[_Step], rules: Rules, data: bytes | memoryview) -> list[int]:
    """Walk the fields. Raises ValueError or struct.error where the message ends before."""
    order, begin = (cdr.plain_order(data), cdr.HEADER_BYTES) if rules.terminated else ("<", 0)
    at = 0
    values: list[int] = []
    for step in steps:
        count = step.count
        if count is None:
            at += -at % rules.alignment(PREFIX)
            (count,) = struct.unpack_from(f"{order}I", data, begin + at)
            at += PREFIX
        width = step.kind.width
        if width is None:
            for _ in range(min(count, len(data))):
                at += -at % rules.alignment(PREFIX)
                (length,) = struct.unpack_from(f"{order}I", data, begin + at)
                at += PREFIX + length
            continue
        if count:
            at += -at % rules.alignment(width)
        if step.is_number:
            values += struct.unpack_from(order + step.kind.code, data, begin + at)
        at += width * count
    return values


def _number_fields(schema: Schema, top: Message) -> Iterator[NumberField]:
    """Yield the numbers of a message of Protobuf, and of single messages right in it."""
    for field in top.fields:
        if field.label is not Label.SINGLE or field.key is not None:
            continue
        if isinstance(field.type, MessageRef):
            inner = schema.message(field.type).fields
            yield from (_number(f"{field.name}.", part) for part in inner if _is_number(part))
        elif _is_number(field):
            yield _number("", field)


def _is_number(field: Field) -> bool:
    return field.label is Label.SINGLE and field.type in INTEGERS


def _number(outer: str, field: Field) -> NumberField:
    assert isinstance(field.type, Kind)
    return NumberField(outer + field.name, 8 * (field.type.width or 0))


def _protobuf(subject: Subject, fields: list[NumberField]) -> MessageNumbers:
    def read(data: bytes | memoryview) -> Values:
        if not fields:
            return []
        try:
            message = subject.message_class.FromString(bytes(data))
        except DecodeError:
            return None
        return [_attribute(message, field.path) for field in fields]

    def only(paths: Collection[str]) -> MessageNumbers:
        return _protobuf(subject, [field for field in fields if field.path in paths])

    return MessageNumbers(fields, read, only)


def _attribute(message: Any, path: str) -> int:
    for name in path.split("."):
        message = getattr(message, name)
    return int(message)
