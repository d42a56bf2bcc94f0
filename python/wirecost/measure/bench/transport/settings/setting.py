# SPDX-License-Identifier: Apache-2.0
"""A group of settings of one middleware: what is set, and what that means in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wirecost.messaging.transport.quality import Scalar

UNLIMITED = "no limit"


@dataclass(frozen=True)
class AskedQuality:
    """Of all middlewares alike, where they are matched."""

    reliable: bool = True
    queue: int = 16
    """Messages that may wait at each end."""


@dataclass(frozen=True)
class TransportSetting:
    """``reliable`` and ``queue`` are None where the middleware's own default stands."""

    name: str
    reliability: str
    """What it does against loss."""
    sender_queue: str
    """What may wait at the sending end, as it says that: messages, bytes, or nothing."""
    receiver_queue: str
    full: str
    """What happens when there is no room."""
    promise: bool = False
    """Whether what the library took must arrive, as long as both ends live and are connected."""
    longest_wait_s: float = 0.0
    """Who waits longer than that for room loses the message after all; 0: waits without end, or
    does not wait."""
    reliable: bool | None = None
    queue: int | None = None
    options: Mapping[str, Scalar] = field(default_factory=dict)
    """Of this middleware's client."""
    router: bool = False
    """Whether a router runs between the ends that would do without it."""
    client: str = ""
    """The kind of client that these words are about; empty: all."""

    @property
    def promised(self) -> str:
        """In words; empty where nothing is."""
        if not self.promise:
            return ""
        wait = self.longest_wait_s
        return f"no loss, if no call waits for {wait:g} s" if wait else "no loss"

    @property
    def effect(self) -> tuple[Any, ...]:
        """What differs between two groups if anything does."""
        return self.reliability, self.sender_queue, self.receiver_queue, self.full, self.router

    def record(self) -> dict[str, Scalar]:
        """For a result folder."""
        return {
            "reliability": self.reliability,
            "sender_queue": self.sender_queue,
            "receiver_queue": self.receiver_queue,
            "full": self.full,
            "promise": self.promised or "none",
            **self.options,
        }
