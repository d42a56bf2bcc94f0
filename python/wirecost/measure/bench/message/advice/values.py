# SPDX-License-Identifier: Apache-2.0
"""Contents of the fields of messages: how large numbers are, and which texts there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from wirecost.data.messages.fields import marked_name
from wirecost.data.messages.shapes import is_list, is_octets
from wirecost.data.messages.subject import Subject
from wirecost.data.messages.tally import Path
from wirecost.schema.compile.schema import Field, Kind, Label, Message, MessageRef

MOST_VALUES = 500_000
"""Most values that are looked at."""
MOST_TEXTS = 64
"""Different ones that are kept of a field."""


@dataclass
class FieldValues:
    """The values of one field in all messages.

    ``varint``, ``zigzag``: bytes of all its integers in either form of Protobuf; ``lists``: how
    many elements each has, where it is a list.
    """

    declared: Field
    count: int = 0
    varint: int = 0
    zigzag: int = 0
    low: int = 0
    high: int = 0
    texts: Counter[str] = field(default_factory=Counter)
    lists: list[int] = field(default_factory=list)

    def add(self, value: Any) -> None:
        self.count += 1
        kind = self.declared.type
        if kind is Kind.STRING:
            if len(self.texts) <= MOST_TEXTS:
                # Google's library gives a text that is not UTF-8 as bytes.
                self.texts[value if isinstance(value, str) else value.decode("latin-1")] += 1
        elif isinstance(value, int):
            self.varint += varint_size(value)
            self.zigzag += varint_size(2 * value if value >= 0 else -2 * value - 1)
            self.low, self.high = min(self.low, value), max(self.high, value)


def varint_size(value: int) -> int:
    """Return the bytes on Protobuf's wire, where a negative number has 64 bits."""
    return max(1, ((value & (1 << 64) - 1).bit_length() + 6) // 7)


def values(subject: Subject, messages: Iterable[bytes]) -> dict[str, FieldValues]:
    """Return the values of all written fields but those in maps, by path."""
    by_path: dict[Path, FieldValues] = {}
    remaining = MOST_VALUES
    for data in messages:
        for path, item, value in _leaves(subject, subject.read(data)):
            held = by_path.setdefault(path, FieldValues(item))
            elements = value if is_list(item) else (value,)
            if is_list(item):
                held.lists.append(len(value))
            for element in elements:
                held.add(element)
            remaining -= len(elements)
        if remaining < 0:
            break
    return {".".join(path): held for path, held in by_path.items()}


def _leaves(subject: Subject, top: Any) -> Iterator[tuple[Path, Field, Any]]:
    schema = subject.schema
    waiting: list[tuple[Message, Path, Any]] = [(schema.message(subject.type), (), top)]
    while waiting:
        message, outer, held = waiting.pop()
        declared = {item.name: item for item in message.fields}
        for descriptor, value in held.ListFields():
            item = declared.get(descriptor.name)
            if item is None or item.label is Label.MAP or is_octets(item):
                continue
            path = (*outer, marked_name(item))
            if isinstance(item.type, MessageRef):
                inner = schema.message(item.type)
                waiting += [
                    (inner, path, element) for element in (value if is_list(item) else (value,))
                ]
            else:
                yield path, item, value
