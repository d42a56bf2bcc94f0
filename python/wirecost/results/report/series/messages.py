# SPDX-License-Identifier: Apache-2.0
"""Protobuf messages of one level, whose fields are numbers that may be absent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PACKAGE = "wirecost"
MESSAGE, FIELD = 4, 2
"""Numbers of FileDescriptorProto.message_type and DescriptorProto.field, which comments' paths
consist of."""

Numbers = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class MessageType:
    """``comment``: when a message's time is and what it is about. ``fields``: comments by name."""

    name: str
    comment: str
    fields: Mapping[str, str]

    @property
    def full_name(self) -> str:
        return f"{PACKAGE}.{self.name}"

    def file(self) -> descriptor_pb2.FileDescriptorProto:
        """Return a .proto file with the message alone.

        Fields are doubles, which every viewer plots, and optional: what was not counted is not 0.
        """
        file = descriptor_pb2.FileDescriptorProto(
            name=f"{PACKAGE}/{self.name}.proto", package=PACKAGE, syntax="proto3"
        )
        message = file.message_type.add(name=self.name)
        file.source_code_info.location.add(path=[MESSAGE, 0], leading_comments=self.comment)
        for number, (name, comment) in enumerate(self.fields.items()):
            message.oneof_decl.add(name=f"_{name}")
            message.field.add(
                name=name,
                number=number + 1,
                type=descriptor_pb2.FieldDescriptorProto.TYPE_DOUBLE,
                label=descriptor_pb2.FieldDescriptorProto.LABEL_OPTIONAL,
                oneof_index=number,
                proto3_optional=True,
            )
            file.source_code_info.location.add(
                path=[MESSAGE, 0, FIELD, number], leading_comments=comment
            )
        return file

    def schema(self) -> bytes:
        """Return the FileDescriptorSet of a schema in MCAP."""
        return descriptor_pb2.FileDescriptorSet(file=[self.file()]).SerializeToString()


class Encoder:
    """Rows of numbers as messages of a type."""

    def __init__(self, kind: MessageType) -> None:
        pool = descriptor_pool.DescriptorPool()
        pool.Add(kind.file())
        descriptor = pool.FindMessageTypeByName(kind.full_name)
        self._made = message_factory.GetMessageClass(descriptor)

    def encode(self, columns: Mapping[str, Numbers]) -> Iterable[bytes]:
        """Yield a message for each row; a number that is NaN is absent."""
        names = list(columns)
        for row in zip(*(column.tolist() for column in columns.values()), strict=True):
            present = {name: x for name, x in zip(names, row, strict=True) if not isnan(x)}
            yield self._made(**present).SerializeToString()
