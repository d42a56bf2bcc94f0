# SPDX-License-Identifier: Apache-2.0
"""Runs of a program as it is and with each remedy, in turns: kept, compared, printed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console

from wirecost.cli.console import progress
from wirecost.observe.trial.remedy import PLAIN, Change, Remedy
from wirecost.observe.trial.turns import permitted, take, turns
from wirecost.results.analysis.gains import PROCESSES, effects_of, gains_of
from wirecost.results.records.new_folder import PendingFolder
from wirecost.results.records.trial import RUNS, begin_trial, end_trial, kept_where_it_fails
from wirecost.results.records.whole_table import write_table
from wirecost.results.report.probe.trial import document, effect_table, gain_table
from wirecost.results.report.shared.terminal import print_table

Run = Callable[[Path, str, int, Change], tuple[pl.DataFrame, tuple[Any, ...]]]
"""Function that runs once into a folder, under a remedy's name, in a round.

It returns samples as of ``SAMPLES``, and what the process cost the machine, a row of
``PROCESSES``. Raises UserError.
"""


def compare_remedies(
    pending: PendingFolder,
    remedies: list[Remedy],
    rounds: int,
    run: Run,
    about: dict[str, object],
    console: Console,
    left_out: Callable[[], dict[str, str]] = dict,
) -> dict[str, object]:
    """Fill the folder: each run's own below ``runs``, samples, processes, and the result.

    ``left_out``: cases that are not compared, and why. Raises UserError where a run of the program
    as it is did not come to its end.
    """
    tried, refused = permitted(remedies)
    samples: list[pl.DataFrame] = []
    rows: list[tuple[Any, ...]] = []

    def turn(name: str, change: Change, number: int) -> None:
        folder = pending.path / RUNS / f"{name.replace(' ', '-')}-{number}"
        folder.mkdir(parents=True)
        table, row = run(folder, name, number, change)
        samples.append(table)
        rows.append(row)

    begin_trial(pending.path)
    with progress() as advance, kept_where_it_fails(pending):
        refused |= take(turns(tried, rounds), advance, turn)
        cases = left_out()
        compared = ~(pl.col("remedy").is_in(list(refused)) | pl.col("case").is_in(list(cases)))
        table = pl.concat(samples).filter(compared)
        completed = sorted(
            (row for row in rows if row[0] not in refused), key=lambda row: row[0] != PLAIN
        )
        processes = pl.DataFrame(completed, PROCESSES, orient="row")
        gains, effects = gains_of(table, PLAIN), effects_of(processes, PLAIN)
        result = document(gains, effects, refused) | about
        write_table(pending.path / "samples.parquet", table)
        write_table(pending.path / "processes.parquet", processes)
        end_trial(pending.path, result)
    if gains:
        print_table(console, gain_table(gains))
    print_table(console, effect_table(effects, {remedy.name: remedy.about for remedy in tried}))
    for name, reason in (refused | cases).items():
        console.print(f"{name}: not compared: {reason}", highlight=False, markup=False)
    return result
