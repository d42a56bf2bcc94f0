# SPDX-License-Identifier: Apache-2.0
"""A library's classes, where their objects lie, and the program that has them."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.bench.allocators import NAMED
from wirecost.bench.allocators import Contender as Allocator
from wirecost.bench.entry import Entry
from wirecost.bench.program import Program

PROGRAMS = {
    name: Program(f"classes_{name}") for name in ("protobuf", "protobuf-current", "wirecost")
}
"""By library. All but ``CURRENT`` are installed with the package."""
CURRENT = "protobuf-current"


@dataclass(frozen=True)
class Work:
    """A GroundTruth with so many moving objects; ``content``: ``full`` or ``sparse``."""

    content: str
    objects: int

    @property
    def name(self) -> str:
        return f"{self.content}, {self.objects} object{'s' if self.objects > 1 else ''}"

    @property
    def arguments(self) -> list[str]:
        return ["--content", self.content, "--objects", str(self.objects)]


@dataclass(frozen=True)
class Contender:
    """``allocator``: of ``allocators.NAMED``; empty for glibc's where nobody chose one.
    ``malloc``: the file in which its process's malloc lies."""

    library: str
    version: str
    mode: str
    allocator: str
    malloc: str

    @property
    def program(self) -> Program:
        return PROGRAMS[self.library]

    @property
    def named_mode(self) -> str:
        """The mode with the allocator behind it, if one was chosen."""
        return f"{self.mode} {self.allocator}" if self.allocator else self.mode

    @property
    def key(self) -> str:
        return f"{self.library} {self.named_mode}"

    def entry(self, work: Work) -> Entry[Contender]:
        who = {
            "case": work.name,
            "variant": work.content,
            "build": "release",
            "contender": self.library,
            "mode": self.named_mode,
            "objects": work.objects,
        }
        facts = {"memory_bytes": None, "kept_bytes": None, "malloc": self.malloc}
        return Entry(self.key, self, who, facts)


def allocator(name: str) -> Allocator:
    """``name``: as a contender has it."""
    return NAMED[name or "glibc"]
