# SPDX-License-Identifier: Apache-2.0
"""``python -m benchmarks.gate``: writes docs/results/gate.md in about four minutes."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median

from .faults import FAULTS
from .page import PAGE, Load, Result, text
from .runs import Built, built, exceeded, used_ns

CYCLES, ROUNDS = 2000, 5
CLEAN_CYCLES, CLEAN_RUNS = 1000, 4


def load(there: Built) -> Load:
    """Measure loops with and without the gate in turns."""
    pairs = [
        [used_ns(there, CYCLES, gated=gated) / CYCLES for gated in (False, True)]
        for _ in range(ROUNDS)
    ]
    own, with_gate = (median(side) for side in zip(*pairs, strict=True))
    return Load(with_gate - own, own)


def clean_findings(there: Built) -> list[bool]:
    """Return of runs without a fault, in turns of the program and of a plugin, which fail."""
    return [
        bool(exceeded(there, fault.name, in_plugin=turn % 2 == 1, cycles=CLEAN_CYCLES))
        for turn in range(CLEAN_RUNS)
        for fault in FAULTS
        if not fault.is_fault
    ]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        there = built(Path(name))
        results = []
        for fault in FAULTS:
            print(fault.name, file=sys.stderr, flush=True)
            places = [exceeded(there, fault.name, in_plugin=it) for it in (False, True)]
            results.append(Result(fault, *places))
        findings = clean_findings(there)
        page = text(results, load(there), findings, CLEAN_CYCLES)
    PAGE.write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
