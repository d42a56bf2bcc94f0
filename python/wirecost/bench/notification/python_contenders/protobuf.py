# SPDX-License-Identifier: Apache-2.0
"""Google Protobuf's Python library (upb), messages made by their constructors."""

from __future__ import annotations

from typing import Any

import google.protobuf
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.internal import api_implementation

from wirecost.bench.codec import Codec
from wirecost.bench.notification.python_contenders import attributes
from wirecost.bench.program import SCHEMAS


class Protobuf(attributes.Messages):
    def __init__(self) -> None:
        self.codec = Codec(
            "protobuf",
            "new",
            "protobuf",
            f"protobuf {google.protobuf.__version__} ({api_implementation.Type()})",
            "owning, validating",
        )
        files = descriptor_pb2.FileDescriptorSet.FromString(
            (SCHEMAS / "rsb_notification.fds").read_bytes()
        )
        pool = descriptor_pool.DescriptorPool()
        for file in files.file:
            pool.Add(file)

        def make(name: str) -> Any:
            found = pool.FindMessageTypeByName(f"rsb.protocol.{name}")
            return message_factory.GetMessageClass(found)

        super().__init__(make)

    def encode(self, message: Any) -> bytes:
        data: bytes = message.SerializeToString()
        return data

    def decode(self, data: bytes) -> Any:
        return self.notification.FromString(data)


def contenders() -> list[Protobuf]:
    return [Protobuf()]
