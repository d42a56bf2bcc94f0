# SPDX-License-Identifier: Apache-2.0
"""``wirecost probe try``: a program with each remedy, in turns with the program as it is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from wirecost.cli.console import say_notes
from wirecost.cli.ending import answering
from wirecost.cli.groups import new_app
from wirecost.cli.options import Words, duration, option
from wirecost.cli.probe_run import given
from wirecost.cli.probe_show import Deadline, deadline_ns
from wirecost.cli.remedy_option import Remedies
from wirecost.observe.probe.run.environment import hooks_without, prepare
from wirecost.observe.probe.run.hook import Request
from wirecost.observe.probe.run.target import find
from wirecost.observe.trial.remedy import Change, chosen_remedies
from wirecost.results.report.shared.answer import Answer
from wirecost.system import scratch
from wirecost.system.errors import UserError
from wirecost.system.interruption import watched
from wirecost.system.whole_file import copy_files

if TYPE_CHECKING:
    import polars as pl

    from wirecost.observe.trial.program import Process

EXAMPLE = "wirecost probe try --remedies heap,pin -- ./node"

LAST_BYTES = 300
"""Bytes at the end of a failed program's errors that are shown."""
app = new_app()
Rounds = Annotated[
    int, option("Number of processes for each remedy; remedies take turns.", metavar="N", min=1)
]


@app.command(context_settings={"allow_interspersed_args": False})
@answering()
def command(
    words: Words,
    remedies: Remedies = None,
    rounds: Rounds = 6,
    seconds: Annotated[
        float | None, duration("End each process by SIGINT after this time.", "--for")
    ] = None,
    function: Annotated[
        list[str] | None,
        option(
            "Functions to compare, as in wirecost probe run: 'ns::Planner::*'; repeatable.",
            metavar="PATTERN",
        ),
    ] = None,
    deadline: Deadline = None,
    out: Annotated[
        Path | None, option("Result folder; default results/<time>-try.", metavar="DIR")
    ] = None,
) -> Answer:
    """Run COMMAND again with each remedy, and print what each gained: median, p99, misses.

    Compares sections of the program's probes or hooks, and the functions that --function names.
    Without --for, COMMAND must end by itself. Whole processes that --for ended are not compared.
    """
    from wirecost.cli.remedy_runs import compare_remedies
    from wirecost.observe.trial.program import ERRORS, run_program
    from wirecost.results.analysis.gains import WHOLE
    from wirecost.results.records.new_folder import new_folder
    from wirecost.results.records.probe_log import SUFFIX
    from wirecost.results.records.remedy_trial import TrialAbout

    limit_ns = deadline_ns(deadline)
    tried = chosen_remedies("--remedies", remedies)
    target, hooks = find(words), hooks_without(None)
    request = Request(probed=True, functions=tuple(function or ()))
    cut_off: list[bool] = []
    about = TrialAbout(
        command=words,
        rounds=rounds,
        deadline_ns=limit_ns,
        functions=list(request.functions),
        options=given({"--for": seconds, "--deadline": deadline}),
    )

    def run(
        folder: Path, name: str, number: int, change: Change
    ) -> tuple[pl.DataFrame, tuple[Any, ...]]:
        with scratch.folder("try", in_memory=True) as logs:
            prepared = prepare(target, hooks, request, logs, os.environ)
            say_notes(() if cut_off else prepared.notes)
            command = [*prepared.before, *words]
            printed = folder / "printed"
            process = run_program(command, prepared.environment, change, printed, seconds)
            if process.status not in (0, -2, 130) and not process.ended_by_us:
                raise UserError(
                    f"{words[0]}: ended with status {process.status}, {name}; it must end well"
                    f"{_last_lines(printed.with_name(ERRORS))}"
                )
            cut_off.append(process.ended_by_us)
            samples = _samples(name, number, process, logs)
            if any(logs.glob("*" + SUFFIX)):
                copy_files(logs, folder / "logs")
        if process.waited_ns is not None:
            mean, share = about.waited.get(name, 0.0), process.waited_ns / process.elapsed_ns
            about.waited[name] = mean + (share - mean) / number
        switches = process.voluntary_switches + process.involuntary_switches
        return samples, (name, number, process.minor_faults, switches, process.output)

    def left_out() -> dict[str, str]:
        return {WHOLE: "its time is that of --for"} if any(cut_off) else {}

    with watched(), scratch.run(), new_folder("try", out) as pending:
        return compare_remedies(pending, tried, rounds, run, about, left_out)


def _last_lines(errors: Path) -> str:
    """Return `` (it printed: …)``, the end of what a program printed as errors."""
    with errors.open("rb") as file:
        file.seek(max(0, errors.stat().st_size - LAST_BYTES))
        lines = file.read().decode(errors="replace").split("\n")
    last = " / ".join(line.strip() for line in lines if line.strip())
    return f" (it printed: {last[-LAST_BYTES:]})" if last else ""


def _samples(name: str, number: int, process: Process, logs: Path) -> pl.DataFrame:
    """Return the time of a process, and of its sections where ``logs`` has them."""
    import polars as pl

    from wirecost.results.analysis.gains import SAMPLES, WHOLE
    from wirecost.results.analysis.probe_sections import executions
    from wirecost.results.records.probe_log import SUFFIX, events_of, read_logs

    whole = pl.DataFrame([(name, number, WHOLE, process.elapsed_ns)], SAMPLES, orient="row")
    if not any(logs.glob("*" + SUFFIX)):
        return whole
    executed = executions(events_of(read_logs([logs]))).sort("begin_ns", maintain_order=True)
    sections = executed.select(
        pl.lit(name).alias("remedy"),
        pl.lit(number, pl.Int64).alias("process"),
        pl.col("section").alias("case"),
        pl.col("ns").cast(pl.Int64),
    )
    return pl.concat([sections, whole])
