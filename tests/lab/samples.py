# SPDX-License-Identifier: Apache-2.0
"""``python -m lab.samples FOLDER [SAMPLES]``: a store of generated samples (10^8), and what
`wirecost campaign query` takes for medians over it: seconds and the most memory, three times each,
the store in the page cache.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
from rich.console import Console

from campaign.test_store import RECORD
from wirecost.campaign.store import Store
from wirecost.report.shared.table import Table
from wirecost.report.shared.terminal import print_table

TASKS, HOSTS, CONTENDERS = 200, 5, 20
STAGES = [
    "source_generation", "source_serialization", "transfer", "model_deserialization",
    "model_calculation", "model_serialization", "release", "total",
]  # fmt: skip
ALL = (
    "SELECT contender, host, stage, COUNT(*) AS n, MEDIAN(ns) AS median_ns FROM samples"
    " GROUP BY contender, host, stage"
)
QUERIES = {
    "totals by contender and host": [],
    "all by contender, host and stage": [ALL, "--memory", "6GiB"],
}


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0])
    count = int(float(arguments[1])) if len(arguments) > 1 else 10**8
    if not folder.exists():
        _fill(Store(folder), count)
    body = []
    for what, words in QUERIES.items():
        for _ in range(3):
            seconds, most = _asked([str(folder), *words])
            body.append([what, f"{seconds:.2f}", f"{most / 2**20:,.0f}"])
    rows = (
        pl.scan_parquet(folder / "samples" / "**" / "*.parquet").select(pl.len()).collect().item()
    )
    notes = [f"{rows:,} samples of {TASKS} tasks"]
    print_table(Console(), Table("campaign query", ["medians", "s", "MiB"], body, notes))
    return 0


def _fill(store: Store, count: int) -> None:
    store.begin()
    random = np.random.default_rng(1)
    each = count // TASKS
    turns = each // (CONTENDERS * len(STAGES))
    contenders = [f"contender-{number}" for number in range(CONTENDERS)]
    for task in range(TASKS):
        index = np.arange(turns * CONTENDERS * len(STAGES))
        stage = index % len(STAGES)
        contender = index // len(STAGES) % CONTENDERS
        noise = random.lognormal(0, 0.3, len(index))
        table = pl.DataFrame(
            {
                "case": "generated",
                "variant": "full",
                "build": "release",
                "contender": pl.Series(contenders).gather(contender),
                "mode": "",
                "fmi": 2,
                "stage": pl.Series(STAGES).gather(stage),
                "repetition": index // (len(STAGES) * CONTENDERS),
                "process": 0,
                "ns": ((1 + contender) * (1 + stage) * 10_000 * noise).astype(np.int64),
            }
        )
        host = f"host-{task % HOSTS}"
        begin = 10**9 * task
        store.keep(
            replace(
                RECORD, task=f"{task:016x}", host=host, start_ns=begin, end_ns=begin + 10**9 - 1
            ),
            table, [],
        )  # fmt: skip


def _asked(words: list[str]) -> tuple[float, int]:
    """Seconds, and the most bytes in memory, of the whole command."""
    begin = time.monotonic()
    command = [sys.executable, "-P", "-m", "wirecost", "campaign", "query", *words]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(status)
    return time.monotonic() - begin, usage.ru_maxrss * 1024


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
