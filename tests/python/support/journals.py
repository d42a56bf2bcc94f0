# SPDX-License-Identifier: Apache-2.0
"""A journal of a small run."""

from __future__ import annotations

from pathlib import Path

from wirecost.results.records.journal import Journal

WHO = {"case": "c", "variant": "v", "build": "release", "contender": "a", "mode": "m"}


def fill(folder: Path, rounds: int = 3) -> Journal:
    folder.mkdir(exist_ok=True)
    journal = Journal(folder)
    journal.about(scenario="heap", types={"minor_faults": "Int64"}, not_run={"b": "absent"})
    run = journal.run({**WHO, "failure": None}, {**WHO, "stage": "total", "bytes": 0})
    for number in range(rounds):
        run.row(repetition=number, ns=100 + number / 2, minor_faults=None)
        journal.flush()
    return journal
