# SPDX-License-Identifier: Apache-2.0
"""Converts a fleet of traces with one and with two workers, in turn, and computes the rest.

PYTHONPATH=tests .venv/bin/python -m scaling
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scaling.fleet import drives, write_fleet

ROOT = Path(__file__).parents[2]
PROGRAM = Path(sys.executable).with_name("wirecost")
OPTIONS = ("--format", "mcap", "--columns", "all")
COMPUTED = (2, 4, 8, 16, 32, 64)


@dataclass(frozen=True)
class Run:
    workers: int
    elapsed_s: float
    """Of the whole command, from its start to its end."""
    document: dict[str, Any]

    @property
    def work_s(self) -> float:
        """Of the conversions themselves, in all workers together."""
        return float(self.document["conversion_s"])

    @property
    def serial_s(self) -> float:
        """What more workers cannot shorten: the command's start and end, starting workers, and
        waiting for the last trace."""
        return self.elapsed_s - self.work_s / self.workers


def main() -> None:
    parser = argparse.ArgumentParser(prog="scaling", description=__doc__)
    parser.add_argument("--traces", type=int, default=1000)
    parser.add_argument(
        "--frames", type=int, default=12_000, help="of the drives they are cut from"
    )
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--memory", default="512MiB")
    parser.add_argument("--seed", type=int, default=1)
    default = os.environ.get("WIRECOST_DATA", str(ROOT.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=Path(default) / "osi")
    chosen = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="wirecost-scaling-"))
    try:
        begin = time.perf_counter()
        made = drives(chosen.data, chosen.frames, chosen.seed)
        size = write_fleet(folder / "fleet", made, chosen.traces, chosen.seed)
        made.clear()
        took = time.perf_counter() - begin
        print(f"{chosen.traces:,} traces, {size / 1e6:.0f} MB, made in {took:.0f} s", flush=True)
        runs = [
            _run(folder, workers, chosen.memory) for _ in range(chosen.rounds) for workers in (1, 2)
        ]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    _print(runs)


def _run(folder: Path, workers: int, memory: str) -> Run:
    out = folder / "out"
    command = [
        str(PROGRAM), "trace", "convert", f"{folder}/fleet/**/*.osi", f"{folder}/fleet/**/*.mcap",
        str(out), *OPTIONS, "--workers", str(workers), "--memory", memory, "--json", "-",
    ]  # fmt: skip
    begin = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    run = Run(workers, time.perf_counter() - begin, json.loads(done.stdout))
    peaks = ", ".join(f"{peak / 1e6:.0f} MB" for peak in run.document["memory_peak_bytes"])
    print(
        f"{workers} worker{'s' * (workers > 1)}: {run.elapsed_s:.2f} s, conversions "
        f"{run.work_s:.2f} s, serial part {run.serial_s:.2f} s, memory of each worker "
        f"at most {peaks} (limit {memory})",
        flush=True,
    )
    shutil.rmtree(out)
    return run


def _print(runs: list[Run]) -> None:
    def median(workers: int, name: str) -> float:
        return statistics.median(getattr(run, name) for run in runs if run.workers == workers)

    one, two = (median(workers, "elapsed_s") for workers in (1, 2))
    ratios = [a.elapsed_s / b.elapsed_s for a, b in zip(runs[::2], runs[1::2], strict=True)]
    print(f"2 workers against 1: {one / two:.2f}× (medians); by round "
          f"{', '.join(f'{ratio:.2f}×' for ratio in ratios)}")  # fmt: skip
    work, serial = median(1, "work_s"), median(2, "serial_s")
    own = statistics.median(r.document["coordinator_cpu_s"] for r in runs if r.workers == 2)
    print(
        f"\nComputed, not measured, from the serial part of 2 workers ({serial:.2f} s), the "
        f"conversions of 1 ({work:.2f} s) and\nthe scheduler's CPU time ({own:.2f} s), for a core "
        "to each worker and a disk that keeps up:"
    )
    for workers in COMPUTED:
        expected = max(serial + work / workers, own)
        print(f"{workers:4} workers: {expected:7.2f} s, {one / expected:5.2f}×")


if __name__ == "__main__":
    main()
