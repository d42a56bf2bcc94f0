# SPDX-License-Identifier: Apache-2.0
"""What a language's side of the benchmark offers: one file a language implements it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

Report = Callable[[int, str], None]
"""Called with the samples taken since the last call and what runs now."""


@dataclass(frozen=True)
class Contender:
    """One way to carry a notification in one language."""

    lang: str
    name: str
    mode: str
    wire: str
    library: str
    guarantees: str

    @property
    def key(self) -> str:
        return f"{self.name}/{self.mode}/{self.wire}"

    @property
    def label(self) -> str:
        """Name in tables: with the wire where one name has several."""
        return f"{self.name}-{self.wire}" if self.name.startswith("wirecost") else self.name


@dataclass(frozen=True)
class Content:
    """Which messages a case sends."""

    kind: str
    """``ticket`` or ``realistic``."""
    factor: int
    seed: int

    @property
    def case(self) -> str:
        return f"{self.kind}, size factor {self.factor}"


@dataclass(frozen=True)
class Carried:
    """One message as a contender carried it."""

    key: str
    index: int
    encoded: bytes
    decoded: str
    """Canonical line of what its decoder delivered."""


@dataclass(frozen=True)
class Sample:
    key: str
    repetition: int
    stage: str
    ns: float
    """Nanoseconds a message."""


@dataclass(frozen=True)
class Counted:
    """Allocations and instructions a message; None where they cannot be counted."""

    allocations: float | None = None
    instructions: float | None = None


class Backend(Protocol):
    """Raises BackendFailedError when its programs fail."""

    lang: str

    def missing(self) -> str | None:
        """Why nothing of this language can be run here and how to change that; None if it can."""

    def contenders(self) -> list[Contender]: ...

    def not_run(self) -> dict[str, str]:
        """Contenders that are left out on this machine, and why."""

    def carry(self, content: Content, keys: Iterable[str]) -> list[Carried]:
        """Some messages of the content through every contender, twice, with poisoned buffers."""

    def measure(
        self, content: Content, keys: list[str], repetitions: int, report: Report
    ) -> Iterator[list[Sample]]:
        """Round by round: every contender once, or one contender as often as it is measured."""
        ...

    def count(self, content: Content, keys: Iterable[str]) -> dict[str, Counted]: ...


class BackendFailedError(Exception):
    """A language's program failed; the message says how."""
