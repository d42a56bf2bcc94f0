# SPDX-License-Identifier: Apache-2.0
"""``wirecost probe check``: whether real-time code keeps its budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.compare import IMPRECISE, REGRESSION
from wirecost.cli.console import say_notes
from wirecost.cli.ending import Output, answering
from wirecost.cli.options import argument, duration, option
from wirecost.cli.output_files import write_text
from wirecost.cli.probe_program import (
    LOGS_OR_COMMAND,
    by_functions,
    functions_request,
    is_log,
    read_logs,
    record_attached,
    run_recorded,
)
from wirecost.results.report.shared.answer import Answer
from wirecost.system.errors import UserError

if TYPE_CHECKING:
    from wirecost.observe.probe.run.hook import Request
    from wirecost.results.analysis.budget.budget import Budget
    from wirecost.results.analysis.budget.origins import Origin
    from wirecost.results.analysis.budget.suppressions import Suppression
    from wirecost.results.analysis.budget.verdicts import Verdict
    from wirecost.results.records.probe_log import ProbeLog
    from wirecost.results.records.probe_stacks import Address, SourceLine, Stack

EXAMPLE = "wirecost probe check --budget budget.toml -- ./program"


@answering(markdown=True, others={"--junit": "junit_file", "--sarif": "sarif_file"})
def command(
    budget: Annotated[Path, option("The budget file: limits to check.", metavar="FILE.toml")],
    what: Annotated[
        list[str] | None,
        argument(LOGS_OR_COMMAND, "Probe logs, traces, or a program to run and record."),
    ] = None,
    process: Annotated[
        int | None,
        option(
            "Judge functions of a process that runs, by uprobes: times, faults, switches.",
            "--attach",
            metavar="PID",
            min=1,
        ),
    ] = None,
    stop: Annotated[
        bool, option("Stop COMMAND by SIGTRAP when a count first exceeds its limit.", "--stop")
    ] = False,
    stacks: Annotated[
        bool,
        option(
            "Keep the stacks at which counted events of COMMAND happen.", "--stacks/--no-stacks"
        ),
    ] = True,
    seconds: Annotated[
        float | None,
        duration("End COMMAND by SIGINT after this time, or observe --attach so long.", "--for"),
    ] = None,
    require_precision: Annotated[
        bool,
        option(
            "Exit with status 4 if no limit is exceeded but one could not be judged.",
            "--require-precision",
        ),
    ] = False,
    suppressions: Annotated[
        Path | None,
        option("Stacks that may pass, in RTSan's syntax with reasons and days.", metavar="FILE"),
    ] = None,
    junit_file: Annotated[
        Path | None, option("Write a test report as JUnit XML.", "--junit", metavar="FILE")
    ] = None,
    sarif_file: Annotated[
        Path | None,
        option("Write a SARIF file, for GitHub code scanning.", "--sarif", metavar="FILE"),
    ] = None,
    *,
    output: Output,
) -> Answer:
    """Judge functions, threads, sections, topics and chains; exit with 3 if one exceeds its budget.

    COMMAND is unchanged: functions and threads that the budget names are recorded.
    """
    from wirecost.results.analysis.budget.budget import FUNCTION, read_budget
    from wirecost.results.analysis.budget.suppressions import read_suppressions
    from wirecost.results.analysis.budget.verdicts import EXCEEDED, NOT_DECIDED
    from wirecost.results.report.budget import budget_answer, junit

    limits = read_budget(budget)
    passing = read_suppressions(suppressions) if suppressions else []
    if passing and (stop or not stacks):
        raise UserError("--suppressions: needs all stacks; leave out --stop and --no-stacks")
    if process is not None:
        if what or stop:
            raise UserError("--attach: is for a process that runs; leave out --stop and LOGS")
        functions = limits.patterns(FUNCTION)
        program: list[str] = []
        logs = record_attached(process, functions, limits.counters(), seconds)
        status = 0
    elif not what:
        raise UserError("nothing to judge; give logs, --attach PID, or -- and a program")
    elif all(map(is_log, what)):
        for name, is_given in (("--for", seconds is not None), ("--stop", stop)):
            if is_given:
                raise UserError(f"{name}: is for a program; give it after --")
        program, logs, status = [], read_logs(what), 0
    else:
        program, request = what, _request(limits, stacks, stop)
        descriptor = 2 if output.uses_stdout else 1
        logs, status = run_recorded(what, limits.counters(), request, descriptor, seconds)
    outcome = _judged(budget, limits, logs, program, stacks and bool(program), passing)
    judged, origins = outcome.verdicts, outcome.origins
    if junit_file is not None:
        write_text("--junit", junit_file, junit(judged, outcome.incomplete, origins))
    if sarif_file is not None:
        from wirecost.results.report.sarif import sarif

        write_text("--sarif", sarif_file, sarif(judged, outcome.incomplete, origins, budget))
    precise = not any(verdict.verdict == NOT_DECIDED for verdict in judged)
    if any(verdict.verdict == EXCEEDED for verdict in judged):
        status = REGRESSION
    elif not status and require_precision and not precise:
        status = IMPRECISE
    answer = budget_answer(judged, outcome.incomplete, origins, outcome.suppressions)
    return replace(answer, doubts=outcome.lines, status=status)


@dataclass(frozen=True)
class Outcome:
    """Verdicts, and where exceeded counts come from.

    ``incomplete``: what was not recorded; ``lines``: what is printed below the table, with styles;
    ``suppressions``: what became of each.
    """

    verdicts: list[Verdict]
    origins: Mapping[Verdict, list[Origin]]
    incomplete: list[str]
    lines: list[tuple[str, str]]
    suppressions: Mapping[Suppression, str]


def _judged(
    path: Path,
    budget: Budget,
    logs: list[ProbeLog],
    program: list[str],
    has_stacks: bool,
    suppressions: list[Suppression],
) -> Outcome:
    """Judge what was recorded, or what the program was stopped for.

    ``program``: words of the program that was run, if one was; ``has_stacks``: whether stacks were
    to be kept.
    """
    from datetime import date

    import polars as pl

    from wirecost.results.analysis.budget.budget import FUNCTION
    from wirecost.results.analysis.budget.origins import origins, warm_stacks
    from wirecost.results.analysis.budget.suppressions import suppress
    from wirecost.results.analysis.budget.verdicts import stopped_verdicts, verdicts, warm
    from wirecost.results.records.probe_stacks import stacks_of, stopped_in
    from wirecost.results.records.recorded import event_tables
    from wirecost.results.report import budget as report
    from wirecost.results.report.probe.tables import loss_doubts, losses

    events = pl.concat(event_tables(logs), how="diagonal")
    stopped = stopped_in(logs)
    try:
        judged = verdicts(events, budget) if stopped is None else stopped_verdicts(stopped, budget)
    except UserError as error:
        names_functions = any(line.kind == FUNCTION for line in budget.lines)
        how = f"; {by_functions(program)}" if program and not names_functions else ""
        raise UserError(f"{path}: {error}{how}") from error
    if stopped is None:
        stacks = warm_stacks(stacks_of(logs), events, budget.after_ns)
        incomplete = [f"incomplete: {line}" for line in losses(logs)]
        doubts = [(f"incomplete: {line}", style) for line, style in loss_doubts(logs)]
    else:
        stacks = [stopped.stack] if stopped.stack is not None else []
        incomplete = ["incomplete: stopped by SIGTRAP, so nothing else was judged"]
        doubts = [(incomplete[0], "")]
    states: Mapping[Suppression, str] = {}
    if suppressions:
        lines_of, today = _resolved(stacks), date.today()
        applied = suppress(
            judged, stacks, warm(events, budget.after_ns), lines_of, suppressions, today
        )
        judged, stacks, states = applied.verdicts, applied.stacks, applied.states
    places = origins(judged, stacks, events, _resolved)
    lines = [*report.places(places), *report.suppression_lines(states)]
    lines += report.without_stacks(judged, places) if stacks or has_stacks else []
    said = [*((line, "") for line in lines), *doubts]
    return Outcome(judged, places, incomplete, said, states)


def _resolved(stacks: Sequence[Stack]) -> dict[Address, tuple[SourceLine, ...]]:
    """Return the lines of stacks; print what is unknown."""
    from wirecost.observe.probe.symbols import source_lines

    if not stacks:
        return {}
    addresses = (it for stack in stacks for it in (*stack.addresses, *stack.holder))
    lines, notes = source_lines(addresses, min(stack.wall_ns for stack in stacks))
    say_notes(notes)
    return lines


def _request(limits: Budget, stacks: bool, stop: bool) -> Request:
    """Return what the hooks have to do for a budget."""
    from wirecost.results.analysis.budget.budget import FUNCTION, THREAD

    if stop and not stacks:
        raise UserError("--stop and --no-stacks: choose one")
    counted = limits.counts()
    if stop and not counted:
        raise UserError("--stop: the budget limits no count; limit allocations, for example")
    is_kept = stacks and bool(counted)
    return replace(
        functions_request(limits.patterns(FUNCTION)),
        by_object=limits.by_object,
        threads=limits.patterns(THREAD),
        stacks_after_ns=int(limits.after_ns) if is_kept else None,
        limits=tuple(
            (line.quantity, int(line.limit), glob) for line in counted for glob in line.globs
        ),
        stop=stop,
    )
