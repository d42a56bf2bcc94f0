# SPDX-License-Identifier: Apache-2.0
"""``python -m lab [TASKS]``: a campaign on three hosts, one of whose workers is killed every 20 s
and whose scheduler is killed once; then ``--resume``. Needs root, for network namespaces.

The exit status is 1 unless the store then has each task exactly once, and none that overlapped
another on its host.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import polars as pl
import psutil

from support.lab_hosts import lab
from wirecost.campaign.store import Store, overlaps

WORDS = [sys.executable, "-P", "-m", "wirecost", "campaign"]
HOSTS = ["one", "two", "three"]
EVERY_S = 20.0
WORKER = "wirecost.campaign.cluster.worker_process"
CAMPAIGN = """\
name = "lab"
repetitions = {repetitions}

[[bench]]
scenario = "tensor"
expected = "10 s"
machines = ["one", "two", "three"]
[bench.options]
plugins = "numpy"
mwares = "in-process,memcpy"
processes = 1
trials = 2

[[bench]]
scenario = "tensor"
expected = "10 s"
machines = ["one"]
[bench.options]
plugins = "numpy"
mwares = "in-process"
processes = 1
trials = 2
"""
EACH = 4
"""Tasks of a repetition."""


def main(arguments: list[str]) -> int:
    wanted = int(arguments[0]) // EACH * EACH if arguments else 200
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with lab(folder, HOSTS) as machines:
            return _campaign(folder, machines, wanted)


def _campaign(folder: Path, machines: Path, wanted: int) -> int:
    path, store = folder / "campaign.toml", folder / "store"
    path.write_text(CAMPAIGN.format(repetitions=wanted // EACH))
    command = [*WORDS, "run", str(path), "--store", str(store), "--cluster", str(machines)]
    state = {**os.environ, "WIRECOST_STATE": str(folder / "state")}
    status, workers = _until_killed(command, state, store, wanted)
    first = len(Store(store).records())
    print(f"first run: status {status}, {workers} workers and the scheduler killed, {first} stored")
    attempts = 0
    while len(Store(store).records()) < wanted and attempts < 3:
        attempts += 1
        status, killed = _killing(
            subprocess.Popen([*command, "--resume"], env=state), scheduler_after=None
        )
        workers += killed
        print(f"--resume: status {status}, {killed} workers killed")
    records = Store(store).records()
    met = overlaps(records)
    samples = pl.scan_parquet(store / "samples" / "**" / "*.parquet")
    twice = samples.filter(stage="total").group_by("task", "contender").len().collect()["len"].max()
    print(
        f"{len(records)} results of {wanted} tasks, {records.n_unique('task')} different,"
        f" {len(met)} overlaps on {records.n_unique('host')} hosts; {workers} workers killed;"
        f" at most {twice} samples of a contender (2 asked)"
    )
    good = len(records) == records.n_unique("task") == wanted and met.is_empty() and twice == 2
    return 0 if good and set(records["outcome"]) == {"done"} else 1


def _until_killed(
    command: list[str], state: dict[str, str], store: Path, wanted: int
) -> tuple[int, int]:
    return _killing(
        subprocess.Popen(command, env=state),
        scheduler_after=lambda: len(list(store.rglob("records/**/*.parquet"))) > wanted // 2,
    )


def _killing(client: subprocess.Popen[bytes], scheduler_after: object) -> tuple[int, int]:
    """The client's status, and how many workers were killed while it ran."""
    ended, killed = threading.Event(), 0
    threading.Thread(target=lambda: (client.wait(), ended.set()), daemon=True).start()
    left = EVERY_S
    chosen = random.Random(1)
    while not ended.wait(0.5):
        left -= 0.5
        below = _below(client)
        if callable(scheduler_after) and scheduler_after():
            for process in below.get("scheduler", []):
                process.kill()
            scheduler_after = None
        if left <= 0 and (workers := below.get(WORKER)):
            chosen.choice(workers).kill()
            killed += 1
            left = EVERY_S
    return client.returncode, killed


def _below(client: subprocess.Popen[bytes]) -> dict[str, list[psutil.Process]]:
    found: dict[str, list[psutil.Process]] = {}
    try:
        every = psutil.Process(client.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return found
    for process in every:
        try:
            words = process.cmdline()
        except psutil.NoSuchProcess:
            continue
        for word in ("scheduler", WORKER):
            if word in words:
                found.setdefault(word, []).append(process)
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
