# SPDX-License-Identifier: Apache-2.0
"""Whole numbers at the front of a message, read without decoding the rest of it."""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import islice, takewhile
from operator import attrgetter

from google.protobuf.message import DecodeError

from wirecost.data.messages import cdr
from wirecost.data.messages.subject import Subject
from wirecost.schema.compile.plan.sequential import PREFIX, Rules
from wirecost.schema.compile.plan.wires import SEQUENTIAL
from wirecost.schema.compile.schema import Field, Kind, Label, Message, MessageRef, Schema

MOST_FIELDS = 64
"""Fields from the front of a message that are looked at."""
SECONDS = ("sec", "secs", "seconds")
NANOSECONDS = ("nanosec", "nsec", "nsecs", "nanos")
"""Names of the two numbers that a stamp consists of."""
INTEGERS = {kind for kind in Kind if kind.value.removeprefix("u") in ("int16", "int32", "int64")}
"""Numbers that can count messages: shorter ones come again too soon."""

Numbers = list[int] | None
"""Values of the fields, None of a message that cannot be read."""


@dataclass(frozen=True)
class NumberField:
    """A number of a message; ``bits``: of its type."""

    path: str
    bits: int

    @property
    def is_of_time(self) -> bool:
        """Whether it is a part of a stamp or a duration."""
        return self.path.rpartition(".")[2] in (*SECONDS, *NANOSECONDS)


@dataclass(frozen=True)
class MessageNumbers:
    """Reads ``fields`` of messages."""

    fields: list[NumberField]
    read: Callable[[bytes | memoryview], Numbers]


@dataclass(frozen=True)
class _Step:
    """A field of a sequential wire; ``count``: of its values, None where the message has it."""

    number: NumberField | None
    kind: Kind
    count: int | None


def numbers_of(
    subject: Subject, wire: str, wanted: Collection[str] | None = None
) -> MessageNumbers:
    """Return a reader of the numbers before the first list of messages; ``wanted``: their paths."""
    front = takewhile(lambda step: step is not None, _steps(subject.schema, _top(subject), ""))
    steps = [step for step in islice(front, MOST_FIELDS) if step is not None]
    numbers = [
        step.number if wanted is None or (step.number and step.number.path in wanted) else None
        for step in steps
    ]
    fields = [number for number in numbers if number is not None]
    if wire not in SEQUENTIAL:
        return MessageNumbers(fields, _reader_of_protobuf(subject, fields))
    last = max((at for at, number in enumerate(numbers) if number is not None), default=-1)
    walked = [
        _Step(number, step.kind, step.count)
        for number, step in zip(numbers[: last + 1], steps, strict=False)
    ]
    rules = SEQUENTIAL[wire]

    def read(data: bytes | memoryview) -> Numbers:
        try:
            return _walked(walked, rules, data)
        except (struct.error, ValueError):
            return None

    return MessageNumbers(fields, read)


def stamp_fields(fields: Collection[NumberField]) -> tuple[str, str] | None:
    """Return the paths of the seconds and nanoseconds of the first stamp, None without one."""
    paths = [field.path for field in fields]
    for path in paths:
        outer, dot, name = path.rpartition(".")
        parts = [outer + dot + part for part in NANOSECONDS if outer + dot + part in paths]
        if dot and name in SECONDS and parts:
            return path, parts[0]
    return None


def _top(subject: Subject) -> Message:
    return subject.schema.message(subject.type)


def _steps(schema: Schema, message: Message, outer: str) -> Iterator[_Step | None]:
    """Yield the fields in order; None for a list of messages, behind which no place is known."""
    for field in message.fields:
        path = outer + field.name
        if isinstance(field.type, MessageRef):
            if field.label is Label.SINGLE and path.count(".") < MOST_FIELDS:
                yield from _steps(schema, schema.message(field.type), f"{path}.")
            else:
                yield None
        else:
            yield _step(field, path)


def _step(field: Field, path: str) -> _Step:
    kind = field.type if isinstance(field.type, Kind) else Kind.INT32  # an enum of Protobuf
    count = {Label.SINGLE: 1, Label.ARRAY: field.capacity}.get(field.label)
    is_number = field.label is Label.SINGLE and field.type in INTEGERS
    return _Step(NumberField(path, 8 * (kind.width or 0)) if is_number else None, kind, count)


def _walked(steps: list[_Step], rules: Rules, data: bytes | memoryview) -> list[int]:
    """Walk the fields. Raises ValueError or struct.error where the message ends before."""
    order, begin = (cdr.plain_order(data), cdr.HEADER_BYTES) if rules.terminated else ("<", 0)
    at = 0
    values: list[int] = []
    for step in steps:
        count, width = step.count, step.kind.width
        if count is None:
            at += -at % rules.alignment(PREFIX)
            (count,) = struct.unpack_from(f"{order}I", data, begin + at)
            at += PREFIX
        if width is None:
            for _ in range(min(count, len(data))):
                at += -at % rules.alignment(PREFIX)
                at += PREFIX + struct.unpack_from(f"{order}I", data, begin + at)[0]
            continue
        at += -at % rules.alignment(width) if count else 0
        if step.number is not None:
            values += struct.unpack_from(order + step.kind.code, data, begin + at)
        at += width * count
    return values


def _reader_of_protobuf(
    subject: Subject, fields: list[NumberField]
) -> Callable[[bytes | memoryview], Numbers]:
    gets = [attrgetter(field.path) for field in fields]

    def read(data: bytes | memoryview) -> Numbers:
        try:
            message = subject.message_class.FromString(bytes(data)) if gets else None
        except DecodeError:
            return None
        return [int(get(message)) for get in gets]

    return read
