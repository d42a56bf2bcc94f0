# SPDX-License-Identifier: Apache-2.0
"""``wirecost probe run``: a program as it is, its callbacks recorded."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from wirecost.cli.console import say_notes
from wirecost.cli.empty_folder import empty_folder
from wirecost.cli.ending import Output, answering
from wirecost.cli.groups import new_app
from wirecost.cli.options import Words, duration, option
from wirecost.cli.probe_show import Deadline, deadline_ns, probe_files_answer
from wirecost.observe.probe.function.request import DEFAULT_LIMIT, MEANS
from wirecost.observe.probe.run.counting import COUNTERS
from wirecost.observe.probe.run.environment import hooks_without, prepare
from wirecost.observe.probe.run.hook import Request, all_hooks
from wirecost.observe.probe.run.launch import run
from wirecost.observe.probe.run.log_room import check_room
from wirecost.observe.probe.run.target import find
from wirecost.results.report.shared.answer import Answer
from wirecost.system import scratch
from wirecost.system.durations import spelled
from wirecost.system.errors import UserError
from wirecost.system.foreign import shell_line
from wirecost.system.function_names import own_functions
from wirecost.system.whole_file import write_text

EXAMPLE = "wirecost probe run -- rosrun topic_tools relay /in /out"

KEPT = (
    "For counters, causes and each miss, keep the logs with --out LOGS, or write a page with "
    "--report FILE"
)
MORE_OF = "For counters, causes and each miss: wirecost probe show --all"
HOOKS = tuple(hook.name for hook in all_hooks())
app = new_app()


@app.command(context_settings={"allow_interspersed_args": False})
@answering()
def command(
    words: Words,
    out: Annotated[
        Path | None,
        option("Keep the logs in this folder; default: they are shown and removed.", metavar="DIR"),
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
        int,
        option(
            "With --function: refuse patterns that match more functions than this.", metavar="N"
        ),
    ] = DEFAULT_LIMIT,
    function_means: Annotated[
        str,
        option(
            f"With --function: how they are recorded: {', '.join(MEANS)}.",
            metavar="MEANS",
            known=MEANS,
        ),
    ] = MEANS[0],
    seconds: Annotated[
        float | None, duration("End the program by SIGINT after this time.", "--for")
    ] = None,
    stacks: Annotated[
        bool, option("Keep the stacks at which counted events happen, for probe check.", "--stacks")
    ] = False,
    deadline: Deadline = None,
    *,
    output: Output,
) -> Answer:
    """Run COMMAND unchanged, record its callbacks, and show what they cost."""
    import msgspec

    from wirecost.observe.doctor.prices import write_prices
    from wirecost.observe.probe.function.unmatched import unmatched
    from wirecost.results.records.recorded_machine import STARTED, Started

    if function and "function" in (without or "").split(","):
        raise UserError("--function and --without function: choose one")
    of_functions = {
        "--function-limit": function_limit != DEFAULT_LIMIT,
        "--function-means": function_means != MEANS[0],
    }
    for name, is_given in of_functions.items():
        if is_given and not function:
            raise UserError(f"{name}: is for --function; name functions")
    limit_ns = deadline_ns(deadline)
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
            stacks_after_ns=0 if stacks else None,
        )
        prepared = prepare(target, hooks, request, folder, os.environ)
        say_notes(prepared.notes)
        descriptor = 2 if output.uses_stdout else 1
        status = run([*prepared.before, *words], prepared.environment, descriptor, seconds)
        if not any(folder.glob("*.wprobe")):
            check_room(folder)
        if request.functions:
            say_notes(unmatched(request.functions, folder))
        if not any(folder.glob("*.wprobe")):
            raise UserError(
                f"{words[0]}: no callback was recorded (it ended with status {status}); "
                f"{_how(words)}"
            )
        started = Started(
            words=tuple(words),
            functions=request.functions,
            options=tuple(
                given(
                    {
                        "--for": seconds,
                        "--deadline": deadline,
                    }
                )
            ),
            of_run=tuple(given({"--without": without, **_changed(request)})),
            counters=os.environ.get(COUNTERS, ""),
        )
        with suppress(OSError):
            write_text(folder / STARTED, msgspec.json.encode(started).decode() + "\n")
            write_prices(folder)
        more = KEPT if out is None else f"{MORE_OF} {shell_line(out)}"
        answer = probe_files_answer([folder], limit_ns, started=started, more=more)
        # The logs of a folder that goes are drawn before it does.
        figures = answer.figures(False) if output.report is not None else ()
        return replace(answer, figures=lambda _: figures, status=status)


def _how(words: list[str]) -> str:
    """Say how to record something of a program that has no callbacks of ROS and no probes."""
    command = shell_line(
        "wirecost", "probe", "run", "--function", own_functions(words), "--", *words
    )
    return f"to record functions of it: {command}"


def given(options: Mapping[str, str | float | None]) -> list[str]:
    """Return the words of options that have a value; a number is a time."""
    return [
        word
        for name, value in options.items()
        if value is not None
        for word in (name, spelled(value) if isinstance(value, float) else value)
    ]


def _changed(request: Request) -> dict[str, str | None]:
    """Return the options that say how functions are recorded, where they are not the default."""
    means, limit = request.function_means, request.function_limit
    return {
        "--function-means": means if means != MEANS[0] else None,
        "--function-limit": str(limit) if limit != DEFAULT_LIMIT else None,
    }
