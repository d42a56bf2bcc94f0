# SPDX-License-Identifier: Apache-2.0
"""What was taken from a spinning thread, CPU by CPU."""

from __future__ import annotations

from typing import Any

from wirecost.report.shared import units
from wirecost.report.shared.table import Table

SHOWN = 5
MEANING = (
    "waited: another thread ran; stolen: another virtual machine; other: interrupts, firmware."
)


def noise_table(noise: list[dict[str, Any]]) -> Table:
    """One row a CPU; below it the longest gaps and what the kernel counted meanwhile."""
    body = [
        [
            f"CPU {one['cpu']}",
            str(one["gaps"]),
            f"{100 * one['lost_ns'] / one['elapsed_ns']:.3g} %",
            units.time(one["longest"][0][1]) if one["longest"] else "–",
            str(one["switches"]),
            _time(one["waited_ns"]),
            _time(one["stolen_ns"]),
            units.time(_other_ns(one)),
        ]
        for one in noise
    ]
    notes = [MEANING, *(note for one in noise for note in _notes(one))]
    headings = ["", "gaps", "lost", "longest", "switches", "waited", "stolen", "other"]
    seconds = max((one["elapsed_ns"] for one in noise), default=0) / 1e9
    return Table(f"Noise over {seconds:.3g} s", headings, body, notes)


def _notes(one: dict[str, Any]) -> list[str]:
    longest = [
        f"{units.time(length)} at {start / 1e9:.4f} s" for start, length in one["longest"][:SHOWN]
    ]
    counted = [
        f"{count} {source}" for kind in ("interrupts", "softirqs") for source, count in
        one[kind].items()
    ]  # fmt: skip
    notes = []
    if longest:
        notes.append(f"CPU {one['cpu']}, longest gaps: {', '.join(longest)}.")
    if counted:
        notes.append(f"CPU {one['cpu']}, counted by the kernel: {', '.join(counted)}.")
    return notes


def _other_ns(one: dict[str, Any]) -> int:
    """What neither scheduler nor hypervisor accounts for; they count in coarser steps."""
    known = (one["waited_ns"] or 0) + (one["stolen_ns"] or 0)
    return max(0, int(one["lost_ns"]) - known)


def _time(ns: int | None) -> str:
    return "n/a" if ns is None else units.time(ns)
