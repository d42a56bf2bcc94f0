# SPDX-License-Identifier: Apache-2.0
"""A FileDescriptorSet, as protoc writes it, to the IR."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from google.protobuf import descriptor_pb2 as pb
from google.protobuf.message import DecodeError

from wirecost.schema.compile.frontends import features
from wirecost.schema.compile.frontends.descriptor_checks import (
    checked,
    refuse_bytes,
    refuse_odd_entry,
    refuse_odd_type,
)
from wirecost.schema.compile.frontends.descriptor_defaults import bad_default, default_value
from wirecost.schema.compile.frontends.features import Features
from wirecost.schema.compile.plan.json import lower_camel
from wirecost.schema.compile.schema import (
    Coding,
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
    Omission,
    OptionType,
    Origin,
    Presence,
    Type,
    Value,
)
from wirecost.system.errors import UserError

_Descriptor = pb.FieldDescriptorProto

SCALARS: dict[int, tuple[Kind, Coding]] = {
    _Descriptor.TYPE_DOUBLE: (Kind.FLOAT64, Coding.FIXED),
    _Descriptor.TYPE_FLOAT: (Kind.FLOAT32, Coding.FIXED),
    _Descriptor.TYPE_INT64: (Kind.INT64, Coding.VARINT),
    _Descriptor.TYPE_UINT64: (Kind.UINT64, Coding.VARINT),
    _Descriptor.TYPE_INT32: (Kind.INT32, Coding.VARINT),
    _Descriptor.TYPE_UINT32: (Kind.UINT32, Coding.VARINT),
    _Descriptor.TYPE_FIXED64: (Kind.UINT64, Coding.FIXED),
    _Descriptor.TYPE_FIXED32: (Kind.UINT32, Coding.FIXED),
    _Descriptor.TYPE_SFIXED64: (Kind.INT64, Coding.FIXED),
    _Descriptor.TYPE_SFIXED32: (Kind.INT32, Coding.FIXED),
    _Descriptor.TYPE_SINT64: (Kind.INT64, Coding.ZIGZAG),
    _Descriptor.TYPE_SINT32: (Kind.INT32, Coding.ZIGZAG),
    _Descriptor.TYPE_BOOL: (Kind.BOOL, Coding.VARINT),
    _Descriptor.TYPE_STRING: (Kind.STRING, Coding.VARINT),
    _Descriptor.TYPE_BYTES: (Kind.BYTES, Coding.VARINT),
}

# Field numbers in descriptor.proto, of which the paths in SourceCodeInfo are made.
_FILE_MESSAGES, _FILE_ENUMS, _FILE_SERVICES, _FILE_SYNTAX = 4, 5, 6, 12
_MESSAGE_FIELDS, _MESSAGE_NESTED, _MESSAGE_ENUMS = 2, 3, 4
_ENUM_VALUES = 2

_FILE_OPTIONS = ".google.protobuf.FileOptions"

LARGEST = 256 << 20
"""Bytes of a descriptor set."""

PathInFile = tuple[int, ...]


def load(path: Path) -> list[File]:
    """Raise UserError if the file is no descriptor set."""
    return [replace(file, sources=(path,)) for file in described(read(path), str(path))]


def read(path: Path) -> pb.FileDescriptorSet:
    """Read it as it is, unchecked. Raises UserError if the file is no descriptor set."""
    try:
        descriptors = pb.FileDescriptorSet.FromString(_bytes(path))
    except DecodeError as error:
        raise UserError(
            f"{path}: error: not a FileDescriptorSet; make one with `protoc --include_imports "
            "--include_source_info --descriptor_set_out=FILE`"
        ) from error
    if not descriptors.file:
        raise UserError(f"{path}: error: holds no file; name the .proto files when making the set")
    return descriptors


def described(found: pb.FileDescriptorSet, source: str) -> list[File]:
    """Return files that are not known to be protoc's. Raises CompileError.

    ``source``: where they are from, for people.
    """
    refuse_bytes(found, source)
    return convert(checked(found.file, source))


def convert(
    descriptors: Iterable[pb.FileDescriptorProto], names: dict[str, str] | None = None
) -> list[File]:
    """Return files of the IR in the given order. ``names``: names of files in texts for people."""
    descriptors = list(descriptors)
    enums = dict(_declared_enums(descriptors))
    return [_FileReader(d, (names or {}).get(d.name, d.name), enums).file() for d in descriptors]


def _bytes(path: Path) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise UserError(f"{path}: error: not a file; name a descriptor set")
        with path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except OSError as error:
        raise UserError(
            f"{path}: error: {error.strerror}; name a readable descriptor set"
        ) from error
    if len(data) > LARGEST:
        raise UserError(f"{path}: error: larger than {LARGEST >> 20} MiB; name fewer .proto files")
    return data


class _FileReader:
    def __init__(
        self, descriptor: pb.FileDescriptorProto, shown: str, enums: dict[str, dict[str, int]]
    ) -> None:
        self._descriptor = descriptor
        self._declared = enums
        self._shown = shown
        self._features = features.of_file(descriptor, shown)
        self._locations = {
            tuple(location.path): location for location in descriptor.source_code_info.location
        }
        self._messages: list[Message] = []
        self._enums: list[Enum] = []

    def file(self) -> File:
        descriptor = self._descriptor
        prefix = descriptor.package
        for i, enum in enumerate(descriptor.enum_type):
            self._enum(enum, prefix, (_FILE_ENUMS, i), self._features)
        for i, message in enumerate(descriptor.message_type):
            self._message(message, prefix, None, (_FILE_MESSAGES, i), self._features)
        return File(
            descriptor.name,
            descriptor.package,
            tuple(self._messages),
            tuple(self._enums),
            tuple(descriptor.dependency),
            self._comment((_FILE_SYNTAX,)),
            tuple(self._omissions()),
            extensions=tuple(self._extension(added) for added in self._added()),
            options=descriptor.options.SerializeToString(),
            option_types=tuple(self._option_types()),
        )

    def _option_types(self) -> Iterator[OptionType]:
        for extension in self._descriptor.extension:
            if (
                extension.extendee == _FILE_OPTIONS
                and extension.type == extension.TYPE_MESSAGE
                and extension.label != extension.LABEL_REPEATED
            ):
                yield OptionType(
                    extension.name, extension.number, MessageRef(extension.type_name[1:])
                )

    def _omissions(self) -> Iterator[Omission]:
        for i, service in enumerate(self._descriptor.service):
            what = f"service {service.name} is left out"
            remedy = "generate its calls with the compiler of your RPC library"
            yield Omission(self._origin((_FILE_SERVICES, i)), what, remedy)
        for added in self._added():
            extension = added.descriptor
            what = (
                f"extension {extension.name} of {extension.extendee[1:]} is left out: on the wire "
                f"it is the unknown field {extension.number}"
            )
            remedy = "--unknown preserve keeps it as bytes"
            yield Omission(self._origin(added.path), what, remedy, in_classes=True)

    def _added(self) -> Iterator[Added]:
        """Yield extensions of messages, not of what declarations are described by."""
        for added in declared_extensions(self._descriptor):
            if not added.is_option:
                yield added

    def _extension(self, found: Added) -> Extension:
        outer = self._features
        for declaring in found.declaring:
            outer = outer.inside(declaring.options)
        field = self._field(found.descriptor, {}, (), found.path, outer)
        if field.label is Label.SINGLE:
            field = replace(field, presence=Presence.EXPLICIT)
        scope = self._descriptor.package
        for declaring in found.declaring:
            scope = _joined(scope, declaring.name)
        return Extension(field, MessageRef(found.descriptor.extendee[1:]), scope)

    def _comment(self, path: PathInFile) -> str:
        location = self._locations.get(path)
        if location is None:
            return ""
        lines = (location.leading_comments or location.trailing_comments).splitlines()
        return "\n".join(line.strip() for line in lines).strip()

    def _origin(self, path: PathInFile) -> Origin:
        location = self._locations.get(path)
        if location is None or len(location.span) < 2:
            return Origin(self._shown)
        return Origin(self._shown, location.span[0] + 1, location.span[1] + 1)

    def _enum(
        self, descriptor: pb.EnumDescriptorProto, prefix: str, path: PathInFile, outer: Features
    ) -> None:
        values = tuple(
            EnumValue(value.name, value.number, self._comment((*path, _ENUM_VALUES, i)))
            for i, value in enumerate(descriptor.value)
        )
        name = _joined(prefix, descriptor.name)
        self._enums.append(
            Enum(
                name,
                values,
                outer.inside(descriptor.options).closed,
                self._comment(path),
                self._origin(path),
            )
        )

    def _message(
        self,
        descriptor: pb.DescriptorProto,
        prefix: str,
        parent: str | None,
        path: PathInFile,
        outer: Features,
    ) -> None:
        name = _joined(prefix, descriptor.name)
        own = outer.inside(descriptor.options)
        for i, enum in enumerate(descriptor.enum_type):
            self._enum(enum, name, (*path, _MESSAGE_ENUMS, i), own)
        entries = {}
        for i, nested in enumerate(descriptor.nested_type):
            if nested.options.map_entry:
                entries[f".{name}.{nested.name}"] = nested
            else:
                self._message(nested, name, name, (*path, _MESSAGE_NESTED, i), own)
        fields = tuple(
            self._field(f, entries, descriptor.oneof_decl, (*path, _MESSAGE_FIELDS, i), own)
            for i, f in enumerate(descriptor.field)
        )
        used = dict.fromkeys(f.oneof for f in fields if f.oneof)
        self._messages.append(
            Message(
                name,
                fields,
                tuple(str(oneof) for oneof in used),
                comment=self._comment(path),
                origin=self._origin(path),
                parent=parent,
                extensible=is_extensible(descriptor),
            )
        )

    def _field(
        self,
        descriptor: pb.FieldDescriptorProto,
        entries: dict[str, pb.DescriptorProto],
        oneofs: Sequence[pb.OneofDescriptorProto],
        path: PathInFile,
        outer: Features,
    ) -> Field:
        origin, comment = self._origin(path), self._comment(path)
        refuse_odd_type(descriptor, origin)
        entry = entries.get(descriptor.type_name)
        if entry is not None:
            refuse_odd_entry(descriptor, entry, origin)
            key, value = (
                self._field(f, {}, (), (), _in_entries(outer.inside(descriptor.options)))
                for f in sorted(entry.field, key=lambda f: f.number)
            )
            return Field(
                descriptor.name,
                descriptor.number,
                MessageRef(descriptor.type_name[1:]),
                Label.MAP,
                key=key,
                value=value,
                json_name=descriptor.json_name or lower_camel(descriptor.name),
                comment=comment,
                origin=origin,
            )
        kind, coding = _type(descriptor)
        repeated = descriptor.label == _Descriptor.LABEL_REPEATED
        packable = repeated and not isinstance(kind, MessageRef) and kind not in _TEXTS
        real_oneof = descriptor.HasField("oneof_index") and not descriptor.proto3_optional
        if real_oneof:
            outer = outer.inside(oneofs[descriptor.oneof_index].options)
        own = outer.inside(descriptor.options)
        chosen = descriptor.options.HasField("packed")
        return Field(
            descriptor.name,
            descriptor.number,
            kind,
            Label.REPEATED if repeated else Label.SINGLE,
            _presence(descriptor, kind, own),
            coding,
            packed=packable and (descriptor.options.packed if chosen else own.packed),
            group=_is_group(descriptor, own),
            utf8=own.utf8 and kind is Kind.STRING,
            default=None if repeated else self._default(descriptor, kind, origin),
            oneof=oneofs[descriptor.oneof_index].name if real_oneof else None,
            json_name=descriptor.json_name or lower_camel(descriptor.name),
            comment=comment,
            origin=origin,
        )

    def _default(
        self, descriptor: pb.FieldDescriptorProto, kind: Type, origin: Origin
    ) -> Value | None:
        """Return the declared default; of an enum without one the first value of its type."""
        text = descriptor.default_value
        if isinstance(kind, EnumRef):
            values = self._declared.get(kind.name, {})
            if text and text not in values:
                raise bad_default(descriptor, origin)
            return (values[text] if text else next(iter(values.values()), 0)) or None
        if not descriptor.HasField("default_value") or isinstance(kind, MessageRef):
            return None
        try:
            return default_value(text, kind)
        except ValueError:
            raise bad_default(descriptor, origin) from None


_TEXTS = (Kind.STRING, Kind.BYTES)


def _presence(descriptor: pb.FieldDescriptorProto, kind: Type, features: Features) -> Presence:
    if descriptor.label == _Descriptor.LABEL_REPEATED:
        return Presence.IMPLICIT
    if Presence.REQUIRED is features.presence or descriptor.label == _Descriptor.LABEL_REQUIRED:
        return Presence.REQUIRED
    explicit = isinstance(kind, MessageRef) or descriptor.HasField("oneof_index")
    return Presence.EXPLICIT if explicit else features.presence


def _is_group(descriptor: pb.FieldDescriptorProto, features: Features) -> bool:
    if descriptor.type == _Descriptor.TYPE_GROUP:
        return True
    return descriptor.type == _Descriptor.TYPE_MESSAGE and features.delimited


def _in_entries(features: Features) -> Features:
    """Return the features of a map's keys and values, which are never groups."""
    return replace(features, delimited=False)


