# SPDX-License-Identifier: Apache-2.0
"""``wirecost probe try``: a program with each remedy, in turns with the program as it is."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirecost import scratch
from wirecost.cli.console import progress, say_notes
from wirecost.cli.json_file import JsonFile, check_writable, console_beside, write_json
from wirecost.cli.options import Words, option
from wirecost.cli.remedy_option import Remedies
from wirecost.durations import nanoseconds
from wirecost.errors import UserError
from wirecost.interruption import watched
from wirecost.probe.run.environment import hooks_without, prepare
from wirecost.probe.run.hook import Request
from wirecost.probe.run.target import find
from wirecost.records.choices import HERE
from wirecost.report.shared.terminal import print_table
from wirecost.trial.remedy import PLAIN, Change, chosen_remedies
from wirecost.trial.turns import permitted, take, turns
from wirecost.whole_file import copy_files

if TYPE_CHECKING:
    import polars as pl

    from wirecost.trial.program import Process

EXAMPLE = "wirecost probe try --remedies heap,pin -- ./node"

app = typer.Typer(add_completion=False)
Rounds = Annotated[int, option("Processes of each remedy, in turns.", metavar="N", min=1)]


@app.command(context_settings={"allow_interspersed_args": False})
def command(
    words: Words,
    remedies: Remedies = None,
    rounds: Rounds = 6,
    seconds: Annotated[
        str | None, option("End each process after so long, by SIGINT.", "--for", metavar="TIME")
    ] = None,
    function: Annotated[
        list[str] | None,
        option(
            "Functions to compare, as of wirecost probe run: 'ns::Planner::*'; repeatable.",
            metavar="PATTERN",
        ),
    ] = None,
    out: Annotated[
        Path | None, option("Result folder; default results/<time>-try.", metavar="DIR")
    ] = None,
    json_file: JsonFile = None,
) -> None:
    """Run COMMAND again with each remedy, and print what each gained.

    A row is a section of the program's probes or hooks, or a function that --function names.
    Without --for, COMMAND must end by itself. Whole processes that --for ended are not compared.
    """
    from wirecost.analysis.gains import effects_of, gains_of
    from wirecost.cli.probe_try_tables import WHOLE, compared, process_table, samples_of
    from wirecost.records.new_folder import new_folder
    from wirecost.records.probe_log import SUFFIX
    from wirecost.records.trial import RUNS, begin_trial, end_trial, kept_where_it_fails
    from wirecost.records.whole_table import write_table
    from wirecost.report.probe.trial import document, effect_table, gain_table
    from wirecost.trial.program import run_program

    check_writable("--json", json_file, out or HERE)
    limit_s = None if seconds is None else nanoseconds("--for", seconds, "s") / 1e9
    tried, refused = permitted(chosen_remedies("--remedies", remedies))
    target, hooks = find(words), hooks_without(None)
    asked = Request(probed=True, functions=tuple(function or ()))
    console = console_beside(json_file)
    samples: list[pl.DataFrame] = []
    processes: list[tuple[str, int, Process]] = []

    def one(folder: Path, name: str, change: Change, number: int) -> None:
        kept = folder / RUNS / f"{name.replace(' ', '-')}-{number}"
        with scratch.folder("try", in_memory=True) as logs:
            prepared = prepare(target, hooks, asked, logs, os.environ)
            say_notes(prepared.notes if not processes else ())
            kept.mkdir(parents=True)
            process = run_program(
                [*prepared.before, *words],
                prepared.environment,
                change,
                kept / "printed",
                limit_s,
            )
            if process.status not in (0, -2, 130) and not process.ended_by_us:
                raise UserError(
                    f"{words[0]}: ended with status {process.status}, {name}; it must end well"
                )
            samples.append(samples_of(name, number, process, logs))
            if any(logs.glob("*" + SUFFIX)):
                copy_files(logs, kept / "logs")
        processes.append((name, number, process))

    with watched(), scratch.run(), new_folder("try", out) as pending:
        begin_trial(pending.path)
        with progress() as advance, kept_where_it_fails(pending):
            refused |= take(turns(tried, rounds), advance, partial(one, pending.path))
            kept = [row for row in processes if row[0] not in refused]
            table = compared(samples, kept)
            of_processes = process_table(kept)
            gains, effects = gains_of(table, PLAIN), effects_of(of_processes, PLAIN)
            result = document(gains, effects, refused) | {"command": words, "rounds": rounds}
            write_table(pending.path / "samples.parquet", table)
            write_table(pending.path / "processes.parquet", of_processes)
            end_trial(pending.path, result)
    if gains:
        print_table(console, gain_table(gains))
    print_table(console, effect_table(effects, {one.name: one.about for one in tried}))
    if WHOLE not in table["case"]:
        refused |= {WHOLE: "its time is that of --for"}
    for name, reason in refused.items():
        console.print(f"{name}: not compared: {reason}", highlight=False, markup=False)
    console.print(f"Result: {pending.final}", soft_wrap=True, highlight=False, markup=False)
    write_json(json_file, result)
