# SPDX-License-Identifier: Apache-2.0
"""ROS 2 through rclpy."""

from __future__ import annotations

from wirecost.messaging.transport.meeting import AmongPeers
from wirecost.messaging.transport.ros2.adapter import Ros2
from wirecost.messaging.transport.ros2.surroundings import CHANGED_DEFAULTS
from wirecost.messaging.transport.settings import DEFAULT, AskedQuality, TransportSetting, matched

TRANSPORTS = (Ros2,)
MEETINGS = {"ros2": AmongPeers()}
PLUGIN_ORDER = 10


def settings(asked: AskedQuality) -> list[TransportSetting]:
    """Return the groups of settings of the Python client."""
    lost = "the oldest is lost, at either end"
    repaired = "RELIABLE: lost parts are asked for"
    keep = f"KEEP_LAST {asked.queue}"
    return [
        TransportSetting(
            DEFAULT,
            repaired,
            "KEEP_LAST 10",
            "KEEP_LAST 10",
            lost,
            changed_defaults=CHANGED_DEFAULTS,
        ),
        matched(
            asked,
            (repaired, lost),
            ("BEST_EFFORT", lost),
            sender=keep,
            receiver=keep,
            promise=False,
        ),
    ]
