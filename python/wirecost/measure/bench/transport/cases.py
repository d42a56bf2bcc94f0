# SPDX-License-Identifier: Apache-2.0
"""The cases of a run: what is sent, how often, to how many, over what."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wirecost.measure.network.profiles import LOOPBACK, Profile
from wirecost.system.counted import counted

MOST_RATE = 500.0
DELIVERIES_PER_S = 1000.0
BYTES_PER_S = 64e6
"""Rate that all transports carry on a small machine, to all subscribers together, so that latency
can be compared."""
SHARE = 0.4
"""Share of a network's rate to use, so that the network is not what is measured."""
LEAST_MESSAGES = 5
"""Least messages of a block; fewer say nothing."""


@dataclass(frozen=True)
class TransportCase:
    """Case of ``bench transport``; ``rate``: messages per second, 0 as fast as possible."""

    pattern: str
    network: str
    subscribers: int
    size: int
    rate: float

    @property
    def name(self) -> str:
        to = counted(self.subscribers, "subscriber") if self.pattern == "pubsub" else "requests"
        rate = f"{self.rate:g} Hz" if self.rate else "as fast as possible"
        return f"{self.size:,} B, {rate}, {to}, {self.network}"


def name_of(profile: Profile | None) -> str:
    """Return the name of a network; None is loopback."""
    return LOOPBACK if profile is None else profile.name


def rate_for(size: int, subscribers: int, profile: Profile | None) -> float:
    """Return the default rate: as often as all transports can and the network carries."""
    rate = min(MOST_RATE, DELIVERIES_PER_S / subscribers, BYTES_PER_S / (size * subscribers))
    if profile is not None:
        link = profile.rate_mbit * 1e6 / 8
        rate = min(rate, SHARE * link / (size * subscribers))
    digits = -math.floor(math.log10(rate))
    return float(math.floor(rate * 10**digits) / 10**digits)


def quiet_for(size: int, profile: Profile | None, longest_wait_s: float = 0.0) -> float:
    """Return the seconds without a message after which the rest is lost.

    ``longest_wait_s``: seconds that the settings may hold a message.
    """
    return max(_quiet_for(size, profile), longest_wait_s)


def _quiet_for(size: int, profile: Profile | None) -> float:
    if profile is None:
        return 0.5
    # A message sent again comes after some round trips, a waiting one at the rate of the link.
    again = 1.0 + 10 * (profile.delay_ms + profile.jitter_ms) / 1e3 + profile.cut_s
    return again + min(5.0, 8 * size / (profile.rate_mbit * 1e6))


def check_for(size: int) -> int:
    """Return after how many messages one is compared byte by byte while it is timed."""
    return 64 if size < 100_000 else 16
