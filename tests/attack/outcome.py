# SPDX-License-Identifier: Apache-2.0
"""Budget and outcome of every attack."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Budget:
    """Length of an attack: until ``count`` inputs are through, or ``seconds`` are over."""

    count: int
    seconds: float = float("inf")
    seed: int = 0
    started: float = field(default_factory=time.monotonic)

    def left(self, done: int) -> int:
        """Return how many inputs may still come after ``done``."""
        over = time.monotonic() - self.started >= self.seconds
        return 0 if over else max(0, self.count - done)


@dataclass(frozen=True)
class Fault:
    """An input that was neither accepted nor refused in one line, and where it is kept."""

    what: str
    kept: Path


@dataclass
class Outcome:
    """The counts of one attack."""

    accepted: int = 0
    refused: int = 0
    faults: list[Fault] = field(default_factory=list)

    @property
    def inputs(self) -> int:
        return self.accepted + self.refused + len(self.faults)


Attack = Callable[[Budget, Path], Outcome]
"""An attack keeps the inputs that found a fault below the folder it is given."""
