# SPDX-License-Identifier: Apache-2.0
"""``wirecost probe check``: whether real-time code keeps its budget."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.compare import IMPRECISE, REGRESSION
from wirecost.cli.console import say_notes
from wirecost.cli.ending import Output, answering
from wirecost.cli.options import argument, duration, option
from wirecost.cli.output_files import write_text
from wirecost.results.report.shared.answer import Answer
from wirecost.system.errors import UserError
from wirecost.system.foreign import shell_line

if TYPE_CHECKING:
    from wirecost.observe.probe.run.hook import Request
    from wirecost.results.analysis.budget.budget import Budget
    from wirecost.results.analysis.budget.origins import Origin
    from wirecost.results.analysis.budget.verdicts import Verdict
    from wirecost.results.records.probe_log import ProbeLog
    from wirecost.results.records.probe_stacks import Address, SourceLine, Stack

EXAMPLE = "wirecost probe check LOGS --budget budget.toml"


@answering(markdown=True, others={"--junit": "junit_file"})
def command(
    what: Annotated[
        list[str],
        argument("LOGS | -- COMMAND", "Probe logs, traces, or a program to run and record."),
    ],
    budget: Annotated[Path, option("The budget file: limits to check.", metavar="FILE.toml")],
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
        float | None, duration("End COMMAND by SIGINT after this time.", "--for")
    ] = None,
    require_precision: Annotated[
        bool,
        option(
            "Exit with status 4 if no limit is exceeded but one could not be judged.",
            "--require-precision",
        ),
    ] = False,
    junit_file: Annotated[
        Path | None, option("Write a test report as JUnit XML.", "--junit", metavar="FILE")
    ] = None,
    *,
    output: Output,
) -> Answer:
    """Judge recorded sections, topics and chains by a budget; exit with 3 if one is exceeded."""
    from wirecost.results.analysis.budget.budget import read_budget
    from wirecost.results.analysis.budget.verdicts import EXCEEDED, NOT_DECIDED
    from wirecost.results.report.budget import budget_answer, junit

    limits = read_budget(budget)
    if all(map(_is_log, what)):
        for name, is_given in (("--for", seconds is not None), ("--stop", stop)):
            if is_given:
                raise UserError(f"{name}: is for a program; give it after --")
        logs, status = _recorded(list(map(Path, what))), 0
    else:
        request = _request(limits, stacks, stop)
        logs, status = _run(what, limits, request, seconds, 2 if output.uses_stdout else 1)
    program = [] if all(map(_is_log, what)) else what
    outcome = _judged(budget, limits, logs, program, stacks and bool(program))
    judged, origins = outcome.verdicts, outcome.origins
    if junit_file is not None:
        write_text("--junit", junit_file, junit(judged, outcome.incomplete, origins))
    precise = not any(verdict.verdict == NOT_DECIDED for verdict in judged)
    if any(verdict.verdict == EXCEEDED for verdict in judged):
        status = REGRESSION
    elif not status and require_precision and not precise:
        status = IMPRECISE
    answer = budget_answer(judged, outcome.incomplete, origins)
    return replace(answer, doubts=outcome.lines, status=status)


@dataclass(frozen=True)
class Outcome:
    """Verdicts, and where exceeded counts come from.

    ``incomplete``: what was not recorded; ``lines``: what is printed below the table, with styles.
    """

    verdicts: list[Verdict]
    origins: Mapping[Verdict, list[Origin]]
    incomplete: list[str]
    lines: list[tuple[str, str]]


def _judged(
    path: Path, budget: Budget, logs: list[ProbeLog], program: list[str], has_stacks: bool
) -> Outcome:
    """Judge what was recorded, or what the program was stopped for.

    ``program``: words of the program that was run, if one was; ``has_stacks``: whether stacks were
    to be kept.
    """
    import polars as pl

    from wirecost.results.analysis.budget.origins import origins, warm_stacks
    from wirecost.results.analysis.budget.verdicts import stopped_verdicts, verdicts
    from wirecost.results.records.probe_stacks import stacks_of, stopped_in
    from wirecost.results.records.recorded import event_tables
    from wirecost.results.report import budget as report
    from wirecost.results.report.probe.tables import loss_doubts, losses

    events = pl.concat(event_tables(logs), how="diagonal")
    stopped = stopped_in(logs)
    try:
        judged = verdicts(events, budget) if stopped is None else stopped_verdicts(stopped, budget)
    except UserError as error:
        how = f"; {_by_functions(program)}" if program else ""
        raise UserError(f"{path}: {error}{how}") from error
    if stopped is None:
        stacks = warm_stacks(stacks_of(logs), events, budget.after_ns)
        incomplete = [f"incomplete: {line}" for line in losses(logs)]
        doubts = [(f"incomplete: {line}", style) for line, style in loss_doubts(logs)]
    else:
        stacks = [stopped.stack] if stopped.stack is not None else []
        incomplete = ["incomplete: stopped by SIGTRAP, so nothing else was judged"]
        doubts = [(incomplete[0], "")]
    places = origins(judged, stacks, events, _resolved)
    lines = report.places(places)
    lines += report.without_stacks(judged, places) if stacks or has_stacks else []
    return Outcome(judged, places, incomplete, [*((line, "") for line in lines), *doubts])


def _by_functions(words: list[str]) -> str:
    """Say how to judge functions of a program that has no probes, and no callbacks of ROS."""
    from wirecost.system.function_names import own_functions

    run = ("probe", "run", "--function", own_functions(words), "--stacks", "--out", "LOGS")
    return (
        f"to judge functions of it: {shell_line('wirecost', *run, '--', *words)}; "
        "then: wirecost probe check LOGS --budget FILE.toml"
    )


def _is_log(word: str) -> bool:
    """Say whether it is a folder or a log, not a program or its argument."""
    from wirecost.results.records.probe_log import SUFFIX

    return word.endswith(SUFFIX) or Path(word).is_dir()


def _recorded(paths: list[Path]) -> list[ProbeLog]:
    from wirecost.results.records.recorded import read_recorded

    return read_recorded(paths)


def _resolved(stacks: Sequence[Stack]) -> dict[Address, tuple[SourceLine, ...]]:
    """Return the lines of stacks; print what is unknown."""
    from wirecost.observe.probe.symbols import source_lines

    if not stacks:
        return {}
    addresses = (address for stack in stacks for address in stack.addresses)
    lines, notes = source_lines(addresses, min(stack.wall_ns for stack in stacks))
    say_notes(notes)
    return lines


def _request(limits: Budget, stacks: bool, stop: bool) -> Request:
    """Return what the hooks have to do for a budget."""
    from wirecost.observe.probe.run.hook import Request

    if stop and not stacks:
        raise UserError("--stop and --no-stacks: choose one")
    counted = tuple((count.quantity, int(count.limit), count.pattern) for count in limits.counts())
    if stop and not counted:
        raise UserError("--stop: the budget limits no count; limit allocations, for example")
    is_kept = stacks and bool(counted)
    after_ns = int(limits.after_ns) if is_kept else None
    return Request(stacks_after_ns=after_ns, limits=counted, stop=stop)


def _run(
    words: list[str], limits: Budget, request: Request, seconds: float | None, output: int
) -> tuple[list[ProbeLog], int]:
    """Run a program with the counters that the budget needs; return its logs and its status."""
    from wirecost.observe.probe.run.counting import COUNTERS, asked_counters
    from wirecost.observe.probe.run.environment import hooks_without, prepare
    from wirecost.observe.probe.run.launch import run
    from wirecost.observe.probe.run.log_room import check_room
    from wirecost.observe.probe.run.target import find
    from wirecost.results.records.probe_log import MAX_COUNTERS
    from wirecost.system import scratch

    counters = list(dict.fromkeys([*limits.counters(), *asked_counters()]))
    if len(counters) > MAX_COUNTERS:
        raise UserError(f"{COUNTERS}: holds {MAX_COUNTERS} counters; limit fewer in one budget")
    os.environ[COUNTERS] = ",".join(counters) or "none"
    with scratch.folder("probe", in_memory=True) as folder:
        prepared = prepare(find(words), hooks_without(None), request, folder, os.environ)
        say_notes(prepared.notes)
        status = run([*prepared.before, *words], prepared.environment, output, seconds)
        if not any(folder.glob("*.wprobe")):
            check_room(folder)
            raise UserError(
                f"{words[0]}: nothing was recorded (it ended with status {status}); "
                f"{_by_functions(words)}"
            )
        return _recorded([folder]), status
