# SPDX-License-Identifier: Apache-2.0
"""iceoryx2: shared memory without a daemon."""

from __future__ import annotations

from dataclasses import replace

from wirecost.messaging.transport.iceoryx2.adapter import Iceoryx2
from wirecost.messaging.transport.iceoryx2.services import CHANGED_DEFAULTS
from wirecost.messaging.transport.settings import (
    DEFAULT,
    OLDEST,
    AskedQuality,
    TransportSetting,
    matched,
)

TRANSPORTS = (Iceoryx2,)
PLUGIN_ORDER = 3


def settings(asked: AskedQuality) -> list[TransportSetting]:
    """Return the groups of settings of the Python client."""
    lossless = "shared memory loses nothing"
    return [
        TransportSetting(
            DEFAULT,
            lossless,
            "none",
            "2",
            OLDEST,
            options={"depth": 2},
            changed_defaults=CHANGED_DEFAULTS,
        ),
        matched(
            asked,
            (lossless, "the publisher waits"),
            (lossless, OLDEST),
            sender="none",
            in_program="enable_safe_overflow(false), subscriber_max_buffer_size"
            f"({asked.queue}) of the service at both ends; subscriber: buffer_size({asked.queue})",
        ),
    ]


def native_settings(asked: AskedQuality) -> list[TransportSetting]:
    """Return the groups of settings of the native client.

    Its subscriber may also look for messages without pause, instead of sleeping until an event.
    """
    default, as_asked = settings(asked)
    how = f"{as_asked.reliability}; the subscriber polls in a busy loop"
    polled = replace(as_asked, name="polled", reliability=how, options={"polls": True})
    return [default, as_asked, polled]
