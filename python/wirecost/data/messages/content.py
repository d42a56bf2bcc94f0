# SPDX-License-Identifier: Apache-2.0
"""Messages for who has no data: plausible values, whose kinds and sizes are said in the report."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

from wirecost.data.messages.ros.fit import fit
from wirecost.data.messages.shapes import MOST_ELEMENTS
from wirecost.data.messages.subject import Subject
from wirecost.system.errors import UserError

MESSAGES, FEWEST = 16, 4
ELEMENTS = (10, 4, 2, 1)
"""Elements of repeated fields, by the depth of their message; deeper messages are left out."""
VALUES = 4_000
"""Values of a message, but for those that ``elements`` asks for."""
ENOUGH_BYTES, MOST_BYTES = 64 << 10, 4 << 20
"""Bytes of all messages: no more are made once FEWEST have so many; one is always made."""
TEXT = 12
"""Characters."""
BYTES = 32
MOST_LISTS = 4
"""Lists that a description names."""


def made_up(subject: Subject, elements: Mapping[str, int], seed: int) -> list[bytes]:
    """Make messages on the subject's wire.

    ``elements``: of lists and bytes, by path (``objects.points``) or name. Raises UserError where a
    path is that of no list.
    """
    unused = set(elements)
    messages: list[bytes] = []
    for number in range(MESSAGES):
        size = sum(map(len, messages))
        if messages and (
            size + len(messages[-1]) > MOST_BYTES or (number >= FEWEST and size > ENOUGH_BYTES)
        ):
            break
        message = subject.message_class()
        unused -= _Filler(Random(f"{seed} {number}"), elements).fill(message)
        if subject.ros is not None:
            fit(subject.schema, subject.type, message)
        messages.append(subject.write(message))
    if unused:
        name = min(unused)
        raise UserError(f"--elements {name}: {subject.type} has no list of that name")
    return messages


def about_made_up(subject: Subject, messages: list[bytes], asked: Mapping[str, int]) -> str:
    """Say that messages are made up, how long their lists are, and how to measure others.

    ``asked``: lengths that the user chose.
    """
    lists = list(_lists(subject.read(messages[0]), ""))
    named = [f"{path} {count}" for path, count in lists[:MOST_LISTS]]
    named += ["…"] * (len(lists) > MOST_LISTS)
    other = "" if asked or not named else f", --elements {lists[0][0]}=50 changes it"
    elements = f" ({', '.join(named)}{other})" if named else ""
    return f"synthetic messages{elements}; give real ones with --data FILE"


def _lists(message: Any, path: str) -> Iterator[tuple[str, int]]:
    """Yield paths and lengths of a message's lists, those of other messages after its own."""
    inner = []
    for field, value in message.ListFields():
        where = f"{path}.{field.name}".removeprefix(".")
        is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
        if field.is_repeated:
            yield where, len(value)
        if field.message_type is not None and not is_map:
            inner.append((value[0] if field.is_repeated else value, where))
    for held, where in inner:
        yield from _lists(held, where)


class _Filler:
    def __init__(self, random: Random, elements: Mapping[str, int]) -> None:
        self._random = random
        self._elements = elements
        self._left = VALUES
        self._asked = 0
        self._used: set[str] = set()

    def fill(self, top: Any) -> set[str]:
        """Fill level by level, so that no field takes all; return the used ``elements``."""
        waiting = deque([(top, "", 0)])
        while waiting:
            message, path, depth = waiting.popleft()
            seen: set[str] = set()
            for field in message.DESCRIPTOR.fields:
                oneof = field.containing_oneof
                if oneof is not None and len(oneof.fields) > 1:
                    if oneof.name in seen:
                        continue
                    seen.add(oneof.name)
                    field = self._random.choice(oneof.fields)  # noqa: PLW2901 - one of them
                where = f"{path}.{field.name}".removeprefix(".")
                waiting += [
                    (held, where, depth + 1) for held in self._field(message, field, where, depth)
                ]
        return self._used

    def _field(self, message: Any, field: Any, path: str, depth: int) -> list[Any]:
        """Fill a field; return the messages in it, which are still empty."""
        count, is_asked = self._count(field, path, depth)
        is_message = field.message_type is not None
        if not is_asked:
            required = field.is_required
            if (self._left <= 0 or depth >= len(ELEMENTS)) and not required:
                return []
            self._left -= count
        if field.is_repeated and is_message and field.message_type.GetOptions().map_entry:
            return self._map(getattr(message, field.name), field, count)
        if field.is_repeated and is_message:
            held = getattr(message, field.name)
            return [held.add() for _ in range(count)]
        if field.is_repeated:
            getattr(message, field.name).extend(self._value(field) for _ in range(count))
            return []
        if is_message:
            getattr(message, field.name).SetInParent()
            return [getattr(message, field.name)]
        value = self._random.randbytes(count) if is_asked else self._value(field)
        setattr(message, field.name, value)
        return []

    def _count(self, field: FieldDescriptor, path: str, depth: int) -> tuple[int, bool]:
        if not field.is_repeated and field.type != FieldDescriptor.TYPE_BYTES:
            return 1, False
        for name in (path, field.name):
            if name in self._elements:
                self._used.add(name)
                self._asked += self._elements[name]
                if self._asked > MOST_ELEMENTS:
                    raise UserError(
                        f"--elements {name}: over {MOST_ELEMENTS:,} elements in a message; ask for "
                        "fewer"
                    )
                return self._elements[name], True
        return ELEMENTS[min(depth, len(ELEMENTS) - 1)] if field.is_repeated else 1, False

    def _map(self, held: Any, field: Any, count: int) -> list[Any]:
        entry = field.message_type.fields_by_name
        key, value = entry["key"], entry["value"]
        if value.message_type is not None:
            return [held[self._value(key)] for _ in range(count)]
        for _ in range(count):
            held[self._value(key)] = self._value(value)
        return []

    def _value(self, field: FieldDescriptor) -> Any:
        random = self._random
        if field.enum_type is not None:
            return random.choice(field.enum_type.values).number
        kind = field.cpp_type
        if kind == FieldDescriptor.CPPTYPE_BOOL:
            return random.random() < 0.5
        if kind in (FieldDescriptor.CPPTYPE_FLOAT, FieldDescriptor.CPPTYPE_DOUBLE):
            return random.uniform(-1000, 1000)
        if kind == FieldDescriptor.CPPTYPE_STRING:
            if field.type == FieldDescriptor.TYPE_BYTES:
                return random.randbytes(BYTES)
            return "".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=TEXT))
        unsigned = kind in (FieldDescriptor.CPPTYPE_UINT32, FieldDescriptor.CPPTYPE_UINT64)
        return random.randint(0 if unsigned else -1000, 1000)
