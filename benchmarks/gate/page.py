# SPDX-License-Identifier: Apache-2.0
"""The page ``docs/results/gate.md``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wirecost.measure.cost.prices import machine_name

from .faults import Fault

PAGE = Path(__file__).parents[2] / "docs" / "results" / "gate.md"


PERIOD_NS = 1e6


@dataclass(frozen=True)
class Result:
    """Counters that a fault exceeds, in the program and in a plugin."""

    fault: Fault
    in_program: Sequence[str]
    in_plugin: Sequence[str]


@dataclass(frozen=True)
class Load:
    """Processor time that the gate adds to a cycle of ten functions, and the cycle's own."""

    added_ns: float
    cycle_ns: float


def text(results: Sequence[Result], load: Load, findings: Sequence[bool], clean_cycles: int) -> str:
    """Return the page; ``findings``: of each clean run of so many cycles, whether it failed."""
    faults = [one for one in results if one.fault.is_fault]
    found = sum(bool(one.in_program) and bool(one.in_plugin) for one in faults)
    others = [one for one in results if not one.fault.is_fault]
    false = sum(bool(one.in_program) or bool(one.in_plugin) for one in others)
    lines = [
        "# What the gate finds",
        "",
        "    python -m benchmarks.gate    # in a checkout",
        "",
        f"**The gate finds {found} of {len(faults)} faults, in a program and in a plugin, and "
        f"reports {false} of {len(others)} that are none.** Of {len(findings)} clean runs of "
        f"{clean_cycles:,} cycles it fails {sum(findings)}.",
        "",
        "```",
        "CPU time of a cycle that calls ten functions, at 1 kHz",
        f"without the gate   {load.cycle_ns / 1e3:.0f} µs",
        f"added by the gate  {load.added_ns / 1e3:.1f} µs, "
        f"{100 * load.added_ns / PERIOD_NS:.1f} % of the period",
        "```",
        "",
        f"Machine: {machine_name()}; load {os.getloadavg()[1]:.1f}. `RTSan`: whether its "
        "interceptors list a function that is called; it was not run, as it needs a program built "
        "with Clang 20 and attributes. It reports each lock, the gate each wait for one.",
        "",
        "| exceeded | in a cycle | RTSan |",
        "|---|---|---|",
        *_lines(results),
    ]
    return "\n".join(lines) + "\n"


def _lines(results: Sequence[Result]) -> list[str]:
    """Return a row for all faults that look the same."""
    alike: dict[tuple[str, str], list[str]] = {}
    for one in results:
        places = (", ".join(names) or "nothing" for names in (one.in_program, one.in_plugin))
        seen = " / in the plugin ".join(dict.fromkeys(places))
        alike.setdefault((seen, "yes" if one.fault.rtsan else "no"), []).append(one.fault.name)
    return [f"| {seen} | {'; '.join(names)} | {rtsan} |" for (seen, rtsan), names in alike.items()]
