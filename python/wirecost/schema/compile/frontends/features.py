# SPDX-License-Identifier: Apache-2.0
"""Features, which Protobuf leaves to a file's syntax or edition.

Since editions they are also left to each declaration.
"""

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
    """Presence of single fields that hold no message and are in no oneof."""
    packed: bool
    """True if repeated numbers are written packed."""
    utf8: bool
    """True if strings must be UTF-8."""
    delimited: bool
    """True if messages are written as groups."""
    closed: bool
    """True if an enum has its declared values only."""

    def inside(self, options: _Options) -> Features:
        """Return the features with what the options of an inner declaration set."""
        overrides = options.features
        features = self
        if overrides.HasField("field_presence"):
            features = replace(
                features, presence=_PRESENCE.get(overrides.field_presence, features.presence)
            )
        if overrides.HasField("repeated_field_encoding"):
            features = replace(features, packed=overrides.repeated_field_encoding == _Set.PACKED)
        if overrides.HasField("utf8_validation"):
            features = replace(features, utf8=overrides.utf8_validation == _Set.VERIFY)
        if overrides.HasField("message_encoding"):
            features = replace(features, delimited=overrides.message_encoding == _Set.DELIMITED)
        if overrides.HasField("enum_type"):
            features = replace(features, closed=overrides.enum_type == _Set.CLOSED)
        return features


_Options = pb.FileOptions | pb.MessageOptions | pb.OneofOptions | pb.FieldOptions | pb.EnumOptions
_PROTO2 = Features(Presence.EXPLICIT, packed=False, utf8=False, delimited=False, closed=True)
_PROTO3 = Features(Presence.IMPLICIT, packed=True, utf8=True, delimited=False, closed=False)
_EDITIONS = Features(Presence.EXPLICIT, packed=True, utf8=True, delimited=False, closed=False)
_BY_SYNTAX = {"": _PROTO2, "proto2": _PROTO2, "proto3": _PROTO3}
_BY_EDITION = {pb.EDITION_2023: _EDITIONS, pb.EDITION_2024: _EDITIONS}


def of_file(descriptor: pb.FileDescriptorProto, shown: str) -> Features:
    """Raise CompileError for a syntax or an edition that is not known."""
    if descriptor.syntax == "editions":
        defaults = _BY_EDITION.get(descriptor.edition)
        what = f"edition {pb.Edition.Name(descriptor.edition).removeprefix('EDITION_')}"
    else:
        defaults = _BY_SYNTAX.get(descriptor.syntax)
        what = f"syntax {descriptor.syntax!r}"
    if defaults is None:
        raise CompileError(Origin(shown), what, "proto2, proto3 and editions 2023, 2024 are read")
    return defaults.inside(descriptor.options)
