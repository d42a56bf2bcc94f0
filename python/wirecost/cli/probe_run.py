# SPDX-License-Identifier: Apache-2.0
"""``wirecost probe run``: a program as it is, its callbacks recorded."""

from __future__ import annotations

import os
import shlex
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Annotated

import typer

from wirecost.cli.console import say_notes
from wirecost.cli.empty_folder import empty_folder
from wirecost.cli.json_file import JsonFile, check_page, check_writable
from wirecost.cli.options import Words, option
from wirecost.cli.probe_show import Deadline, Report, deadline_ns, show
from wirecost.observe.probe.function.request import DEFAULT_LIMIT, MEANS
from wirecost.observe.probe.function.unmatched import unmatched
from wirecost.observe.probe.run.environment import hooks_without, prepare
from wirecost.observe.probe.run.hook import Request, all_hooks
from wirecost.observe.probe.run.launch import run
from wirecost.observe.probe.run.target import find
from wirecost.system import scratch
from wirecost.system.durations import nanoseconds
from wirecost.system.errors import UserError

EXAMPLE = "wirecost probe run -- rosrun topic_tools relay /in /out"

KEPT = "Counters, causes, each miss: --out LOGS keeps the logs, --report FILE is a page"
MORE_OF = "Counters, causes, each miss: wirecost probe show --all"
STANDARD_OUTPUT = Path("-")
HOOKS = tuple(hook.name for hook in all_hooks())
app = typer.Typer(add_completion=False)


@app.command(context_settings={"allow_interspersed_args": False})
def command(
    words: Words,
    out: Annotated[
        Path | None, option("Keep the logs here; default: shown and removed.", metavar="DIR")
    ] = None,
    without: Annotated[
        str | None,
        option(
            f"Hooks to leave out, comma-separated, of {', '.join(HOOKS)}.",
            metavar="HOOKS",
            known=HOOKS,
        ),
    ] = None,
    function: Annotated[
        list[str] | None,
        option(
            "Functions to record: 'ns::Planner::plan*', 'module:Class.method'; repeatable.",
            metavar="PATTERN",
        ),
    ] = None,
    function_limit: Annotated[
        int, option("Refuse patterns that match more functions.", metavar="N")
    ] = DEFAULT_LIMIT,
    function_means: Annotated[
        str,
        option(f"How functions are recorded: {', '.join(MEANS)}.", metavar="MEANS", known=MEANS),
    ] = MEANS[0],
    seconds: Annotated[
        str | None, option("End the program after so long, by SIGINT.", "--for", metavar="TIME")
    ] = None,
    deadline: Deadline = None,
    json_file: JsonFile = None,
    report: Report = None,
) -> None:
    """Run COMMAND unchanged, record its callbacks, and show what they cost."""
    from wirecost.observe.doctor.prices import write_prices

    check_page("--report", report)
    check_writable("--json", json_file, out)
    if function and "function" in (without or "").split(","):
        raise UserError("--function and --without function: choose one")
    limit_ns = deadline_ns(deadline)
    limit_s = None if seconds is None else nanoseconds("--for", seconds, "s") / 1e9
    hooks = hooks_without(without)
    target = find(words)
    with ExitStack() as open_folders:
        if out is None:
            folder = open_folders.enter_context(scratch.folder("probe", in_memory=True))
        else:
            folder = out
            open_folders.enter_context(empty_folder(out))
        request = Request(
            functions=tuple(function or ()),
            function_limit=function_limit,
            function_means=function_means,
        )
        prepared = prepare(target, hooks, request, folder, os.environ)
        say_notes(prepared.notes)
        output = 2 if json_file == STANDARD_OUTPUT else 1
        status = run([*prepared.before, *words], prepared.environment, output, limit_s)
        if request.functions:
            say_notes(unmatched(request.functions, folder, _sections(folder)))
        if not any(folder.glob("*.wprobe")):
            raise UserError(
                f"{words[0]}: no callback was recorded (it ended with status {status}); "
                "wirecost probe run --help lists what can be recorded"
            )
        with suppress(OSError):
            write_prices(folder)
        more = KEPT if out is None else f"{MORE_OF} {shlex.quote(str(out))}"
        show([folder], limit_ns, json_file, report, started=shlex.join(words), more=more)
    if status:
        raise typer.Exit(status)


def _sections(folder: Path) -> set[str]:
    """Return the names of all sections that were or could have been recorded."""
    from wirecost.results.records.probe_log import read_log

    logs = map(read_log, folder.glob("*.wprobe"))
    return {name for log in logs for name in log.names.values()}
