# SPDX-License-Identifier: Apache-2.0
"""``python -m attack``: every reader under attack, and a table of what came of it."""

from __future__ import annotations

import argparse
import fnmatch
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.table import Table

from attack.attacks import attacks
from attack.fuzzers import FUZZERS
from attack.outcome import Attack, Budget, Outcome
from wirecost.system.terminal import Console

KEEP = Path("build/attack")


def main() -> int:
    parser = argparse.ArgumentParser(prog="attack", description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000, help="inputs for each reader")
    parser.add_argument("--seconds", type=float, default=3600.0, help="for all of it together")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="inputs are known by it")
    parser.add_argument("--only", default="*", metavar="NAMES", help="a pattern such as 'trace-*'")
    parser.add_argument("--keep", type=Path, default=KEEP, help="folder for what found a fault")
    options = parser.parse_args()
    chosen = {
        name: attack for name, attack in attacks().items() if fnmatch.fnmatch(name, options.only)
    }
    if not chosen:
        parser.error(f"--only {options.only}: there are {', '.join(attacks())}")
    missing = [fuzzer.program for fuzzer in FUZZERS if not fuzzer.program.exists()]
    if missing:
        parser.error(f"{missing[0]}: not built; `make attack` builds it")
    console = Console()
    console.print(f"seed {options.seed}, {options.count:,} inputs each, {options.seconds:.0f} s")
    outcomes = _run_all(chosen, options, console)
    console.print(table(outcomes))
    return 1 if any(outcome.faults for outcome, _ in outcomes.values()) else 0


def _run_all(
    chosen: dict[str, Attack], options: argparse.Namespace, console: Console
) -> dict[str, tuple[Outcome, float]]:
    """Outcome and seconds by name. Every attack has its share of the time that is left."""
    outcomes: dict[str, tuple[Outcome, float]] = {}
    workers = len(os.sched_getaffinity(0))
    ends = time.monotonic() + options.seconds
    waiting = len(chosen)

    def run(name: str) -> None:
        nonlocal waiting
        share = (ends - time.monotonic()) * workers / max(waiting, workers)
        waiting -= 1
        started = time.monotonic()
        outcome = chosen[name](Budget(options.count, share, options.seed), options.keep)
        outcomes[name] = outcome, time.monotonic() - started
        console.print(f"{name}: {outcome.inputs:,} inputs, {len(outcome.faults)} faults")
        for fault in {fault.what: fault for fault in outcome.faults}.values():
            console.print(f"  {fault.what}\n  {fault.kept}", style="red")

    with ThreadPoolExecutor(workers) as pool:
        for result in [pool.submit(run, name) for name in chosen]:
            result.result()
    return {name: outcomes[name] for name in chosen}


def table(found: dict[str, tuple[Outcome, float]]) -> Table:
    """Return the outcomes of each reader's inputs as a table."""
    reader_table = Table("reader")
    for title in ("inputs", "accepted", "refused", "faults", "inputs/s"):
        reader_table.add_column(title, justify="right")
    for name, (outcome, seconds) in found.items():
        counts = (outcome.inputs, outcome.accepted, outcome.refused, len(outcome.faults))
        rate = outcome.inputs / max(seconds, 1e-9)
        reader_table.add_row(name, *(f"{count:,}" for count in counts), f"{rate:,.0f}")
    return reader_table


if __name__ == "__main__":
    sys.exit(main())
