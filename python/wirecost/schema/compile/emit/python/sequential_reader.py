# SPDX-License-Identifier: Apache-2.0
"""Decoders of ``ros1`` and ``cdr``: they fill an object and return the position behind it.

Slices past the end of the input are short without an error; the position is then beyond the end,
where the next ``unpack_from`` or the check at the end of the message fails. So one string costs no
check of its own.
"""

from __future__ import annotations

from wirecost.schema.compile.emit.python import names, values
from wirecost.schema.compile.emit.python.lines import LONGEST, call_tuple, reset
from wirecost.schema.compile.emit.python.module import Module, struct_format
from wirecost.schema.compile.emit.python.sequential import LONGEST_CHAIN, Chunk, Plans, Walker
from wirecost.schema.compile.plan.sequential import (
    Array,
    Call,
    Choice,
    Entries,
    Run,
    Slot,
    Step,
    Text,
)
from wirecost.schema.compile.schema import EnumRef, Field, Kind, Label, Message

RESERVED = "m data pos order depth empties len range"


class SequentialReader(Walker):
    """Lines of one message's function."""

    def __init__(self, module: Module, plans: Plans, message: Message, keeps: bool) -> None:
        super().__init__(module, plans, message, RESERVED)
        self._ahead = 0
        """Bytes read behind ``pos``."""
        self._after: list[str] = []
        """Actions for when the chunk is unpacked."""
        self._made: dict[tuple[str, ...], str] = {}
        self._keeps = keeps
        self._deep = message.full_name in plans.deep
        self._hollow = message.full_name in plans.hollow

    def function(self) -> str:
        if self._deep:
            with self.lines.block(f"if depth > {self.module.support('DEPTH')}:"):
                self.lines.add(f"raise {self.module.support('depth_error')}(pos)")
        self.walk(self.message.full_name, "m")
        self._settle()
        self.lines.add("return pos")
        name = self.module.private(f"read_{self.wire}", self.message.full_name)
        arguments = "m: _t.Any, data: _t.Any, pos: int"
        arguments += ", order: int" * self.aligns + ", depth: int" * self._deep
        arguments += ", empties: list[int]" * self._hollow
        return f"def {name}({arguments}) -> int:\n{self.lines.text}"

    def walk(self, name: str, base: str) -> None:
        if self._keeps:
            self.lines.add(f'{base}.unknown_fields = b""')
        super().walk(name, base)

    def step(self, step: Step, base: str) -> None:
        match step:
            case Run():
                for slot in step.slots:
                    self._slot(slot, base)
            case Text() | Call():
                self._value(step, f"{base}.{self.attribute(step.field)}")
            case Array():
                self._array(step, f"{base}.{self.attribute(step.field)}")
            case Entries():
                self._entries(step, f"{base}.{self.attribute(step.field)}")
            case Choice():
                self._choice(step, base)

    def flush(self) -> None:
        """Unpack the chunk."""
        chunk, self.chunk = self.chunk, Chunk()
        if chunk.codes:
            if chunk.align > 1:
                self._align(chunk.align)
            form = struct_format(chunk.codes)
            unpack = self.module.unpack(form)
            if self.aligns:
                unpack = f"{self.module.unpack_ordered(form)}[order]"
            targets = call_tuple(chunk.names)
            if len(targets) < LONGEST // 2 and chunk.names[1:]:
                targets = targets[1:-1]
            self.lines.add(f"{targets} = {unpack}(data, {self._here()})")
            self._ahead += chunk.size
        for line in self._after:
            self.lines.add(line)
        self._after = []

    def _align(self, alignment: int) -> None:
        ahead = self._ahead
        if alignment == 8:  # counted from behind the four bytes of the header
            self.lines.add(f"pos = (pos + {ahead + 3} & -8) + 4")
        else:
            self.lines.add(f"pos = pos + {ahead + alignment - 1} & -{alignment}")
        self._ahead = 0

    def _here(self) -> str:
        return f"pos + {self._ahead}" if self._ahead else "pos"

    def _slice(self, length: str, shortened: str = "") -> str:
        """Return the next ``length`` bytes; moves ``pos`` behind them."""
        here = self._here()
        self._ahead = 0
        return f"data[{here} : (pos := {here} + {length}){shortened}]"

    def _settle(self) -> None:
        self.flush()
        if self._ahead:
            self.lines.add(f"pos += {self._ahead}")
            self._ahead = 0

    def _slot(self, slot: Slot, base: str) -> None:
        holder = self._holder(base, slot.path[:-1])
        item, width = slot.path[-1], slot.kind.width or 0
        target, code = f"{holder}.{self.attribute(item)}", slot.kind.code
        if slot.count is None:
            self.put(code, width, target)
        elif slot.count == 0:
            self._after.append(f"{target} = {values.fresh(self.module, item)}")
        else:
            raw = self.local(f"{self.attribute(item)}_bytes")
            self.put(f"{width * slot.count}s", width, raw, slot.count)
            self._after.append(f"{target} = {self._sequence(item, slot.kind, raw)}")

    def _holder(self, base: str, path: tuple[Field, ...]) -> str:
        """Return a local with the message at a path; made when first asked for."""
        if not path:
            return base
        key = (base, *(f.name for f in path))
        if key not in self._made:
            outer = self._holder(base, path[:-1])
            self._made[key] = self._new(path[-1], f"{outer}.{self.attribute(path[-1])}")
        return self._made[key]

    def _new(self, item: Field, target: str) -> str:
        inner = self.local(names.identifier(item.name))
        assert not isinstance(item.type, Kind)
        created = f"{self.module.support('new')}({self.module.cls(item.type.name)})"
        self.lines.add(f"{inner} = {target} = {created}" if target else f"{inner} = {created}")
        if self._keeps:
            self.lines.add(f'{inner}.unknown_fields = b""')
        return inner

    def _sequence(self, item: Field, kind: Kind, raw: str) -> str:
        """Return what holds the numbers in ``raw``."""
        if kind is Kind.UINT8:
            return raw
        if kind is Kind.BOOL:
            return f"{self.module.support('unpack_bools')}({raw})"
        order = ", order" if self.aligns and (kind.width or 0) > 1 else ""
        unpacked = f'{self.module.support("unpack_array")}("{kind.code}", {raw}{order})'
        return f"{unpacked}.tolist()" if isinstance(item.type, EnumRef) else unpacked

    def _value(self, step: Run | Text | Call, target: str) -> None:
        """Read a value on its own. ``target``: what it is assigned to."""
        match step:
            case Run():
                kind = step.slots[0].kind
                self.put(kind.code, kind.width or 0, target)
            case Text():
                self._text(step, target)
            case Call():
                self._call(step, self._new(step.field, target))

    def _text(self, step: Text, target: str) -> None:
        count = self.local("n")
        self.put("I", 4, count)
        self.flush()
        extra = int(step.terminated)
        self._capacity(step.field, count, step.field.text_capacity, extra)
        text = self._slice(count, " - 1" * extra)
        if step.field.type is Kind.STRING:
            text = f'(b"" + {text}).decode()'  # what bytes are is not copied; views have no decode
        self.lines.add(f"{target} = {text}")
        if step.terminated:
            with self.lines.block(f"if {count} and data[pos - 1]:"):
                self.lines.add(f"raise {self.module.support('terminator_error')}(pos)")
        self.forget()

    def _call(self, step: Call, inner: str) -> None:
        name = step.message.name
        if self.inlines(name):
            self.walk_inlined(name, inner)
            return
        self._settle()
        function = self.module.private(f"read_{self.wire}", name)
        more = ", order" * self.aligns
        if name in self.plans.deep:
            more += ", depth + 1" if self._deep else ", 1"
        if name in self.plans.hollow:
            more += ", empties"
        self.lines.add(f"pos = {function}({inner}, data, pos{more})")
        self.forget()

    def walk_inlined(self, name: str, base: str) -> None:
        for step in self.plans.plan(name).steps:
            self.step(step, base)

    def _array(self, step: Array, target: str) -> None:
        item = step.field
        count = str(item.capacity)
        if item.label is not Label.ARRAY:
            count = self.local("n")
            self.put("I", 4, count)
            self.flush()
            self._capacity(item, count, item.capacity, 0)
        if isinstance(step.element, Run):
            self._numbers(item, step.element, count, target)
            return
        self._settle()
        elements = self.local(self.attribute(item))
        self.lines.add(f"{elements}: list[_t.Any] = []")
        self.lines.add(f"{target} = {elements}")
        if item.label is Label.ARRAY:
            self._elements(step, count, elements)
        else:
            with self.lines.block(f"if {count}:"):
                self._bound(count, step.minimum)
                self._elements(step, count, elements)
        self.forget()

    def _elements(self, step: Array, count: str, found: str) -> None:
        with self.lines.block(f"for _ in range({count}):"):
            self.forget()
            if isinstance(step.element, Call):
                inner = self._new(step.element.field, "")
                self._call(step.element, inner)
                self._settle()
            else:
                inner = self.local("item")
                self._value(step.element, inner)
                self._settle()
            self.lines.add(f"{found}.append({inner})")

    def _numbers(self, item: Field, run: Run, count: str, target: str) -> None:
        kind = run.slots[0].kind
        if run.align > 4:
            self._settle()
            with self.lines.block(f"if {count}:"):
                self._align(run.align)
        width = kind.width or 0
        raw = self._slice(count if width == 1 else f"{count} * {width}")
        self.lines.add(f"{target} = {self._sequence(item, kind, raw)}")
        self.forget()

    def _entries(self, step: Entries, target: str) -> None:
        count = self.local("n")
        self.put("I", 4, count)
        self._settle()
        self._bound(count, step.minimum)
        entries, key, value = self.local("entries"), self.local("key"), self.local("value")
        self.lines.add(f"{entries}: dict[_t.Any, _t.Any] = {{}}")
        self.lines.add(f"{target} = {entries}")
        with self.lines.block(f"for _ in range({count}):"):
            self.forget()
            self._value(step.key, key)
            if isinstance(step.value, Call):
                value = self._new(step.value.field, "")
                self._call(step.value, value)
            else:
                self._value(step.value, value)
            self._settle()
            self.lines.add(f"{entries}[{key}] = {value}")
        self.forget()

    def _choice(self, step: Choice, base: str) -> None:
        number = self.local("n")
        self.put("I", 4, number)
        self._settle()
        held = [f"{base}.{self.attribute(item)}" for item, _ in step.members]
        reset(self.lines, held)
        cases = list(zip(held, step.members, strict=True))
        if len(cases) > LONGEST_CHAIN:
            cases.sort(key=lambda case: case[1][0].number)
        self._branch(step.oneof, number, cases)
        self.forget()

    def _branch(
        self, oneof: str, number: str, cases: list[tuple[str, tuple[Field, Run | Text | Call]]]
    ) -> None:
        """Read the member that a number means; by halves if there are many."""
        if len(cases) > LONGEST_CHAIN:
            middle = len(cases) // 2
            with self.lines.block(f"if {number} < {cases[middle][1][0].number}:"):
                self._branch(oneof, number, cases[:middle])
            with self.lines.block("else:"):
                self._branch(oneof, number, cases[middle:])
            return
        word = "if"
        for name, (item, value) in cases:
            with self.lines.block(f"{word} {number} == {item.number}:"):
                self.forget()
                self._value(value, name)
                self._settle()
            word = "elif"
        with self.lines.block(f"{word} {number}:"):
            error = self.module.support("choice_error")
            self.lines.add(f'raise {error}("{oneof}", {number}, pos)')

    def _bound(self, count: str, minimum: int) -> None:
        limit = f"{count} * {minimum} > len(data) - pos"
        if not minimum:  # elements that take no bytes: all arrays together may have so many
            self.lines.add(f"empties[0] -= {count}")
            limit = "empties[0] < 0"
        with self.lines.block(f"if {limit}:"):
            self.lines.add(f"raise {self.module.support('count_error')}({count}, pos)")

    def _capacity(self, item: Field, count: str, capacity: int | None, extra: int) -> None:
        if capacity is not None:
            error = self.module.support("capacity_error")
            with self.lines.block(f"if {count} > {capacity + extra}:"):
                self.lines.add(f'raise {error}("{item.name}", {count}, {capacity}, pos)')
