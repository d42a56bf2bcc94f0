# SPDX-License-Identifier: Apache-2.0
"""Random content for any message of fixed-width values, strings, sequences and messages."""

from __future__ import annotations

import random
import struct
from typing import Any

from wirecost.schema.compile.schema import Field, Kind, Label, MessageRef, Schema

LONGEST = 4
"""Most elements of a sequence: none must be usual, since none is not aligned for."""


class RandomMessages:
    def __init__(self, schema: Schema, seed: int) -> None:
        self._schema = schema
        self._random = random.Random(seed)

    def message(self, name: str) -> dict[str, Any]:
        if name in ("ros.Time", "ros.Duration"):  # as everyone keeps them: below a second, signed
            return {"sec": self._random.getrandbits(31), "nsec": self._random.randrange(10**9)}
        return {f.name: self._field(f) for f in self._schema.message(name).fields}

    def _field(self, item: Field) -> Any:
        if item.label is Label.SINGLE:
            return self._value(item)
        count = item.capacity
        if count is None or item.label is Label.REPEATED:
            count = self._random.randint(0, min(LONGEST, count or LONGEST))
        return [self._value(item) for _ in range(count)]

    def _value(self, item: Field) -> Any:
        kind = item.type
        if isinstance(kind, MessageRef):
            return self.message(kind.name)
        assert isinstance(kind, Kind)
        if kind is Kind.BOOL:
            return self._random.random() < 0.5
        if kind is Kind.STRING:
            most = min(9, item.text_capacity or 9) // 2  # some letters take two bytes
            return "".join(self._random.choices("abcxyzµß", k=self._random.randint(0, most)))
        if kind is Kind.FLOAT32:
            return struct.unpack("<f", struct.pack("<f", self._random.gauss(0, 1e6)))[0]
        if kind is Kind.FLOAT64:
            return self._random.gauss(0, 1e6)
        assert kind.width is not None
        number = self._random.getrandbits(8 * kind.width)
        signed = kind.value.startswith("int")
        return number - (1 << 8 * kind.width - 1) if signed else number
