# SPDX-License-Identifier: Apache-2.0
"""Padding of messages in CDR, which writers leave as the memory was.

A type becomes a list of steps, each a function that moves over a value of the message. Whatever
the message says, no more than its bytes are looked at, and no more than ``MOST_ELEMENTS`` of lists
one by one.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence

import numpy as np

from wirecost.data.messages.cdr import HEADER_BYTES, plain_order
from wirecost.schema.compile import frontends
from wirecost.schema.compile.plan.sequential import (
    PREFIX,
    Array,
    Call,
    Planner,
    Run,
    SequentialPlan,
    Step,
    Text,
)
from wirecost.schema.compile.plan.wires import CDR
from wirecost.schema.compile.schema import Label, Schema
from wirecost.system import scratch
from wirecost.system.errors import UserError

MOST_ELEMENTS = 1_000_000
"""Elements, at most, of a message's lists whose elements differ in size: about a second."""
_LENGTHS = {order: struct.Struct(f"{order}I") for order in "<>"}
_OPTIONS = slice(2, HEADER_BYTES)
_LONGEST_END = 3
"""Bytes that some writers add, so that a message's length is a multiple of four."""
_OTHERS = re.compile(r"^={80}\nMSG: (\w+/\w+)\n", re.MULTILINE)
_TYPE = re.compile(r"(\w+)/msg/(\w+)")


class _OtherTypeError(Exception):
    """The message is none of the type, or has too many elements."""


class _Cursor:
    """A place in a message behind its header; ``body`` is changed."""

    def __init__(self, body: memoryview, length: struct.Struct) -> None:
        self.body = body
        self.at = 0
        self._length = length
        self._elements = MOST_ELEMENTS

    @property
    def left(self) -> int:
        return len(self.body) - self.at

    def move(self, size: int) -> None:
        if size > self.left:
            raise _OtherTypeError
        self.at += size

    def align(self, alignment: int) -> None:
        self.clear(-self.at % alignment)

    def clear(self, size: int) -> None:
        begin = self.at
        self.move(size)
        self.body[begin : self.at] = bytes(size)

    def length(self, align: int) -> int:
        self.align(align)
        begin = self.at
        self.move(PREFIX)
        return int(self._length.unpack_from(self.body, begin)[0])

    def count(self, elements: int) -> None:
        self._elements -= elements
        if self._elements < 0:
            raise _OtherTypeError


_Move = Callable[[_Cursor], None]


class Padding:
    """Padding of one type's messages; no value takes less than a byte, which bounds each loop."""

    def __init__(self, type_name: str, definition: str) -> None:
        """Learn the type from ``definition``, as MCAP stores it.

        Raises UserError where the type is not known by it.
        """
        schema = _schema(type_name, definition)
        planner = Planner(schema, CDR)
        self._messages: dict[str, tuple[_Move, bool]] = {}
        """Of each message what moves over one, and whether all have the same size."""
        for message in schema.inside_out:
            plan = planner.plan(message)
            self._messages[message.full_name] = self._of(plan), _is_fixed(plan)
        self._whole = self._messages["{}.{}".format(*_named(type_name))][0]

    def without(self, message: bytes) -> memoryview | None:
        """Return the message with zeros for padding, and with none behind its last value.

        None if it is not plain CDR of the type, or has more than ``MOST_ELEMENTS``.
        """
        try:
            length = _LENGTHS[plain_order(message)]
        except ValueError:
            return None
        content = memoryview(bytearray(message))
        content[_OPTIONS] = bytes(2)  # some writers say here how long the padding is
        cursor = _Cursor(content[HEADER_BYTES:], length)
        try:
            self._whole(cursor)
        except _OtherTypeError:
            return None
        return None if cursor.left > _LONGEST_END else content[: HEADER_BYTES + cursor.at]

    def _of(self, plan: SequentialPlan) -> _Move:
        moves = [self._step(step) for step in plan.steps]

        def move(cursor: _Cursor) -> None:
            for each in moves:
                each(cursor)

        return moves[0] if len(moves) == 1 else move

    def _step(self, step: Step) -> _Move:
        match step:
            case Run():
                return _run(step)
            case Text():
                return _text(step.align)
            case Call():
                return self._messages[step.message.name][0]
            case Array():
                return self._array(step)
        raise AssertionError(step)  # ROS has no maps and no unions

    def _array(self, array: Array) -> _Move:
        capacity = array.field.capacity or 0 if array.field.label is Label.ARRAY else None
        elements = self._elements(array.element)

        def move(cursor: _Cursor) -> None:
            count = cursor.length(array.align) if capacity is None else capacity
            if count:
                elements(cursor, count)

        return move

    def _elements(self, element: Run | Text | Call) -> Callable[[_Cursor, int], None]:
        if isinstance(element, Run):
            align, size = element.align, element.size

            def numbers(cursor: _Cursor, count: int) -> None:
                cursor.align(align)
                cursor.move(size * count)

            return numbers
        move = self._step(element)
        if isinstance(element, Call) and self._messages[element.message.name][1]:
            return _same_size(move)

        def all_of(cursor: _Cursor, count: int) -> None:
            cursor.count(count)
            for _ in range(count):
                move(cursor)

        return all_of


