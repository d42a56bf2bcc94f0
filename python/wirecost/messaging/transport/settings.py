# SPDX-License-Identifier: Apache-2.0
"""Groups of settings of one middleware: what is set, and what that means in words.

A transport's module declares ``settings``, a function that gets what is asked of all middlewares
and returns its groups, ``DEFAULT`` first; and ``native_settings``, where a client in C or C++
cannot have the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wirecost.messaging.transport.quality import Scalar

DEFAULT, MATCHED = "default", "matched"
TCP = "TCP's, while connected"
OLDEST = "the subscriber's oldest is lost"
DEEP = 1 << 20
"""Messages: no limit that a run reaches."""
UNLIMITED = "no limit"


@dataclass(frozen=True)
class AskedQuality:
    """Quality that all middlewares are asked for alike, where they are matched."""

    reliable: bool = True
    queue: int = 16
    """Messages that may wait at each end."""


@dataclass(frozen=True)
class TransportSetting:
    """A group; ``reliable`` and ``queue`` are None where the middleware's own default stands."""

    name: str
    reliability: str
    """Measures against loss."""
    sender_queue: str
    """Messages or bytes that may wait at the sending end, in the middleware's own words."""
    receiver_queue: str
    full: str
    """Behaviour when there is no room."""
    promise: bool = False
    """True: what the library took must arrive, as long as both ends live and are connected."""
    longest_wait_s: float = 0.0
    """Seconds that a sender waits for room before the message is lost after all.

    0: it waits without end, or does not wait."""
    reliable: bool | None = None
    queue: int | None = None
    options: Mapping[str, Scalar] = field(default_factory=dict)
    """Options of this middleware's client."""
    router: bool = False
    """True: a router runs between the ends that would do without it."""
    in_program: str = ""
    """Names and values by which a program has the same; empty where there is none."""
    changed_defaults: tuple[str, ...] = ()
    """Options of the library that wirecost changes in every group, beside addresses, by name and
    value."""
    client: str = ""
    """The kind of client that these words are about; empty: all."""

    @property
    def promised(self) -> str:
        """Return the promise in words; empty where there is none."""
        if not self.promise:
            return ""
        wait = self.longest_wait_s
        return f"no loss, if no call waits for {wait:g} s" if wait else "no loss"

    @property
    def effect(self) -> tuple[Any, ...]:
        """Return what differs between two groups if anything does."""
        return self.reliability, self.sender_queue, self.receiver_queue, self.full, self.router

    def record(self) -> dict[str, Scalar]:
        """Return it for a result folder."""
        return {
            "reliability": self.reliability,
            "sender_queue": self.sender_queue,
            "receiver_queue": self.receiver_queue,
            "full": self.full,
            "promise": self.promised or "none",
            **({"in_program": self.in_program} if self.in_program else {}),
            **(
                {"changed_defaults": ", ".join(self.changed_defaults)}
                if self.changed_defaults
                else {}
            ),
            **self.options,
        }


def matched(
    asked: AskedQuality,
    reliable: tuple[str, str],
    best_effort: tuple[str, str],
    sender: str = "",
    receiver: str = "",
    promise: bool = True,
    longest_wait_s: float = 0.0,
    in_program: str = "",
    **options: str | int | float | bool,
) -> TransportSetting:
    """Return the group of what is asked for.

    Each pair says what is done against loss, and what happens when there is no room.
    ``in_program``: how a program has the reliable one.
    """
    reliability, full = reliable if asked.reliable else best_effort
    return TransportSetting(
        MATCHED,
        reliability,
        sender or str(asked.queue),
        receiver or str(asked.queue),
        full,
        promise and asked.reliable,
        longest_wait_s if asked.reliable else 0.0,
        asked.reliable,
        asked.queue,
        options,
        in_program=in_program if asked.reliable else "",
    )
