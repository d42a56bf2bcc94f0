# SPDX-License-Identifier: Apache-2.0
"""Encodes by a plan alone, one step at a time: what every emitted codec must write.

Values are plain: a message is a dict by name of field, sequences are lists.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

from wirecost.schema.compile.plan.sequential import Array, Call, Planner, Run, Step, Text
from wirecost.schema.compile.plan.wires import CDR_HEADER, SEQUENTIAL
from wirecost.schema.compile.schema import Field, Label, Schema


class PlanInterpreter:
    """Encodes messages of a schema for one wire; ``cdr`` with its encapsulation header."""

    def __init__(self, schema: Schema, wire: str) -> None:
        self._schema = schema
        self._planner = Planner(schema, SEQUENTIAL[wire])
        self._head = CDR_HEADER if wire == "cdr" else b""

    def encode(self, name: str, value: Mapping[str, Any]) -> bytes:
        out = bytearray()
        self._message(out, name, value)
        return self._head + bytes(out)

    def minimum(self, name: str) -> int:
        return self._planner.plan(self._schema.message(name)).minimum

    def _message(self, out: bytearray, name: str, value: Mapping[str, Any]) -> None:
        for step in self._planner.plan(self._schema.message(name)).steps:
            self._step(out, step, value)

    def _step(self, out: bytearray, step: Step, value: Mapping[str, Any]) -> None:
        if isinstance(step, Run):
            self._run(out, step, value)
        elif isinstance(step, Array):
            self._array(out, step, value[step.field.name])
        elif isinstance(step, Text | Call):
            self._element(out, step, value[step.field.name])
        else:
            raise AssertionError(step)

    def _run(self, out: bytearray, run: Run, value: Mapping[str, Any]) -> None:
        align(out, run.align)
        begin = len(out)
        out += bytes(run.size)
        for slot in run.slots:
            content = _at(slot.path, value)
            values = [content] if slot.count is None else content
            assert len(values) == (slot.count or 1)
            struct.pack_into(f"<{len(values)}{slot.kind.code}", out, begin + slot.offset, *values)

    def _array(self, out: bytearray, array: Array, values: Sequence[Any]) -> None:
        if array.field.label is Label.ARRAY:
            assert len(values) == array.field.capacity
        else:
            align(out, array.align)
            out += struct.pack("<I", len(values))
        for value in values:  # with none, nothing is aligned for them
            self._element(out, array.element, value)

    def _element(self, out: bytearray, step: Run | Text | Call, value: Any) -> None:
        if isinstance(step, Call):
            self._message(out, step.message.name, value)
        elif isinstance(step, Text):
            align(out, step.align)
            text = value.encode() + bytes(step.terminated)
            out += struct.pack("<I", len(text)) + text
        else:
            (slot,) = step.slots
            align(out, step.align)
            out += struct.pack(f"<{slot.kind.code}", value)


def align(out: bytearray, alignment: int) -> None:
    out += bytes(-len(out) % alignment)


def _at(path: tuple[Field, ...], value: Any) -> Any:
    for item in path:
        value = value[item.name]
    return value
