# SPDX-License-Identifier: Apache-2.0
"""Protobuf plans as C++: what ``protobuf.hpp.j2`` and ``api/api.cc.j2`` print."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

from wirecost.schema.compile.emit.cpp.bounds import bounded
from wirecost.schema.compile.emit.cpp.names import SCALARS, Names, identifier, member
from wirecost.schema.compile.emit.cpp.order import defined_in_order, is_plain
from wirecost.schema.compile.emit.cpp.presence import PresentBit, present_bits
from wirecost.schema.compile.emit.cpp.sequential import SMALL
from wirecost.schema.compile.emit.cpp.views import view_fields
from wirecost.schema.compile.per_schema import per_schema
from wirecost.schema.compile.plan import nesting
from wirecost.schema.compile.plan.protobuf import (
    Item,
    Payload,
    entry_items,
    payload,
    plan,
    requires,
)
from wirecost.schema.compile.plan.sequential import scalar
from wirecost.schema.compile.schema import (
    EnumRef,
    Field,
    File,
    Kind,
    Label,
    Message,
    MessageRef,
    Presence,
    Schema,
)

NESTING = ("message", "group")
MOST_WHOLE = 8
"""Fields of a message whose tags are compared all at once."""
EXPECTED = 2
"""How many of the fields behind a field a decoder expects before it looks at the tag."""
WIDE = 20
"""Fields from which on a view's decoder expects the first one alone: GCC 12 follows values along
all paths between the fields, which takes it minutes where there are more."""


@dataclass(frozen=True)
class Style:
    """Form in which code reaches a holder's fields."""

    access: str
    is_class: bool
    """With Protobuf's interface: bits tell which numbers and texts are there, required fields are
    asked for when all is read, messages of oneofs lie elsewhere, maps are trees."""


STRUCT = Style("m.", is_class=False)
FACADE = Style("m.wirecost_fields().", is_class=True)
FACADE_CODEC = "protobuf_api_detail"
"""Namespace of the façade's codec."""


WORD = 64
"""Bits of a variable that records which fields were seen."""


def _word(index: int) -> str:
    return f"seen_{index}" if index else "seen"


