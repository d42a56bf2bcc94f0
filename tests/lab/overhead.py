# SPDX-License-Identifier: Apache-2.0
"""``python -m lab.overhead [ROUNDS]``: what a campaign adds to the runs of its tasks. The same four
runs of `wirecost bench` by hand, as a campaign, and as a campaign on a cluster of this machine, in
turn.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

from wirecost.report.shared.table import Table
from wirecost.report.shared.terminal import print_table

WIRECOST = [sys.executable, "-P", "-m", "wirecost"]
RUNS = 4
WORDS = ["tensor", "--plugins", "numpy", "--mwares", "shm,zeromq", "--trials", "300",
         "--processes", "4"]  # fmt: skip
CAMPAIGN = f"""\
name = "overhead"
repetitions = {RUNS}
[[bench]]
scenario = "tensor"
expected = "30 s"
[bench.options]
plugins = "numpy"
mwares = "shm,zeromq"
trials = 300
processes = 4
"""


def main(arguments: list[str]) -> int:
    rounds = int(arguments[0]) if arguments else 3
    seconds: dict[str, list[float]] = {"by hand": [], "campaign": [], "--cluster local": []}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "campaign.toml").write_text(CAMPAIGN)
            seconds["by hand"].append(_by_hand(folder))
            seconds["campaign"].append(_campaign(folder, "a", []))
            seconds["--cluster local"].append(_campaign(folder, "b", ["--cluster", "local"]))
    hand = statistics.median(seconds["by hand"])
    body = []
    for what, some in seconds.items():
        added = 100 * (statistics.median(some) / hand - 1)
        body.append([what, f"{min(some):.1f} to {max(some):.1f}", f"{added:+.1f} %"])
    notes = [f"{rounds} rounds of {RUNS} runs; medians"]
    print_table(Console(), Table("Overhead", ["how", "s", "beside by hand"], body, notes))
    return 0


def _by_hand(folder: Path) -> float:
    begin = time.monotonic()
    for number in range(RUNS):
        out = ["--out", str(folder / str(number))]
        subprocess.run([*WIRECOST, "bench", *WORDS, *out], check=True, capture_output=True)
    return time.monotonic() - begin


def _campaign(folder: Path, name: str, words: list[str]) -> float:
    environment = {**os.environ, "WIRECOST_STATE": str(folder / "state")}
    command = [*WIRECOST, "campaign", "run", str(folder / "campaign.toml"), "--store",
               str(folder / name), *words]  # fmt: skip
    begin = time.monotonic()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return time.monotonic() - begin


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
