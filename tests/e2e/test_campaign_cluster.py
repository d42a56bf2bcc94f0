# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign run --cluster``: workers, schedulers and clients that are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import psutil
import pytest

from support.programs import execute
from support.waiting import until
from wirecost.results.store.store import Store, overlaps

pytest.importorskip("distributed")
WORDS = [sys.executable, "-P", "-m", "wirecost", "campaign"]
PATIENCE_S = 120
CAMPAIGN = """\
name = "small"
repetitions = {repetitions}

[[bench]]
scenario = "tensor"
expected = "5 s"
machines = {machines}
[bench.options]
plugins = "numpy"
middlewares = "in-process,memcpy"
processes = 1
[bench.matrix]
trials = [2, 3]
"""


@pytest.fixture
def state(tmp_path: Path) -> dict[str, str]:
    """Return an environment with a state folder of its own."""
    return {**os.environ, "WIRECOST_STATE": str(tmp_path / "state")}


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return campaign(tmp_path, ["here"], 3)


def campaign(folder: Path, machines: list[str], repetitions: int) -> Path:
    path = folder / "campaign.toml"
    path.write_text(CAMPAIGN.format(machines=json.dumps(machines), repetitions=repetitions))
    return path


def ran(state: dict[str, str], *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return execute([*WORDS, *map(str, arguments)], env=state, timeout=PATIENCE_S)


@contextmanager
def running(state: dict[str, str], *arguments: str | Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*WORDS, *map(str, arguments)], env=state, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def measured(store: Path) -> list[Path]:
    return list((store / "records").rglob("*.parquet"))


def descendants(process: subprocess.Popen[str], word: str) -> list[psutil.Process]:
    """Programs below that one whose command line has that word, the lowest last."""
    try:
        every = psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    found = []
    for one in every:
        try:
            if word in one.cmdline():
                found.append(one)
        except psutil.NoSuchProcess:
            continue
    return found


def check(store: Path, count: int) -> pl.DataFrame:
    """Exactly so many, none twice, none at the same time as another of its host."""
    records = Store(store).records()
    assert len(records) == records.n_unique("task") == count
    assert set(records["outcome"]) == {"done"} and overlaps(records).is_empty()
    samples = pl.read_parquet(store / "samples" / "**" / "*.parquet")
    trials = samples.filter(stage="total").group_by("task", "contender").len()
    assert set(trials["len"]) <= {2, 3} and trials.n_unique("task") == count
    return records


def test_a_cluster_of_this_machine(small: Path, tmp_path: Path, state: dict[str, str]) -> None:
    store = tmp_path / "store"
    done = ran(state, "run", small, "--store", store, "--cluster", "local", "--revision", "r1")
    assert done.returncode == 0, done.stderr
    assert "6 measured, 0" in " ".join(done.stdout.split()) and "Traceback" not in done.stderr
    records = check(store, 6)
    assert set(records["beside"]) == {"client, scheduler, store"}
    assert set(records["revision"]) == {"r1"}
    # The workers keep nothing of what the store has.
    assert list((tmp_path / "state" / "measured").iterdir()) == []
    shown = ran(state, "status", store)
    assert "client, scheduler, store" in " ".join(shown.stdout.split())


def test_a_killed_worker_is_replaced(small: Path, tmp_path: Path, state: dict[str, str]) -> None:
    store = tmp_path / "store"
    word = "wirecost.measure.campaign.cluster.worker_process"
    with running(state, "run", small, "--store", store, "--cluster", "local") as client:
        for count in (1, 3):
            until(lambda count=count: len(measured(store)) >= count, seconds=PATIENCE_S)
            for worker in descendants(client, word):
                worker.kill()
        assert client.wait(PATIENCE_S) == 0, client.communicate()[1]
    check(store, 6)


def test_a_killed_scheduler_ends_the_campaign_in_one_line(
    small: Path, tmp_path: Path, state: dict[str, str]
) -> None:
    store = tmp_path / "store"
    with running(state, "run", small, "--store", store, "--cluster", "local") as client:
        until(lambda: measured(store), seconds=PATIENCE_S)
        for scheduler in descendants(client, "scheduler"):
            scheduler.kill()
        assert client.wait(PATIENCE_S) == 2
        said = client.communicate()[1]
    last = said.strip().splitlines()[-1]
    assert "scheduler has ended" in last and "--resume goes on" in last, said
    assert "Traceback" not in said
    done = ran(state, "run", small, "--store", store, "--cluster", "local", "--resume")
    assert done.returncode == 0, done.stderr
    check(store, 6)


def test_what_a_killed_client_left_is_not_measured_again(
    small: Path, tmp_path: Path, state: dict[str, str]
) -> None:
    """Its worker belongs to a scheduler that goes on."""
    store, keys = tmp_path / "store", tmp_path / "keys.pem"
    assert ran(state, "keys", keys).returncode == 0
    assert keys.stat().st_mode & 0o777 == 0o600
    at = ("tls://127.0.0.1:0", "--keys", keys)
    with running(state, "scheduler", *at) as scheduler:
        assert scheduler.stdout is not None
        address = scheduler.stdout.readline().strip()
        with running(state, "worker", address, "--keys", keys, "--machine", "here"):
            cluster = ("--cluster", address, "--keys", keys)
            spool = tmp_path / "state" / "measured"
            with running(state, "run", small, "--store", store, *cluster) as client:
                until(lambda: measured(store), seconds=PATIENCE_S)
                client.kill()
            had = len(measured(store))
            until(
                lambda: any(".records." in path.name for path in spool.glob("*")),
                seconds=PATIENCE_S,
            )
            left = {path.name.partition(".")[0] for path in spool.glob("*.records.parquet")}
            starts = {key: record_start(spool, key) for key in left}
            done = ran(state, "run", small, "--store", store, *cluster, "--resume")
            assert done.returncode == 0, done.stderr
    assert had < 6
    records = check(store, 6)
    times = dict(records.select("task", "start_ns").iter_rows())
    assert {key: times[key] for key in starts} == starts
    assert list(spool.iterdir()) == []


def record_start(spool: Path, key: str) -> int:
    return int(pl.read_parquet(spool / f"{key}.records.parquet")["start_ns"][0])


def test_machines_that_cannot_be_reached_are_named(tmp_path: Path, state: dict[str, str]) -> None:
    path, store = campaign(tmp_path, ["one", "two"], 1), tmp_path / "store"
    lab = tmp_path / "lab.toml"
    lab.write_text(
        'address = "127.0.0.1"\n'
        '[[machine]]\nname = "one"\n'
        f'start = ["{sys.executable}", "-P", "-m"]\n'
        '[[machine]]\nname = "two"\nstart = ["sh", "-c", "echo no route to two >&2; exit 1"]\n'
    )
    done = ran(state, "run", path, "--store", store, "--cluster", f"ssh://{lab}", "--json", "-")
    assert done.returncode == 1, done.stderr
    outcome = json.loads(done.stdout)
    assert (outcome["done"], outcome["missing"]) == (2, 2)
    assert done.stderr.count("route to two") == 2
    check(store, 2)


def test_strangers_are_refused(tmp_path: Path, state: dict[str, str]) -> None:
    ours, others = tmp_path / "ours.pem", tmp_path / "others.pem"
    for path in (ours, others):
        assert ran(state, "keys", path).returncode == 0
    again = ran(state, "keys", ours)
    assert again.returncode == 2 and "is there already" in again.stderr
    with running(state, "scheduler", "tls://127.0.0.1:0", "--keys", ours) as scheduler:
        assert scheduler.stdout is not None
        address = scheduler.stdout.readline().strip()
        done = ran(state, "worker", address, "--keys", others)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert "no worker can" in done.stderr


def test_programs_get_the_environment_of_the_worker(
    state: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dask's own workers set variables that change glibc's allocator and NumPy's threads."""
    from wirecost.measure.campaign.cluster import lab
    from wirecost.measure.campaign.cluster.dispatch import connected
    from wirecost.measure.campaign.cluster.hosts import hosts

    monkeypatch.setenv("WIRECOST_STATE", state["WIRECOST_STATE"])
    words = (sys.executable, "-P", "-m", "wirecost")
    with (
        hosts(lab.here("here", words)) as started,
        connected(started.address, started.keys) as client,
    ):
        client.wait_for_workers(1, timeout=PATIENCE_S)
        (seen,) = client.run(lambda: dict(os.environ)).values()
    # GNU readline, where something imports it, sets the size of the terminal.
    ours = {"LD_PRELOAD", "WIRECOST_RUN", "COLUMNS", "LINES"}
    assert {k: v for k, v in seen.items() if k not in ours} == {
        k: v for k, v in os.environ.items() if k not in ours
    }


def test_a_terminal_interrupt_ends_all(small: Path, tmp_path: Path, state: dict[str, str]) -> None:
    store = tmp_path / "store"
    with running(state, "run", small, "--store", store, "--cluster", "local") as client:
        until(lambda: measured(store), seconds=PATIENCE_S)
        below = descendants(client, "worker") + descendants(client, "scheduler")
        assert below
        client.send_signal(signal.SIGINT)
        assert client.wait(PATIENCE_S) == 130
        said = client.communicate()[1]
    assert "--resume goes on" in said and "Traceback" not in said
    psutil.wait_procs(below, timeout=PATIENCE_S)
    assert not any(one.is_running() for one in below)