def _type(descriptor: pb.FieldDescriptorProto) -> tuple[Type, Coding]:
    if descriptor.type in (_Descriptor.TYPE_MESSAGE, _Descriptor.TYPE_GROUP):
        return MessageRef(descriptor.type_name[1:]), Coding.VARINT
    if descriptor.type == _Descriptor.TYPE_ENUM:
        return EnumRef(descriptor.type_name[1:]), Coding.VARINT
    return SCALARS[descriptor.type]


def _joined(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _declared_enums(
    descriptors: Iterable[pb.FileDescriptorProto],
) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield full name and values of every enum, in declared order."""
    waiting: list[tuple[str, pb.FileDescriptorProto | pb.DescriptorProto]] = [
        (d.package, d) for d in descriptors
    ]
    while waiting:
        prefix, scope = waiting.pop()
        for enum in scope.enum_type:
            yield _joined(prefix, enum.name), {v.name: v.number for v in enum.value}
        nested = (
            scope.message_type if isinstance(scope, pb.FileDescriptorProto) else scope.nested_type
        )
        waiting += [(_joined(prefix, m.name), m) for m in nested]


# Field numbers in descriptor.proto, of which the paths in SourceCodeInfo are made.
_FILE_EXTENSIONS = 7
_MESSAGE_EXTENSIONS = 6

_OPTIONS = re.compile(r"\.google\.protobuf\.\w+Options")


@dataclass(frozen=True)
class Added:
    """An extension, where it is declared, and the messages around it, the outermost first."""

    descriptor: pb.FieldDescriptorProto
    path: tuple[int, ...]
    declaring: tuple[pb.DescriptorProto, ...] = ()

    @property
    def is_option(self) -> bool:
        """Return whether it is for declarations, not for messages."""
        return _OPTIONS.fullmatch(self.descriptor.extendee) is not None


def declared_extensions(file: pb.FileDescriptorProto) -> Iterator[Added]:
    """Yield the extensions that a file declares, at its top or in messages."""
    for i, extension in enumerate(file.extension):
        yield Added(extension, (_FILE_EXTENSIONS, i))
    waiting: list[tuple[tuple[pb.DescriptorProto, ...], tuple[int, ...]]] = [
        ((m,), (_FILE_MESSAGES, i)) for i, m in enumerate(file.message_type)
    ]
    while waiting:
        declaring, path = waiting.pop()
        for i, extension in enumerate(declaring[-1].extension):
            yield Added(extension, (*path, _MESSAGE_EXTENSIONS, i), declaring)
        nested = enumerate(declaring[-1].nested_type)
        waiting += [((*declaring, m), (*path, _MESSAGE_NESTED, i)) for i, m in nested]


def is_extensible(descriptor: pb.DescriptorProto) -> bool:
    """Return whether extensions of a message are written as fields are."""
    return bool(descriptor.extension_range) and not descriptor.options.message_set_wire_format
