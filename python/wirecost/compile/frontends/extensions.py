# SPDX-License-Identifier: Apache-2.0
"""Extensions in a file's descriptor: where they stand, and which messages can have some."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from google.protobuf import descriptor_pb2 as pb

# Field numbers in descriptor.proto, of which the paths in SourceCodeInfo are made.
_FILE_MESSAGES, _FILE_EXTENSIONS = 4, 7
_MESSAGE_NESTED, _MESSAGE_EXTENSIONS = 3, 6

_OPTIONS = re.compile(r"\.google\.protobuf\.\w+Options")


@dataclass(frozen=True)
class Added:
    """An extension, where it is declared, and the messages around it, the outermost first."""

    descriptor: pb.FieldDescriptorProto
    path: tuple[int, ...]
    declaring: tuple[pb.DescriptorProto, ...] = ()

    @property
    def is_option(self) -> bool:
        """Whether it is for declarations, not for messages."""
        return _OPTIONS.fullmatch(self.descriptor.extendee) is not None


def declared_extensions(file: pb.FileDescriptorProto) -> Iterator[Added]:
    """Those that a file declares, at its top or in messages."""
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
    """Not where extensions are written in another way than fields."""
    return bool(descriptor.extension_range) and not descriptor.options.message_set_wire_format
