# SPDX-License-Identifier: Apache-2.0
"""Costs of recording one call, by each means.

Run ``PYTHONPATH=tests .venv/bin/python -m acceptance.probe_function``. Times are the least of 20
batches; instructions are those of user mode that callgrind counts, the difference between runs
of two lengths."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from wirecost.observe.probe.function import trampoline, uprobes
from wirecost.observe.probe.function.listing import PATTERNS, helper
from wirecost.observe.probe.run.hook import library

COUNTERS = {
    "times only": "none",
    "faults, switches": "minor-faults,major-faults,context-switches,cpu-migrations",
}
SHORT, LONG = 2_000, 12_000
COUNTED = re.compile(r"Collected : (\d+)")


def instructions(counters: str) -> float | None:
    """Return the instructions of one call by a patched entry; None without valgrind."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        return None
    counted = [_counted(valgrind, counters, calls) for calls in (SHORT, LONG)]
    # Each of the three functions is called so often; one of them is recorded.
    return (counted[1] - counted[0]) / (LONG - SHORT)


def _counted(valgrind: str, counters: str, calls: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        words = [valgrind, "--tool=callgrind", "--smc-check=all", "--callgrind-out-file=/dev/null"]
        done = subprocess.run(
            [*words, str(helper()), "measure", str(calls)],
            env={
                **os.environ,
                "LD_PRELOAD": str(library(trampoline.LIBRARY)),
                "WIRECOST_PROBE": str(Path(folder) / "logs"),
                "WIRECOST_PROBE_COUNTERS": counters,
                PATTERNS: trampoline.MEASURED,
            },
            capture_output=True,
            text=True,
            check=True,
        )
    count = COUNTED.search(done.stderr)
    if count is None:
        raise RuntimeError(done.stderr)
    return int(count[1])


def main() -> None:
    print(f"{'means':<16} {'counters':<18} {'ns per call':>12} {'instructions':>13}")
    for name, counters in COUNTERS.items():
        environment = {**os.environ, "WIRECOST_PROBE_COUNTERS": counters}
        for means, cost in (("patched entry", trampoline.cost_ns), ("uprobes", uprobes.cost_ns)):
            time = cost(environment)
            count = instructions(counters) if means == "patched entry" else None
            print(
                f"{means:<16} {name:<18} {'n/a' if time is None else f'{time:.0f}':>12} "
                f"{'n/a' if count is None else f'{count:.0f}':>13}"
            )


if __name__ == "__main__":
    main()
