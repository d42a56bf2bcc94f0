# SPDX-License-Identifier: Apache-2.0
"""Messages as classes with Protobuf's interface: what the templates in ``api/`` print."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from wirecost.schema.compile.emit.cpp.api_names import ApiNames
from wirecost.schema.compile.emit.cpp.bounds import Excess, bounded, excesses
from wirecost.schema.compile.emit.cpp.extensions import held_by, holder_name
from wirecost.schema.compile.emit.cpp.holders import aliases
from wirecost.schema.compile.emit.cpp.names import NamedType, identifier, member, type_name
from wirecost.schema.compile.emit.cpp.order import defined_in_order
from wirecost.schema.compile.emit.cpp.presence import (
    NAME,
    WORD,
    PresentBit,
    can_be_absent,
    present_bits,
)
from wirecost.schema.compile.emit.cpp.protobuf import unset
from wirecost.schema.compile.emit.escape import cpp as escape
from wirecost.schema.compile.graph import leading_to
from wirecost.schema.compile.per_schema import per_schema
from wirecost.schema.compile.plan.protobuf import Payload, payload, requiring
from wirecost.schema.compile.schema import (
    Enum,
    EnumRef,
    EnumValue,
    Extension,
    Field,
    File,
    Kind,
    Label,
    Message,
    MessageRef,
    Schema,
)

_OWN = frozenset({"descriptor"})
"""Members that a field of that name takes the place of."""


@dataclass(frozen=True)
class ApiEnumValue:
    """A value's name within its message, and its name in the namespace."""

    name: str
    full: str
    number: int


@dataclass(frozen=True)
class ApiEnum:
    """An unscoped enum, whose values carry the name of the message around it."""

    name: str
    inner: str
    """Name within the message around it."""
    bounds: str
    """Prefix of the names of its smallest and largest value."""
    comment: str
    values: list[ApiEnumValue]
    first_names: list[EnumValue]
    """First values of their numbers."""
    parsed: tuple[EnumValue, ...]
    numbers: list[int]
    smallest: int
    largest: int


@dataclass(frozen=True)
class ApiOption:
    """An option that the file declares."""

    name: str
    type: str
    number: int


@dataclass(frozen=True)
class FileDescription:
    """Content of the file's descriptor, as literals, and the options that the file declares."""

    variable: str
    name: str
    package: str
    options: str
    option_types: list[ApiOption]


@dataclass(frozen=True)
class ApiExtension:
    """Identifier by which code reaches an extension."""

    name: str
    number: int
    camel: str
    comment: str
    extendee: str
    holder: str
    is_at_top: bool
    reference: str


@dataclass(frozen=True)
class ApiField:
    """A data member; ``width``: its alignment in bytes."""

    name: str
    type: str
    initial: str
    width: int


@dataclass(frozen=True)
class ApiAccessor:
    """Functions of a field."""

    name: str
    held: str
    """Name of the data member."""
    label: str
    """Name in text that people read."""
    number: int
    camel: str
    comment: str
    mode: str
    kind: str
    is_enum: bool
    type: str
    value: str
    element: str
    default: str
    initial: str
    unset: str
    default_is_set: bool
    word: str
    mask: str
    oneof: str | None
    index: int | None
    """Position in the oneof, from 1."""
    required: bool
    checked: bool
    group: str
    key_kind: str
    names_of: str


@dataclass(frozen=True)
class ApiAlternative:
    """A member of a oneof, and the name of its constant."""

    type: str
    number: int
    camel: str


@dataclass(frozen=True)
class ApiOneof:
    """A oneof with its members, and the functions of them."""

    name: str
    camel: str
    members: list[ApiAlternative]
    accessors: list[ApiAccessor]


@dataclass(frozen=True)
class ApiEnumerator:
    """A value of an enum under the name that it has within a message."""

    type: str
    name: str
    full: str


