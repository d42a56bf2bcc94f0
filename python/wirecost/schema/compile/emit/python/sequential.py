# SPDX-License-Identifier: Apache-2.0
"""Base of the writer and reader of ``ros1`` and ``cdr``: plans, inlining, known positions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from wirecost.schema.compile.emit.python import names
from wirecost.schema.compile.emit.python.lines import Lines
from wirecost.schema.compile.emit.python.module import Module
from wirecost.schema.compile.graph import leading_to
from wirecost.schema.compile.plan.sequential import (
    Array,
    Call,
    Choice,
    Entries,
    Planner,
    Rules,
    Run,
    SequentialPlan,
    Step,
    Text,
)
from wirecost.schema.compile.schema import Field, Kind, Label, Message, Schema

SMALL = 16
"""Values a message may have to be inlined where it is used."""
LARGEST = 64
"""Values a function may have before it calls others instead of inlining them."""


LONGEST_CHAIN = 100
"""Branches of an ``if`` statement."""


class Plans:
    """Plans of all messages for one wire, and what is worth inlining."""

    def __init__(self, schema: Schema, rules: Rules, deep: frozenset[str]) -> None:
        self.schema, self.rules, self.deep = schema, rules, deep
        planner = Planner(schema, rules)
        self._plans = {m.full_name: planner.plan(m) for m in schema.messages()}
        self._weights: dict[str, int] = {}

    def plan(self, name: str) -> SequentialPlan:
        return self._plans[name]

    @cached_property
    def hollow(self) -> frozenset[str]:
        """Messages with arrays of elements that take no bytes, and those that hold such.

        A reader must count what it makes of them.
        """
        called = {
            name: {inner for step in plan.steps for inner in _called(step)}
            for name, plan in self._plans.items()
        }
        own = [name for name, plan in self._plans.items() if any(map(_is_hollow, plan.steps))]
        return leading_to(called, own)

    def weight(self, name: str) -> int:
        """Return values a message writes, its inlined messages' with them."""
        if name in self.deep:
            return LARGEST
        if name not in self._weights:
            self._weights[name] = sum(map(self._of, self.plan(name).steps))
        return self._weights[name]

    def _of(self, step: Step) -> int:
        match step:
            case Run():
                return len(step.slots)
            case Text():
                return 2
            case Call():
                return self.weight(step.message.name)
            case Array():
                return 2 + self._of(step.element)
            case Entries() | Choice():
                return LARGEST


def _is_hollow(step: Step) -> bool:
    return (
        isinstance(step, Array)
        and step.field.label is not Label.ARRAY
        and isinstance(step.element, Call)
        and not step.minimum
    )


def _called(step: Step) -> Iterator[str]:
    """Yield messages that a step reads."""
    match step:
        case Call():
            yield step.message.name
        case Array():
            yield from _called(step.element)
        case Entries():
            yield from _called(step.value)
        case Choice():
            for _, value in step.members:
                yield from _called(value)


class Chunk:
    """Fixed-width values next to each other: one ``struct`` moves them."""

    def __init__(self) -> None:
        self.codes: list[str] = []
        self.names: list[str] = []
        """Expressions to pack, or targets to unpack into."""
        self.align = 1
        """Alignment of the position before the chunk, if that is not known."""
        self.size = 0


class Walker:
    """Walks a plan and collects chunks; subclasses write or read them."""

    def __init__(self, module: Module, plans: Plans, message: Message, reserved: str) -> None:
        self.module, self.plans, self.message = module, plans, message
        self.wire = plans.rules.wire
        self.aligns = plans.rules.largest > 1
        self.lines = Lines()
        self.lines.reserve(*reserved.split(), *module.class_names)
        self.chunk = Chunk()
        self._modulus, self._residue = 1, 0
        self._budget = LARGEST

    def walk(self, name: str, base: str) -> None:
        for step in self.plans.plan(name).steps:
            self.step(step, base)

    def step(self, step: Step, base: str) -> None:
        raise NotImplementedError

    def flush(self) -> None:
        raise NotImplementedError

    def local(self, name: str) -> str:
        return self.lines.local(name.lstrip("_") or "value")

    def attribute(self, item: Field) -> str:
        return names.attribute(item)

    def inlines(self, name: str) -> bool:
        weight = max(1, self.plans.weight(name))  # an empty message costs lines as well
        if weight > min(SMALL, self._budget):
            return False
        self._budget -= weight
        return True

    def put(self, code: str, width: int, name: str, many: int = 1) -> None:
        """Add a value of ``width`` bytes, or ``many`` of them, next in the chunk."""
        alignment = self.plans.rules.alignment(width)
        if self.chunk.codes and alignment > self._modulus:
            self.flush()
        if alignment > self._modulus:
            self.chunk.align = alignment
            self._modulus, self._residue = alignment, 0
        padding = -self._residue % alignment
        if padding:
            self.chunk.codes.append(f"{padding}x")
        self.chunk.codes.append(code)
        self.chunk.names.append(name)
        self.chunk.size += padding + width * many
        self._residue = (self._residue + padding + width * many) % self._modulus

    def forget(self) -> None:
        """Forget the position, which is not known behind a string or a loop."""
        self._modulus, self._residue = 1, 0


def terminated(step: Text) -> bool:
    return step.terminated and step.field.type is Kind.STRING
