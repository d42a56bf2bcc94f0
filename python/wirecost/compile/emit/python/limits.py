# SPDX-License-Identifier: Apache-2.0
"""Which messages a hostile input could nest too deep or make too many of.

Only codecs of such messages count: the others cannot go wrong and stay fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from wirecost.compile.emit.python import values
from wirecost.compile.schema import Field, Kind, Label, Message, MessageRef, Presence, Schema

BYTES_A_BYTE = 64
"""Memory that a byte of input may ask for without being counted."""
_OBJECT, _SLOT, _LIST, _DICT, _ARRAY = 32, 8, 56, 64, 80
_LEAST_PREFIX = 2
"""A tag and a length."""


class Limits:
    """``deep``: messages that can contain messages without end. ``heavy``: those whose Protobuf
    decoders charge a budget for each object, or call one that does."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._edges = {m.full_name: set(_references(m)) for m in schema.messages()}
        self._weights: dict[str, int] = {}
        self.deep = self._which(lambda name: name in self._reach(name))
        self.charged = frozenset(name for name in self._edges if self._is_heavy(name))
        self.heavy = self._which(self.charged.__contains__)

    def weight(self, name: str) -> int:
        """Bytes of memory of a message that nothing was decoded into."""
        if name not in self._weights:
            self._weights[name] = _OBJECT  # what a message inside itself adds
            fields = self._schema.message(name).fields
            self._weights[name] = _OBJECT + sum(_SLOT + self._of(f) for f in fields)
        return self._weights[name]

    def _of(self, item: Field) -> int:
        many = item.capacity or 0 if item.label is Label.ARRAY else 0
        if item.label is Label.MAP:
            return _DICT
        if item.label is Label.SINGLE:
            made = isinstance(item.type, MessageRef) and not item.is_optional and not item.oneof
            return self._referred(item) if made else 0
        if isinstance(item.type, MessageRef):
            return _LIST + many * (_SLOT + self._referred(item))
        if values.array_code(item) and isinstance(item.type, Kind):
            return _ARRAY + many * (item.type.width or 0)
        return _LIST + many * _SLOT

    def _referred(self, item: Field) -> int:
        return self.weight(item.type.name) if isinstance(item.type, MessageRef) else 0

    def _is_heavy(self, name: str) -> bool:
        required = [f for f in self._schema.message(name).fields if f.presence is Presence.REQUIRED]
        least = _LEAST_PREFIX * (1 + len(required))
        return self.weight(name) > BYTES_A_BYTE * least

    def _which(self, condition: Callable[[str], bool]) -> frozenset[str]:
        """Messages that meet a condition or can contain one that does."""
        met = {name for name in self._edges if condition(name)}
        return frozenset(n for n in self._edges if n in met or not met.isdisjoint(self._reach(n)))

    def _reach(self, start: str) -> set[str]:
        reached: set[str] = set()
        waiting = list(self._edges.get(start, ()))
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting += self._edges.get(name, ())
        return reached


def _references(message: Message) -> Iterator[str]:
    for item in message.fields:
        for type_ in (item.type, item.value.type if item.value else None):
            if isinstance(type_, MessageRef):
                yield type_.name
