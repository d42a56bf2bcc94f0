# SPDX-License-Identifier: Apache-2.0
"""What lies beside a recording: what the doctor wrote of its machine, and how it was started.

What the doctor would say when a recording is shown is about another time and perhaps another
machine, so it is never asked then.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from wirecost.system.foreign import shell_line
from wirecost.system.regular_file import read_regular

PRICES, DOCTOR, STARTED = "prices.json", "doctor.json", "started.json"
"""Files beside probe logs; the second is what ``wirecost doctor --json`` wrote."""
COUNTERS = "WIRECOST_PROBE_COUNTERS"
LARGEST = 1 << 20
"""Bytes."""


class MachineEvent(msgspec.Struct, kw_only=True):
    """Raw samples of one event in nanoseconds, or the reason why there are none."""

    what: str = ""
    ns: list[float]
    reason: str | None = None


class MachinePrices(msgspec.Struct, kw_only=True):
    """Costs of one fault, switch, migration, wait and call."""

    schema: int = 1
    measured: str
    machine: str
    kernel: str = ""
    cpus: int = 0
    events: dict[str, MachineEvent]

    @property
    def ns(self) -> dict[str, float]:
        """Median of each event that was measured; a price below 0 is noise and none."""
        medians = {
            name: statistics.median(event.ns) for name, event in self.events.items() if event.ns
        }
        return {name: median for name, median in medians.items() if median > 0}


class Started(msgspec.Struct, frozen=True, kw_only=True):
    """Start of a recorded program, from which follow the commands to go on with.

    ``words``: the program's command; ``options``: those that ``probe run`` and ``probe try`` share,
    ``of_run``: those of ``probe run`` alone; ``counters``: names that were asked for.
    """

    words: tuple[str, ...] = ("COMMAND",)
    functions: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    of_run: tuple[str, ...] = ()
    counters: str = ""

    def run(self, more: Sequence[str] = (), counters: str = "") -> str:
        """Return the shell command that records it again; ``counters``: in place of those."""
        counted = counters or self.counters
        variable = f"{COUNTERS}={shell_line(counted)} " if counted else ""
        return variable + self._command(["probe", "run", *self.of_run, *self._options(), *more])

    def trial(self) -> str:
        """Return the shell command that tries all remedies on it."""
        return self._command(["probe", "try", *self._options()])

    def heap(self, pool: str) -> str:
        """Return the shell command that runs it with a pool of memory."""
        return self._command(["heap", "run", "--pool", pool])

    def _options(self) -> list[str]:
        return [word for name in self.functions for word in ("--function", name)] + [*self.options]

    def _command(self, words: Sequence[str]) -> str:
        return shell_line("wirecost", *words, "--", *self.words)


@dataclass(frozen=True)
class CpuNoise:
    """One CPU's gaps, in nanoseconds, and the kernel's counts over the same time.

    ``waited_ns``: ready to run while another thread ran; ``stolen_ns``: while another virtual
    machine did, in steps of 10 ms; both None where the kernel does not report it.
    """

    cpu: int
    elapsed_ns: int
    threshold_ns: int
    step_ns: int
    gaps: int
    lost_ns: int
    histogram: list[tuple[int, int]]
    """Lower bound, a power of two, and count; only those that occurred."""
    longest: list[tuple[int, int]]
    """Start since the beginning and length, the longest first."""
    switches: int
    waited_ns: int | None
    stolen_ns: int | None
    interrupts: dict[str, int]
    softirqs: dict[str, int]


class Check(msgspec.Struct, kw_only=True):
    """One of the doctor's checks."""

    title: str
    verdict: str
    value: str = ""
    advice: str = ""


class Examination(msgspec.Struct, kw_only=True):
    """The doctor's document."""

    verdict: str
    checks: list[Check]


class _Document(msgspec.Struct, kw_only=True):
    prices: MachinePrices | None = None


D = TypeVar("D", bound=msgspec.Struct)


def folders_of(paths: Iterable[Path]) -> Iterator[Path]:
    """Return the folders of logs, each once."""
    return iter(dict.fromkeys(path if path.is_dir() else path.parent for path in paths))


def prices_beside(paths: Iterable[Path]) -> MachinePrices | None:
    """Return the prices in the first folder of the logs that has any."""
    for folder in folders_of(paths):
        if (prices := _read(folder / PRICES, MachinePrices)) is not None:
            return prices
        document = _read(folder / DOCTOR, _Document)
        if document is not None and document.prices is not None:
            return document.prices
    return None


def started_beside(paths: Iterable[Path]) -> Started:
    """Return how the program of the logs was started, with a placeholder where that is unknown."""
    read_files = (_read(folder / STARTED, Started) for folder in folders_of(paths))
    return next((started for started in read_files if started is not None), Started())


def examination_in(folder: Path) -> Examination | None:
    """Return what the doctor found when the folder's logs were recorded."""
    return _read(folder / DOCTOR, Examination)


def _read(path: Path, kind: type[D]) -> D | None:
    """Return the document in a file; None where it is absent or anything else."""
    try:
        return msgspec.json.decode(read_regular(path, LARGEST), type=kind)
    except (OSError, ValueError, RecursionError):
        return None
