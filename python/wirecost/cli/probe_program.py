# SPDX-License-Identifier: Apache-2.0
"""A program, or logs of one, that ``probe check`` judges and ``probe budget`` measures."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wirecost.cli.console import say_notes
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

if TYPE_CHECKING:
    from wirecost.observe.probe.run.hook import Request
    from wirecost.observe.probe.run.target import Target
    from wirecost.results.records.probe_log import ProbeLog

LOGS_OR_COMMAND = "LOGS | -- COMMAND"


def is_log(word: str) -> bool:
    """Return whether it is a folder or a log, not a program or its argument."""
    from wirecost.results.records.probe_log import SUFFIX

    return word.endswith(SUFFIX) or Path(word).is_dir()


def read_logs(words: Iterable[str | Path]) -> list[ProbeLog]:
    """Read logs, folders of them, and traces."""
    from wirecost.results.records.recorded import read_recorded

    return read_recorded(list(map(Path, words)))


def functions_request(patterns: Sequence[str]) -> Request:
    """Return the request for functions that must all be there, by a means that counts all."""
    from wirecost.observe.probe.function.request import HIGHEST_LIMIT
    from wirecost.observe.probe.run.hook import Request

    return Request(
        functions=tuple(patterns),
        function_limit=HIGHEST_LIMIT,
        function_means="trampoline",
        each_function=True,
    )


def run_recorded(
    words: list[str],
    counters: Iterable[str],
    request: Request,
    output: int,
    seconds: float | None = None,
) -> tuple[list[ProbeLog], int]:
    """Run a program with these counters and the user's; return its logs and its exit status.

    ``output``: the file descriptor that is its standard output.

    Raises:
        UserError: it cannot be judged; where that is known before, it is not started.
    """
    from wirecost.observe.probe.function.unmatched import unmatched
    from wirecost.observe.probe.run.counting import COUNTERS, asked_counters
    from wirecost.observe.probe.run.environment import hooks_without, prepare
    from wirecost.observe.probe.run.launch import run
    from wirecost.observe.probe.run.log_room import check_room
    from wirecost.observe.probe.run.target import find
    from wirecost.results.records.probe_log import MAX_COUNTERS
    from wirecost.system import scratch

    names = list(dict.fromkeys([*counters, *asked_counters()]))
    if len(names) > MAX_COUNTERS:
        raise UserError(f"{COUNTERS}: holds {MAX_COUNTERS} counters; limit fewer in one budget")
    os.environ[COUNTERS] = ",".join(names) or "none"
    target = find(words)
    _check_preload(target, names, request)
    with scratch.folder("probe", in_memory=True) as folder:
        prepared = prepare(target, hooks_without(None), request, folder, os.environ)
        say_notes(prepared.notes)
        status = run([*prepared.before, *words], prepared.environment, output, seconds)
        is_recorded = any(folder.glob("*.wprobe"))
        if not is_recorded:
            check_room(folder)
        if missing := unmatched(request.functions, folder):
            raise UserError(
                f"{missing[0]} (the program ended with status {status}); give a name that nm -C "
                "prints, or module:function of Python, and keep the symbols"
            )
        if not is_recorded:
            how = by_functions(words)
            if request.threads:
                how = f"name a thread that it has, not {', '.join(map(shown, request.threads))}"
            raise UserError(
                f"{words[0]}: nothing was recorded (it ended with status {status}); {how}"
            )
        return read_logs([folder]), status


def record_attached(
    process: int, functions: Sequence[str], counters: Sequence[str], seconds: float | None
) -> list[ProbeLog]:
    """Return logs of a process's functions. Raises UserError where they cannot be recorded."""
    from wirecost.observe.probe.function.attach import attach
    from wirecost.observe.probe.function.request import HIGHEST_LIMIT
    from wirecost.observe.probe.function.uprobes import COUNTED
    from wirecost.observe.probe.run.counting import COUNTERS
    from wirecost.system import scratch

    if not functions or seconds is None:
        raise UserError('--attach: needs --for 30s and a [function."NAME"] in the budget')
    if lacks := [name for name in counters if name not in COUNTED]:
        raise UserError(
            f"--attach: {', '.join(lacks)}: cannot be counted in a process that runs; limit only "
            f"times and {', '.join(sorted(COUNTED))}, or start the program: -- COMMAND"
        )
    os.environ[COUNTERS] = ",".join(counters) or "none"
    with scratch.folder("probe", in_memory=True) as folder:
        attach(
            process, seconds, tuple(functions), HIGHEST_LIMIT, folder, lambda it: say_notes([it])
        )
        if not any(folder.glob("*.wprobe")):
            raise UserError(f"process {process}: no call of these functions in {seconds:g} s")
        return read_logs([folder])


def by_functions(words: Sequence[str]) -> str:
    """Say how to judge functions of a program that has no probes, and no callbacks of ROS."""
    from wirecost.system.function_names import own_functions

    return f'to judge functions of it, write [function."{own_functions(words)}"] in the budget'


def _check_preload(target: Target, counters: Iterable[str], request: Request) -> None:
    """Raise UserError where what is asked for needs a preloaded library and there can be none."""
    from wirecost.observe.probe.function.target_files import meant, refusal
    from wirecost.results.analysis.budget.verdicts import BY_LIBRARY

    program = meant(target)
    why = refusal(target, program)
    needs = [name for name in counters if name in BY_LIBRARY]
    others = [*["functions"] * bool(request.functions), *["threads"] * bool(request.threads)]
    if why and (needs or others):
        raise UserError(
            f"{program or target.program}: {why}, so {', '.join(needs or others)} cannot "
            "be recorded; judge a build that links glibc dynamically and gets no other rights"
        )
