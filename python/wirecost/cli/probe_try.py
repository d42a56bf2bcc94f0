# SPDX-License-Identifier: Apache-2.0
"""``wirecost probe try``: a program with each remedy, in turns with the program as it is."""

from __future__ import annotations

import os
import shutil
from functools import partial
from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from wirecost import scratch
from wirecost.analysis.gains import PROCESSES, SAMPLES, effects_of, gains_of
from wirecost.analysis.probe_sections import executions
from wirecost.cli.console import progress
from wirecost.cli.json_file import JsonFile, check_writable, console_beside, write_json
from wirecost.cli.remedy_option import Remedies
from wirecost.durations import nanoseconds
from wirecost.errors import UserError
from wirecost.interruption import watched
from wirecost.probe.run.environment import hooks_without, prepare
from wirecost.probe.run.hook import Request
from wirecost.probe.run.target import find
from wirecost.records.measured import HERE
from wirecost.records.new_folder import new_folder
from wirecost.records.probe_log import SUFFIX, events_of, read_logs
from wirecost.records.trial import begin_trial, end_trial, kept_where_it_fails
from wirecost.records.whole_table import write_table
from wirecost.report.probe.trial import document, effect_table, gain_table
from wirecost.report.shared.terminal import print_table
from wirecost.trial.program import Process, run_program
from wirecost.trial.remedy import PLAIN, Change, chosen_remedies
from wirecost.trial.turns import permitted, take, turns

EXAMPLE = "wirecost probe try --remedies heap,pin -- ./node"

WHOLE = "whole program"
app = typer.Typer(add_completion=False)
Rounds = Annotated[
    int, typer.Option(metavar="N", min=1, help="Processes of each remedy, in turns.")
]


@app.command(context_settings={"allow_interspersed_args": False})
def command(
    words: Annotated[
        list[str],
        typer.Argument(metavar="-- COMMAND", help="The program to run, with its arguments."),
    ],
    remedies: Remedies = None,
    rounds: Rounds = 6,
    seconds: Annotated[
        str | None,
        typer.Option("--for", metavar="TIME", help="End each process after so long, by SIGINT."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Result folder; default results/<time>-try.")
    ] = None,
    json_file: JsonFile = None,
) -> None:
    """Run COMMAND again with each remedy, and print what each gained.

    Without --for, COMMAND must end by itself. Whole processes that --for ended are not compared.
    """
    check_writable("--json", json_file, out or HERE)
    limit_s = None if seconds is None else nanoseconds("--for", seconds, "s") / 1e9
    tried, refused = permitted(chosen_remedies("--remedies", remedies))
    target, hooks = find(words), hooks_without(None)
    console = console_beside(json_file)
    samples: list[pl.DataFrame] = []
    processes: list[tuple[str, int, Process]] = []

    def one(folder: Path, name: str, change: Change, number: int) -> None:
        kept = folder / "runs" / f"{name.replace(' ', '-')}-{number}"
        kept.mkdir(parents=True)
        with scratch.folder("try", in_memory=True) as logs:
            prepared = prepare(target, hooks, Request(probed=True), logs, os.environ)
            process = run_program(words, prepared.environment, change, kept / "printed", limit_s)
            if process.status not in (0, -2, 130) and not process.ended_by_us:
                raise UserError(
                    f"{words[0]}: ended with status {process.status}, {name}; it must end well"
                )
            samples.append(_samples(name, number, process, logs))
            if any(logs.glob("*" + SUFFIX)):
                shutil.copytree(logs, kept / "logs")
        processes.append((name, number, process))

    with watched(), scratch.run(), new_folder("try", out) as pending:
        begin_trial(pending.path)
        with progress() as advance, kept_where_it_fails(pending):
            refused |= take(turns(tried, rounds), advance, partial(one, pending.path))
        kept = [row for row in processes if row[0] not in refused]
        table = _compared(samples, kept)
        of_processes = _process_table(kept)
        gains, effects = gains_of(table, PLAIN), effects_of(of_processes, PLAIN)
        result = document(gains, effects, refused) | {"command": words, "rounds": rounds}
        write_table(pending.path / "samples.parquet", table)
        write_table(pending.path / "processes.parquet", of_processes)
        end_trial(pending.path, result)
    if gains:
        print_table(console, gain_table(gains))
    about = {remedy.name: remedy.about for remedy in tried}
    print_table(console, effect_table(effects, about))
    for name, reason in refused.items():
        console.print(f"{name}: not compared: {reason}", highlight=False, markup=False)
    if WHOLE not in table["case"]:
        console.print(f"{WHOLE}: not compared: its time is that of --for", highlight=False)
    console.print(f"Result: {pending.final}", soft_wrap=True, highlight=False, markup=False)
    write_json(json_file, result)


def _compared(
    samples: list[pl.DataFrame], processes: list[tuple[str, int, Process]]
) -> pl.DataFrame:
    """Of the remedies of ``processes``; without the times of whole processes where the time limit
    ended one."""
    table = pl.concat(samples)
    table = table.filter(pl.col("remedy").is_in(list({name for name, _, _ in processes})))
    if any(process.ended_by_us for _, _, process in processes):
        table = table.filter(pl.col("case") != WHOLE)
    return table


def _samples(name: str, number: int, process: Process, logs: Path) -> pl.DataFrame:
    rows = [pl.DataFrame([(name, number, WHOLE, process.elapsed_ns)], SAMPLES, orient="row")]
    if any(logs.glob("*" + SUFFIX)):
        executed = executions(events_of(read_logs([logs])))
        sections = executed.select(
            pl.lit(name).alias("remedy"),
            pl.lit(number, pl.Int64).alias("process"),
            pl.col("section").alias("case"),
            pl.col("ns").cast(pl.Int64),
        )
        rows.insert(0, sections)
    return pl.concat(rows)


def _process_table(processes: list[tuple[str, int, Process]]) -> pl.DataFrame:
    rows = [
        (name, number, one.minor_faults, one.voluntary_switches + one.involuntary_switches,
         one.output)
        for name, number, one in sorted(processes, key=lambda one: one[0] != PLAIN)
    ]  # fmt: skip
    return pl.DataFrame(rows, PROCESSES, orient="row")
