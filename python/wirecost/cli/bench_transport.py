# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench transport``: measure, then print and keep the report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from wirecost import scratch
from wirecost.bench.transport.choices import KINDS, PATTERNS, PROCESSES, PYTHON
from wirecost.bench.transport.faults import registry
from wirecost.bench.transport.faults.registry import ALL
from wirecost.bench.transport.settings import NAMES
from wirecost.byte_sizes import parse_size
from wirecost.chosen import chosen
from wirecost.cli.bench import JsonFile, Out
from wirecost.cli.choices import completing, numbers, transport_names
from wirecost.cli.console import Advance
from wirecost.counted import counted
from wirecost.network import profiles
from wirecost.records.journal import Journal

if TYPE_CHECKING:
    from wirecost.bench.transport import scenario as transport
    from wirecost.bench.transport.plan import Plan

EXAMPLE = "wirecost bench transport --mwares zeromq,zenoh --sizes 5M --rate 20 --subscribers 3"

SIZES = "100,10k,1M,8M"
NETWORKS = (profiles.LOOPBACK, *profiles.BUILT_IN)
DEFAULT_SETTINGS = "default,matched"


def _mwares(clients: Sequence[str] = KINDS) -> tuple[str, ...]:
    """That these kinds of clients can have."""
    from wirecost.bench.transport.choices import NATIVE, NATIVE_ONLY

    return (*transport_names(), *(NATIVE_ONLY if NATIVE in clients else ()))


def command(
    mwares: Annotated[
        str | None,
        typer.Option(
            help="Transports, comma-separated; default: all that work here.",
            autocompletion=completing(_mwares),
        ),
    ] = None,
    sizes: Annotated[
        str, typer.Option(metavar="N,N,…", help="Bytes of a message: 100, 10k, 5MB, 64KiB.")
    ] = SIZES,
    rate: Annotated[
        float | None,
        typer.Option(
            metavar="HZ",
            help="Messages per second, 0 for as fast as possible; default: by size and network.",
        ),
    ] = None,
    subscribers: Annotated[
        str, typer.Option(metavar="N,N,…", help="Processes that receive.")
    ] = "1",
    pattern: Annotated[
        str, typer.Option(help="pubsub or reqrep.", autocompletion=completing(PATTERNS))
    ] = "pubsub",
    network: Annotated[
        str,
        typer.Option(
            metavar="NAME,…",
            help="loopback, lan, wifi, lossy, wan, narrow, cut, or a file of one's own.",
            autocompletion=completing(NETWORKS),
        ),
    ] = profiles.LOOPBACK,
    reliable: Annotated[
        bool,
        typer.Option("--reliable/--best-effort", help="What the settings `matched` ask for."),
    ] = True,
    queue: Annotated[
        int, typer.Option(metavar="N", help="Messages that may wait at each end, if matched.")
    ] = 16,
    settings: Annotated[
        str,
        typer.Option(
            help="Groups of settings; see docs/transports.md.",
            autocompletion=completing(NAMES),
        ),
    ] = DEFAULT_SETTINGS,
    client: Annotated[
        str,
        typer.Option(help="python, native (C or C++).", autocompletion=completing(KINDS)),
    ] = PYTHON,
    find_peak: Annotated[
        bool, typer.Option("--find-peak", help="Also find the highest rate without loss.")
    ] = False,
    faults: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…|all",
            help="Also kill, restart, slow down: see docs/transport-faults.md.",
            autocompletion=completing((ALL, *registry.names())),
        ),
    ] = None,
    seconds: Annotated[
        float, typer.Option(metavar="S", help="How long each process sends messages of a size.")
    ] = 1.5,
    processes: Annotated[
        int, typer.Option(metavar="N", help="Fresh processes of each contender, one per round.")
    ] = PROCESSES,
    seed: Annotated[int, typer.Option(help="Seed of the contenders' order in each round.")] = 1,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Take over what a result folder has of the same measurement."
        ),
    ] = None,
    out: Out = None,
    json_file: JsonFile = None,
) -> None:
    """Raw bytes over middlewares: latency, losses, processor time, peak rate, bad networks."""
    from wirecost.bench.transport import scenario as transport
    from wirecost.bench.transport.plan import Wanted
    from wirecost.bench.transport.settings import Asked
    from wirecost.cli.measuring import measure_and_report

    kinds = chosen("--client", client, KINDS)
    wanted = Wanted(
        chosen("--mwares", mwares, _mwares()) if mwares else _mwares(kinds),
        tuple(dict.fromkeys(map(_size, sizes.split(",")))),
        rate,
        tuple(numbers("--subscribers", subscribers)),
        pattern,
        tuple(map(_network, dict.fromkeys(network.split(",")))),
        Asked(reliable, queue),
        kinds,
        chosen("--settings", settings, NAMES),
        seconds,
    )
    happening = tuple(registry.chosen(faults)) if faults else ()
    asked = transport.Settings(wanted, processes, seed, find_peak, resume=resume, faults=happening)
    asked.check()
    console = Console(stderr=True)

    def measure(journal: Journal, advance: Advance) -> None:
        made = transport.planned(asked, journal.folder / "logs")
        _announce(console, asked, made)
        transport.run(asked, made, journal, advance)

    with scratch.run():
        measure_and_report(transport.SCENARIO, out, json_file, measure)


def _announce(console: Console, asked: transport.Settings, made: Plan) -> None:
    from wirecost.bench.transport import scenario as transport

    for what, why in made.not_run.items():
        console.print(f"not measured: {what}: {why}", highlight=False, soft_wrap=True)
    for note in made.notes:
        console.print(note, highlight=False, soft_wrap=True)
    seconds = transport.expected_seconds(asked, made)
    long = f"{seconds / 60:.0f} min" if seconds > 90 else f"{seconds:.0f} s"
    console.print(
        f"{counted(len(made.contenders), 'contender')}, "
        f"{counted(len(made.outcomes), 'combination')}: about {long}",
        highlight=False,
    )


def _network(text: str) -> profiles.Profile | None:
    """None for loopback."""
    return None if text == profiles.LOOPBACK else profiles.find(text)


def _size(text: str) -> int:
    return parse_size("--sizes", text, "100, 10k, 5MB or 64KiB")