def _schema(type_name: str, definition: str) -> Schema:
    package, message = _named(type_name)
    own, *others = _OTHERS.split(definition)
    texts = {f"{package}/{message}": own, **dict(zip(others[::2], others[1::2], strict=True))}
    if not own.strip() and not others:
        raise UserError(f"{type_name}: its definition is not known")
    with scratch.folder("definitions") as folder:
        paths = []
        try:
            for name, text in texts.items():
                path = folder.joinpath(*name.split("/")[:1], "msg", f"{name.split('/')[1]}.msg")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
                paths.append(str(path))
        except (OSError, UnicodeError) as error:  # names and texts that no file has
            raise UserError(f"{type_name}: its definition cannot be written: {error}") from error
        return frontends.load(paths, [folder], "ros2", any_case=True)


def _named(type_name: str) -> tuple[str, str]:
    match = _TYPE.fullmatch(type_name)
    if match is None:
        raise UserError(f"{type_name}: no message type of ROS 2")
    return match[1], match[2]


def _is_fixed(plan: SequentialPlan) -> bool:
    return all(isinstance(step, Run) for step in plan.steps)


def _run(run: Run) -> _Move:
    """Return the gaps between the slots; the size is that of the last slot's end."""
    parts: list[tuple[int, int]] = []
    at = 0
    for slot in run.slots:
        size = (slot.kind.width or 0) * (1 if slot.count is None else slot.count)
        parts.append((slot.offset - at, size))
        at = slot.offset + size
    if all(gap == 0 for gap, _ in parts):
        parts = [(0, run.size)]
    align = run.align

    def move(cursor: _Cursor) -> None:
        cursor.align(align)
        for gap, size in parts:
            if gap:
                cursor.clear(gap)
            cursor.move(size)

    return move


def _text(align: int) -> _Move:
    def move(cursor: _Cursor) -> None:
        cursor.move(cursor.length(align))

    return move


def _same_size(element: _Move) -> Callable[[_Cursor, int], None]:
    """Return the move of elements of one size.

    Their padding repeats once an element begins at a place that is aligned as an earlier one's was,
    so what is done to those in between is done to all at once.
    """

    def move(cursor: _Cursor, count: int) -> None:
        element(cursor)  # the first may have padding before it that no other has
        begun: dict[int, tuple[int, int]] = {}
        done = 1
        while done < count and (cursor.at % CDR.largest) not in begun:
            begun[cursor.at % CDR.largest] = done, cursor.at
            element(cursor)
            done += 1
        if done == count:
            return
        first, begin = begun[cursor.at % CDR.largest]
        period, step = cursor.at - begin, done - first
        periods, rest = divmod(count - done, step)
        marks = _padded(element, step, begin, period)
        end = cursor.at + periods * period
        if end > len(cursor.body):
            raise _OtherTypeError
        if marks:
            rows = np.frombuffer(cursor.body[cursor.at : end], np.uint8).reshape(-1, period)
            rows[:, marks] = 0
        cursor.at = end
        for _ in range(rest):
            element(cursor)

    return move


def _padded(element: _Move, count: int, begin: int, size: int) -> Sequence[int]:
    """Return the bytes of ``size`` that are padding, for ``count`` elements from ``begin`` on."""
    lead = begin % CDR.largest
    tried = _Cursor(memoryview(bytearray(b"\1" * (lead + size))), _LENGTHS["<"])
    tried.at = lead
    for _ in range(count):
        element(tried)
    return [at for at, byte in enumerate(tried.body[lead:]) if byte == 0]
