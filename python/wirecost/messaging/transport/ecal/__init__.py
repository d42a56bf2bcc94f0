# SPDX-License-Identifier: Apache-2.0
"""eCAL on one machine."""

from __future__ import annotations

from wirecost.messaging.transport.ecal.adapter import CHANGED_DEFAULTS, Ecal
from wirecost.messaging.transport.settings import DEFAULT, AskedQuality, TransportSetting, matched

TRANSPORTS = (Ecal,)
PLUGIN_ORDER = 11


def settings(asked: AskedQuality) -> list[TransportSetting]:
    """Return the groups of settings of the Python client."""
    return [
        TransportSetting(
            DEFAULT,
            "shared memory, not acknowledged",
            "1",
            "1",
            "overwritten",
            options={"depth": 1},
            changed_defaults=CHANGED_DEFAULTS,
        ),
        matched(
            asked,
            ("shared memory, acknowledged", "the publisher waits, for 0.5 s at most"),
            ("shared memory, not acknowledged", "overwritten"),
            sender="1",
            longest_wait_s=0.5,
            in_program="layer.shm.acknowledge_timeout_ms 500, zero_copy_mode; a callback that"
            f" waits for room in a queue of {asked.queue}",
        ),
    ]