def _words(bits: int) -> list[SimpleNamespace]:
    """Return variables for that many bits, each with the mask of those it has."""
    return [
        SimpleNamespace(name=_word(i), mask=hex((1 << min(WORD, bits - i * WORD)) - 1))
        for i in range(-(-bits // WORD))
    ]


def _bits(message: Message) -> dict[str, int]:
    """Return which bit of "seen" records that a field came, by its name: first the required ones,
    then the messages a view must not meet twice."""
    singles = [f for f in message.fields if f.label is Label.SINGLE and f.oneof is None]
    singles.sort(key=lambda f: f.number)
    held = [
        f for f in singles if f.presence is Presence.IMPLICIT and isinstance(f.type, MessageRef)
    ]
    required = [f for f in singles if f.presence is Presence.REQUIRED]
    return {f.name: bit for bit, f in enumerate([*required, *held])}


@per_schema
def _checkable(schema: Schema) -> frozenset[str]:
    """Return messages that are checked, as elements of a list, without making a view of them."""
    return frozenset(m.full_name for m in schema.messages() if _is_checkable(m))


def _is_checkable(message: Message) -> bool:
    """Not where being whole depends on more than which fields have come."""
    held = [f for f in message.fields if isinstance(f.type, MessageRef)]
    return len(held) <= WORD and all(
        f.label in (Label.SINGLE, Label.REPEATED)
        and f.oneof is None
        and f.presence is not Presence.REQUIRED
        and f.capacity is None
        and f.text_capacity is None
        and payload(f) is not Payload.GROUP
        for f in message.fields
    )


def _whole(items: list[SimpleNamespace]) -> SimpleNamespace | None:
    """Return how long a message is that has all fields, where each begins, and the condition that
    all are there; None unless there are few and all have a fixed size."""
    single = all(i.mode in ("optional", "implicit") and i.payload == "fixed" for i in items)
    if not (single and 1 < len(items) <= MOST_WHOLE):
        return None
    parts, size = [], 0
    for item in items:
        parts.append(SimpleNamespace(item=item, at=size))
        size += item.tag_size + item.width
    present = [item.present for item in items if item.mode == "optional"]
    return SimpleNamespace(
        size=size,
        parts=parts,
        present=" && ".join(present) if len(present) == len(items) else "",
    )


class ProtobufCodec:
    """Template contexts of the messages of a file."""

    def __init__(
        self, schema: Schema, names: Names, preserve_unknown: bool, style: Style = STRUCT
    ) -> None:
        self._schema = schema
        self._names = names
        self._preserve = preserve_unknown
        self._style = style
        self._deep = nesting.deep(schema)
        self._present: dict[str, PresentBit] = {}

    def messages(self, file: File) -> list[SimpleNamespace]:
        return [self._message(m) for m in defined_in_order(self._schema, file)]

    def _message(self, message: Message) -> SimpleNamespace:
        planned = plan(message)
        bits = _bits(message)
        self._present = present_bits(message) if self._style.is_class else {}
        items = [self._item(message, item, bits.get(item.field.name)) for item in planned.items]
        for index, item in enumerate(items):
            again = item.mode in ("repeated", "map") and not item.packed
            first = index if again else index + 1
            item.following = items[first : first + EXPECTED + again]
            item.following_in_views = item.following if len(items) < WIDE else []
        extensible = message.extensible and self._style.is_class
        followers = {id(other) for item in items for other in item.following}
        for item in items:
            item.expected = id(item) in followers
        return SimpleNamespace(
            name=self._names.plain(message),
            items=items,
            plain=is_plain(self._schema, message) and not self._preserve,
            deep=message.full_name in self._deep,
            bounded=bounded(self._schema, message),
            checkable=message.full_name in _checkable(self._schema),
            once={
                item.name: hex(1 << bit)
                for bit, item in enumerate(i for i in items if self._comes_once(i))
            },
            extensible=extensible,
            wide=len(items) >= WIDE,
            whole=None if extensible else _whole(items),
            small=len(items) <= SMALL and all(i.payload not in NESTING for i in items),
            required=[] if self._style.is_class else _words(planned.required),
            tracked=_words(sum(1 for i in items if i.bit is not None)),
            type=self._names.plain(message),
            entries=[
                SimpleNamespace(name=i.entry, key=i.key, value=i.value)
                for i in items
                if i.mode == "map"
            ],
            view_fields=view_fields(
                message,
                lambda field: self._view_type(message, field),
                lambda field: self._view_member(message, field),
            ),
        )

    def _item(self, message: Message, item: Item, bit: int | None) -> SimpleNamespace:
        field = item.field
        oneof = index = None
        if field.oneof is not None:
            oneof = identifier(field.oneof)
            index = message.choices[field.name]
        context = self._value(item)
        context.name = member(field)
        context.access = f"{self._style.access}{oneof or member(field)}"
        context.mode = self._mode(message, field)
        context.oneof, context.index = oneof, index
        context.boxed = self._schema.recursive(message, field) or (
            self._style.is_class and oneof is not None and isinstance(field.type, MessageRef)
        )
        # What lies elsewhere asks for memory, which a decoder counts.
        context.apart = context.boxed or self._style.is_class
        self._add_presence(context, field)
        context.bit = bit
        if context.bit is not None:
            context.word, context.mask = _word(context.bit // WORD), hex(1 << context.bit % WORD)
        context.ranged = field.label is not Label.SINGLE or (context.boxed and field.oneof is None)
        context.reader = self.range_type(message, field) if context.ranged or context.boxed else ""
        context.required = field.presence is Presence.REQUIRED and not self._style.is_class
        context.unset = unset(self._names, field, context.access)
        if field.label is Label.MAP:
            key, value = entry_items(field)
            context.key, context.value = self._value(key), self._value(value)
            context.entry = f"{self._names.plain(message)}_{member(field)}_Entry"
            context.own_entry = self._style.is_class
            map_type = self._names.holder(message, field)
            context.entry_type = (
                map_type.replace("::Map<", "::MapEntry<", 1)
                if context.own_entry
                else f"{map_type}::Entry"
            )
        return context

    def _add_presence(self, context: SimpleNamespace, field: Field) -> None:
        """Add how code asks whether a field is there, reads it, says that it is, and overwrites
        it."""
        access = context.access
        bit = self._present.get(field.name)
        if bit is None:
            is_text = context.payload == "text"
            context.present, context.held, context.mark = access, f"(*{access})", ""
            context.target = f"{access}.overwrite()" if is_text else access
        else:
            word = f"{self._style.access}{bit.word}"
            context.present = f"({word} & {bit.mask}) != 0"
            context.held = context.target = access
            context.mark = f"{word} |= {bit.mask};"

    def _value(self, item: Item) -> SimpleNamespace:
        """Return what the template needs to read or write one value behind its tag."""
        field = item.field
        is_message = isinstance(field.type, MessageRef) and field.label is not Label.MAP
        kind = scalar(field.type)
        closed = isinstance(field.type, EnumRef) and self._schema.enum(field.type).closed
        type_ = "" if field.label is Label.MAP else self._names.value(field.type)
        return SimpleNamespace(
            number=field.number,
            payload=item.payload.value,
            type=type_,
            element="" if field.label is Label.MAP else self._names.element(field.type),
            is_bool=field.type is Kind.BOOL,
            raw=SCALARS[kind] if kind else "",
            width=kind.width if kind else None,
            capacity=field.capacity,
            text_capacity=field.text_capacity,
            tag=item.tag,
            tag_size=len(item.tag_bytes),
            tag_literal=hex(int.from_bytes(item.tag_bytes, "little")),
            single_tag=item.tag if not field.packed else item.other_tag,
            packed_tag=item.other_tag if not field.packed else item.tag,
            end_size=len(item.end_tag_bytes),
            end_literal=hex(int.from_bytes(item.end_tag_bytes, "little")),
            packed=field.packed,
            coding=f"Coding::{item.payload.value}",
            utf8=field.utf8,
            is_string=field.type is Kind.STRING,
            requires=is_message and not self._style.is_class and requires(self._schema, field),
            closed=closed,
            codec=self._codec(field) if is_message else "",
            view=self._single_view(field),
            is_plain=is_message and self._is_plain(field),
            checkable=isinstance(field.type, MessageRef)
            and field.type.name in _checkable(self._schema),
        )

    @staticmethod
    def _comes_once(item: SimpleNamespace) -> bool:
        """Return whether a view refuses the field's second part, which it could not join."""
        return item.payload == "message" and item.mode != "repeated" and not item.is_plain

    def _codec(self, field: Field) -> str:
        if not isinstance(field.type, MessageRef):
            return ""
        return self._names.codec(field.type, "protobuf")

    def _is_plain(self, field: Field) -> bool:
        return (
            isinstance(field.type, MessageRef)
            and not self._preserve
            and is_plain(self._schema, self._schema.message(field.type))
        )

    def _mode(self, message: Message, field: Field) -> str:
        if field.label is Label.MAP:
            return "map"
        if field.label in (Label.REPEATED, Label.ARRAY):
            return "array" if field.label is Label.ARRAY else "repeated"
        if field.oneof is not None:
            return "oneof"
        boxed = self._schema.recursive(message, field)
        always = field.presence is Presence.REQUIRED and not self._style.is_class
        if boxed or (field.presence is not Presence.IMPLICIT and not always):
            return "optional"
        if always or isinstance(field.type, MessageRef):
            return "always"
        return "implicit"

    def _single_view(self, field: Field) -> str:
        if field.label is Label.MAP:
            return ""
        if isinstance(field.type, MessageRef):
            if self._is_plain(field):
                return self._names.qualified(field.type)
            return self._names.view(field.type, "protobuf")
        if isinstance(field.type, Kind) and field.type.is_text:
            return "std::string_view"
        return self._names.value(field.type)

    def range_type(self, message: Message, field: Field) -> str:
        """Return the type of a view's repeated field."""
        if field.label is Label.MAP:
            entry = f"{self._names.plain(message)}_{member(field)}_Entry"
            return f"wirecost::protobuf::MessageReader<{entry}, &detail::read_view>"
        view = self._single_view(field)
        if isinstance(field.type, MessageRef):
            outer = self._codec(field) or "detail::"
            return f"wirecost::protobuf::MessageReader<{view}, &{outer}read_view>"
        if view == "std::string_view":
            return "wirecost::protobuf::TextReader"
        coding = f"wirecost::protobuf::Coding::{payload(field).value}"
        return f"wirecost::protobuf::ScalarReader<{view}, {coding}>"

    def _view_type(self, message: Message, field: Field) -> str:
        type_ = self._view_member(message, field)
        if self._mode(message, field) == "optional" and not type_.startswith("wirecost::RangeView"):
            return f"wirecost::Optional<{type_}>"
        return type_

    def _view_member(self, message: Message, field: Field) -> str:
        ranged = field.label is not Label.SINGLE or self._schema.recursive(message, field)
        if ranged:
            return f"wirecost::RangeView<{self.range_type(message, field)}>"
        return self._single_view(field)


def unset(names: Names, field: Field, access: str) -> str:
    """Return the condition under which a field of implicit presence is left out: it has its
    declared default, which readers restore."""
    if isinstance(field.type, EnumRef):
        return f"static_cast<std::int32_t>({access}) == {int(field.default or 0)}"
    if not isinstance(field.type, Kind):
        return "false"
    default = names.literal(field.type, field.default)
    if field.type.is_text:
        return f"{access} == {default}" if field.default else f"{access}.empty()"
    if field.type is Kind.BOOL:
        return access if field.default else f"!{access}"
    if field.type in (Kind.FLOAT32, Kind.FLOAT64):
        bits = "std::uint32_t" if field.type is Kind.FLOAT32 else "std::uint64_t"
        default = "0" if field.default is None else f"std::bit_cast<{bits}>({default})"
        return f"std::bit_cast<{bits}>({access}) == {default}"
    return f"{access} == {default}"
