# SPDX-License-Identifier: Apache-2.0
"""Plans of the wires that write every field in the order of declaration: ``ros1`` and ``cdr``.

A message becomes a list of steps. Fixed-width values next to each other form a ``Run``: the
position of each is known relative to the run's begin, so the run is checked once and its values
are moved without further checks. Messages that are always present and consist of fixed-width
values only are inlined into the run around them.
"""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.schema.compile.schema import (
    CompileError,
    EnumRef,
    Field,
    Kind,
    Label,
    Message,
    MessageRef,
    Schema,
    Type,
)

PREFIX = 4
"""Bytes of the u32 that counts a string's bytes, an array's elements or names a oneof's member."""

INLINED = 64
"""Values a nested message may have to be inlined: beyond it a call is smaller and as fast."""
INLINED_DEPTH = 16
"""Messages, one inside the other, that are inlined at most."""


@dataclass(frozen=True)
class Rules:
    """Rules of a wire: ``largest`` alignment (1: none) and whether strings end with a NUL."""

    wire: str
    largest: int
    terminated: bool

    def alignment(self, width: int) -> int:
        return min(width, self.largest)


@dataclass(frozen=True)
class Slot:
    """A fixed-width value, or a fixed number of them, at a known place in a run."""

    path: tuple[Field, ...]
    """Fields that lead to the value; all but the last are messages that are always present."""
    kind: Kind
    offset: int
    count: int | None = None
    """Elements of a fixed array; None: a single value."""


@dataclass(frozen=True)
class Run:
    """Align the position to ``align``, then move ``size`` bytes; gaps between slots are zero."""

    align: int
    size: int
    slots: tuple[Slot, ...]


@dataclass(frozen=True)
class Text:
    """A u32 length (aligned), the bytes, and a NUL that the length counts if ``terminated``."""

    field: Field
    align: int
    terminated: bool


@dataclass(frozen=True)
class Call:
    """A nested message, encoded by its own function; an absent one as its default."""

    field: Field
    message: MessageRef


@dataclass(frozen=True)
class Array:
    """A u32 count (aligned; none for a fixed array) and elements, all by the same step.

    ``element`` is a Run of one slot with an empty path (then the elements lie at equal distances
    and are moved at once), a Text or a Call. ``minimum``: the least bytes an element takes, by
    which a hostile count is refused before anything is allocated.
    """

    field: Field
    align: int
    element: Run | Text | Call
    minimum: int


@dataclass(frozen=True)
class Entries:
    """A map: a u32 count, then keys and values in the order of keys."""

    field: Field
    align: int
    key: Run | Text
    value: Run | Text | Call
    minimum: int


@dataclass(frozen=True)
class Choice:
    """A oneof: the u32 number of the field that is set, 0 for none, then that field alone."""

    oneof: str
    align: int
    members: tuple[tuple[Field, Run | Text | Call], ...]


Step = Run | Text | Call | Array | Entries | Choice


@dataclass(frozen=True)
class SequentialPlan:
    """Steps in which one message is written and read."""

    message: Message
    steps: tuple[Step, ...]
    minimum: int
    """The least bytes the message takes, without alignment."""
    rests: tuple[int, ...]
    """Least bytes, for each step, that the steps behind it take: with one check for all of
    them, none of their fixed parts needs a check of its own where nothing is aligned."""


class _Position:
    """Knowledge of the position: its residue modulo ``modulus``."""

    def __init__(self) -> None:
        self.modulus, self.residue = 1, 0

    def aligned(self, alignment: int) -> int | None:
        """Return the padding up to an alignment; None if the position is not known that well."""
        if alignment > self.modulus:
            return None
        return -self.residue % alignment

    def align(self, alignment: int) -> None:
        if alignment >= self.modulus:
            self.modulus, self.residue = alignment, 0
        else:
            self.residue = (self.residue + (-self.residue % alignment)) % self.modulus

    def advance(self, size: int) -> None:
        self.residue = (self.residue + size) % self.modulus

    def forget(self) -> None:
        self.modulus, self.residue = 1, 0


