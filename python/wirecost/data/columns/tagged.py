# SPDX-License-Identifier: Apache-2.0
"""Parts of a type of Protobuf, whose fields come by their numbers and can be absent."""

from __future__ import annotations

from dataclasses import dataclass, field

from wirecost.data.columns.parts import (
    BINARY,
    FORMATS,
    STRUCTURE,
    TEXT,
    Part,
    PartKind,
    PartsBuilder,
    Wanted,
)
from wirecost.schema.compile.schema import (
    Coding,
    EnumRef,
    Field,
    Kind,
    Label,
    Message,
    MessageRef,
    Presence,
)
from wirecost.system.errors import UserError

_CODINGS = {Coding.VARINT: 0, Coding.ZIGZAG: 1, Coding.FIXED: 2}
_GROUP = 3
MOST_NAMES = 200_000
"""Names that a type's enums have in all fields: each field has its own."""


@dataclass
class TaggedParts(PartsBuilder):
    """``cut``: messages within themselves, which have no column; ``names``: of enums' numbers."""

    cut: list[str] = field(default_factory=list)
    names: int = 0

    def structure(
        self, name: str, message: Message, wanted: Wanted, path: str, outer: tuple[str, ...] = ()
    ) -> list[Part]:
        """Return a message's parts; a single one, not kept, where it has no columns."""
        self.check_depth(message.full_name, len(outer))
        is_cut = message.full_name in outer
        if wanted == {} or is_cut or not message.fields:
            if path and wanted != {}:
                (self.cut if is_cut else self.dropped).append(path)
            return [Part(PartKind.STRUCTURE, name, STRUCTURE, is_kept=False)]
        oneofs = {oneof: number for number, oneof in enumerate(message.oneofs, 1)}
        inner: list[Part] = []
        is_kept = False
        for item in message.fields:
            of_item = None if wanted is None else wanted.get(item.name, {})
            below = f"{path}.{item.name}".lstrip(".")
            first, *others = self._field(item, of_item, below, (*outer, message.full_name))
            is_null = item.label is Label.SINGLE and item.presence is not Presence.IMPLICIT
            first = first._replace(
                number=item.number, is_nullable=is_null, oneof=oneofs.get(item.oneof or "", 0)
            )
            is_kept = is_kept or first.is_kept
            inner += [first, *others]
        children = len(message.fields)
        return [Part(PartKind.STRUCTURE, name, STRUCTURE, 0, 0, children, is_kept), *inner]

    def _field(self, item: Field, wanted: Wanted, path: str, outer: tuple[str, ...]) -> list[Part]:
        self.note(path)
        if item.label is Label.MAP:
            element = self._entry(item, wanted, path, outer)
        elif isinstance(item.type, MessageRef):
            name = item.name if item.label is Label.SINGLE else "item"
            message = self.schema.message(item.type.name)
            element = self.structure(name, message, wanted, path, outer)
            if item.group:
                element[0] = element[0]._replace(coding=_GROUP)
        else:
            value = self._value(item, wanted != {})
            if item.label is Label.SINGLE:
                return [value]
            if value.kind is PartKind.SCALAR:
                return [value._replace(kind=PartKind.SEQUENCE)]
            element = [value._replace(name="item")]
        if item.label is Label.SINGLE:
            return element
        return [
            Part(PartKind.LIST, item.name, "", children=1, is_kept=element[0].is_kept),
            *element,
        ]

    def _entry(self, item: Field, wanted: Wanted, path: str, outer: tuple[str, ...]) -> list[Part]:
        """Return the parts of a map's entry, whose key and value are never absent."""
        inner: list[Part] = []
        is_kept = False
        for number, held in enumerate(filter(None, (item.key, item.value)), 1):
            of_held = None if wanted is None else wanted.get(held.name, {})
            first, *others = self._field(held, of_held, f"{path}.{held.name}", outer)
            inner += [first._replace(number=number), *others]
            is_kept = is_kept or first.is_kept
        return [Part(PartKind.STRUCTURE, "item", STRUCTURE, children=2, is_kept=is_kept), *inner]

    def _value(self, item: Field, is_kept: bool) -> Part:
        """Return the part of a number, a text or bytes; of an enum that of its number."""
        kind, names = item.type, {}
        if isinstance(kind, EnumRef):
            if is_kept:
                # Of several names of a number the first counts, as in Google's readers.
                names = {value.number: value.name for value in self.schema.enum(kind).values[::-1]}
            kind = Kind.INT32
        self.names += len(names)
        if self.names > MOST_NAMES:
            raise UserError(
                f"{self.source}: enums of its fields have more than {MOST_NAMES:,} names together; "
                "choose some --fields, or another topic"
            )
        assert isinstance(kind, Kind)
        if kind is Kind.STRING:
            return Part(PartKind.TEXT, item.name, TEXT, is_kept=is_kept)
        if kind is Kind.BYTES:
            return Part(PartKind.SEQUENCE, item.name, BINARY, 1, is_kept=is_kept)
        form, coding = FORMATS[kind], _CODINGS[item.coding]
        return Part(
            PartKind.SCALAR, item.name, form, kind.width or 1, is_kept=is_kept, coding=coding,
            names=tuple(sorted(names.items())),
        )  # fmt: skip
