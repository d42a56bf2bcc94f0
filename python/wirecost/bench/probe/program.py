# SPDX-License-Identifier: Apache-2.0
"""The contenders' program, and what it prints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from wirecost.bench.contenders import INSTALLED
from wirecost.bench.notification import lines
from wirecost.errors import UserError

PROGRAM = INSTALLED / "programs" / "probe_contenders"
SECTIONS_OF_A_SAMPLE = 500
WARM_SECTIONS = 20
"""Before each sample; they are recorded, but not timed."""

Report = Callable[[int, str], None]
"""Called with the samples taken since the last call and what runs now."""
Keep = Callable[[], None]
"""Called between rounds, once each contender has had its turn."""


@dataclass(frozen=True)
class Contender:
    """One way to learn what a section took; ``records`` is what its log holds of each section:
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


@dataclass(frozen=True)
class Planted:
    """What a section held and what the contender itself says of it, -1 where it says nothing:
    nanoseconds, and how far its first counter came."""

    pages: int
    instructions: int
    ns: int
    counted: int


@dataclass
class Told:
    """What the program said of one contender; ``samples`` in nanoseconds a section."""

    missing: str | None = None
    planted: list[Planted] = field(default_factory=list)
    samples: list[float] = field(default_factory=list)


def check_installed() -> None:
    """Raises UserError where the program is missing."""
    if not PROGRAM.is_file():
        raise UserError(
            "the program of the probe's contenders is not installed; install wirecost with "
            "`make run`"
        )


def built() -> dict[str, str]:
    """Compiler and flags of the program."""
    compiler, flags = next(iter(_run("built"))).split("\t")
    return {"compiler": compiler, "flags": flags}


def contenders() -> list[Contender]:
    found = []
    for line in _run("list"):
        number, case, name, mode, counters, records, calls, what = line.split("\t")
        names = tuple(counters.split(",")) if counters not in {"", "none"} else ()
        found.append(Contender(int(number), case, name, mode, names, records, int(calls), what))
    return found


def measure(samples: int, logs: Path, told: dict[int, Told], keep: Keep, report: Report) -> None:
    """Adds what is told of each contender to what is under its number, as it is told. Contender i's
    probe logs are in ``logs / str(i)``. Raises BackendFailedError."""
    turn = 0
    for line in _run("measure", str(samples), str(logs)):
        kind, number, *rest = line.split("\t")
        one = told[int(number)]
        if kind == "missing":
            one.missing = rest[0]
        elif kind == "planted":
            one.planted.append(Planted(*map(int, rest)))
        else:
            if int(rest[0]) != turn:
                keep()
                turn = int(rest[0])
            one.samples.append(float(rest[1]))
            report(1, "in turns")
    keep()


def _run(*arguments: str) -> Iterator[str]:
    return lines.run([str(PROGRAM), *arguments])
