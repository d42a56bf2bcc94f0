# SPDX-License-Identifier: Apache-2.0
"""ZeroMQ, over Unix sockets or TCP."""

from __future__ import annotations

from wirecost.messaging.transport.meeting import AtListener, InFolder
from wirecost.messaging.transport.settings import (
    DEFAULT,
    TCP,
    AskedQuality,
    TransportSetting,
    matched,
)
from wirecost.messaging.transport.zeromq.adapter import ZeroMQ, ZeroMQTCP
from wirecost.messaging.transport.zeromq.socket import CHANGED_DEFAULTS

TRANSPORTS = (ZeroMQ, ZeroMQTCP)
MEETINGS = {"zeromq": InFolder(), "zeromq-tcp": AtListener("tcp://{}:{}")}
PLUGIN_ORDER = 1


def settings(asked: AskedQuality) -> list[TransportSetting]:
    """Return the groups of settings of the Python client."""
    drops = "lost to that subscriber alone"
    return [
        TransportSetting(
            DEFAULT,
            TCP,
            "1000",
            "1000",
            drops,
            options={"depth": 1000},
            changed_defaults=CHANGED_DEFAULTS,
        ),
        matched(
            asked,
            (TCP, "the publisher waits"),
            (TCP, drops),
            in_program=f"ZMQ_SNDHWM {asked.queue}, ZMQ_XPUB_NODROP 1 before bind, blocking send;"
            f" subscriber: ZMQ_RCVHWM {asked.queue} before connect",
        ),
        TransportSetting(
            "conflate", TCP, "1000", "1", "only the newest is kept", options={"conflate": True}
        ),
    ]
