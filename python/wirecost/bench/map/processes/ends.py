# SPDX-License-Identifier: Apache-2.0
"""How a map gets from one process to others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Publisher(Protocol):
    """The publishing end; ``address`` is a word that subscribers connect to."""

    address: str

    def load(self, size: int, fill: Callable[[memoryview], None]) -> memoryview:
        """The map in memory of this process, filled by ``fill``: what is published from now on."""

    def accept(self, count: int) -> None:
        """Waits for so many subscribers."""

    def publish(self) -> None:
        """Gives the map to every subscriber; returns once it is being sent to all."""


class Subscriber(Protocol):
    """The receiving end."""

    def receive(self) -> memoryview:
        """The next map, readable in full until ``release``. Raises OSError, ValueError."""

    def release(self) -> None:
        """Gives the memory of the received map back."""
