# SPDX-License-Identifier: Apache-2.0
"""``wirecost probe attach``: the threads of a program that runs already."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.console import say_notes
from wirecost.cli.ending import Output, answering
from wirecost.cli.options import argument, duration, option
from wirecost.cli.output_files import check_writable
from wirecost.cli.probe_show import probe_files_answer
from wirecost.observe.probe.attach.threads import Sample, mapped, samples
from wirecost.observe.probe.function.request import DEFAULT_LIMIT
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.table import Table
from wirecost.system import scratch
from wirecost.system.counted import counted
from wirecost.system.durations import spelled
from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write
from wirecost.system.interruption import Interrupted, watched

if TYPE_CHECKING:
    from wirecost.observe.probe.attach.usage import Usage

EXAMPLE = "wirecost probe attach 4711 --for 30"
PROC = Path("/proc")
SHORTEST_S = 0.01
OBSERVED_S, EVERY_S = 30.0, 0.1
MOST_INTERVALS = 100_000
CLIENTS = {"libroscpp.so": "roscpp", "librclcpp.so": "rclcpp", "libpython3": "Python"}
"""Frameworks with callbacks, by their library."""
PROBE = "libwirecost-probe.so"


@answering()
def command(
    process: Annotated[int, argument("PID", "The number of the process.", min=1)],
    seconds: Annotated[
        float, duration("How long to observe; Ctrl-C ends it.", "--for", default=OBSERVED_S)
    ] = OBSERVED_S,
    every: Annotated[
        float | None, duration(f"Time between two samples; default: {spelled(EVERY_S)}.", "--every")
    ] = None,
    out: Annotated[
        Path | None, option("Write every interval to a Parquet file.", metavar="FILE")
    ] = None,
    function: Annotated[
        list[str] | None,
        option(
            "Record calls of these functions by uprobes instead: 'ns::Planner::plan*'; repeatable.",
            metavar="PATTERN",
        ),
    ] = None,
    function_limit: Annotated[
        int,
        option(
            "With --function: refuse patterns that match more functions than this.", metavar="N"
        ),
    ] = DEFAULT_LIMIT,
    *,
    output: Output,
) -> Answer:
    """Print what the threads of a running process do: run, wait for a CPU, fault, switch.

    With --function, print what its functions cost, by breakpoints of the kernel. Callbacks cannot
    be observed, because nothing is injected into a running process: start it with probe run.
    """
    from wirecost.observe.probe.attach.usage import table, usages
    from wirecost.system.whole_table import write_table

    check_writable("--out", out)
    if function:
        for option, value in (("--out", out), ("--every", every)):
            if value is not None:
                raise UserError(f"{option}: is for threads; leave it out with --function")
        return _functions(process, seconds, tuple(function), function_limit)
    if function_limit != DEFAULT_LIMIT:
        raise UserError("--function-limit: is for --function; name functions")
    every = EVERY_S if every is None else every
    if not SHORTEST_S <= every <= seconds:
        raise UserError(f"--every {spelled(every)}: must be from {spelled(SHORTEST_S)} to --for")
    if seconds / every > MOST_INTERVALS:
        raise UserError(
            f"--every {spelled(every)}: would make more than {MOST_INTERVALS:,} intervals; give a "
            "longer time"
        )
    thread_samples: list[Sample] = []
    with watched() as watch, output.console.status(f"observing process {process}"):
        try:
            thread_samples.extend(samples(process, seconds, every, PROC))
        except Interrupted:
            watch.resume()
    intervals = table(thread_samples)
    if intervals.is_empty():
        raise UserError(f"{process}: ended before there were two samples; try a smaller --every")
    used = usages(intervals)
    written = []
    if out is not None:
        try:
            write_table(out, intervals)
        except OSError as error:
            raise failed_write(out, error, "name a writable --out file") from error
        written = [str(out)]
    threads = _table(used, intervals.height)
    running = sum(usage.running for usage in used)
    return Answer(
        f"{counted(len(used), 'thread')} of process {process} used {100 * running:.1f} % of one "
        "CPU core.",
        threads,
        doubts=[(line, "") for line in _not_seen(mapped(process, PROC))],
        more="--all lists every thread",
        heading=f"Threads of process {process}",
        written=written,
        document={"process": process, "threads": [asdict(usage) for usage in used]},
    )


def _functions(process: int, seconds: float, patterns: tuple[str, ...], limit: int) -> Answer:
    from wirecost.observe.probe.function.attach import attach

    with scratch.folder("probe", in_memory=True) as folder:
        attach(process, seconds, patterns, limit, folder, lambda line: say_notes([line]))
        if not any(folder.glob("*.wprobe")):
            raise UserError(f"process {process}: no call of these functions in {seconds:g} s")
        answer = probe_files_answer([folder], None, more="--all prints counters and causes")
        figures = answer.figures(False)  # while the logs are there
        return replace(answer, figures=lambda _: figures)


def _table(used: list[Usage], intervals: int) -> Table:
    rows = [
        [
            f"{usage.thread} {usage.name}",
            *(f"{100 * share:.1f} %" for share in (usage.running, usage.waiting, usage.busiest)),
            *(
                f"{rate:.1f}"
                for rate in (
                    usage.minor_faults, usage.major_faults, usage.voluntary_switches,
                    usage.involuntary_switches,
                )
            ),
        ]
        for usage in used
    ]  # fmt: skip
    heads = ["thread", "runs", "waits for a CPU", "busiest interval", "minor faults/s",
             "major faults/s", "switches/s", "preempted/s"]  # fmt: skip
    notes = [
        f"{used[0].seconds:.1f} s, {counted(intervals, 'interval')}; the rest of the time a thread "
        "is blocked"
    ]
    return Table("Threads", heads, rows, notes)


def _not_seen(files: set[str]) -> list[str]:
    """Return what this command cannot show, and how to see it."""
    clients = [name for start, name in CLIENTS.items() if any(f.startswith(start) for f in files)]
    if any(file.startswith(PROBE) for file in files):
        return [
            "This process has probes or hooks: run wirecost probe show LOGS, with the folder in "
            "its WIRECOST_PROBE."
        ]
    what = f"Callbacks of {' and '.join(clients)}" if clients else "Its functions"
    return [
        f"{what} cannot be observed from outside, because nothing is injected into a running "
        "process. Start it with wirecost probe run -- COMMAND."
    ]
