# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench transport``: measure, then print and keep the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.console import Advance
from wirecost.cli.ending import JsonFile
from wirecost.cli.options import numbers, option, transport_names
from wirecost.cli.scenario_command import Out
from wirecost.measure.bench.transport.choices import KINDS, PATTERNS, PROCESSES, PYTHON
from wirecost.measure.bench.transport.faults import registry
from wirecost.measure.bench.transport.faults.registry import ALL
from wirecost.measure.network import profiles
from wirecost.results.records.journal import Journal
from wirecost.results.report.shared.terminal import say, say_whole
from wirecost.system import scratch
from wirecost.system.byte_sizes import parse_size
from wirecost.system.chosen import chosen
from wirecost.system.counted import counted
from wirecost.system.terminal import Console

if TYPE_CHECKING:
    from wirecost.measure.bench.transport import scenario as transport
    from wirecost.measure.bench.transport.plan import TransportPlan

EXAMPLE = "wirecost bench transport --mwares zeromq,zenoh --sizes 5M --rate 20 --subscribers 3"

SIZES = "100,10k,1M,8M"
NETWORKS = (profiles.LOOPBACK, *profiles.BUILT_IN)
DEFAULT_SETTINGS = "default,matched"


def _settings() -> list[str]:
    from wirecost.measure.bench.transport.settings import names

    return names()


def _mwares(clients: Sequence[str] = KINDS) -> tuple[str, ...]:
    """Return the transports that these kinds of clients can have."""
    from wirecost.measure.bench.transport.choices import NATIVE, NATIVE_ONLY

    return (*transport_names(), *(NATIVE_ONLY if NATIVE in clients else ()))


def command(
    mwares: Annotated[
        str | None,
        option("Transports, comma-separated; default: all that work here.", known=_mwares),
    ] = None,
    sizes: Annotated[
        str, option("Bytes of a message: 100, 10k, 5MB, 64KiB.", metavar="N,N,…")
    ] = SIZES,
    rate: Annotated[
        float | None,
        option(
            "Messages per second, 0 for as fast as possible; default: by size and network.",
            metavar="HZ",
        ),
    ] = None,
    subscribers: Annotated[str, option("Processes that receive.", metavar="N,N,…")] = "1",
    pattern: Annotated[str, option("pubsub or reqrep.", known=PATTERNS)] = "pubsub",
    network: Annotated[
        str,
        option(
            "loopback, lan, wifi, lossy, wan, narrow, cut, or a file of one's own.",
            metavar="NAME,…",
            known=NETWORKS,
        ),
    ] = profiles.LOOPBACK,
    reliable: Annotated[
        bool, option("What the settings `matched` ask for.", "--reliable/--best-effort")
    ] = True,
    queue: Annotated[
        int, option("Messages that may wait at each end, if matched.", metavar="N")
    ] = 16,
    settings: Annotated[
        str,
        option(
            "default: as installed; matched: all asked for no loss, --queue messages, the"
            " publisher waits where it can; others: docs/transports.md.",
            known=_settings,
        ),
    ] = DEFAULT_SETTINGS,
    client: Annotated[str, option("python, native (compiled).", known=KINDS)] = PYTHON,
    find_peak: Annotated[
        bool, option("Also find the highest rate without loss.", "--find-peak")
    ] = False,
    faults: Annotated[
        str | None,
        option(
            "Also kill, restart, slow down: see docs/transport-faults.md.",
            metavar="NAME,…|all",
            known=(ALL, *registry.names()),
        ),
    ] = None,
    seconds: Annotated[
        float, option("How long each process sends messages of a size.", metavar="S")
    ] = 1.5,
    processes: Annotated[
        int, option("Fresh processes of each contender, one per round.", metavar="N")
    ] = PROCESSES,
    seed: Annotated[int, option("Seed of the contenders' order in each round.")] = 1,
    resume: Annotated[
        Path | None,
        option("Take over what a result folder has of the same measurement.", metavar="FOLDER"),
    ] = None,
    out: Out = None,
    json_file: JsonFile = None,
) -> None:
    """Raw bytes over middlewares: latency, losses, processor time."""
    from wirecost.cli.measuring import measure_and_report
    from wirecost.measure.bench.transport import scenario as transport
    from wirecost.measure.bench.transport.plan import TransportRequest
    from wirecost.measure.bench.transport.settings import AskedQuality
    from wirecost.measure.bench.transport.settings import names as setting_names

    kinds = chosen("--client", client, KINDS)
    selection = TransportRequest(
        chosen("--mwares", mwares, _mwares()) if mwares else _mwares(kinds),
        tuple(dict.fromkeys(map(_size, sizes.split(",")))),
        rate,
        tuple(numbers("--subscribers", subscribers)),
        pattern,
        tuple(map(_network, dict.fromkeys(network.split(",")))),
        AskedQuality(reliable, queue),
        kinds,
        chosen("--settings", settings, setting_names()),
        seconds,
    )
    happening = tuple(registry.chosen(faults)) if faults else ()
    scenario_settings = transport.TransportSettings(
        selection, processes, seed, find_peak, resume=resume, faults=happening
    )
    scenario_settings.check()
    console = Console(stderr=True)

    def measure(journal: Journal, advance: Advance) -> None:
        plan = transport.planned(scenario_settings, journal.folder / "logs")
        _announce(console, scenario_settings, plan)
        transport.run(scenario_settings, plan, journal, advance)

    with scratch.run():
        measure_and_report(transport.SCENARIO, out, json_file, measure)


def _announce(console: Console, settings: transport.TransportSettings, plan: TransportPlan) -> None:
    from wirecost.measure.bench.transport import scenario as transport

    for what, why in plan.not_run.items():
        say_whole(console, f"not measured: {what}: {why}")
    for note in plan.notes:
        say_whole(console, note)
    seconds = transport.expected_seconds(settings, plan)
    say(
        console,
        f"{counted(len(plan.contenders), 'contender')}, "
        f"{counted(len(plan.outcomes), 'combination')}: about {_duration(seconds)}",
    )
    if text := _without_tail(settings, plan):
        say(console, text)


def _without_tail(settings: transport.TransportSettings, plan: TransportPlan) -> str:
    """Say before a run that it will have no 99th percentile, and what a run that has it takes."""
    from wirecost.measure.bench.transport import scenario as transport
    from wirecost.results.analysis.transport.measured import run_for_tail

    seconds, processes = settings.request.seconds, settings.processes
    deliveries = min(outcome.case.rate * outcome.case.subscribers for outcome in plan.outcomes)
    arrivals = deliveries * seconds * processes
    longer = run_for_tail(seconds, processes, arrivals)
    if longer is None:
        return ""
    request = replace(settings.request, seconds=longer.seconds)
    then = replace(settings, request=request, processes=longer.processes)
    duration = _duration(transport.expected_seconds(then, plan))
    return f"no p99 with {arrivals:,.0f} arrivals: for it {longer.option}, about {duration}"


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds > 90 else f"{seconds:.0f} s"


def _network(text: str) -> profiles.Profile | None:
    """Return None for loopback."""
    return None if text == profiles.LOOPBACK else profiles.find(text)


def _size(text: str) -> int:
    return parse_size("--sizes", text, "100, 10k, 5MB or 64KiB")
