# SPDX-License-Identifier: Apache-2.0
"""Runs of a program as it is and with each remedy, in turns: kept, compared, printed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from wirecost.cli.console import Advance, progress
from wirecost.observe.trial.remedy import PLAIN, Change, Remedy
from wirecost.observe.trial.turns import permitted, take, turns
from wirecost.results.analysis.gains import PROCESSES
from wirecost.results.records.new_folder import PendingFolder
from wirecost.results.records.remedy_trial import (
    RUNS,
    Trial,
    TrialAbout,
    begin_trial,
    end_trial,
    kept_where_it_fails,
)
from wirecost.results.report.probe.remedy_gains import trial_answer
from wirecost.results.report.shared.answer import Answer

LONG_S = 10.0
"""Seconds of a trial, from which on their number is said."""
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
    about: TrialAbout,
    left_out: Callable[[], dict[str, str]] = dict,
) -> Answer:
    """Fill the folder: each run's own below ``runs``, samples, processes, and the result.

    ``about``: what is tried, and in how many rounds; ``left_out``: cases that are not compared, and
    why. Raises UserError where a run of the program
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
        refused |= take(turns(tried, rounds), _with_estimate(advance), turn)
        about = _completed(about, tried, refused, left_out())
        absent = (list(about.refused), list(about.not_compared))
        compared = ~(pl.col("remedy").is_in(absent[0]) | pl.col("case").is_in(absent[1]))
        completed = sorted(
            (row for row in rows if row[0] not in refused), key=lambda row: row[0] != PLAIN
        )
        processes = pl.DataFrame(completed, PROCESSES, orient="row")
        trial = Trial(pending.final, pl.concat(samples).filter(compared), processes, about)
        answer = trial_answer(trial)
        end_trial(pending.path, trial, answer.document)
    return replace(answer, written=[f"Result: {pending.final}"])


def _with_estimate(advance: Advance) -> Advance:
    """Return the same; after the first turn it says how long all will take, if that is long."""
    began = time.monotonic()

    def step(done: int, total: int, text: str) -> None:
        seconds = (time.monotonic() - began) * total
        if done == 1 and seconds >= LONG_S:
            advance(0, 0, f"{total} runs, about {seconds:.0f} s in all")
        advance(done, total, text)

    return step


def _completed(
    about: TrialAbout, tried: list[Remedy], refused: dict[str, str], cases: dict[str, str]
) -> TrialAbout:
    """Return the same with what is known once all has run."""
    about.created = datetime.now().astimezone().isoformat(timespec="seconds")
    about.plain, about.refused, about.not_compared = PLAIN, refused, cases
    about.remedies_about = {remedy.name: remedy.about for remedy in tried}
    about.prices = {remedy.name: remedy.price for remedy in tried}
    if about.command:
        about.commands = {remedy.name: remedy.change().command(about.command) for remedy in tried}
    return about
