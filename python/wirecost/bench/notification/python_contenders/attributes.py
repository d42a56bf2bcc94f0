# SPDX-License-Identifier: Apache-2.0
"""What contenders share whose messages have the schema's attributes."""

from __future__ import annotations

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
