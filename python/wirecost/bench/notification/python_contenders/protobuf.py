# SPDX-License-Identifier: Apache-2.0
"""Google Protobuf's Python library (upb), messages made by their constructors."""

from __future__ import annotations

from typing import Any

import google.protobuf
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.internal import api_implementation

from wirecost.bench.contenders import SCHEMAS
from wirecost.bench.notification.content import Value
from wirecost.bench.notification.python_contenders import About, attributes


class Protobuf:
    read = staticmethod(attributes.read)
    value = staticmethod(attributes.value)

    def __init__(self) -> None:
        self.about = About(
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

        self._notification: Any = make("Notification")
        self._event_id = make("EventId")
        self._meta_data = make("EventMetaData")
        self._user_time = make("EventMetaData.UserTime")
        self._user_info = make("EventMetaData.UserInfo")

    def fill(self, v: Value) -> Any:
        make_id = self._event_id
        create, send, receive, deliver = v.times
        return self._notification(
            event_id=make_id(sender_id=v.event_id[0], sequence_number=v.event_id[1]),
            scope=v.scope,
            wire_schema=v.wire_schema,
            data=v.data,
            method=v.method or None,
            causes=[make_id(sender_id=i, sequence_number=n) for i, n in v.causes],
            meta_data=self._meta_data(
                create_time=create,
                send_time=send,
                receive_time=receive or None,
                deliver_time=deliver or None,
                user_times=[self._user_time(key=k, timestamp=t) for k, t in v.user_times],
                user_infos=[self._user_info(key=k, value=i) for k, i in v.user_infos],
            ),
        )

    def encode(self, message: Any) -> bytes:
        data: bytes = message.SerializeToString()
        return data

    def decode(self, data: bytes) -> Any:
        return self._notification.FromString(data)


def contenders() -> list[Protobuf]:
    return [Protobuf()]
