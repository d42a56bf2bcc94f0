# SPDX-License-Identifier: Apache-2.0
"""One task on this machine: the command in a child process, while nobody else measures here."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import polars as pl

from wirecost.measure.campaign.tasks import Task
from wirecost.observe.doctor.examine import examine
from wirecost.observe.doctor.machine import machine
from wirecost.observe.doctor.machine_files import System
from wirecost.results.analysis.summary import document, summarize
from wirecost.results.records.folder import Results
from wirecost.results.records.reading import read_results
from wirecost.results.store.store import DONE, FAILED, Record, Rows
from wirecost.system import children, scratch
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown
from wirecost.system.installation import installation
from wirecost.system.locks import claim
from wirecost.system.private import state_folder
from wirecost.system.waiting import Deadline

LONGER = 5.0
SPARE_S = 60.0
LOOK_S = 0.2
BOOT = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True)
class Measured:
    record: Record
    samples: pl.DataFrame | None = None
    rows: Rows = field(default_factory=list)


@contextmanager
def alone(patience_s: float = 0.0) -> Iterator[None]:
    """Raise UserError where another campaign of this user measures on this host.

    ``patience_s``: how long to wait for its end.
    """
    path = state_folder() / f"measuring-{boot()}.lock"
    end = Deadline(patience_s)
    while (lock := claim(path)) is None:
        if end.passed:
            why = "another campaign measures on this host; wait until it has ended"
            raise UserError(f"{path}: {why}")
        time.sleep(LOOK_S)
    try:
        yield
    finally:
        lock.release()


def boot() -> str:
    """Return the kernel's id of this boot."""
    return BOOT.read_text().strip()


def limit_s(task: Task) -> float:
    """Return the seconds after which a task is ended."""
    return LONGER * task.expected_s + SPARE_S


def measure(campaign: str, task: Task, beside: str = "") -> Measured:
    """Run the task within ``alone``; the record has what goes wrong.

    ``beside``: what of the campaign runs on this host meanwhile.
    """
    with scratch.folder("campaign") as parent:
        return _measured(campaign, task, beside, parent / "result")


def _measured(campaign: str, task: Task, beside: str, folder: Path) -> Measured:
    words = [sys.executable, "-P", "-m", "wirecost", "bench", task.scenario, *task.arguments,
             "--out", str(folder)]  # fmt: skip
    limit = limit_s(task)
    before = _verdict()
    created = datetime.now(UTC).isoformat(timespec="seconds")
    start = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    failure = ""
    try:
        done = children.run(words, timeout_s=limit)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["it gave no reason"])[-1]
            failure = f"status {done.returncode}: {shown(last, 500)}"
    except subprocess.TimeoutExpired:
        failure = f"ended after {limit:.0f} s, {LONGER:g} times as long as expected"
    end = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    results, why = _read(folder)
    record = Record(
        task.key, campaign, task.scenario, socket.gethostname(), task.machine, task.repetition,
        list(task.arguments), boot(), start, end,
        DONE if results else FAILED, failure or why, before, _verdict(), str(installation()),
        msgspec.json.encode(results.meta).decode() if results else "", created, task.revision,
        beside,
    )  # fmt: skip
    if results is None:
        return Measured(record)
    return Measured(record, results.samples, rows_of(results))


def _read(folder: Path) -> tuple[Results | None, str]:
    if not folder.exists():
        return None, "it left no results"
    try:
        results = read_results(folder)
    except UserError as error:
        return None, str(error)
    if results.meta.interrupted:
        return None, f"ended early: {results.meta.interrupted}"
    return results, ""


def rows_of(results: Results) -> Rows:
    """Return the summary rows, as JSON has them."""
    rows: Rows = document(results, summarize(results))["rows"]
    return rows


def _verdict() -> str:
    return str(examine(machine(System())).verdict)
