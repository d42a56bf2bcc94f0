# SPDX-License-Identifier: Apache-2.0
"""Recordings that our readers and the formats' own libraries read side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from attack.from_file import FromFile
from attack.recordings import edits, readings, seeds
from attack.recordings.listed import listed
from attack.recordings.readings import Reading
from attack.target import Target
from wirecost.system.errors import UserError

Read = Callable[[Path], Reading]


class DisagreementError(Exception):
    """Ours reads otherwise than the library, and no reason is listed."""


@dataclass(frozen=True)
class Pair:
    """One of our readers and those that it is compared with.

    If those disagree with each other, the file contradicts itself, and one of them is enough."""

    name: str
    ours: Read
    references: Sequence[Read]

    def __call__(self, path: Path) -> None:
        ours = self.ours(path)
        others = [read(path) for read in self.references]
        kind = disagreement(ours, others)
        if kind and listed(self.name, kind) is None:
            raise DisagreementError(f"{self.name}: {kind}")
        if ours.ended:
            raise UserError(ours.ended)


def disagreement(ours: Reading, others: Sequence[Reading]) -> str:
    """Return what is wrong with ours beside the others, in words; empty if nothing."""
    whole = [other for other in others if not other.ended]
    ends = " | ".join(other.ended or "whole" for other in others)
    if ours.ended:
        contradict = any(other.channels != others[0].channels for other in others)
        empty = not any(other.channels for other in others)
        agrees = contradict or empty or len(whole) < len(others)
        return "" if agrees else f"refuses: {ours.ended}"
    if any(other.channels == ours.channels for other in whole):
        return ""
    if not ours.said:
        fault = "reads other messages" if whole else "is silent"
        if not all(ours.covers(other) for other in others):
            fault += " and lacks some"
        return f"{fault}, beside {ends}"
    # What is left out or found beyond a fault is reported; nothing is made up or lost before it.
    if any(ours.covers(other) or other.covers(ours) for other in others):
        return ""
    return f"warns, yet reads other messages, beside {ends}"


MCAP = Pair("mcap", readings.our_mcap, (readings.mcap_by_index, readings.mcap_in_sequence))
TRACE = Pair("trace", readings.our_trace, (readings.trace_by_index, readings.trace_in_sequence))
BAG = Pair("bag", readings.our_bag, (readings.bag_by_rosbags,))
DATABASE = Pair("db3", readings.our_database, (readings.database_by_rosbags,))

TARGETS = (
    Target("recordings-mcap", seeds.mcaps, FromFile("r.mcap", MCAP), mutate=edits.mcap),
    Target("recordings-trace", seeds.traces, FromFile("r.mcap", TRACE), mutate=edits.mcap),
    Target("recordings-bag", seeds.bags, FromFile("r.bag", BAG), mutate=edits.bag),
    Target("recordings-db3", seeds.databases, FromFile("r.db3", DATABASE), mutate=edits.database),
)
