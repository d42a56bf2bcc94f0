# SPDX-License-Identifier: Apache-2.0
"""``python -m benchmarks.gate``: writes docs/results/gate.md in about three minutes."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median

from .faults import FAULTS
from .page import PAGE, Load, Result, text
from .runs import Built, built, exceeded, used_ns

CYCLES, ROUNDS = 2000, 5


def load(there: Built) -> Load:
    """Measure loops with and without the gate in turns."""
    pairs = [
        [used_ns(there, CYCLES, gated=gated) / CYCLES for gated in (False, True)]
        for _ in range(ROUNDS)
    ]
    own, with_gate = (median(side) for side in zip(*pairs, strict=True))
    return Load(with_gate - own, own)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        there = built(Path(name))
        results = []
        for fault in FAULTS:
            print(fault.name, file=sys.stderr, flush=True)
            places = [exceeded(there, fault.name, in_plugin=it) for it in (False, True)]
            results.append(Result(fault, *places))
        page = text(results, load(there))
    PAGE.write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
