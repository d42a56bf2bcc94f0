# SPDX-License-Identifier: Apache-2.0
"""The contenders' program, and what it prints."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.measure.bench.engine.entry import Entry
from wirecost.measure.bench.engine.program import Program
from wirecost.system.parts import BENCHMARKS

PROGRAM = Program("probe_contenders", BENCHMARKS)
SECTIONS_OF_A_SAMPLE = 500
WARM_SECTIONS = 20
"""Sections before each sample; they are recorded, but not timed."""


@dataclass(frozen=True)
class ProbeContender:
    """Scheme that measures a section.

    ``records``: kind of record that its log holds of each section: sections, marks or nothing.
    """

    number: int
    case: str
    name: str
    mode: str
    counters: tuple[str, ...]
    records: str
    system_calls: int
    what: str

    @property
    def label(self) -> str:
        """Return name and mode."""
        return f"{self.name} {self.mode}".rstrip()

    def entry(self) -> Entry[ProbeContender]:
        who = {
            "case": self.case,
            "variant": self.case,
            "build": "release",
            "contender": self.name,
            "mode": self.mode,
        }
        facts = {
            "what": self.what,
            "counters": list(self.counters),
            "system_calls": self.system_calls,
        }
        return Entry(f"{self.label} ({self.case})", self, who, facts)


@dataclass(frozen=True)
class Planted:
    """Work in a section, and what the contender itself reports of it, -1 where that is nothing.

    It reports nanoseconds, and by how much its first counter grew.
    """

    pages: int
    instructions: int
    ns: int
    counted: int


def contenders() -> list[ProbeContender]:
    """Return all contenders that the program has."""
    schemes = []
    for number, case, name, mode, counters, records, calls, what in PROGRAM.rows("list"):
        names = tuple(counters.split(",")) if counters not in {"", "none"} else ()
        schemes.append(
            ProbeContender(int(number), case, name, mode, names, records, int(calls), what)
        )
    return schemes
