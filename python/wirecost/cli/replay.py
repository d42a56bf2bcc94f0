# SPDX-License-Identifier: Apache-2.0
"""``wirecost replay``: a recorded node alone, with what it received, on the cores you choose."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from wirecost import scratch
from wirecost.analysis.summary import document, summarize
from wirecost.cli.agreement import agree
from wirecost.cli.json_file import JsonFile, check_writable, console_beside, write_json
from wirecost.cli.measuring import INTERRUPTED, ending_of, say_recovered
from wirecost.cli.remedy_option import Remedies
from wirecost.cli.replay_try import ROUNDS, try_remedies
from wirecost.doctor.prices import write_prices
from wirecost.errors import EndedError, UserError
from wirecost.heap.launch import Options, pool_bytes
from wirecost.interruption import Watch, watched
from wirecost.printable import printable
from wirecost.records.measured import HERE
from wirecost.records.new_folder import PendingFolder, new_folder
from wirecost.records.reading import read_results
from wirecost.replay.play.foreign import foreign
from wirecost.replay.play.options import PlayOptions, StartOptions
from wirecost.replay.play.own_network import enter as own_network_of_replay
from wirecost.replay.play.replay import Settings, examined, replay
from wirecost.replay.play.results import SCENARIO
from wirecost.replay.recording.snapshot import read_snapshot
from wirecost.report.results.export import write_report
from wirecost.report.scenarios import Content, content_of
from wirecost.report.scenarios.replay.content import document as replay_document
from wirecost.report.shared.terminal import print_table
from wirecost.trial.remedy import chosen_remedies

EXAMPLE = "wirecost replay recording --repeat 5"

DIED = 1
HEAP_WARMUP_S = 5


def command(
    recording: Annotated[
        Path, typer.Argument(metavar="DIR", help="A recording: a folder of wirecost record.")
    ],
    override: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- COMMAND", help="Start this instead of the recorded program."),
    ] = None,
    cpu: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="The node's CPU; default: as recorded.")
    ] = None,
    player_cpu: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="The CPU that sends the inputs.")
    ] = None,
    player_fifo: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="SCHED_FIFO priority of the sender, 0 for none; default: 1 where permitted.",
        ),
    ] = None,
    rate: Annotated[
        float, typer.Option(metavar="X", help="Speed: 2 plays twice as fast as recorded.")
    ] = 1.0,
    consumed: Annotated[
        bool,
        typer.Option(
            "--as-fast-as-consumed",
            help="Send each input when the node has finished the previous one.",
        ),
    ] = False,
    loops: Annotated[
        int, typer.Option("--loop", metavar="N", min=1, help="Play the inputs N times in each run.")
    ] = 1,
    fifo: Annotated[
        int | None,
        typer.Option(metavar="N", help="Run the node under SCHED_FIFO with this priority."),
    ] = None,
    heap: Annotated[
        bool, typer.Option("--heap", help="Run the node with the allocator of wirecost heap.")
    ] = False,
    pool: Annotated[
        str, typer.Option(metavar="SIZE", help="Memory that --heap touches at the start.")
    ] = "64M",
    hooks: Annotated[
        bool,
        typer.Option(
            "--hooks/--no-hooks", help="Record callbacks of a ROS 1 node that has no probes."
        ),
    ] = True,
    repeats: Annotated[
        int,
        typer.Option("--repeat", metavar="N", min=1, help="Number of runs; each starts the node."),
    ] = 1,
    connect_s: Annotated[
        float,
        typer.Option(
            "--wait",
            metavar="SECONDS",
            help="How long to wait until the node has joined its topics.",
        ),
    ] = 30.0,
    prime: Annotated[
        bool,
        typer.Option(
            "--prime/--no-prime",
            help="Send the first inputs once beforehand, to nodes that advertise only then.",
        ),
    ] = True,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Result folder; default results/<time>-replay."),
    ] = None,
    json_file: JsonFile = None,
    page: Annotated[
        bool, typer.Option("--report/--no-report", help="Write report.html with figures.")
    ] = True,
    own_network: Annotated[
        bool,
        typer.Option(
            "--own-network", help="Give node and player a loopback network only; as root."
        ),
    ] = False,
    attempt: Annotated[
        bool,
        typer.Option("--try", help="Replay again with each remedy, and print what each gained."),
    ] = False,
    remedies: Remedies = None,
    yes: Annotated[
        bool,
        typer.Option("--yes", "-y", help="Do not ask before starting another user's recording."),
    ] = False,
) -> None:
    """Start the recorded node alone, play its inputs to it, and report what that cost.

    Your own recordings of this machine start without asking; others only after you confirm.
    """
    check_writable("--json", json_file, out or HERE)
    if not 0 < rate < float("inf"):
        raise UserError(f"--rate {rate:g}: must be positive")
    if consumed and rate != 1.0:
        raise UserError("--rate and --as-fast-as-consumed: choose one")
    if remedies is not None and not attempt:
        raise UserError(f"--remedies {remedies}: needs --try")
    tried = chosen_remedies("--remedies", remedies)
    options = None
    if heap:
        size = pool_bytes(pool, Path("wirecost-heap.json"))
        options = Options(size, False, False, False, None, HEAP_WARMUP_S)
    settings = Settings(
        recording,
        StartOptions(override or [], cpu, fifo, options, hooks=hooks),
        PlayOptions(rate, consumed, loops, player_cpu, player_fifo, connect_s, prime),
        repeats,
        sys.argv[1:],
    )  # fmt: skip
    console = console_beside(json_file)
    snapshot = read_snapshot(recording)
    agree(console, recording, foreign(snapshot, settings.start_options, os.environ), yes)
    if own_network:
        own_network_of_replay()
    with (
        watched() as watch,
        scratch.run(),
        new_folder("try" if attempt else SCENARIO, out) as pending,
    ):
        say_recovered(pending)
        about = examined(cpu)
        console.print(f"doctor: {about['doctor']['verdict']} (wirecost doctor)", highlight=False)
        if attempt:
            rounds = repeats if repeats > 1 else ROUNDS
            result = try_remedies(
                replace(settings, repeats=rounds), tried, pending, console,
                lambda one, folder, report: replay(one, about, folder, report, snapshot=snapshot),
            )  # fmt: skip
            pending.keep()
            console.print(f"Result: {pending.final}", soft_wrap=True, highlight=False, markup=False)
            write_json(json_file, result)
            return
        with suppress(OSError):
            write_prices(pending.path)
        with console.status("reading the recording") as status:
            try:
                whole = replay(settings, about, pending.path, status.update, snapshot=snapshot)
            except OSError as error:
                raise _ended(error, watch, pending) from error
    results = read_results(pending.final)
    rows = summarize(results)
    if page:
        write_report(results, rows, ["html"])
    _print(console, content_of(results, rows))
    where = pending.final / "report.html" if page else pending.final
    console.print(f"Result: {where}", soft_wrap=True, highlight=False, markup=False)
    write_json(json_file, document(results, rows) | replay_document(results))
    if results.meta["interrupted"]:
        raise typer.Exit(INTERRUPTED)
    if not whole:
        raise typer.Exit(DIED)


def _ended(error: OSError, watch: Watch, pending: PendingFolder) -> EndedError:
    """The system failed; runs that had ended before are kept."""
    ending = ending_of(error, watch)
    kept = "nothing was measured"
    with suppress(UserError, OSError):
        read_results(pending.path)
        pending.keep()
        kept = f"the runs before are in {pending.final}"
    return EndedError(f"{ending.message}; {kept}", ending.status)


def _print(console: Console, content: Content) -> None:
    """Text of the node is printed as it is, not taken for Rich's markup."""
    for table in content.tables:
        print_table(console, table)
    for text in (content.built, content.lead):
        if text:
            lines = "\n".join(map(printable, text.splitlines()))
            console.print(lines, markup=False, highlight=False)
