# SPDX-License-Identifier: Apache-2.0
"""Java expressions for the plans of ``ros1`` and ``cdr``."""

from __future__ import annotations

from wirecost.schema.compile.emit.java.holders import ACCESSORS, Holders, Member, kind_of
from wirecost.schema.compile.emit.java.parts import parted_steps
from wirecost.schema.compile.plan.sequential import (
    Call,
    Entries,
    Planner,
    Rules,
    Run,
    Slot,
    Step,
    Text,
)
from wirecost.schema.compile.schema import Field, Kind, Message, MessageRef


class Sequential:
    """One message on one of the wires, for the templates."""

    def __init__(self, holders: Holders, planner: Planner, rules: Rules, message: Message) -> None:
        self.plan = planner.plan(message)
        self.parts = parted_steps(self.plan)
        self.message = message
        self.suffix = rules.wire.capitalize()
        self.cdr = rules.terminated
        self._holders = holders
        self._wire = holders.names.jdk["Wire"]

    @staticmethod
    def what(step: Step) -> str:
        """Return ``run``, ``text``, ``call``, ``array``, ``entries`` or ``choice``."""
        return type(step).__name__.lower()

    @property
    def counts(self) -> bool:
        """Return whether reading needs a variable for lengths."""
        return any(not isinstance(step, Run | Call) for step in self.plan.steps)

    @property
    def looks(self) -> bool:
        """Return whether reading looks at the bytes itself."""
        return any(not isinstance(step, Text | Call) for step in self.plan.steps)

    def member(self, item: Field) -> Member:
        return self._holders.member(self.message, item)

    def measured_align(self, align: int) -> str:
        return f"p = {self._wire}.align(p, {align});\n" if align > 1 else ""

    def written_align(self, align: int) -> str:
        return f"p = {self._wire}.pad(b, p, origin, {align});\n" if align > 1 else ""

    def read_align(self, align: int) -> str:
        return f"p = {self._wire}.align(p, origin, {align});\n" if align > 1 else ""

    def sent(self, item: Field) -> str:
        """Return what is written for a field of the message; if it is absent, its default."""
        return self._sent(self.member(item), "")

    def sent_slot(self, slot: Slot) -> str:
        member, before = self._slot(slot)
        return self._sent(member, before)

    def slot_target(self, slot: Slot) -> str:
        member, before = self._slot(slot)
        return f"{before}{member.name}" if before else member.access

    def slot_flag(self, slot: Slot) -> str | None:
        """Return what becomes true when the slot is read."""
        member, before = self._slot(slot)
        return f"{before}{member.has}" if member.has else None

    def gaps(self, run: Run) -> list[tuple[int, int]]:
        """Return begin and end of the bytes between slots."""
        gaps, at = [], 0
        for slot in run.slots:
            if slot.offset > at:
                gaps.append((at, slot.offset))
            at = slot.offset + (slot.kind.width or 0) * (1 if slot.count is None else slot.count)
        return gaps

    def put(self, kind: Kind, offset: int, value: str) -> str:
        return f"{self._wire}.put{ACCESSORS[kind]}(b, {_plus(offset)}, {value});"

    def get(self, kind: Kind, offset: int = 0) -> str:
        at = _plus(offset)
        if kind is Kind.BOOL:
            return f"b[{at}] != 0"
        if kind.width == 1:
            return f"b[{at}]"
        return f"{self._wire}.get{ACCESSORS[kind]}(b, {at}{', big' if self.cdr else ''})"

    @property
    def number(self) -> str:
        """The int at the position."""
        return self.get(Kind.INT32)

    def at(self, offset: int) -> str:
        return _plus(offset)

    @staticmethod
    def limit(rest: int) -> str:
        """Return where a value must end that leaves room for what follows."""
        return f"end - {rest}" if rest else "end"

    def string(self, step: Text) -> bool:
        return kind_of(step.field) is Kind.STRING

    def text_limit(self, step: Text) -> int | None:
        """Return the most that the length may be."""
        if step.field.text_capacity is None:
            return None
        return step.field.text_capacity + step.terminated

    def footprint(self, item: Field) -> int:
        return self._holders.footprint(item.type.name) if isinstance(item.type, MessageRef) else 0

    def entry_types(self, step: Entries) -> tuple[str, str]:
        """Return the Java types of a map's key and value."""
        if step.field.key is None or step.field.value is None:
            raise AssertionError(step)
        key, value = step.field.key, step.field.value
        return (
            self._holders.value_type(self.message, key),
            self._holders.value_type(self.message, value),
        )

    def box(self, type_: str) -> str:
        return self._holders.box(type_)

    def _slot(self, slot: Slot) -> tuple[Member, str]:
        """Return the member a slot belongs to and how it is reached."""
        owner, before = self.message, ""
        for item in slot.path[:-1]:
            member = self._holders.member(owner, item)
            before += f"{member.name if before else member.access}."
            if not isinstance(item.type, MessageRef):
                raise AssertionError(item)
            owner = self._holders.schema.message(item.type)
        return self._holders.member(owner, slot.path[-1]), before

    def _sent(self, member: Member, before: str) -> str:
        value = f"{before}{member.name}" if before else member.access
        default = member.constant or member.zero
        if before and member.constant:
            default = member.zero  # the constant is another class's
        if member.has:
            return f"({before}{member.has} ? {value} : {default})"
        if member.nullable:
            if member.kind is None:
                return f"{member.value_type}.orDefault({value})"
            return f"({value} != null ? {value} : {default})"
        return value


def _plus(offset: int) -> str:
    return f"p + {offset}" if offset else "p"
