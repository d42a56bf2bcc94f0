# SPDX-License-Identifier: Apache-2.0
"""Small sensor views with a time."""

from __future__ import annotations

from wirecost.data.traces import messages


def sensor_view(seconds: int, nanos: int = 0) -> bytes:
    message = messages.message_class("SensorView")()
    message.timestamp.seconds, message.timestamp.nanos = seconds, nanos
    message.version.version_major = 3
    message.version.version_minor = 7
    return message.SerializeToString()
