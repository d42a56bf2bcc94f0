# SPDX-License-Identifier: Apache-2.0
"""Protobuf plans as C++: what ``protobuf.hpp.j2`` and ``api/api.cc.j2`` print."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.schema.compile.emit.cpp.bounds import bounded
from wirecost.schema.compile.emit.cpp.names import SCALARS, CppNames, NamedType, identifier, member
from wirecost.schema.compile.emit.cpp.order import defined_in_order, is_plain
from wirecost.schema.compile.emit.cpp.presence import PresentBit, present_bits
from wirecost.schema.compile.emit.cpp.sequential import SMALL
from wirecost.schema.compile.emit.cpp.views import MapEntry, view_fields
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
"""Fields behind a field that a decoder expects before it looks at the tag."""
WIDE = 20
"""Fields from which on a view's decoder expects the first one alone: GCC 12 follows values along
all paths between the fields, which takes it minutes where there are more."""


@dataclass(frozen=True)
class Style:
    """Form in which code reaches a holder's fields."""

    access: str
    is_class: bool
    """True for classes with Protobuf's interface.

    Bits tell which numbers and texts are there, required fields are asked for when all is read,
    messages of oneofs lie elsewhere, maps are trees.
    """


STRUCT = Style("m.", is_class=False)
FACADE = Style("m.wirecost_fields().", is_class=True)
FACADE_CODEC = "protobuf_api_detail"
"""Namespace of the façade's codec."""


WORD = 64
"""Bits of a variable that records which fields were seen."""


def _word(index: int) -> str:
    return f"seen_{index}" if index else "seen"


@dataclass(frozen=True)
class SeenWord:
    """A variable that records which fields were seen, and the mask of the bits that it has."""

    name: str
    mask: str


@dataclass(frozen=True)
class ExpectedTag:
    """A tag as a decoder compares it; its size is in bytes."""

    number: int
    tag_size: int
    tag_literal: str


@dataclass(frozen=True)
class ProtobufValue(ExpectedTag):
    """One value behind its tag: what the templates need to read or write it."""

    tag: int
    payload: str
    type: str
    element: str
    """Type of an element of a list."""
    is_bool: bool
    raw: str
    width: int | None
    capacity: int | None
    text_capacity: int | None
    single_tag: int | None
    packed_tag: int | None
    end_size: int
    end_literal: str
    packed: bool
    coding: str
    utf8: bool
    is_string: bool
    requires: bool
    closed: bool
    codec: str
    view: str
    is_plain: bool
    checkable: bool


@dataclass(frozen=True)
class FieldAccess:
    """Expressions by which code reaches a field."""

    present: str
    """Condition that it is there."""
    held: str
    """Its value."""
    mark: str
    """Statement that says that it is there; empty where none is needed."""
    target: str
    """Place of a new value."""


@dataclass(frozen=True)
class MapAccess:
    """Key, value and entries of a map."""

    key: ProtobufValue
    value: ProtobufValue
    entry: str
    """Type of an entry's view."""
    entry_type: str
    """Type of an entry in the holder."""
    own_entry: bool
    """True if an entry is read before it is put into the map."""


@dataclass(frozen=True)
class ProtobufField(ProtobufValue, FieldAccess):
    """A field of a message."""

    name: str
    access: str
    mode: str
    index: int | None
    """Position in its oneof, from 1."""
    boxed: bool
    apart: bool
    """True if it lies elsewhere, for which a decoder counts memory."""
    bit: int | None
    word: str
    mask: str
    ranged: bool
    reader: str
    required: bool
    unset: str
    following: list[ProtobufValue]
    """Fields whose tags are tried behind this one, before any other."""
    following_in_views: list[ProtobufValue]
    expected: bool
    """True if the field follows one in that way."""
    map: MapAccess | None


@dataclass(frozen=True)
class WholePart:
    """A field of a message that comes whole; ``at``: its offset in bytes."""

    item: ProtobufField
    at: int


@dataclass(frozen=True)
class Whole:
    """A message that has all fields, in order: its size in bytes, and the condition for it."""

    size: int
    parts: list[WholePart]
    present: str


@dataclass(frozen=True)
class ProtobufMessage:
    """A message's codec."""

    name: str
    items: list[ProtobufField]
    plain: bool
    """True if the holder is its own view."""
    deep: bool
    bounded: bool
    checkable: bool
    once: dict[str, str]
    """Bits of the fields that a check must not meet twice."""
    extensible: bool
    wide: bool
    whole: Whole | None
    small: bool
    required: list[SeenWord]
    tracked: list[SeenWord]
    type: str
    entries: list[MapEntry[ProtobufValue]]
    view_fields: list[NamedType]


