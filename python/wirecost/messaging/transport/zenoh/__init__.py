# SPDX-License-Identifier: Apache-2.0
"""Zenoh as its makers set it up, or with messages that are laid out in its shared memory."""

from __future__ import annotations

from wirecost.messaging.transport.meeting import AtServer, OnOneMachine
from wirecost.messaging.transport.settings import (
    DEFAULT,
    OLDEST,
    AskedQuality,
    TransportSetting,
    matched,
)
from wirecost.messaging.transport.zenoh.adapter import Zenoh
from wirecost.messaging.transport.zenoh.shm import ZenohSharedMemory

TRANSPORTS = (Zenoh, ZenohSharedMemory)
MEETINGS = {"zenoh": AtServer(), "zenoh-shm": OnOneMachine()}
PLUGIN_ORDER = 2


def settings(asked: AskedQuality) -> list[TransportSetting]:
    """Return the groups of settings of the Python client."""
    hop = "every link sends again"
    full = f"lost at the publisher; {OLDEST}"
    return [
        TransportSetting(DEFAULT, hop, "2 batches of 64 KiB", "256", full, options={"depth": 256}),
        matched(
            asked,
            (hop, "the publisher waits, for 2 s at most"),
            (hop, full),
            sender="2 batches of 64 KiB",
            longest_wait_s=2.0,
            in_program="congestion_control=BLOCK, transport/link/tx/queue/congestion_control/"
            f"block/wait_before_close 2000000; subscriber: handlers.FifoChannel({asked.queue})",
        ),
        TransportSetting(
            "rmw",
            hop,
            "2 batches of 64 KiB",
            "10",
            f"the publisher waits; {OLDEST}",
            reliable=True,
            queue=10,
            options={"overwrites": True, "peer": True},
            router=True,
        ),
    ]
