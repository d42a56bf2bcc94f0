# SPDX-License-Identifier: Apache-2.0
"""Encoders of Protobuf's wire format: one function per message, which returns its bytes.

The length of a message inside another is needed before its bytes, so that each is joined on its
own; joining costs less than writing into a buffer byte by byte would.
"""

from __future__ import annotations

from wirecost.schema.compile.emit.python import names, values
from wirecost.schema.compile.emit.python.lines import Lines, call_tuple
from wirecost.schema.compile.emit.python.module import Module
from wirecost.schema.compile.plan import protobuf
from wirecost.schema.compile.plan.protobuf import Item, Payload
from wirecost.schema.compile.schema import Coding, EnumRef, Field, Kind, Label, Message, MessageRef

RESERVED = "m parts len sorted"


def scalar_kind(item: Field) -> Kind:
    """Return the kind of one value, which for an enum is int32."""
    if isinstance(item.type, EnumRef):
        return Kind.INT32
    if isinstance(item.type, Kind):
        return item.type
    raise AssertionError(item)


def varint_table(module: Module, item: Field) -> str:
    """Return the support module's mapping from values to varints."""
    name = scalar_kind(item).name
    return module.support(f"S{name}" if item.coding is Coding.ZIGZAG else name)


class ProtobufWriter:
    """Lines of one message's function."""

    def __init__(self, module: Module, message: Message, keeps: bool) -> None:
        self.module, self.message = module, message
        self._keeps = keeps
        self.lines = Lines()
        self.lines.reserve(*RESERVED.split(), *module.class_names)
        self._pieces: list[str] = []
        self._has_parts = False

    def function(self) -> str:
        for oneof in self.message.oneofs:
            self._check_oneof(oneof)
        for item in protobuf.plan(self.message).items:
            self._item(item)
        if self._keeps:
            self._settle()
            with self.lines.block("if m.unknown_fields:"):
                self.lines.add("parts.append(m.unknown_fields)")
        self._finish()
        name = self.module.private("encode_protobuf", self.message.full_name)
        return f"def {name}(m: _t.Any) -> bytes:\n{self.lines.text}"

    def _finish(self) -> None:
        if self._has_parts:
            self._settle()
            self.lines.add('return b"".join(parts)')
        elif len(self._pieces) == 1:
            self.lines.add(f"return {self._pieces[0]}")
        elif self._pieces:
            self.lines.add(f'return b"".join({call_tuple(self._pieces)})')
        else:
            self.lines.add('return b""')

    def _check_oneof(self, oneof: str) -> None:
        held = [f"m.{names.attribute(f)}" for f in names.oneof_members(self.message, oneof)]
        if len(held) > 1:
            with self.lines.block(f"if ({', '.join(held)}).count(None) < {len(held) - 1}:"):
                self.lines.add(f'raise {self.module.support("oneof_error")}("{oneof}")')

    def _item(self, item: Item) -> None:
        field = item.field
        held = f"m.{names.attribute(field)}"
        if field.label is Label.MAP:
            self._map(item, held)
        elif field.label is not Label.SINGLE:
            self._repeated(item, held)
        elif field.is_optional or field.oneof is not None:
            self._if_present(item, held)
        elif item.required_bit is not None or isinstance(field.type, MessageRef):
            self._pieces += self._value(item, held)
        else:
            self._unless_default(item, held)

    def _if_present(self, item: Item, held: str) -> None:
        self._settle()
        value = self._local(item)
        with self.lines.block(f"if ({value} := {held}) is not None:"):
            self._pieces += self._value(item, value)
            self._settle()

    def _unless_default(self, item: Item, held: str) -> None:
        self._settle()
        field, value = item.field, self._local(item)
        if item.payload is Payload.FIXED and scalar_kind(field) in (Kind.FLOAT32, Kind.FLOAT64):
            # By bytes: -0.0 equals 0.0 and is written nevertheless.
            pack = self.module.pack(scalar_kind(field).code)
            default = f"{pack}({values.zero(field)})"
            if field.default is None:
                default = repr(bytes(scalar_kind(field).width or 0))
            with self.lines.block(f"if ({value} := {pack}({held})) != {default}:"):
                self._pieces += [repr(item.tag_bytes), value]
                self._settle()
            return
        condition = f"if {value} := {held}:"
        if field.default:
            condition = f"if ({value} := {held}) != {values.zero(field)}:"
        with self.lines.block(condition):
            self._pieces += self._value(item, value)
            self._settle()

    def _value(self, item: Item, held: str) -> list[str]:
        """Return pieces of one value with its tag; may add lines before."""
        field, tag = item.field, item.tag_bytes
        match item.payload:
            case Payload.VARINT if field.type is Kind.BOOL:
                return [f"{tag + bytes((1,))!r} if {held} else {tag + bytes((0,))!r}"]
            case Payload.VARINT | Payload.ZIGZAG:
                return [repr(tag), f"{varint_table(self.module, field)}[{held}]"]
            case Payload.FIXED:
                form = f"{len(tag)}s{scalar_kind(field).code}"
                return [f"{self.module.pack(form)}({tag!r}, {held})"]
            case Payload.GROUP:
                return [repr(tag), f"{self._encoder(field)}({held})", repr(item.end_tag_bytes)]
            case Payload.TEXT | Payload.MESSAGE:
                body = self.lines.local(f"{names.attribute(field)}_bytes".lstrip("_"))
                if item.payload is Payload.MESSAGE:
                    self.lines.add(f"{body} = {self._encoder(field)}({held})")
                else:
                    encoded = f"{held}.encode()" if field.type is Kind.STRING else held
                    self.lines.add(f"{body} = {encoded}")
                    self._capacity(field, body, field.text_capacity)
                length = f"{self.module.support('LEN')}[len({body})]"
                return [repr(tag), length, body]

    def _repeated(self, item: Item, held: str) -> None:
        self._settle()
        field = item.field
        elements = self._local(item)
        self.lines.add(f"{elements} = {held}")
        self._capacity(field, elements, field.capacity)
        if field.packed:
            with self.lines.block(f"if {elements}:"):
                body = self.lines.local(f"{names.attribute(field)}_bytes")
                self.lines.add(f"{body} = {self._packed(item, elements)}")
                length = f"{self.module.support('LEN')}[len({body})]"
                self._pieces += [repr(item.tag_bytes), length, body]
                self._settle()
            return
        element = self.lines.local("item")
        self._begin_parts()
        with self.lines.block(f"for {element} in {elements}:"):
            self._pieces += self._value(item, element)
            self._settle()

    def _packed(self, item: Item, found: str) -> str:
        kind = scalar_kind(item.field)
        if item.payload is Payload.FIXED:
            return f'{self.module.support("pack_array")}("{kind.code}", {found})'
        if kind is Kind.BOOL:
            return f"{self.module.support('pack_bools')}({found})"
        table = varint_table(self.module, item.field)
        return f'b"".join([{table}[item] for item in {found}])'

    def _map(self, item: Item, held: str) -> None:
        self._settle()
        self._begin_parts()
        key, value = protobuf.entry_items(item.field)
        entry = self.lines.local("entry")
        names_ = self.lines.local("key"), self.lines.local("value")
        # Keys differ, so that values are never compared.
        with self.lines.block(f"for {', '.join(names_)} in sorted({held}.items()):"):
            pieces = self._value(key, names_[0]) + self._value(value, names_[1])
            self.lines.add(f'{entry} = b"".join({call_tuple(pieces)})')
            length = f"{self.module.support('LEN')}[len({entry})]"
            self._pieces += [repr(item.tag_bytes), length, entry]
            self._settle()

    def _encoder(self, field: Field) -> str:
        if not isinstance(field.type, MessageRef):
            raise AssertionError(field)
        return self.module.private("encode_protobuf", field.type.name)

    def _capacity(self, field: Field, found: str, capacity: int | None) -> None:
        if capacity is not None:
            wrong = "!=" if field.label is Label.ARRAY and found != "item" else ">"
            error = self.module.support("capacity_error")
            with self.lines.block(f"if len({found}) {wrong} {capacity}:"):
                self.lines.add(f'raise {error}("{field.name}", len({found}), {capacity})')

    def _local(self, item: Item) -> str:
        return self.lines.local(names.attribute(item.field).lstrip("_") or "value")

    def _begin_parts(self) -> None:
        if not self._has_parts:
            self._has_parts = True
            self.lines.add("parts: list[bytes] = []")

    def _settle(self) -> None:
        """Write what is collected: a block begins or ends."""
        if not self._has_parts and self.lines.depth == 1:
            self._has_parts = True
            self.lines.add(f"parts: list[bytes] = [{', '.join(self._pieces)}]")
        elif len(self._pieces) == 1:
            self.lines.add(f"parts.append({self._pieces[0]})")
        elif self._pieces:
            self.lines.add(f"parts += {call_tuple(self._pieces)}")
        self._pieces = []
