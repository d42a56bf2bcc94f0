# SPDX-License-Identifier: Apache-2.0
"""Bytes of each field of a message, and messages without a field."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from wirecost.data.messages import sequential_bytes
from wirecost.data.messages.subject import Subject
from wirecost.data.messages.tally import SHORT_TEXT, Path, Tally
from wirecost.schema.compile.plan.wires import SEQUENTIAL
from wirecost.schema.compile.schema import (
    Coding,
    Field,
    Kind,
    Label,
    Message,
    MessageRef,
    Presence,
    Schema,
)

UNKNOWN = "(unknown)"
_CONTINUED = bytes(range(0x80, 0x100))
"""Bytes of a varint but its last."""
DEEPEST = 100
"""Levels of messages in messages, as Google's readers allow."""
LONGEST_VARINT = 70
"""Bits of 7 that a number has at most, of which 64 count."""
WALKED = 16 << 20
"""Bytes of messages whose fields are counted."""
MOST_TAKEN_OUT = 12
LEAST_SHARE = 0.04
"""Least share of all bytes for a field to be taken out."""
LEAST_SHARE_OF_TEXT = 0.02
"""Texts and bytes take more time than numbers of as many bytes: each is checked and copied."""


@dataclass(frozen=True)
class CountedField:
    """Bytes of a field.

    ``path``: ``objects[].position.x``; ``own``: bytes without those of the fields in it; ``all``:
    with them.
    """

    path: str
    own: int
    all: int


def text(path: Path) -> str:
    return ".".join(path)


def counted(subject: Subject, messages: Iterable[bytes]) -> tuple[list[CountedField], int]:
    """Count the bytes of every field that has some.

    Returns the fields by name, and how many bytes were counted: as many as the fields have in sum.
    """
    tally, total = Tally(), 0
    for data in messages:
        if total and total + len(data) > WALKED:
            break
        total += len(data)
        walk(subject, data, tally)
    whole: Counter[Path] = Counter()
    for path, count in tally.own.items():
        for depth in range(1, len(path) + 1):
            whole[path[:depth]] += count
    return [
        CountedField(text(path), tally.own[path], count) for path, count in sorted(whole.items())
    ], total


def walk(subject: Subject, data: bytes, tally: Tally) -> None:
    """Add all fields of a message to a tally. Raises ValueError on bytes that are none."""
    rules = SEQUENTIAL.get(subject.wire)
    top = subject.schema.message(subject.type)
    if rules is None:
        _walk(subject.schema, top, data, tally)
    else:
        sequential_bytes.walk(subject.schema, top, data, rules, tally)


def _walk(schema: Schema, top: Message, data: bytes, tally: Tally) -> None:
    _WalkedMessages(schema, data, tally).walk(top, (), 0, len(data))


@dataclass(frozen=True)
class _WalkedMessages:
    schema: Schema
    data: bytes
    tally: Tally

    def walk(self, message: Message, outer: Path, at: int, end: int, depth: int = 0) -> None:
        """Add the fields of the message between two places."""
        if depth > DEEPEST:
            raise ValueError(f"nested more than {DEEPEST} levels deep")
        data, tally = self.data, self.tally
        by_number = {field.number: field for field in message.fields}
        seen: set[Path] = set()
        while at < end:
            begin = at
            tag, at = _varint(data, at, end)
            field = by_number.get(tag >> 3)
            content, stop = _content(data, at, end, tag)
            if stop > end:
                raise ValueError(f"field {tag >> 3} ends behind its message")
            at = stop
            path = (*outer, marked_name(field)) if field is not None else (*outer, UNKNOWN)
            if path not in seen:
                seen.add(path)
                tally.lists[path] += 1
            inner = _inner(self.schema, field)
            if inner is None or tag & 7 not in (2, 3):
                tally.own[path] += stop - begin
                tally.values[path] += _values(field, data[slice(*content)], tag)
                tally.long[path] += _is_text(field) and content[1] - content[0] > SHORT_TEXT
                continue
            # A group ends behind its end tag.
            size = content[1] - content[0]
            tally.own[path] += stop - begin - size
            tally.values[path] += 1
            self.walk(inner, path, *content, depth + 1)


def _values(field: Field | None, content: bytes, tag: int) -> int:
    """Return how many values a field's content has: several, where they are packed."""
    kind = field.type if field is not None else Kind.BYTES
    if tag & 7 != 2 or _is_text(field):
        return 1
    is_fixed = field is not None and field.coding is Coding.FIXED
    if isinstance(kind, Kind) and (is_fixed or kind in (Kind.FLOAT32, Kind.FLOAT64)):
        return len(content) // (kind.width or 1)
    return len(content.translate(None, _CONTINUED))


def _is_text(field: Field | None) -> bool:
    kind = field.type if field is not None else Kind.BYTES
    return isinstance(kind, Kind) and kind.is_text


