# SPDX-License-Identifier: Apache-2.0
"""Measurements of an earlier run of the same cases, so that only the rest is measured."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import polars as pl

from wirecost.measure.bench.transport.outcome import TransportOutcome
from wirecost.results.records.reading import read_results
from wirecost.results.records.schemas.common import Scalar
from wirecost.results.records.schemas.transport import Fault, TransportMeta
from wirecost.system.errors import UserError

COLUMNS = ("stage", "repetition", "process", "subscriber", "ns")
SAME = ("seconds", "reliable", "queue", "seed")
"""Keys of ``meta.json``'s ``asked`` that must be alike."""


def faults(folder: Path) -> list[Fault]:
    """Return the faults that happened. Raises UserError."""
    meta = read_results(folder).meta
    return list(meta.faults) if isinstance(meta, TransportMeta) else []


def resume(folder: Path, outcomes: Iterable[TransportOutcome], settings: dict[str, Scalar]) -> None:
    """Give each outcome what the folder has of it.

    Raises UserError where it was measured otherwise.
    """
    results = read_results(folder)
    if not isinstance(results.meta, TransportMeta):
        raise UserError(f"--resume {folder}: is of another benchmark")
    before = results.meta.asked
    for name in SAME:
        if before.get(name) != settings[name]:
            raise UserError(
                f"--resume {folder}: was measured with {name} {before.get(name)}, not"
                f" {settings[name]}; give the same, or measure anew"
            )
    runs = {(run.case, run.contender, run.mode): run for run in results.meta.runs}
    samples = results.samples.partition_by(
        ["case", "contender", "mode"], as_dict=True, maintain_order=True
    )
    for outcome in outcomes:
        who = outcome.entry.who
        key = who["case"], who["contender"], who["mode"]
        run = runs.get(key)
        if run is None or run.failure or not run.totals.rounds:
            continue
        table = samples.get(key, pl.DataFrame())
        rows = {name: table[name].to_list() for name in COLUMNS} if len(table) else {}
        try:
            outcome.resumed(run.totals, run.peak, rows)
        except TypeError as error:  # counts of another version
            raise UserError(f"--resume {folder}: its totals are damaged ({error})") from error
