# SPDX-License-Identifier: Apache-2.0
"""The contenders' program, and what it prints."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.measure.bench.engine.entry import Entry
from wirecost.measure.bench.engine.program import Program

PROGRAM = Program("probe_contenders")
SECTIONS_OF_A_SAMPLE = 500
WARM_SECTIONS = 20
"""Before each sample; they are recorded, but not timed."""


@dataclass(frozen=True)
class ProbeContender:
    """A scheme that measures a section; ``records`` is what its log holds of each section:
    sections, marks or nothing."""

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
    """What a section held and what the contender itself reports of it, -1 where it reports
    nothing: nanoseconds, and by how much its first counter grew."""

    pages: int
    instructions: int
    ns: int
    counted: int


def contenders() -> list[ProbeContender]:
    found = []
    for number, case, name, mode, counters, records, calls, what in PROGRAM.rows("list"):
        names = tuple(counters.split(",")) if counters not in {"", "none"} else ()
        found.append(
            ProbeContender(int(number), case, name, mode, names, records, int(calls), what)
        )
    return found