def marked_name(field: Field) -> str:
    """Return a field's name as paths have it: ``objects[]``, ``by_name{}``."""
    marks = {Label.SINGLE: "", Label.REPEATED: "[]", Label.ARRAY: "[]", Label.MAP: "{}"}
    return field.name + marks[field.label]


def _inner(schema: Schema, field: Field | None) -> Message | None:
    """Return the message that a field's content consists of, or a map's entry."""
    if field is None:
        return None
    if field.key is not None and field.value is not None:
        return Message("", (field.key, field.value))
    return schema.message(field.type) if isinstance(field.type, MessageRef) else None


def _varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while at < end:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift >= LONGEST_VARINT:
            raise ValueError("a number of more than 10 bytes")
    raise ValueError("ends within a number")


def _content(
    data: bytes, at: int, end: int, tag: int, depth: int = 0
) -> tuple[tuple[int, int], int]:
    """Return begin and end of a field's content, and the field's end. Raises ValueError."""
    kind = tag & 7
    if kind == 0:
        _, stop = _varint(data, at, end)
        return (at, stop), stop
    if kind in (1, 5):
        stop = at + (8 if kind == 1 else 4)
        return (at, stop), stop
    if kind == 2:
        size, at = _varint(data, at, end)
        return (at, at + size), at + size
    if kind != 3:
        raise ValueError(f"wire type {kind}")
    if depth > DEEPEST:
        raise ValueError(f"groups nested more than {DEEPEST} levels deep")
    begin = at
    while True:
        last = at
        inner, at = _varint(data, at, end)
        if inner & 7 == 4:
            return (begin, last), at
        _, at = _content(data, at, end, inner, depth + 1)


def worth_taking_out(fields: list[CountedField], subject: Subject) -> list[str]:
    """Return the fields with most bytes, those that hold others before these.

    None that must be there, and none that a wire writes in any case, as ``ros1`` does numbers.
    """
    total = sum(field.all for field in fields if "." not in field.path)
    heavy = [
        field
        for field in fields
        if field.all >= _least_share(subject, field.path) * total and UNKNOWN not in field.path
        and _can_be_absent(subject.schema, subject.wire, subject.type, field.path)
    ]  # fmt: skip
    heavy.sort(key=lambda field: (field.path.count("."), -field.all))
    return [field.path for field in heavy[:MOST_TAKEN_OUT]]


def _least_share(subject: Subject, path: str) -> float:
    along = fields_along(subject.schema, subject.type, path)
    kind = along[-1].type if along else None
    return LEAST_SHARE_OF_TEXT if isinstance(kind, Kind) and kind.is_text else LEAST_SHARE


def fields_along(schema: Schema, top: str, path: str) -> list[Field]:
    """Return the fields that a path names one after the other.

    None where it leads into a map or to a field that the schema does not know.
    """
    message: Message | None = schema.message(top)
    along: list[Field] = []
    for name in path.split("."):
        if message is None:
            return []
        field = next((f for f in message.fields if marked_name(f) == name), None)
        if field is None:
            return []
        along.append(field)
        is_message = isinstance(field.type, MessageRef) and field.label is not Label.MAP
        message = schema.message(field.type) if is_message else None  # type: ignore[arg-type]
    return along


def _can_be_absent(schema: Schema, wire: str, top: str, path: str) -> bool:
    along = fields_along(schema, top, path)
    if not along or any(field.presence is Presence.REQUIRED for field in along):
        return False
    return wire not in SEQUENTIAL or _can_be_empty(schema, along[-1])


def _can_be_empty(schema: Schema, field: Field) -> bool:
    """Return whether ``ros1`` and ``cdr`` write less where a field has its default."""
    if isinstance(field.type, MessageRef) and field.label is not Label.REPEATED:
        inner = schema.message(field.type).fields
        return any(_can_be_empty(schema, part) for part in inner)
    return field.label is Label.REPEATED or (isinstance(field.type, Kind) and field.type.is_text)


def without(subject: Subject, messages: Iterable[bytes], paths: Iterable[str]) -> list[bytes]:
    """Return the messages without some fields."""
    split = [path.split(".") for path in paths]
    reduced = []
    for data in messages:
        message = subject.read(data)
        for names in split:
            for holder in _holders(message, names[:-1]):
                holder.ClearField(_plain(names[-1]))
        reduced.append(subject.write(message))
    return reduced


def lengths_at(message: Any, path: str) -> list[int]:
    """Return the length of a list in each message that may hold one."""
    *outer, name = path.split(".")
    return [len(getattr(holder, _plain(name))) for holder in _holders(message, outer)]


def _holders(message: Any, names: list[str]) -> Iterator[Any]:
    """Yield all messages at a path."""
    if not names:
        yield message
        return
    name = _plain(names[0])
    field = message.DESCRIPTOR.fields_by_name[name]
    if field.is_repeated:
        for element in getattr(message, name):
            yield from _holders(element, names[1:])
    elif message.HasField(name):
        yield from _holders(getattr(message, name), names[1:])


def _plain(name: str) -> str:
    return name.removesuffix("[]").removesuffix("{}")
