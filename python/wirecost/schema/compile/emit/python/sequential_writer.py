# SPDX-License-Identifier: Apache-2.0
"""Encoders of ``ros1`` and ``cdr``: they append bytes to ``parts``, which are joined at the end."""

from __future__ import annotations

from wirecost.schema.compile.emit.python import values
from wirecost.schema.compile.emit.python.lines import call_tuple
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
from wirecost.schema.compile.schema import Field, Kind, Label, Message

RESERVED = "m parts pos len sorted bytes"


class SequentialWriter(Walker):
    """Lines of one message's function."""

    def __init__(self, module: Module, plans: Plans, message: Message) -> None:
        super().__init__(module, plans, message, RESERVED)
        self._pieces: list[str] = []

    def function(self) -> str:
        self.walk(self.message.full_name, "m")
        self._settle()
        name = self.module.private(f"write_{self.wire}", self.message.full_name)
        arguments, result = "m: _t.Any, parts: list[_Buffer]", "None"
        if self.aligns:
            arguments, result = f"{arguments}, pos: int", "int"
            self.lines.add("return pos")
        body = self.lines.text or "    pass"
        return f"def {name}({arguments}) -> {result}:\n{body}"

    def default(self) -> str:
        """Return a function that makes the bytes of a message that is absent, once."""
        write = self.module.private(f"write_{self.wire}", self.message.full_name)
        name = self.module.private(f"default_{self.wire}", self.message.full_name)
        start = "start: int" if self.aligns else ""
        call = (
            f"{write}({self.module.cls(self.message.full_name)}(), parts{', start' * self.aligns})"
        )
        return (
            f"@_cache\ndef {name}({start}) -> bytes:\n"
            f'    parts: list[_Buffer] = []\n    {call}\n    return b"".join(parts)'
        )

    def step(self, step: Step, base: str) -> None:
        match step:
            case Run():
                for slot in step.slots:
                    self._slot(slot, base)
            case Text():
                self._text(step, self._expression(base, step.field))
            case Call():
                self._call(step, f"{base}.{self.attribute(step.field)}", step.field.is_optional)
            case Array():
                self._array(step, f"{base}.{self.attribute(step.field)}")
            case Entries():
                self._entries(step, f"{base}.{self.attribute(step.field)}")
            case Choice():
                self._choice(step, base)

    def flush(self) -> None:
        """Pack the chunk; what is known of the position stays."""
        self._emit_chunk([], "")

    def _slot(self, slot: Slot, base: str) -> None:
        path = [base, *(self.attribute(f) for f in slot.path[:-1])]
        item, width = slot.path[-1], slot.kind.width or 0
        code = slot.kind.code
        if slot.count is None:
            self.put(code, width, self._expression(".".join(path), item))
            return
        if not slot.count:
            return
        held = f"{'.'.join(path)}.{self.attribute(item)}"
        if slot.kind is Kind.BOOL:
            code, held = "B", f"{self.module.support('pack_bools')}({held})"
        size = width * slot.count
        packed = f'{self.module.support("pack_fixed")}("{code}", {held}, {size})'
        self.put(f"{size}s", width, packed, slot.count)

    def _expression(self, base: str, item: Field) -> str:
        """Return a scalar's value; its default if it is absent."""
        held = f"{base}.{self.attribute(item)}"
        if not item.is_optional:
            return held
        default = values.zero(item)
        if item.default is None and default != "0.0":
            return f"({held} or {default})"
        return f"({default} if {held} is None else {held})"

    def _text(self, step: Text, held: str) -> None:
        text = self.local(self.attribute(step.field))
        if step.field.type is Kind.STRING:
            held += '.encode() + b"\\0"' if step.terminated else ".encode()"
        self.lines.add(f"{text} = {held}")
        self._capacity(step.field, text, step.field.text_capacity, int(step.terminated))
        self.put("I", 4, f"len({text})")
        self._emit_chunk([text], f"len({text})")
        self.forget()

    def _call(self, step: Call, held: str, optional: bool) -> None:
        name = step.message.name
        if self.inlines(name):
            inner = held
            if "." in held:
                inner = self.local(self.attribute(step.field))
                empty = f" or {self.module.private('EMPTY', name)}" if optional else ""
                self.lines.add(f"{inner} = {held}{empty}")
            self.walk(name, inner)
            return
        self._settle()
        if optional:
            inner = self.local(self.attribute(step.field))
            with self.lines.block(f"if ({inner} := {held}) is None:"):
                default = self.module.private(f"default_{self.wire}", name)
                if self.aligns:
                    self.lines.add(f"parts.append({default}(pos & 7))")
                    self.lines.add("pos += len(parts[-1])")
                else:
                    self.lines.add(f"parts.append({default}())")
            with self.lines.block("else:"):
                self._call_function(name, inner)
        else:
            self._call_function(name, held)
        self.forget()

    def _call_function(self, name: str, held: str) -> None:
        function = self.module.private(f"write_{self.wire}", name)
        if self.aligns:
            self.lines.add(f"pos = {function}({held}, parts, pos)")
        else:
            self.lines.add(f"{function}({held}, parts)")

    def _array(self, step: Array, held: str) -> None:
        item = step.field
        elements = self.local(self.attribute(item))
        self.lines.add(f"{elements} = {held}")
        if item.label is Label.ARRAY:
            with self.lines.block(f"if len({elements}) != {item.capacity}:"):
                self._raise_capacity(item, elements, item.capacity)
        else:
            self._capacity(item, elements, item.capacity, 0)
            self.put("I", 4, f"len({elements})")
        if isinstance(step.element, Run):
            self._numbers(item, step.element, elements)
            return
        self._settle()
        element = self.local("item")
        with self.lines.block(f"for {element} in {elements}:"):
            self.forget()
            self._value(step.element, element)
            self._settle()
        self.forget()

    def _numbers(self, item: Field, run: Run, found: str) -> None:
        kind, packed = run.slots[0].kind, found
        if not values.is_bytes(item):
            packed = self.local(f"{self.attribute(item)}_bytes")
            expression = f'{self.module.support("pack_array")}("{kind.code}", {found})'
            if kind is Kind.BOOL:
                expression = f"{self.module.support('pack_bools')}({found})"
            self.lines.add(f"{packed} = {expression}")
        if run.align <= 4:
            self._emit_chunk([packed], f"len({packed})")
        else:
            self._settle()
            with self.lines.block(f"if {found}:"):
                self.lines.add(f"parts += (bytes(-pos & {run.align - 1}), {packed})")
                self.lines.add(f"pos = (pos + {run.align - 1} & -{run.align}) + len({packed})")
        self.forget()

    def _value(self, step: Run | Text | Call, held: str) -> None:
        """Write an element, a map's key or value, or a oneof's member."""
        match step:
            case Run():
                kind = step.slots[0].kind
                self.put(kind.code, kind.width or 0, held)
            case Text():
                self._text(step, held)
            case Call():
                self._call(step, held, False)

    def _entries(self, step: Entries, held: str) -> None:
        self.put("I", 4, f"len({held})")
        self._settle()
        key, value = self.local("key"), self.local("value")
        # Keys differ, so that values are never compared.
        with self.lines.block(f"for {key}, {value} in sorted({held}.items()):"):
            self.forget()
            self._value(step.key, key)
            self._value(step.value, value)
            self._settle()
        self.forget()

    def _choice(self, step: Choice, base: str) -> None:
        self._settle()
        held = [f"{base}.{self.attribute(item)}" for item, _ in step.members]
        if len(held) > 1:
            with self.lines.block(f"if ({', '.join(held)}).count(None) < {len(held) - 1}:"):
                self.lines.add(f'raise {self.module.support("oneof_error")}("{step.oneof}")')
        # Python cannot compile a long chain of elif.
        chained = len(held) <= LONGEST_CHAIN
        word = "if"
        for name, (item, value) in zip(held, step.members, strict=True):
            with self.lines.block(f"{word} {name} is not None:"):
                self.forget()
                self.put("I", 4, str(item.number))
                self._value(value, name)
                self._settle()
            word = "elif" if chained else "if"
        none = f"if ({', '.join(held)}).count(None) == {len(held)}:"
        with self.lines.block("else:" if chained else none):
            self.forget()
            self.put("I", 4, "0")
            self._settle()
        self.forget()

    def _capacity(self, item: Field, found: str, capacity: int | None, extra: int) -> None:
        if capacity is not None:
            with self.lines.block(f"if len({found}) > {capacity + extra}:"):
                self._raise_capacity(item, found, capacity)

    def _raise_capacity(self, item: Field, found: str, capacity: int | None) -> None:
        error = self.module.support("capacity_error")
        self.lines.add(f'raise {error}("{item.name}", len({found}), {capacity})')

    def _settle(self) -> None:
        """Write all that is collected: a block begins or ends."""
        self._emit_chunk([], "")
        self._emit_pieces()

    def _emit_chunk(self, more: list[str], length: str) -> None:
        chunk, self.chunk = self.chunk, Chunk()
        if chunk.codes:
            form = struct_format(chunk.codes)
            arguments = f"({', '.join(chunk.names)})"
            if chunk.align > 1:
                pack = f"{self.module.pack_aligned(chunk.align, form)}[pos & {chunk.align - 1}]"
            else:
                pack = self.module.pack(form)
            self._pieces.append(pack + arguments)
        self._pieces += more
        if self.aligns and (chunk.size or length):
            self._emit_pieces()
            ahead = " + ".join(filter(None, (str(chunk.size or ""), length)))
            if chunk.align > 1:
                self.lines.add(f"pos = (pos + {chunk.align - 1} & -{chunk.align}) + {ahead}")
            else:
                self.lines.add(f"pos += {ahead}")

    def _emit_pieces(self) -> None:
        if len(self._pieces) == 1:
            self.lines.add(f"parts.append({self._pieces[0]})")
        elif self._pieces:
            self.lines.add(f"parts += {call_tuple(self._pieces)}")
        self._pieces = []
