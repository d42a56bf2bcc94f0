# SPDX-License-Identifier: Apache-2.0
"""Steps of the decoder in C++ for each field (``cpp/wirecost/ctf/layout.hpp``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from wirecost.results.records.ctf.tokens import TsdlError
from wirecost.results.records.ctf.types import (
    MOST_STEPS,
    Array,
    Enum,
    Float,
    Integer,
    Struct,
    Text,
    Type,
    Variant,
)

SLOTS = 64


class Op(IntEnum):
    INTEGER = 0
    SKIP = 1
    TEXT = 2
    CHARACTERS = 3
    ARRAY = 4
    SEQUENCE = 5
    VARIANT = 6
    ALIGN = 7


class Slot(IntEnum):
    MAGIC = 0
    STREAM = 1
    CONTENT_BITS = 2
    PACKET_BITS = 3
    DISCARDED = 4
    EVENT = 5
    PROCESS = 6
    THREAD = 7
    VALUE = 8
    FIRST_FREE = 12


class TextSlot(IntEnum):
    PROGRAM = 0
    VALUE = 1


@dataclass
class LayoutStep:
    op: Op
    signed: bool = False
    big_endian: bool = False
    clock: bool = False
    size: int = 0
    align: int = 1
    slot: int = -1
    source: int = -1
    count: int = 0
    first: int = 0
    last: int = 0

    def numbers(self) -> tuple[int, ...]:
        return (
            self.op,
            self.signed,
            self.big_endian,
            self.clock,
            self.size,
            self.align,
            self.slot,
            self.source,
            self.count,
            self.first,
            self.last,
        )


Scope = dict[str, tuple[LayoutStep, Type]]


@dataclass
class Layout:
    """Steps in one list; a range of them is what a struct or the body of an array needs."""

    big_endian: bool
    steps: list[LayoutStep] = field(default_factory=list)
    options: list[tuple[int, int, int, int]] = field(default_factory=list)
    _size: int = 0
    """Size of all structs: a struct of nothing takes time too."""
    _free: int = Slot.FIRST_FREE
    _lasting: int = SLOTS
    """Slots from here on belong to fields of headers and contexts."""
    _around: int = 0
    """Scopes around the struct that is being added."""

    def add(
        self,
        struct: Struct,
        slots: Mapping[str, int],
        texts: Mapping[str, int] | None = None,
        *,
        clocks: tuple[str, ...] | None = (),
        lists: tuple[str, ...] = (),
        around: list[Scope] | None = None,
    ) -> tuple[int, int]:
        """Return the range of a struct's steps.

        ``slots``, ``texts``: where fields of these names go, also inside of variants; ``clocks``:
        fields that tell the time, None: all that are of a clock; ``lists``: sequences of integers
        to keep, by their names; ``around``: scopes whose fields tags and lengths may be, to which
        the struct's is added.

        Raises:
            TsdlError: a tag or a length is no field read before, or there are too many.
        """
        self._size += struct.extent.size
        if self._size > MOST_STEPS:
            raise TsdlError("too many fields")
        scopes = around if around is not None else []
        self._around = len(scopes)
        self._free = Slot.FIRST_FREE
        scopes.append({})
        destination = _Wanted(slots, texts or {}, clocks, lists)
        return self._place(self._struct(struct, scopes, destination, top=True))

    def _place(self, steps: list[LayoutStep]) -> tuple[int, int]:
        first = len(self.steps)
        self.steps += steps
        return first, len(self.steps)

    def _struct(
        self, struct: Struct, scopes: list[Scope], wanted: _Wanted, *, top: bool = False
    ) -> list[LayoutStep]:
        steps = [LayoutStep(Op.ALIGN, align=align)] if (align := struct.extent.align) > 1 else []
        if not top:
            scopes.append({})
        for name, declared in struct.fields:
            field_steps = self._field(name, declared, scopes, wanted)
            if isinstance(declared, Integer | Enum):
                scopes[-1][name] = (field_steps[-1], declared)
            steps += field_steps
        if not top:
            scopes.pop()
        return steps

    def _field(
        self, name: str, declared: Type, scopes: list[Scope], wanted: _Wanted
    ) -> list[LayoutStep]:
        match declared:
            case Struct():
                steps = self._struct(declared, scopes, wanted)
            case Variant():
                steps = self._variant(declared, scopes, wanted)
            case Array():
                steps = self._array(name, declared, scopes, wanted)
            case _:
                steps = [self._scalar(name, declared, wanted)]
        return steps

    def _scalar(
        self, name: str, declared: Integer | Enum | Float | Text, wanted: _Wanted
    ) -> LayoutStep:
        if isinstance(declared, Text):
            return LayoutStep(Op.TEXT, slot=wanted.text(name))
        if isinstance(declared, Float):
            halves = declared.size // 16
            return LayoutStep(Op.SKIP, size=16, align=declared.align, count=halves)
        return self._integer(
            name, declared.base if isinstance(declared, Enum) else declared, wanted
        )

    def _integer(self, name: str, declared: Integer, wanted: _Wanted) -> LayoutStep:
        big = self.big_endian if declared.big_endian is None else declared.big_endian
        return LayoutStep(
            Op.INTEGER,
            declared.signed,
            big,
            declared.clock is not None and wanted.is_clock(name),
            declared.size,
            declared.align,
            wanted.slot(name),
        )

    def _array(
        self, name: str, declared: Array, scopes: list[Scope], wanted: _Wanted
    ) -> list[LayoutStep]:
        element = declared.element
        if isinstance(declared.length, int) and isinstance(element, Integer):
            if element.is_text and (element.size, element.align) == (8, 8):
                return [LayoutStep(Op.CHARACTERS, count=declared.length, slot=wanted.text(name))]
            if element.size % element.align == 0:
                return [
                    LayoutStep(
                        Op.SKIP, size=element.size, align=element.align, count=declared.length
                    )
                ]
        element_steps = self._field("", element, scopes, NOTHING)
        list_index = wanted.list(name) if isinstance(element, Integer) else -1
        if list_index >= 0 and not isinstance(declared.length, int):
            element_steps[0].slot = self._new_slot(lasting=False)
        first, last = self._place(element_steps)
        if isinstance(declared.length, int):
            return [LayoutStep(Op.ARRAY, count=declared.length, first=first, last=last)]
        source, _ = self._source(declared.length, scopes)
        return [LayoutStep(Op.SEQUENCE, slot=list_index, source=source, first=first, last=last)]

    def _variant(self, declared: Variant, scopes: list[Scope], wanted: _Wanted) -> list[LayoutStep]:
        if declared.tag is None:
            raise TsdlError("a variant without a tag")
        source, tag = self._source(declared.tag, scopes)
        if not isinstance(tag, Enum):
            raise TsdlError(f"the tag {declared.tag} is no enumeration")
        options: list[tuple[int, int, int, int]] = []
        for label, option in declared.options:
            first, last = self._place(self._field(label, option, scopes, wanted))
            ranges = tag.ranges.get(label, ())
            if len(self.options) + len(options) + len(ranges) > MOST_STEPS:
                raise TsdlError("too many options")
            options += [(low, high, first, last) for low, high in ranges]
        begin = len(self.options)
        self.options += [choice for choice in options if max(map(abs, choice[:2])) < 1 << 63]
        return [LayoutStep(Op.VARIANT, source=source, first=begin, last=len(self.options))]

    def _source(self, path: str, scopes: list[Scope]) -> tuple[int, Type]:
        """Return the slot of a field that a tag or a length is, by the last name of its path."""
        name = path.rpartition(".")[2]
        for depth, scope in reversed(list(enumerate(scopes))):
            if name in scope:
                step, declared = scope[name]
                if step.slot < 0:
                    step.slot = self._new_slot(lasting=depth < self._around)
                return step.slot, declared
        raise TsdlError(f"{path[:60]}: no field of this name was read before")

    def _new_slot(self, *, lasting: bool) -> int:
        if self._free == self._lasting:
            raise TsdlError("too many tags and lengths")
        if lasting:
            self._lasting -= 1
            return self._lasting
        self._free += 1
        return self._free - 1


@dataclass(frozen=True)
class _Wanted:
    slots: Mapping[str, int]
    texts: Mapping[str, int]
    clocks: tuple[str, ...] | None
    lists: tuple[str, ...] = ()

    def list(self, name: str) -> int:
        plain = name.removeprefix("_")
        return self.lists.index(plain) if plain in self.lists else -1

    def slot(self, name: str) -> int:
        return self.slots.get(name.removeprefix("_"), -1)

    def text(self, name: str) -> int:
        return self.texts.get(name.removeprefix("_"), -1)

    def is_clock(self, name: str) -> bool:
        return self.clocks is None or name in self.clocks


NOTHING = _Wanted({}, {}, ())