@dataclass(frozen=True)
class ApiMessage:
    """A message as a class."""

    name: str
    full_name: str
    comment: str
    extensible: bool
    extensions: list[ApiExtension]
    bounded: bool
    excesses: list[Excess]
    aliases: list[NamedType]
    enums: list[ApiEnum]
    enumerators: list[ApiEnumerator]
    words: int
    """Length of the array of bits that tell which fields are there."""
    present: str
    """Name of that array."""
    owns_at_once: bool
    """True if a new object may hold memory, as for a long default."""
    describes: bool
    """True if the class has a function ``descriptor``."""
    fields: list[ApiField]
    oneofs: list[ApiOneof]
    accessors: list[ApiAccessor]
    printed: list[ApiAccessor]
    """The accessors in the order of their numbers."""


def enums(schema: Schema, names: ApiNames, file: File) -> list[ApiEnum]:
    """Return the enums of a file that lie in no message."""
    return [_enum(schema, names, enum) for enum in file.enums]


def messages(schema: Schema, names: ApiNames, file: File) -> list[ApiMessage]:
    return [_message(schema, names, file, m) for m in defined_in_order(schema, file)]


def description(schema: Schema, names: ApiNames, file: File) -> FileDescription:
    return FileDescription(
        variable=re.sub(r"\W", "_", f"file_{names.header(file, '')}", flags=re.ASCII),
        name=escape.literal(file.name),
        package=escape.literal(file.package),
        options=escape.literal(file.options),
        option_types=[
            ApiOption(type_name(option.name), names.qualified(option.type), option.number)
            for option in file.option_types
            if option.type.name in schema.references
            and re.fullmatch(r"[A-Za-z_]\w{,254}", option.name, re.ASCII)
        ],
    )


def extensions(schema: Schema, names: ApiNames, file: File) -> list[ApiExtension]:
    """Return the extensions that a file declares."""
    return [_extension(schema, names, file, extension) for extension in file.extensions]


def _extension(schema: Schema, names: ApiNames, file: File, extension: Extension) -> ApiExtension:
    name = identifier(extension.field.name)
    is_at_top = extension.scope not in schema.references
    return ApiExtension(
        name=name,
        number=extension.field.number,
        camel=camel(extension.field.name),
        comment=extension.field.comment,
        extendee=names.qualified(extension.extendee),
        holder=names.plain(schema.message(holder_name(file, extension))),
        is_at_top=is_at_top,
        reference=name if is_at_top else f"{names.plain(schema.message(extension.scope))}::{name}",
    )


DESCRIPTORS = "google/protobuf/descriptor.proto"


def has_descriptors(schema: Schema) -> bool:
    """Return whether Protobuf's own descriptors are generated, because a message holds them."""
    return any(f.name == DESCRIPTORS and not is_left_out(schema, f) for f in schema.files)


def is_left_out(schema: Schema, file: File) -> bool:
    """Return whether a file has Protobuf's own descriptors, and no other message holds any.

    Its headers declare them, and a file that only adds options needs none.
    """
    if file.name != DESCRIPTORS:
        return False
    own = {m.full_name for m in file.messages} | {e.full_name for e in file.enums}
    others = [message for message in schema.messages() if message.full_name not in own]
    held = {name for message in others for name in schema.references[message.full_name]}
    types = (f.value.type if f.value else f.type for m in others for f in m.fields)
    return not own & (held | {type_.name for type_ in types if isinstance(type_, EnumRef)})


def included(schema: Schema, file: File) -> list[File]:
    """Return the files that a file imports and whose headers its own need."""
    return [other for other in schema.imported(file) if not is_left_out(schema, other)]


