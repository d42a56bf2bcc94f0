# SPDX-License-Identifier: Apache-2.0
"""The machine that something was recorded on: what the doctor wrote beside the recording.

What the doctor would say when a recording is shown is about another time and perhaps another
machine, so it is never asked then.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from wirecost.system.regular_file import read_regular

PRICES, DOCTOR = "prices.json", "doctor.json"
"""Files beside probe logs; the second is what ``wirecost doctor --json`` wrote."""
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


def examination_in(folder: Path) -> Examination | None:
    """Return what the doctor found when the folder's logs were recorded."""
    return _read(folder / DOCTOR, Examination)


def _read(path: Path, kind: type[D]) -> D | None:
    """Return the document in a file; None where it is absent or anything else."""
    try:
        return msgspec.json.decode(read_regular(path, LARGEST), type=kind)
    except (OSError, ValueError, RecursionError):
        return None
