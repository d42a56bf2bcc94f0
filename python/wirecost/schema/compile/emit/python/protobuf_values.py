# SPDX-License-Identifier: Apache-2.0
"""Decoders of Protobuf's wire format: the lines that read one value behind its tag."""

from __future__ import annotations

from wirecost.schema.compile.emit.python.limits import Limits
from wirecost.schema.compile.emit.python.lines import Lines
from wirecost.schema.compile.emit.python.module import Module
from wirecost.schema.compile.emit.python.protobuf_writer import scalar_kind
from wirecost.schema.compile.plan.protobuf import Item, Payload
from wirecost.schema.compile.schema import Coding, EnumRef, Field, Kind, Message, MessageRef

_NARROW = {Kind.INT8: 8, Kind.INT16: 16, Kind.UINT8: 8, Kind.UINT16: 16}


class Values:
    """Adds to the lines of one message's decoder."""

    def __init__(
        self,
        module: Module,
        message: Message,
        limits: Limits,
        groups: frozenset[str],
        lines: Lines,
    ) -> None:
        self._module, self._limits, self._groups, self._lines = module, limits, groups, lines
        self._is_deep = message.full_name in limits.deep
        self.untyped: set[str] = set()
        """Locals that serve fields of several types."""

    def read(self, item: Item, target: str, merged: str = "", levels: int = 1) -> None:
        """Read one value into ``target``.

        A message goes on from ``merged`` if that is there, and lies ``levels`` below the one at
        hand.
        """
        field, add = item.field, self._lines.add
        if target == "value" and item.payload is not Payload.FIXED:
            self.untyped.add(target)
        match item.payload:
            case Payload.FIXED:
                kind = scalar_kind(field)
                add(f"({target},) = {self._module.unpack(kind.code)}(data, pos)")
                add(f"pos += {kind.width}")
            case Payload.VARINT | Payload.ZIGZAG:
                self._varint(field, target)
            case Payload.TEXT:
                self.length()
                if field.text_capacity is not None:
                    error, most = self._module.support("capacity_error"), field.text_capacity
                    with self._lines.block(f"if n > {most}:"):
                        add(f'raise {error}("{field.name}", n, {most}, pos)')
                decode = ".decode()" if field.type is Kind.STRING else ""
                add(f"{target} = data[pos : (pos := pos + n)]{decode}")
            case Payload.MESSAGE:
                self.length()
                call = self._call(field, "(pos := pos + n)", merged, "", levels)
                of_group = isinstance(field.type, MessageRef) and field.type.name in self._groups
                add(f"{target} = {call}{'[0]' * of_group}")
            case Payload.GROUP:
                call = self._call(field, "end", merged, f"group={item.end_tag}", levels=1)
                add(f"{target}, pos = {call}")

    def length(self) -> None:
        """Read a length into ``n``."""
        self._lines.add("n = data[pos]")
        self._lines.add("pos += 1")
        # Two bytes are usual enough to be worth no call.
        with self._lines.block("if n > 127:"):
            with self._lines.block("if (high := data[pos]) < 128:"):
                self._lines.add("n += (high << 7) - 128")
                self._lines.add("pos += 1")
            with self._lines.block("else:"):
                self._lines.add(f"n, pos = {self._module.support('read_length')}(data, pos - 1)")

    def reader(self, field: Field) -> str:
        """Return the support module's function that reads a varint."""
        kind = scalar_kind(field)
        name = {8: "int32", 16: "int32"}.get(_NARROW.get(kind, 0), kind.value)
        return self._module.support(f"read_{'s' * (field.coding is Coding.ZIGZAG)}{name}")

    def closed(self, field: Field) -> str:
        """Return a set of the numbers that a closed enum declares; nothing for other types."""
        if not isinstance(field.type, EnumRef):
            return ""
        enum = self._module.schema.enum(field.type)
        if not enum.closed:
            return ""
        numbers = sorted({value.number for value in enum.values})
        name = f"_VALUES_{self._module.local_class(enum.full_name)}"
        return self._module.constant(name, f"frozenset(({', '.join(map(str, numbers))},))")

    def _varint(self, field: Field, target: str) -> None:
        kind = scalar_kind(field)
        read = f"{target}, pos = {self.reader(field)}(data, pos)"
        if field.coding is Coding.ZIGZAG or kind in _NARROW:
            self._lines.add(read)
            if kind in _NARROW:
                half = 1 << _NARROW[kind] - 1
                mask = 2 * half - 1
                signed = f"({target} + {half} & {mask}) - {half}"
                narrowed = signed if kind in (Kind.INT8, Kind.INT16) else f"{target} & {mask}"
                self._lines.add(f"{target} = {narrowed}")
            return
        with self._lines.block("if (n := data[pos]) < 128:"):
            self._lines.add(f"{target} = n{' != 0' * (kind is Kind.BOOL)}")
            self._lines.add("pos += 1")
        with self._lines.block("else:"):
            self._lines.add(read)

    def _call(self, field: Field, end: str, merged: str, group: str, levels: int) -> str:
        if not isinstance(field.type, MessageRef):
            raise AssertionError(field)
        decode = self._module.private("decode_protobuf", field.type.name)
        arguments = ["data", "pos", end]
        if merged:
            arguments.append(merged)
        if field.type.name in self._limits.deep:
            arguments.append(f"depth=depth + {levels}" if self._is_deep else f"depth={levels}")
        if group:
            arguments.append(group)
        if field.type.name in self._limits.heavy:
            arguments.append("budget=budget")
        return f"{decode}({', '.join(arguments)})"