def _words(bits: int) -> list[SeenWord]:
    """Return variables for that many bits."""
    return [
        SeenWord(_word(i), hex((1 << min(WORD, bits - i * WORD)) - 1))
        for i in range(-(-bits // WORD))
    ]


def _bits(message: Message) -> dict[str, int]:
    """Return which bit of "seen" records that a field came, by its name.

    First are the required ones, then the messages that a view must not meet twice.
    """
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
    """Return whether being whole depends on nothing but which fields have come."""
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


def _whole(items: list[ProtobufField]) -> Whole | None:
    """Return a message that has all fields; None unless they are few and all of a fixed size."""
    single = all(i.mode in ("optional", "implicit") and i.payload == "fixed" for i in items)
    if not (single and 1 < len(items) <= MOST_WHOLE):
        return None
    parts, size = [], 0
    for item in items:
        parts.append(WholePart(item, size))
        size += item.tag_size + (item.width or 0)
    present = [item.present for item in items if item.mode == "optional"]
    return Whole(size, parts, " && ".join(present) if len(present) == len(items) else "")


class ProtobufCodec:
    """Template contexts of the messages of a file."""

    def __init__(
        self, schema: Schema, names: CppNames, preserve_unknown: bool, style: Style = STRUCT
    ) -> None:
        self._schema = schema
        self._names = names
        self._preserve = preserve_unknown
        self._style = style
        self._deep = nesting.deep(schema)
        self._present: dict[str, PresentBit] = {}

    def messages(self, file: File) -> list[ProtobufMessage]:
        return [self._message(m) for m in defined_in_order(self._schema, file)]

    def _message(self, message: Message) -> ProtobufMessage:
        planned = plan(message)
        bits = _bits(message)
        self._present = present_bits(message) if self._style.is_class else {}
        values = [self._value(item) for item in planned.items]
        following = [_following(item, i, values) for i, item in enumerate(planned.items)]
        followers = {value.number for values in following for value in values}
        wide = len(values) >= WIDE
        items = [
            self._field(
                message,
                item.field,
                value,
                bits.get(item.field.name),
                following=behind,
                following_in_views=[] if wide else behind,
                expected=value.number in followers,
            )
            for item, value, behind in zip(planned.items, values, following, strict=True)
        ]
        extensible = message.extensible and self._style.is_class
        return ProtobufMessage(
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
            wide=wide,
            whole=None if extensible else _whole(items),
            small=len(items) <= SMALL and all(i.payload not in NESTING for i in items),
            required=[] if self._style.is_class else _words(planned.required),
            tracked=_words(sum(1 for i in items if i.bit is not None)),
            type=self._names.plain(message),
            entries=[
                MapEntry(item.map.entry, item.map.key, item.map.value)
                for item in items
                if item.map is not None
            ],
            view_fields=view_fields(
                message,
                lambda field: self._view_type(message, field),
                lambda field: self._view_member(message, field),
            ),
        )

    def _field(
        self,
        message: Message,
        field: Field,
        value: ProtobufValue,
        bit: int | None,
        following: list[ProtobufValue],
        following_in_views: list[ProtobufValue],
        expected: bool,
    ) -> ProtobufField:
        oneof = None if field.oneof is None else identifier(field.oneof)
        access = f"{self._style.access}{oneof or member(field)}"
        boxed = self._schema.recursive(message, field) or (
            self._style.is_class and oneof is not None and isinstance(field.type, MessageRef)
        )
        ranged = field.label is not Label.SINGLE or (boxed and oneof is None)
        return ProtobufField(
            **vars(value),
            **vars(self._access(field, access)),
            name=member(field),
            access=access,
            mode=self._mode(message, field),
            index=None if oneof is None else message.choices[field.name],
            boxed=boxed,
            apart=boxed or self._style.is_class,
            bit=bit,
            word="" if bit is None else _word(bit // WORD),
            mask="" if bit is None else hex(1 << bit % WORD),
            ranged=ranged,
            reader=self.range_type(message, field) if ranged or boxed else "",
            required=field.presence is Presence.REQUIRED and not self._style.is_class,
            unset=unset(self._names, field, access),
            following=following,
            following_in_views=following_in_views,
            expected=expected,
            map=self._map(message, field) if field.label is Label.MAP else None,
        )

    def _map(self, message: Message, field: Field) -> MapAccess:
        key, value = entry_items(field)
        own_entry = self._style.is_class
        map_type = self._names.holder(message, field)
        return MapAccess(
            key=self._value(key),
            value=self._value(value),
            entry=f"{self._names.plain(message)}_{member(field)}_Entry",
            entry_type=map_type.replace("::Map<", "::MapEntry<", 1)
            if own_entry
            else f"{map_type}::Entry",
            own_entry=own_entry,
        )

    def _access(self, field: Field, access: str) -> FieldAccess:
        bit = self._present.get(field.name)
        if bit is None:
            target = f"{access}.overwrite()" if payload(field) is Payload.TEXT else access
            return FieldAccess(access, f"(*{access})", "", target)
        word = f"{self._style.access}{bit.word}"
        return FieldAccess(f"({word} & {bit.mask}) != 0", access, f"{word} |= {bit.mask};", access)

    def _value(self, item: Item) -> ProtobufValue:
        field = item.field
        is_message = isinstance(field.type, MessageRef) and field.label is not Label.MAP
        kind = scalar(field.type)
        closed = isinstance(field.type, EnumRef) and self._schema.enum(field.type).closed
        type_ = "" if field.label is Label.MAP else self._names.value(field.type)
        return ProtobufValue(
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
    def _comes_once(item: ProtobufField) -> bool:
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


def _following(item: Item, index: int, values: list[ProtobufValue]) -> list[ProtobufValue]:
    """Return the values that a decoder expects behind a field; of a list its own is the first."""
    again = item.field.label in (Label.REPEATED, Label.MAP) and not item.field.packed
    first = index if again else index + 1
    return values[first : first + EXPECTED + again]


def unset(names: CppNames, field: Field, access: str) -> str:
    """Return the condition under which a field of implicit presence is left out.

    It has its declared default then, which readers restore.
    """
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
