# SPDX-License-Identifier: Apache-2.0
"""``wirecost replay DIR --try``: a recorded node with each remedy, in turns with it as it is."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from wirecost.cli.remedy_runs import compare_remedies
from wirecost.observe.trial.remedy import Change, Remedy
from wirecost.replay.play.replay import Settings
from wirecost.results.records.folder import Results
from wirecost.results.records.new_folder import PendingFolder
from wirecost.results.records.reading import read_results
from wirecost.results.records.remedy_trial import TrialAbout
from wirecost.results.records.schemas.replay import OUTPUTS, ReplayMeta
from wirecost.results.records.table_file import read_table
from wirecost.results.report.shared.answer import Answer
from wirecost.system.errors import UserError

ROUNDS = 6
COMPARED = ("turnaround", "latency")
Replay = Callable[[Settings, Path, Callable[[str], None]], bool]
Row = tuple[pl.DataFrame, tuple[Any, ...]]


def try_remedies(
    settings: Settings,
    remedies: list[Remedy],
    pending: PendingFolder,
    replay: Replay,
) -> Answer:
    """Fill the folder: a result folder of every run below ``runs``, the result beside it.

    ``replay`` replays once into a folder. Raises UserError where a run did not come to its end.
    """

    def run(folder: Path, name: str, number: int, change: Change) -> Row:
        start = settings.start_options
        start = replace(
            start,
            cpu=start.cpu if change.cpu is None else change.cpu,
            fifo=start.fifo if change.fifo is None else change.fifo,
            changed=change.environment,
        )
        once = replace(settings, start_options=start, repeats=1)
        if not replay(once, folder, lambda _: None):
            raise UserError(f"{settings.recording}: the node ended early, {name}")
        results = read_results(folder)
        return _samples(results, name, number), _process(results, name, number)

    about = TrialAbout(recording=str(settings.recording), rounds=settings.repeats)
    return compare_remedies(pending, remedies, settings.repeats, run, about)


def _samples(results: Results, name: str, number: int) -> pl.DataFrame:
    return results.samples.filter(pl.col("stage").is_in(COMPARED)).select(
        pl.lit(name).alias("remedy"),
        pl.lit(number, pl.Int64).alias("process"),
        pl.col("case"),
        pl.col("ns").cast(pl.Int64),
    )


def _process(results: Results, name: str, number: int) -> tuple[Any, ...]:
    run = results.meta_as(ReplayMeta).repeats[0]
    switches = [run.voluntary_switches, run.involuntary_switches]
    counted = [count for count in switches if count is not None]
    total = sum(counted) if len(counted) == len(switches) else None
    outputs = read_table(results.folder / "outputs.parquet", OUTPUTS, "replay again")
    digest = hashlib.sha256()
    for row in outputs.select("topic", "index", "digest").sort("topic", "index").iter_rows():
        digest.update(repr(row).encode())
    return (name, number, run.minor_faults, total, digest.hexdigest())