def _enum(schema: Schema, names: ApiNames, enum: Enum) -> ApiEnum:
    numbers = [v.number for v in enum.values]
    outer = _owner(schema, enum)
    return ApiEnum(
        name=names.plain(enum),
        inner=_last(enum),
        bounds=f"{names.plain(enum)}_{_last(enum)}" if outer else names.plain(enum),
        comment=enum.comment,
        values=_values(schema, names, enum),
        first_names=[v for i, v in enumerate(enum.values) if v.number not in numbers[:i]],
        parsed=enum.values,
        numbers=list(dict.fromkeys(numbers)),
        smallest=min(numbers),
        largest=max(numbers),
    )


def _values(schema: Schema, names: ApiNames, enum: Enum) -> list[ApiEnumValue]:
    outer = f"{names.plain(enum)}_" if _owner(schema, enum) is not None else ""
    return [
        ApiEnumValue(identifier(v.name), type_name(f"{outer}{v.name}"), v.number)
        for v in enum.values
    ]


def _owner(schema: Schema, enum: Enum) -> str | None:
    outer = enum.full_name.rpartition(".")[0]
    return outer if outer in schema.references else None


def _message(schema: Schema, names: ApiNames, file: File, message: Message) -> ApiMessage:
    nested = [e for e in file.nested.get(message.full_name, ()) if isinstance(e, Enum)]
    constants = _constants(message)
    calls = accessor_names(message)
    held = held_by(file, message)
    bits = present_bits(message)
    accessors = [
        _accessor(
            schema,
            names,
            message,
            f,
            calls[f.name],
            constants[f.name],
            bits.get(f.name),
            f"[{held.full_name}]" if held else "",
        )
        for f in message.fields
    ]
    functions = {a.name for a in accessors}
    return ApiMessage(
        name=names.plain(message),
        full_name=message.full_name,
        comment=message.comment,
        extensible=message.extensible,
        extensions=[
            _extension(schema, names, file, extension)
            for extension in file.extensions
            if extension.scope == message.full_name
        ],
        bounded=bounded(schema, message),
        excesses=excesses(schema, message, "m.wirecost_fields()."),
        aliases=aliases(names, file, message),
        enums=[
            _enum(schema, names, enum) for enum in nested if type_name(_last(enum)) not in functions
        ],
        enumerators=[
            ApiEnumerator(names.plain(enum), value.name, value.full)
            for enum in nested
            for value in _values(schema, names, enum)
            if value.name not in functions
        ],
        words=-(-len(bits) // WORD),
        present=NAME,
        owns_at_once=any(_holds_at_once(f) for f in message.fields),
        describes=not functions & _OWN,
        fields=sorted(
            [
                ApiField(member(f), names.holder(message, f), _initial(names, f), _width(f))
                for f in message.fields
                if f.oneof is None
            ],
            key=lambda field: -field.width,
        ),
        oneofs=[
            ApiOneof(
                identifier(oneof),
                camel(oneof),
                [
                    ApiAlternative(type_, f.number, constants[f.name])
                    for f, type_ in names.alternatives(message, oneof)
                ],
                [a for a in accessors if a.oneof == identifier(oneof)],
            )
            for oneof in message.oneofs
        ],
        accessors=accessors,
        printed=sorted(accessors, key=lambda a: a.number),
    )


def _holds_at_once(item: Field) -> bool:
    if isinstance(item.type, MessageRef):  # not one that can be absent
        is_there = item.label is Label.SINGLE and item.oneof is None and not can_be_absent(item)
        return is_there or item.label is Label.ARRAY
    return isinstance(item.default, (str, bytes)) and len(item.default) > 0


def _last(enum: Enum) -> str:
    return enum.full_name.rpartition(".")[2]


def _width(item: Field) -> int:
    """Return the alignment of a member, by which they are ordered so that no room is lost."""
    if item.label is not Label.SINGLE or isinstance(item.type, MessageRef):
        return 8
    return 4 if isinstance(item.type, EnumRef) else item.type.width or 8


def _initial(names: ApiNames, item: Field) -> str:
    """Return the initial value of a member where that is not zero or empty."""
    is_number = not isinstance(item.default, (str, bytes))
    if item.label is not Label.SINGLE or item.oneof is not None:
        return ""
    if not item.default and not isinstance(item.default, float):  # -0.0 is not zero's bits
        return ""
    value = names.literal(item.type, item.default)
    return value if is_number else f"std::string({value})"


def _accessor(
    schema: Schema,
    names: ApiNames,
    message: Message,
    item: Field,
    accessor: str,
    constant: str,
    bit: PresentBit | None,
    extension: str,
) -> ApiAccessor:
    if item.label is Label.MAP:
        mode = "map"
    elif item.label is Label.ARRAY:
        mode = "array"
    elif item.label is Label.REPEATED:
        mode = "repeated"
    elif item.oneof is not None:
        mode = "oneof"
    else:
        mode = "optional" if can_be_absent(item) else "plain"
    is_map = item.key is not None and item.value is not None
    held = item.value if is_map and item.value is not None else item
    return ApiAccessor(
        name=accessor,
        held=member(item),
        label=extension or item.name,
        number=item.number,
        camel=constant,
        comment=item.comment,
        mode=mode,
        kind=_kind(held),
        is_enum=isinstance(held.type, EnumRef),
        type=names.holder(message, item) if item.oneof is None else "",
        value=names.value(held.type),
        element=names.element(held.type),
        default="" if isinstance(held.type, MessageRef) else names.literal(held.type, held.default),
        initial=_initial(names, item),
        unset=unset(names, item, f"other.fields_.{member(item)}") if mode == "plain" else "",
        default_is_set=held.default not in (None, "", b""),
        word=bit.word if bit else "",
        mask=bit.mask if bit else "",
        oneof=identifier(item.oneof) if item.oneof else None,
        index=message.choices[item.name] if item.oneof is not None else None,
        required=item.presence.name == "REQUIRED",
        checked=isinstance(held.type, MessageRef) and _requires(schema, held.type.name),
        group=extension or names.value(item.type).rpartition("::")[2].rpartition("_")[2]
        if not is_map and payload(item) is Payload.GROUP
        else "",
        key_kind=_kind(item.key) if item.key is not None else "",
        names_of=f"{names.qualified(held.type)}_Name" if isinstance(held.type, EnumRef) else "",
    )


def _kind(item: Field) -> str:
    if isinstance(item.type, MessageRef):
        return "message"
    return "text" if isinstance(item.type, Kind) and item.type.is_text else "scalar"


def _requires(schema: Schema, name: str) -> bool:
    """Return whether a message may lack a required field, its own or of what it holds."""
    return name in _requiring(schema)


@per_schema
def _requiring(schema: Schema) -> frozenset[str]:
    extensible = {m.full_name for m in schema.messages() if m.extensible}
    return leading_to(schema.references, requiring(schema) | extensible)


def accessor_names(message: Message) -> dict[str, str]:
    """Return names of the functions of each field, as protoc has them: ``fooBar`` → ``foobar``.

    Of two alike the second keeps its own.
    """
    functions: dict[str, str] = {}
    used: set[str] = set()
    for field in message.fields:
        lowered = replace(field, name=field.name.lower())
        functions[field.name] = member(field if lowered.name in used else lowered)
        used.add(lowered.name)
    return functions


def _constants(message: Message) -> dict[str, str]:
    """Return names of the constants of each field; of two alike the second has its number, too."""
    constants: dict[str, str] = {}
    used: set[str] = set()
    for field in message.fields:
        name = camel(field.name)
        constants[field.name] = f"{name}_{field.number}" if name in used else name
        used.add(name)
    return constants


def camel(name: str) -> str:
    """Name the constants of a field as protoc does: ``foo_bar2x`` → ``FooBar2X``."""
    constant = ""
    raised = True
    for c in name:
        if c != "_":
            constant += c.upper() if raised else c
        raised = not c.isalpha()
    return f"_{constant}" if constant[:1].isdigit() else constant
