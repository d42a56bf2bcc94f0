# SPDX-License-Identifier: Apache-2.0
"""``wirecost replay DIR --try``: a recorded node with each remedy, in turns with it as it is."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console

from wirecost.analysis.gains import PROCESSES, effects_of, gains_of
from wirecost.cli.console import progress
from wirecost.errors import UserError
from wirecost.records.folder import Results
from wirecost.records.new_folder import PendingFolder
from wirecost.records.reading import read_results
from wirecost.records.schemas.replay import OUTPUTS
from wirecost.records.table_file import read_table
from wirecost.records.trial import RUNS, begin_trial, end_trial, kept_where_it_fails
from wirecost.records.whole_table import write_table
from wirecost.replay.play.replay import Settings
from wirecost.report.probe.trial import document, effect_table, gain_table
from wirecost.report.shared.terminal import print_table
from wirecost.trial.remedy import PLAIN, Change, Remedy
from wirecost.trial.turns import permitted, take, turns

ROUNDS = 6
COMPARED = ("turnaround", "latency")
Replay = Callable[[Settings, Path, Callable[[str], None]], bool]


def try_remedies(
    settings: Settings,
    remedies: list[Remedy],
    pending: PendingFolder,
    console: Console,
    run: Replay,
) -> dict[str, Any]:
    """Fills the folder: a result folder of every run below ``runs``, what they came to beside it.

    ``run`` replays once into a folder. Raises UserError where a run did not come to its end.
    """
    tried, refused = permitted(remedies)
    samples: list[pl.DataFrame] = []
    processes: list[tuple[Any, ...]] = []

    def one(name: str, change: Change, number: int) -> None:
        start = settings.start_options
        start = replace(
            start,
            cpu=start.cpu if change.cpu is None else change.cpu,
            fifo=start.fifo if change.fifo is None else change.fifo,
            changed=change.environment,
        )
        folder = pending.path / RUNS / f"{name.replace(' ', '-')}-{number}"
        folder.mkdir(parents=True)
        if not run(replace(settings, start_options=start, repeats=1), folder, lambda _: None):
            raise UserError(f"{settings.recording}: the node ended early, {name}")
        results = read_results(folder)
        samples.append(_samples(results, name, number))
        processes.append(_process(results, name, number))

    begin_trial(pending.path)
    with progress() as advance, kept_where_it_fails(pending):
        refused |= take(turns(tried, settings.repeats), advance, one)
        table = pl.concat(samples).filter(~pl.col("remedy").is_in(list(refused)))
        processes = [row for row in processes if row[0] not in refused]
        processes.sort(key=lambda row: row[0] != PLAIN)
        of_processes = pl.DataFrame(processes, PROCESSES, orient="row")
        gains, effects = gains_of(table, PLAIN), effects_of(of_processes, PLAIN)
        result = document(gains, effects, refused) | {
            "recording": str(settings.recording),
            "rounds": settings.repeats,
        }
        write_table(pending.path / "samples.parquet", table)
        write_table(pending.path / "processes.parquet", of_processes)
        end_trial(pending.path, result)
    print_table(console, gain_table(gains))
    print_table(console, effect_table(effects, {one.name: one.about for one in tried}))
    for name, reason in refused.items():
        console.print(f"{name}: not compared: {reason}", highlight=False, markup=False)
    return result


def _samples(results: Results, name: str, number: int) -> pl.DataFrame:
    return results.samples.filter(pl.col("stage").is_in(COMPARED)).select(
        pl.lit(name).alias("remedy"),
        pl.lit(number, pl.Int64).alias("process"),
        pl.col("case"),
        pl.col("ns").cast(pl.Int64),
    )


def _process(results: Results, name: str, number: int) -> tuple[Any, ...]:
    run = results.meta["repeats"][0]
    switches = [run["voluntary_switches"], run["involuntary_switches"]]
    total = None if None in switches else sum(switches)
    outputs = read_table(results.folder / "outputs.parquet", OUTPUTS, "replay again")
    digest = hashlib.sha256()
    for row in outputs.select("topic", "index", "digest").sort("topic", "index").iter_rows():
        digest.update(repr(row).encode())
    return (name, number, run["minor_faults"], total, digest.hexdigest())