class Planner:
    """Plans messages of one schema for one wire."""

    def __init__(self, schema: Schema, rules: Rules) -> None:
        self._schema = schema
        self._rules = rules
        self._minima: dict[str, int] = {}
        self._values: dict[str, int] = {}
        """Fixed-width values of the messages that can be inlined."""
        self._depths: dict[str, int] = {}
        for message in schema.inside_out:
            self._minima[message.full_name] = self._minimum(message)
            self._measure(message)

    def plan(self, message: Message) -> SequentialPlan:
        """Raise CompileError if the wire cannot carry the message."""
        for item in message.fields:
            if item.oneof is None and self._schema.recursive(message, item):
                raise CompileError(
                    item.origin,
                    f"{message.full_name}.{item.name} contains its own message, and "
                    f"{self._rules.wire} writes every field, without end",
                    "make the field repeated or part of a oneof, or use the protobuf wire",
                )
        steps = self._steps(message)
        rests, rest = [], 0
        for step in reversed(steps):
            rests.append(rest)
            rest += self._step_minimum(step)
        return SequentialPlan(
            message, steps, self._minima[message.full_name], tuple(reversed(rests))
        )

    def _step_minimum(self, step: Step) -> int:
        if isinstance(step, Run):
            return step.size
        if isinstance(step, Text):
            return PREFIX + step.terminated
        if isinstance(step, Call):
            return self._minima[step.message.name]
        if isinstance(step, Array) and _fixed(step.field):
            return step.minimum * (step.field.capacity or 0)
        return PREFIX

    def _steps(self, message: Message) -> tuple[Step, ...]:
        builder = _Builder(self._rules)
        chosen: set[str] = set()
        for item in message.fields:
            if item.oneof is not None:
                if item.oneof not in chosen:
                    chosen.add(item.oneof)
                    builder.step(self._choice(message, item.oneof))
                continue
            self._field(builder, (item,))
        return builder.finish()

    def _field(self, builder: _Builder, path: tuple[Field, ...]) -> None:
        item = path[-1]
        kind = scalar(item.type)
        if item.label is Label.MAP:
            builder.step(self._map(item))
        elif item.label is Label.SINGLE and kind is not None and kind.width:
            builder.slot(path, kind, None)
        elif item.label is Label.ARRAY and kind is not None and kind.width:
            builder.slot(path, kind, item.capacity)
        elif item.label is Label.SINGLE and self._inlines(item):
            for inner in self._schema.message(_ref(item.type)).fields:
                self._field(builder, (*path, inner))
        elif item.label is Label.SINGLE:
            builder.step(self._value(item))
        else:
            element = self._value(item)
            builder.step(Array(item, self._prefix(), element, self._least(item)))

    def _inlines(self, item: Field) -> bool:
        return (
            isinstance(item.type, MessageRef)
            and not item.is_optional
            and item.type.name in self._values
        )

    def _measure(self, message: Message) -> None:
        """Find whether a message can be inlined: it holds fixed-width values only, and few."""
        total, depth = 0, 1
        for item in message.fields:
            kind = scalar(item.type)
            if item.oneof or item.label not in (Label.SINGLE, Label.ARRAY):
                return
            if kind is not None and kind.width:
                total += 1
            elif item.label is Label.SINGLE and self._inlines(item):
                total += self._values[_ref(item.type).name]
                depth = max(depth, 1 + self._depths[_ref(item.type).name])
            else:
                return
        if 0 < total <= INLINED and depth <= INLINED_DEPTH:
            self._values[message.full_name] = total
            self._depths[message.full_name] = depth

    def _value(self, item: Field) -> Run | Text | Call:
        """Return one value on its own: an element, a map's key or value, a oneof's member."""
        kind = scalar(item.type)
        if kind is None:
            return Call(item, _ref(item.type))
        if kind.is_text:
            terminated = self._rules.terminated and kind is Kind.STRING
            return Text(item, self._prefix(), terminated)
        width = kind.width or 0
        return Run(self._rules.alignment(width), width, (Slot((), kind, 0),))

    def _map(self, item: Field) -> Entries:
        if item.key is None or item.value is None:
            raise AssertionError(item)
        key, value = self._value(item.key), self._value(item.value)
        if isinstance(key, Call):
            raise AssertionError(key)
        least = self._least(item.key) + self._least(item.value)
        return Entries(item, self._prefix(), key, value, least)

    def _choice(self, message: Message, oneof: str) -> Choice:
        members = tuple((f, self._value(f)) for f in message.members[oneof])
        return Choice(oneof, self._prefix(), members)

    def _prefix(self) -> int:
        return self._rules.alignment(PREFIX)

    def _least(self, item: Field) -> int:
        kind = scalar(item.type)
        if kind is None:
            return self._minima.get(_ref(item.type).name, 0)  # inside itself it adds nothing
        if kind is Kind.STRING and self._rules.terminated:
            return PREFIX + 1
        return kind.width or PREFIX

    def _minimum(self, message: Message) -> int:
        total = 0
        seen: set[str] = set()
        for item in message.fields:
            if item.oneof is not None:
                total += 0 if item.oneof in seen else PREFIX
                seen.add(item.oneof)
            elif item.label in (Label.REPEATED, Label.MAP):
                total += PREFIX
            else:
                total += self._least(item) * (item.capacity or 1 if _fixed(item) else 1)
        return total


class _Builder:
    """Collects steps; joins slots to runs as long as their place is known."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._position = _Position()
        self._steps: list[Step] = []
        self._align = 1
        self._size = 0
        self._slots: list[Slot] = []
        """Slots of the run that is open; none: there is none."""

    def slot(self, path: tuple[Field, ...], kind: Kind, count: int | None) -> None:
        width = kind.width or 0
        alignment = self._rules.alignment(width)
        padding = self._position.aligned(alignment)
        if not self._slots or padding is None:
            self._close()
            self._align, self._size = alignment, 0
            padding = 0
        self._position.align(alignment)
        offset = self._size + padding
        size = width * (1 if count is None else count)
        self._position.advance(size)
        self._size = offset + size
        self._slots.append(Slot(path, kind, offset, count))

    def step(self, step: Step) -> None:
        self._close()
        self._steps.append(step)
        self._position.forget()

    def finish(self) -> tuple[Step, ...]:
        self._close()
        return tuple(self._steps)

    def _close(self) -> None:
        if self._slots:
            self._steps.append(Run(self._align, self._size, tuple(self._slots)))
            self._slots = []


def scalar(type_: Type) -> Kind | None:
    """Return the kind of a value on these wires: enums are int32. None for a message."""
    if isinstance(type_, EnumRef):
        return Kind.INT32
    return type_ if isinstance(type_, Kind) else None


def _ref(type_: Type) -> MessageRef:
    if not isinstance(type_, MessageRef):
        raise AssertionError(type_)
    return type_


def _fixed(item: Field) -> bool:
    return item.label is Label.ARRAY
