# SPDX-License-Identifier: Apache-2.0
"""What the benchmark asks of a language: one file a language implements it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from wirecost.bench.codec import Codec
from wirecost.bench.entry import Entry, Sample
from wirecost.bench.program import Report

VERIFIED = 64
"""Messages of a content that are verified."""


def join(name: str, allocator: str) -> str:
    """A mode or key with the allocator behind it, if there is one."""
    return f"{name} {allocator}" if allocator else name


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


@dataclass(frozen=True, kw_only=True)
class Contender(Codec):
    """A codec that carries a notification in one language. ``allocator``: of
    ``allocators.NAMED``, or empty for the one with which wirecost was started."""

    lang: str
    allocator: str = ""
    malloc: str | None = None
    """The file in which its process's malloc lies."""

    @property
    def key(self) -> str:
        return join(super().key, self.allocator)

    @property
    def label(self) -> str:
        """Name in tables: with the wire where one name has several."""
        return f"{self.name}-{self.wire}" if self.name.startswith("wirecost") else self.name

    def entry(self, content: Content) -> Entry[Contender]:
        who = {
            "case": content.case,
            "variant": content.kind,
            "build": "release",
            "lang": self.lang,
            "contender": self.label,
            "mode": join(self.mode, self.allocator),
            "wire": self.wire,
            "factor": content.factor,
        }
        facts = {"allocations": None, "instructions": None}
        return Entry(self.key, self, who, facts | {"malloc": self.malloc})


@dataclass(frozen=True)
class Carried:
    """One message as a contender carried it."""

    key: str
    index: int
    encoded: bytes
    decoded: str
    """Canonical line of what its decoder delivered."""


@dataclass(frozen=True)
class Counted:
    """Allocations and instructions per message; None where they cannot be counted."""

    allocations: float | None = None
    instructions: float | None = None


class Backend(Protocol):
    """Methods raise ProgramFailedError."""

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
        """Round by round: every contender once, or one contender as often as it is measured. Raises
        ``lines.OtherContentError`` in the end, where one was found out."""
        ...

    def count(self, content: Content, keys: Iterable[str]) -> dict[str, Counted]: ...
