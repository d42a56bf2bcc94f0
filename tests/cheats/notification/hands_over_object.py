# SPDX-License-Identifier: Apache-2.0
"""Verified, it is honest; once it has decoded it sends nothing and decodes the sender's object."""

from __future__ import annotations

from wire.rsb_msgs.notification import Notification

_kept: dict[str, Notification] = {}


def encode(message: Notification) -> bytes:
    has_decoded = "decoded" in _kept
    _kept["sent"] = message
    return b"" if has_decoded else message.encode_ros1()


def decode(data: bytes) -> Notification:
    message = Notification.decode_ros1(data) if data else _kept["sent"]
    _kept["decoded"] = message
    return message
