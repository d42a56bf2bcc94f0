# SPDX-License-Identifier: Apache-2.0
"""An honest codec: ours."""

from __future__ import annotations

from wire.rsb_msgs.notification import Notification


def encode(message: Notification) -> bytes:
    return message.encode_ros1()


def decode(data: bytes) -> Notification:
    return Notification.decode_ros1(data)
