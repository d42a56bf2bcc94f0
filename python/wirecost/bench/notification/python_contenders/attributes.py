# SPDX-License-Identifier: Apache-2.0
"""What contenders share whose messages have the schema's attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wirecost.bench.notification.content import Value


def contenders() -> list[Any]:
    """None: a helper of the others."""
    return []


def read(m: Any) -> int:
    """Touch every field of a message."""
    total: int = len(m.event_id.sender_id) + m.event_id.sequence_number
    total += len(m.scope) + len(m.wire_schema) + len(m.data)
    method = m.method
    if method:
        total += len(method)
    for cause in m.causes:
        total += len(cause.sender_id) + cause.sequence_number
    meta = m.meta_data
    total += meta.create_time + meta.send_time + (meta.receive_time or 0)
    total += meta.deliver_time or 0
    for time in meta.user_times:
        total += len(time.key) + time.timestamp
    for info in meta.user_infos:
        total += len(info.key) + len(info.value)
    return total


def value(m: Any) -> Value:
    meta = m.meta_data
    return Value(
        (_bytes(m.event_id.sender_id), m.event_id.sequence_number),
        _bytes(m.scope),
        _bytes(m.wire_schema),
        _bytes(m.data),
        _bytes(m.method or b""),
        tuple((_bytes(cause.sender_id), cause.sequence_number) for cause in m.causes),
        (meta.create_time, meta.send_time, meta.receive_time or 0, meta.deliver_time or 0),
        tuple((_bytes(time.key), time.timestamp) for time in meta.user_times),
        tuple((_bytes(info.key), _bytes(info.value)) for info in meta.user_infos),
    )


def _bytes(text: bytes | str) -> bytes:
    return text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text


class Messages:
    """Messages made by their constructors. ``find`` gives the class of a message's local name."""

    read = staticmethod(read)
    value = staticmethod(value)

    def __init__(self, find: Callable[[str], Any]) -> None:
        self.notification = find("Notification")
        self._event_id = find("EventId")
        self._meta_data = find("EventMetaData")
        self._user_time = find("EventMetaData.UserTime")
        self._user_info = find("EventMetaData.UserInfo")

    def fill(self, v: Value) -> Any:
        make_id = self._event_id
        create, send, receive, deliver = v.times
        return self.notification(
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
