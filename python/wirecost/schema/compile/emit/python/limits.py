# SPDX-License-Identifier: Apache-2.0
"""Messages of which a hostile input could make too many.

Only codecs of such messages count: the others cannot go wrong and stay fast.
"""

from __future__ import annotations

from wirecost.schema.compile.emit.python import values
from wirecost.schema.compile.graph import leading_to
from wirecost.schema.compile.plan import nesting
from wirecost.schema.compile.schema import Field, Kind, Label, MessageRef, Presence, Schema

BYTES_A_BYTE = 64
"""Memory that a byte of input may ask for without being counted."""
_OBJECT, _SLOT, _LIST, _DICT, _ARRAY = 32, 8, 56, 64, 80
_LEAST_PREFIX = 2
"""A tag and a length."""


class Limits:
    """Limits of what decoders accept.

    ``deep``: messages that can be nested too deep. ``heavy``: messages whose Protobuf decoders
    charge a budget for each object, or call one that does.
    """

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._weights: dict[str, int] = {}
        for message in schema.inside_out:
            each = sum(_SLOT + self._of(f) for f in message.fields)
            self._weights[message.full_name] = _OBJECT + each
        self.deep = nesting.deep(schema)
        self.charged = frozenset(filter(self._is_heavy, self._weights))
        self.heavy = leading_to(schema.references, self.charged)

    def weight(self, name: str) -> int:
        """Return bytes of memory of a message that nothing was decoded into."""
        return self._weights[name]

    def _of(self, item: Field) -> int:
        many = item.capacity or 0 if item.label is Label.ARRAY else 0
        if item.label is Label.MAP:
            return _DICT
        if item.label is Label.SINGLE:
            always_there = (
                isinstance(item.type, MessageRef) and not item.is_optional and not item.oneof
            )
            return self._referred(item) if always_there else 0
        if isinstance(item.type, MessageRef):
            return _LIST + many * (_SLOT + self._referred(item))
        if values.array_code(item) and isinstance(item.type, Kind):
            return _ARRAY + many * (item.type.width or 0)
        return _LIST + many * _SLOT

    def _referred(self, item: Field) -> int:
        if not isinstance(item.type, MessageRef):
            return 0
        return self._weights.get(item.type.name, _OBJECT)  # what a message inside itself adds

    def _is_heavy(self, name: str) -> bool:
        required = [f for f in self._schema.message(name).fields if f.presence is Presence.REQUIRED]
        least = _LEAST_PREFIX * (1 + len(required))
        return self.weight(name) > BYTES_A_BYTE * least
