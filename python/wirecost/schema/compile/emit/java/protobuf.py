# SPDX-License-Identifier: Apache-2.0
"""Java expressions for the plan of ``protobuf``."""

from __future__ import annotations

from wirecost.schema.compile.emit.java.holders import ACCESSORS, Holders, Member, kind_of
from wirecost.schema.compile.emit.java.parts import parted
from wirecost.schema.compile.plan.protobuf import Item, Payload, entry_items, plan, requires
from wirecost.schema.compile.schema import (
    CompileError,
    EnumRef,
    Kind,
    Label,
    Message,
    MessageRef,
    Presence,
)

_MOST_REQUIRED = 64
"""Bits of a long."""


class Protobuf:
    """One message on the wire, for the templates."""

    suffix = "Protobuf"

    def __init__(self, holders: Holders, message: Message, preserve_unknown: bool) -> None:
        self.plan = plan(message)
        self.parts = parted(self.plan.items)
        self.several = len(self.parts) > 1
        self._places = {id(item): place for place, item in enumerate(self.plan.items)}
        self.message = message
        self.preserve_unknown = preserve_unknown
        self._holders = holders
        self._jdk = holders.names.jdk
        self._wire = holders.names.jdk["Wire"]

    @property
    def required_mask(self) -> str:
        bits = (1 << self.plan.required) - 1
        if self.plan.required > _MOST_REQUIRED:
            raise CompileError(
                self.message.origin,
                f"{self.message.full_name} has more than {_MOST_REQUIRED} required fields",
                "make some of them optional, or take java out of --lang",
            )
        return f"{hex(bits)}{'L' if self.plan.required > 31 else ''}"

    @property
    def required_type(self) -> str:
        return "long" if self.plan.required > 31 else "int"

    @property
    def seen(self) -> str:
        """The variable of the required fields that were seen; parts of a method share an array."""
        return "seen_at[0]" if self.several else "seen"

    def at(self, item: Item) -> str:
        """Return the index behind the numbers that are there; no field has such a name."""
        if self.several:
            return f"length_at[{self._places[id(item)]}]"
        return f"{self.member(item).name}_at"

    def required_bit(self, item: Item) -> str:
        return f"{hex(1 << (item.required_bit or 0))}{'L' if self.plan.required > 31 else ''}"

    def member(self, item: Item) -> Member:
        return self._holders.member(self.message, item.field)

    @property
    def members(self) -> list[Member]:
        return [self.member(item) for item in self.plan.items]

    def entry(self, item: Item) -> tuple[Item, Item]:
        return entry_items(item.field)

    def type_of(self, item: Item) -> str:
        return self._holders.value_type(self.message, item.field)

    def box(self, item: Item) -> str:
        return self._holders.box(self.type_of(item))

    def first(self, item: Item) -> str:
        """Return what an entry's key or value is before it is read."""
        if item.payload is Payload.MESSAGE:
            return f"new {self.type_of(item)}()"
        return self._holders.zero(item.field)

    def footprint(self, item: Item) -> int:
        type_ = item.field.type
        return self._holders.footprint(type_.name) if isinstance(type_, MessageRef) else 0

    def requires(self, item: Item) -> bool:
        """Return whether the value is a message that has required fields itself."""
        return requires(self._holders.schema, item.field)

    def closed_enum(self, item: Item) -> str | None:
        """Return the class of an enum whose undeclared numbers count as unknown."""
        type_ = item.field.type
        if not isinstance(type_, EnumRef) or not self._holders.schema.enum(type_).closed:
            return None
        return self._holders.names.reference(type_.name, self.message.full_name)

    def condition(self, item: Item) -> str | None:
        """Return the condition under which a single field is written; None: always."""
        member, field = self.member(item), item.field
        if member.case:
            return f"{member.case} == {field.number}"
        if member.has:
            return member.has
        if member.nullable:
            return f"{member.access} != null"
        if field.presence is Presence.IMPLICIT and member.kind is not None:
            return self._differs(member)
        return None

    def size(self, item: Item, value: str) -> str:
        """Return bytes of one value behind its tag."""
        width = self.width(item)
        if width is not None:
            return str(width)
        if item.payload in (Payload.VARINT, Payload.ZIGZAG):
            return f"{self._wire}.varintSize({self.number(item, value)})"
        if item.payload is Payload.TEXT:
            bytes_ = self._text_size(item, value)
            return f"{self._wire}.prefixed({bytes_})"
        if item.payload is Payload.GROUP:
            return f"{value}.measureProtobuf() + {len(item.end_tag_bytes)}"
        return f"{self._wire}.prefixed({value}.measureProtobuf())"

    def width(self, item: Item) -> int | None:
        """Return bytes of a value if that is always the same."""
        if item.payload is Payload.FIXED:
            return self._kind(item).width
        return 1 if item.payload is Payload.VARINT and self._kind(item) is Kind.BOOL else None

    def before(self, item: Item, value: str) -> str:
        """Return the statement that writes one value without its tag so that it ends at ``p``."""
        kind = kind_of(item.field)
        if item.payload is Payload.FIXED:
            width = self._kind(item).width
            return f"{self._wire}.put{ACCESSORS[self._kind(item)]}(b, p -= {width}, {value});"
        if kind is Kind.BOOL:
            return f"{self._wire}.putBoolean(b, --p, {value});"
        if item.payload in (Payload.VARINT, Payload.ZIGZAG):
            return f"p = {self._wire}.varintBefore(b, p, {self.number(item, value)});"
        what = "string" if kind is Kind.STRING else "bytes"
        return f"p = {self._wire}.{what}Before(b, p, {value});"

    def number(self, item: Item, value: str) -> str:
        """Return a value as the number that its varint holds."""
        if item.payload is Payload.ZIGZAG:
            return f"{self._wire}.zigzag({value})"
        masks = {Kind.UINT8: "0xFF", Kind.UINT16: "0xFFFF", Kind.UINT32: "0xFFFFFFFFL"}
        mask = masks.get(self._kind(item))
        return f"{value} & {mask}" if mask else value

    def fetch(self, item: Item, end: str) -> str:
        """Return the expression that reads one value that lies before ``end``."""
        kind = self._kind(item)
        if item.payload is Payload.TEXT:
            return f"in.{'string' if kind is Kind.STRING else 'bytes'}({end})"
        if item.payload is Payload.FIXED:
            return f"in.fixed{ACCESSORS[kind]}({end})"
        number = f"in.varint({end})"
        if item.payload is Payload.ZIGZAG:
            if kind.width == 8:
                return f"{self._wire}.unzigzag({number})"
            return f"(int) {self._wire}.unzigzag({number} & 0xFFFFFFFFL)"
        if kind is Kind.BOOL:
            return f"{number} != 0"
        narrowed = self.type_of(item)
        return number if kind.width == 8 else f"({narrowed}) {number}"

    def tag_before(self, tag: bytes) -> str:
        """Return statements that write a tag before ``p``."""
        return " ".join(f"b[--p] = {byte - 256 if byte > 127 else byte};" for byte in tag[::-1])

    def signed(self, tag: int) -> int:
        """Return the tag as a case label."""
        return tag - (1 << 32) if tag >> 31 else tag

    def packed_tag(self, item: Item) -> int:
        return item.tag if item.field.packed else item.other_tag or 0

    def unpacked_tag(self, item: Item) -> int:
        return item.other_tag or 0 if item.field.packed else item.tag

    def is_array(self, item: Item) -> bool:
        return item.field.label is Label.ARRAY

    def _text_size(self, item: Item, value: str) -> str:
        if self._kind(item) is Kind.STRING:
            return f"{self._wire}.utf8Size({value})"
        return f"{value}.length"

    def _kind(self, item: Item) -> Kind:
        kind = kind_of(item.field)
        if kind is None:
            raise AssertionError(item)
        return kind

    def _differs(self, member: Member) -> str:
        """Return the condition that a value that is always there is not its default."""
        value, default = member.access, member.constant
        if member.kind in (Kind.FLOAT32, Kind.FLOAT64):
            box, bits = ("Float", "Int") if member.kind is Kind.FLOAT32 else ("Double", "Long")
            raw = f"{self._jdk[box]}.{box.lower()}ToRaw{bits}Bits"
            return f"{raw}({value}) != {f'{raw}({default})' if default else '0'}"
        if member.kind is Kind.STRING:
            return f"!{value}.equals({default})" if default else f"!{value}.isEmpty()"
        if member.kind is Kind.BYTES:
            arrays = self._jdk["Arrays"]
            return f"!{arrays}.equals({value}, {default})" if default else f"{value}.length != 0"
        if member.kind is Kind.BOOL:
            return f"{value} != {default}" if default else value
        return f"{value} != {default or 0}"
