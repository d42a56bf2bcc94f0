# SPDX-License-Identifier: Apache-2.0
"""``wirecost replay``: a recorded node alone, with what it received, on the cores you choose."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from wirecost import scratch
from wirecost.analysis.summary import document, summarize
from wirecost.cli.agreement import agree
from wirecost.cli.results import INTERRUPTED, ending_of, say_recovered
from wirecost.errors import EndedError, UserError
from wirecost.heap.launch import Options, pool_bytes
from wirecost.interruption import Watch, watched
from wirecost.printable import printable
from wirecost.records import json_document
from wirecost.records.folder import Results, read_results
from wirecost.records.new_folder import PendingFolder, new_folder
from wirecost.replay.foreign import foreign
from wirecost.replay.own_network import enter as own_network_of_replay
from wirecost.replay.play import Playing
from wirecost.replay.replay import Settings, examined, replay
from wirecost.replay.results import SCENARIO
from wirecost.replay.snapshot import read_snapshot
from wirecost.replay.start import Starting
from wirecost.report.results.export import write_report
from wirecost.report.scenarios import Content, content_of
from wirecost.report.scenarios.replay.content import document as replay_document
from wirecost.report.shared.terminal import print_table

DIED = 1
HEAP_WARMUP_S = 5


def command(
    recording: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of wirecost record.")],
    override: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- COMMAND]", help="Start this instead of the recorded program."),
    ] = None,
    cpu: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="The node's CPU; default: as recorded.")
    ] = None,
    player_cpu: Annotated[
        int | None, typer.Option(metavar="M", min=0, help="The CPU that inputs are sent from.")
    ] = None,
    player_fifo: Annotated[
        int | None,
        typer.Option(
            metavar="PRIO",
            min=0,
            help="The sender's SCHED_FIFO priority; default: 1 where permitted. 0: normal.",
        ),
    ] = None,
    rate: Annotated[
        float, typer.Option(metavar="X", help="2: in half the time that was recorded.")
    ] = 1.0,
    consumed: Annotated[
        bool,
        typer.Option(
            "--as-fast-as-consumed", help="Each input once the node is done with the one before."
        ),
    ] = False,
    loops: Annotated[
        int, typer.Option("--loop", metavar="N", min=1, help="Inputs N times over in each run.")
    ] = 1,
    fifo: Annotated[
        int | None, typer.Option(metavar="PRIO", help="Run the node under SCHED_FIFO.")
    ] = None,
    heap: Annotated[
        bool, typer.Option("--heap", help="Preload the allocator of wirecost heap.")
    ] = False,
    pool: Annotated[
        str, typer.Option(metavar="SIZE", help="Memory that --heap touches at the start.")
    ] = "64M",
    repeats: Annotated[
        int, typer.Option("--repeat", metavar="N", min=1, help="Runs, each with a fresh node.")
    ] = 1,
    connect_s: Annotated[
        float, typer.Option("--wait", metavar="SECONDS", help="How long the node may take to join.")
    ] = 30.0,
    prime: Annotated[
        bool,
        typer.Option(
            "--prime/--no-prime",
            help="Send the first inputs once beforehand to a node that advertises only then.",
        ),
    ] = True,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Result folder; default results/<time>-replay."),
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write the summary; - is standard output."),
    ] = None,
    page: Annotated[
        bool, typer.Option("--report/--no-report", help="Write report.html with figures.")
    ] = True,
    own_network: Annotated[
        bool,
        typer.Option("--own-network", help="Loopback alone for the node and the player; as root."),
    ] = False,
    yes: Annotated[
        bool,
        typer.Option(
            "--yes", "-y", help="Start what somebody else's recording says, without asking."
        ),
    ] = False,
) -> None:
    """Start the recorded node alone, play its inputs to it, and tell what that cost.

    A recording that you made on this machine starts at once; of another the command is shown first.
    """
    if not 0 < rate < float("inf"):
        raise UserError(f"--rate {rate:g}: must be positive")
    if consumed and rate != 1.0:
        raise UserError("--rate --as-fast-as-consumed: give one of them")
    options = None
    if heap:
        size = pool_bytes(pool, Path("wirecost-heap.json"))
        options = Options(size, False, False, False, None, HEAP_WARMUP_S)
    settings = Settings(
        recording,
        Starting(override or [], cpu, fifo, options),
        Playing(rate, consumed, loops, player_cpu, player_fifo, connect_s, prime),
        repeats,
        sys.argv[1:],
    )  # fmt: skip
    console = Console(stderr=json_file == Path("-"))
    snapshot = read_snapshot(recording)
    agree(console, recording, foreign(snapshot, settings.starting, os.environ), yes)
    if own_network:
        own_network_of_replay()
    with watched() as watch, scratch.run(), new_folder(SCENARIO, out) as pending:
        say_recovered(pending)
        about = examined(cpu)
        console.print(f"doctor: {about['doctor']['verdict']} (wirecost doctor)", highlight=False)
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
    if json_file is not None:
        _write_json(
            json_file, json_document.text(document(results, rows) | replay_document(results))
        )
    _end(results, whole)


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
    """Names and what the node printed come out as they are, whatever they look like to Rich."""
    for table in content.tables:
        print_table(console, table)
    for text in (content.built, content.lead):
        if text:
            lines = "\n".join(map(printable, text.splitlines()))
            console.print(lines, markup=False, highlight=False)


def _end(results: Results, whole: bool) -> None:
    if results.meta["interrupted"]:
        raise typer.Exit(INTERRUPTED)
    if not whole:
        raise typer.Exit(DIED)


def _write_json(path: Path, text: str) -> None:
    if path == Path("-"):
        sys.stdout.write(text + "\n")
        return
    try:
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; name a writable --json file") from error
