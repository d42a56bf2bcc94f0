# SPDX-License-Identifier: Apache-2.0
"""What stands in for a topic: a client library over a middleware, messages, rate, and quality."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class ClientLibrary:
    """Client library over a middleware.

    ``name``: ``rclpy``, ``rospy``, or a transport of ``bench transport`` with a native client, such
    as ``dds``, which carries bytes of the messages' mean size; ``python``: where rclpy or rospy is,
    None for this one; ``environment``: variables of its processes, such as ``RMW_IMPLEMENTATION``;
    ``settings``: options of the native client.
    """

    name: str
    python: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class StandIn:
    """A publisher and its subscribers, each in a process of its own.

    ``type``: as a recording names it; ``messages``: serialized, published in turn; ``depth``:
    messages that each end keeps.
    """

    library: ClientLibrary
    type: str
    messages: Sequence[bytes]
    rate_hz: float
    subscribers: int = 1
    reliable: bool = True
    depth: int = 10

    @property
    def mean_bytes(self) -> float:
        return sum(map(len, self.messages)) / len(self.messages)
