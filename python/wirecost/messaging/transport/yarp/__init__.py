# SPDX-License-Identifier: Apache-2.0
"""YARP."""

from __future__ import annotations

from wirecost.messaging.transport.settings import (
    DEFAULT,
    OLDEST,
    TCP,
    AskedQuality,
    TransportSetting,
    matched,
)
from wirecost.messaging.transport.yarp.adapter import Yarp

TRANSPORTS = (Yarp,)
PLUGIN_ORDER = 12


def settings(asked: AskedQuality) -> list[TransportSetting]:
    """Return the groups of settings of the Python client."""
    none = "none: YARP writes to the socket"
    waits = "the publisher waits, and cuts off who takes nothing for 5 s"
    return [
        TransportSetting(DEFAULT, TCP, none, "1", "only the newest is kept", options={"depth": 1}),
        matched(asked, (TCP, waits), (TCP, OLDEST), sender=none, longest_wait_s=5.0),
    ]
