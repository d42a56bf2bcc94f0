# SPDX-License-Identifier: Apache-2.0
"""Features: what Protobuf leaves to a file's syntax or edition, and since editions to each
declaration."""

from __future__ import annotations

from dataclasses import dataclass, replace

from google.protobuf import descriptor_pb2 as pb

from wirecost.schema.compile.schema import CompileError, Origin, Presence

_Set = pb.FeatureSet
_PRESENCE = {
    _Set.EXPLICIT: Presence.EXPLICIT,
    _Set.IMPLICIT: Presence.IMPLICIT,
    _Set.LEGACY_REQUIRED: Presence.REQUIRED,
}


@dataclass(frozen=True)
class Features:
    """Features of a declaration; what is inside it has the same unless it says otherwise."""

    presence: Presence
    """Of single fields that hold no message and are in no oneof."""
    packed: bool
    """How repeated numbers are written."""
    utf8: bool
    """Whether strings must be UTF-8."""
    delimited: bool
    """Whether messages are written as groups."""
    closed: bool
    """Whether an enum has its declared values only."""

    def inside(self, options: _Options) -> Features:
        """With what the options of an inner declaration set."""
        given = options.features
        found = self
        if given.HasField("field_presence"):
            found = replace(found, presence=_PRESENCE.get(given.field_presence, found.presence))
        if given.HasField("repeated_field_encoding"):
            found = replace(found, packed=given.repeated_field_encoding == _Set.PACKED)
        if given.HasField("utf8_validation"):
            found = replace(found, utf8=given.utf8_validation == _Set.VERIFY)
        if given.HasField("message_encoding"):
            found = replace(found, delimited=given.message_encoding == _Set.DELIMITED)
        if given.HasField("enum_type"):
            found = replace(found, closed=given.enum_type == _Set.CLOSED)
        return found


_Options = pb.FileOptions | pb.MessageOptions | pb.OneofOptions | pb.FieldOptions | pb.EnumOptions
_PROTO2 = Features(Presence.EXPLICIT, packed=False, utf8=False, delimited=False, closed=True)
_PROTO3 = Features(Presence.IMPLICIT, packed=True, utf8=True, delimited=False, closed=False)
_EDITIONS = Features(Presence.EXPLICIT, packed=True, utf8=True, delimited=False, closed=False)
_BY_SYNTAX = {"": _PROTO2, "proto2": _PROTO2, "proto3": _PROTO3}
_BY_EDITION = {pb.EDITION_2023: _EDITIONS, pb.EDITION_2024: _EDITIONS}


def of_file(descriptor: pb.FileDescriptorProto, shown: str) -> Features:
    """Raise CompileError for a syntax or an edition that is not known."""
    if descriptor.syntax == "editions":
        found = _BY_EDITION.get(descriptor.edition)
        what = f"edition {pb.Edition.Name(descriptor.edition).removeprefix('EDITION_')}"
    else:
        found = _BY_SYNTAX.get(descriptor.syntax)
        what = f"syntax {descriptor.syntax!r}"
    if found is None:
        raise CompileError(Origin(shown), what, "proto2, proto3 and editions 2023, 2024 are read")
    return found.inside(descriptor.options)
