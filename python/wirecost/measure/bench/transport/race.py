# SPDX-License-Identifier: Apache-2.0
"""Rounds over all middlewares and networks, and the result folder that they fill."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec

from wirecost.measure.bench.engine.measurement import Case, Measurement
from wirecost.measure.bench.engine.processes import plan as plan_rounds
from wirecost.measure.bench.transport.cases import name_of, rate_for
from wirecost.measure.bench.transport.choices import FLOORS, NATIVE, NATIVE_ONLY
from wirecost.measure.bench.transport.contender import TransportContender
from wirecost.measure.bench.transport.faults import registry
from wirecost.measure.bench.transport.faults.fault import EXPECTED_S as FAULT_S
from wirecost.measure.bench.transport.faults.fault import Record, series
from wirecost.measure.bench.transport.ground import Ground, opened
from wirecost.measure.bench.transport.peak import LIMIT_S
from wirecost.measure.bench.transport.plan import TransportPlan, plan
from wirecost.measure.bench.transport.settings import Settings
from wirecost.measure.bench.transport.turn import TransportTurn
from wirecost.measure.network import support
from wirecost.messaging.transport import find
from wirecost.results.records.journal import Journal
from wirecost.results.records.longer_run import run_for_tail
from wirecost.results.records.schemas.transport import TransportAbout
from wirecost.system.counted import counted

FAULT_RECEIVERS = 2
"""Subscribers of most faults: one with the fault, one without."""
START_S, BLOCK_S, PEAK_S, GROUND_S = 1.6, 0.7, 25.0, 3.0
"""Seconds for starting and ending processes, a block beyond its messages, finding a peak, and
making a network; roughly."""


def _planned(settings: Settings, logs: Path) -> TransportPlan:
    """Return what will be measured. Raises UserError.

    Networks that this machine cannot have are left out, with the reason.
    """
    usable, not_run = [], {}
    for profile in settings.networks:
        if profile is not None and (why := support.missing(profile)):
            not_run[f"network {profile.name}"] = why
        else:
            usable.append(profile)
    # Loopback goes on where nothing else can be had.
    usable = usable or [None]
    planned = plan(settings, logs, networks=usable)
    planned.not_run = {**not_run, **planned.not_run}
    planned.notes = [
        note for profile in usable if profile is not None and (note := support.instead(profile))
    ]
    return planned


def _expected_seconds(settings: Settings, plan: TransportPlan) -> float:
    """Return how many seconds measuring takes, roughly."""
    total = GROUND_S * sum(profile is not None for profile, _ in plan.grounds)
    for turn in plan.turns:
        blocks_s = settings.processes * (settings.seconds + BLOCK_S)
        total += len(turn.outcomes) * (blocks_s + PEAK_S * settings.find_peak)
        total += START_S * (settings.processes + settings.find_peak)
    return total + FAULT_S * _faults(settings, plan)


def _faults(settings: Settings, plan: TransportPlan) -> int:
    """Return how many faults happen to all contenders."""
    exposed = [contender for contender in plan.contenders if contender.mware not in FLOORS]
    return len(settings.faults) * len(exposed) * len(plan.grounds)


def _announce(settings: Settings, plan: TransportPlan, measurement: Measurement) -> None:
    for what, why in plan.not_run.items():
        measurement.note(f"not measured: {what}: {why}")
    for note in plan.notes:
        measurement.note(note)
    contenders = counted(len(plan.contenders), "contender")
    combinations = counted(len(plan.outcomes), "combination")
    duration = _duration(_expected_seconds(settings, plan))
    measurement.note(f"{contenders}, {combinations}: about {duration}")
    if text := _without_tail(settings, plan):
        measurement.note(text)


def _without_tail(settings: Settings, plan: TransportPlan) -> str:
    """Say before a run that it will have no 99th percentile, and what a run that has it takes."""
    deliveries = min(outcome.case.rate * outcome.case.subscribers for outcome in plan.outcomes)
    arrivals = deliveries * settings.seconds * settings.processes
    longer = run_for_tail(settings.seconds, settings.processes, arrivals)
    if longer is None:
        return ""
    then = replace(settings, seconds=longer.seconds, processes=longer.processes)
    duration = _duration(_expected_seconds(then, plan))
    return f"no p99 with {arrivals:,.0f} arrivals: for it {longer.option}, about {duration}"


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds > 90 else f"{seconds:.0f} s"


def run(settings: Settings, measurement: Measurement) -> None:
    """Measure all cases. Raises UserError."""
    journal = measurement.journal
    plan = _planned(settings, journal.folder / "logs")
    _announce(settings, plan, measurement)
    outcomes = plan.outcomes
    _about(settings, plan, measurement)
    (journal.folder / "logs").mkdir(exist_ok=True)
    networks: dict[str, object] = {}
    faults: list[Record] = []
    with measurement.case("", [outcome.entry for outcome in outcomes]) as together:
        together.keep()
        for profile, turns in plan.grounds:
            if not turns:
                continue
            together.report(f"{name_of(profile)}: making the network", 0)
            with opened(profile, _receivers(settings, turns)) as ground:
                if ground.record:
                    networks[ground.name] = ground.record
                    journal.about(networks=networks)
                _run_ground(settings, ground, turns, together)
                _run_faults(settings, ground, turns, faults, journal, together)


def _receivers(settings: Settings, turns: list[TransportTurn]) -> int:
    """Return the most receiving ends that there are at once."""
    most = max(turn.outcomes[0].case.subscribers for turn in turns)
    return max(most, FAULT_RECEIVERS) if settings.faults else most


def _run_ground(
    settings: Settings,
    ground: Ground,
    turns: list[TransportTurn],
    together: Case[TransportContender],
) -> None:
    rounds = plan_rounds(settings.processes, settings.processes, settings.seed)
    seconds, report, keep = settings.seconds, together.report, together.keep
    for number in range(rounds.processes):
        for turn in rounds.order(number, turns):
            turn.run(ground, seconds, report, keep)
    if settings.find_peak:
        for turn in turns:
            turn.find_peaks(ground, LIMIT_S, report, keep)


def _run_faults(
    settings: Settings,
    ground: Ground,
    turns: list[TransportTurn],
    records: list[Record],
    journal: Journal,
    together: Case[TransportContender],
) -> None:
    """Let faults happen, with messages of the smallest size; ``records`` gets them."""
    size = min(settings.sizes)
    rate = settings.rate or rate_for(size, FAULT_RECEIVERS, ground.profile)
    contenders = {
        turn.contender.name: turn.contender for turn in turns if turn.contender.mware not in FLOORS
    }
    logs = journal.folder / "logs"
    named = [registry.faults()[name] for name in settings.faults]

    def keep() -> None:
        journal.about(faults=msgspec.to_builtins(records))
        journal.flush()

    series(
        named, contenders.values(), ground, logs, size, rate, records, together.report,
        keep,
    )  # fmt: skip


def _about(settings: Settings, plan: TransportPlan, measurement: Measurement) -> None:
    middlewares = dict.fromkeys(contender.mware for contender in plan.contenders)
    peaks = len(plan.outcomes) if settings.find_peak else 0
    measurement.about(
        total=settings.processes * len(plan.outcomes) + peaks + _faults(settings, plan),
        seconds=settings.seconds,
        processes=settings.processes,
        seed=settings.seed,
        asked=settings.asked,
        contenders={name: msgspec.to_builtins(_contender(name, plan)) for name in middlewares},
        settings={
            " ".join(filter(None, (mware, setting.client, setting.name))): setting.record()
            for mware, setting in ((entry.mware, entry.setting) for entry in plan.contenders)
            if mware not in FLOORS
        },
        requested=[mware for mware in settings.transports if mware not in FLOORS],
        not_run=plan.not_run,
        networks={},
        faults=[],
        notes=plan.notes,
        no_shared_memory=plan.no_shared_memory,
    )


def _contender(mware: str, plan: TransportPlan) -> TransportAbout:
    versions: dict[str, str] = {}
    server = ""
    for client in plan.clients:
        if client.kind == NATIVE and mware in client.transports:
            versions |= client.versions
    library = ", ".join(f"{name} {number}" for name, number in versions.items())
    if mware not in NATIVE_ONLY:
        kind = find(mware)
        number = kind.package.version() or "of unknown version"
        versions[kind.package.name] = number
        library = f"{kind.package.name} {number}"
        server = kind.capabilities.server
    return TransportAbout(library=library, versions=versions, server=server)
