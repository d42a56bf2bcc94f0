# SPDX-License-Identifier: Apache-2.0
"""What a fault is, and what it did."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from wirecost.bench.transport.contender import Contender
from wirecost.bench.transport.ground import Ground

SIZE = 1000
RATE = 100.0
TOPICS = 1000

Message = list[int | None]
"""When it was sent, in nanoseconds since the fault; its latency, None where it did not arrive; the
subscriber's role: 0 has no fault, 1 has it, 2 came in its place."""


@dataclass(frozen=True)
class Setup:
    """To whom and with what. ``rate``: messages per second."""

    contender: Contender
    ground: Ground
    logs: Path
    size: int = SIZE
    rate: float = RATE
    topics: int = TOPICS


@dataclass
class Found:
    """None: of no interest, or not within the time that the fault was watched."""

    recovered_ns: int | None = None
    lost: int | None = None
    """Of what the library took, summed over the subscribers that should have had it."""
    duplicates: int | None = None
    memory_bytes_before: int | None = None
    """Of publisher, subscribers and servers together, each shared page once."""
    memory_bytes_after: int | None = None
    others: str = ""
    """What became of those that had no fault."""
    messages: list[Message] = field(default_factory=list)


class Fault(ABC):
    name: ClassVar[str]
    about: ClassVar[str]
    """One line: what happens, and from when to when ``recovered_ns`` is."""

    def refusal(self, contender: Contender) -> str | None:
        """Why this cannot happen to a contender."""
        del contender
        return None

    @abstractmethod
    def run(self, setup: Setup) -> Found:
        """Raises WorkerFailedError, UserError: then that is what it did."""


def record(fault: Fault, setup: Setup, found: Found, failure: str | None) -> dict[str, Any]:
    """For a result folder, ``records.schemas.transport``."""
    contender = setup.contender
    return {
        "fault": fault.name,
        "mware": contender.mware,
        "client": contender.client.kind,
        "settings": contender.setting.name,
        "network": setup.ground.name,
        "recovered_ns": found.recovered_ns,
        "lost": found.lost,
        "duplicates": found.duplicates,
        "memory_bytes_before": found.memory_bytes_before,
        "memory_bytes_after": found.memory_bytes_after,
        "others": found.others,
        "failure": failure,
        "timeline": found.messages,
    }
