# SPDX-License-Identifier: Apache-2.0
"""``bench transport`` as a whole: settings, rounds, and the result folder they fill."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec
import psutil

from wirecost.measure.bench.engine import limits
from wirecost.measure.bench.engine.measurement import Case, Measurement, Progress
from wirecost.measure.bench.engine.processes import plan as plan_rounds
from wirecost.measure.bench.transport import resume
from wirecost.measure.bench.transport.cases import name_of, rate_for
from wirecost.measure.bench.transport.choices import NATIVE, NATIVE_ONLY, PATTERNS, PROCESSES
from wirecost.measure.bench.transport.clients import ClientProgram
from wirecost.measure.bench.transport.contender import TransportContender
from wirecost.measure.bench.transport.faults.fault import EXPECTED_S as FAULT_S
from wirecost.measure.bench.transport.faults.fault import InjectedFault, Record, series
from wirecost.measure.bench.transport.ground import Ground, opened
from wirecost.measure.bench.transport.peak import LIMIT_S
from wirecost.measure.bench.transport.plan import TransportPlan, TransportRequest, plan
from wirecost.measure.bench.transport.protocol import LEAST_BYTES, MOST_BYTES
from wirecost.measure.bench.transport.race import TransportTurn
from wirecost.measure.network import support
from wirecost.messaging.transport import find
from wirecost.results.records.journal import Journal
from wirecost.results.records.schemas.common import Scalar
from wirecost.results.records.schemas.transport import TransportAbout
from wirecost.system.errors import UserError

SCENARIO = "transport"
FAULT_RECEIVERS = 2
"""Subscribers of most faults: one with the fault, one without."""
START_S, BLOCK_S, PEAK_S, GROUND_S = 1.6, 0.7, 25.0, 3.0
"""Seconds for starting and ending processes, a block beyond its messages, finding a peak, and
making a network; roughly."""


@dataclass(frozen=True)
class TransportSettings:
    """Settings of ``bench transport``."""

    request: TransportRequest
    processes: int = PROCESSES
    """Processes of each end of each contender, one after the other: rounds."""
    seed: int = 1
    find_peak: bool = False
    peak_limit_s: float = LIMIT_S
    resume: Path | None = None
    faults: tuple[InjectedFault, ...] = ()

    def check(self) -> None:
        """Check all options. Raises UserError on what cannot be run."""
        request = self.request
        for size in request.sizes:
            limits.between("--sizes", size, LEAST_BYTES, MOST_BYTES)
        for subscribers in request.subscribers:
            limits.between("--subscribers", subscribers, 1, 64)
        _check_memory(max(request.sizes, default=0), max(request.subscribers, default=1))
        if request.rate is not None and not 0 <= request.rate <= 1_000_000:
            raise UserError(f"--rate {request.rate:g}: must lie between 0 and 1,000,000 Hz")
        if request.pattern not in PATTERNS:
            raise UserError(f"--pattern {request.pattern}: there are {', '.join(PATTERNS)}")
        if request.pattern == "reqrep" and request.subscribers != (1,):
            raise UserError("--pattern reqrep: one replier answers; leave --subscribers out")
        if request.pattern == "reqrep" and self.find_peak:
            raise UserError("--find-peak: is for publish and subscribe; leave --pattern out")
        if request.pattern == "reqrep" and self.faults:
            raise UserError("--faults: are of publish and subscribe; leave --pattern out")
        limits.between("--queue", request.quality.queue, 1, 1_000_000)
        limits.between("--processes", self.processes, 1, 1_000)
        limits.between("--seconds", request.seconds, 0.1, 600)
        limits.seed(self.seed)
        if self.resume is not None:
            resume.check(self.resume)

    @property
    def asked(self) -> dict[str, Scalar]:
        """Return the settings that a resumed run must have as well."""
        quality = self.request.quality
        return {
            "seconds": self.request.seconds,
            "reliable": quality.reliable,
            "queue": quality.queue,
            "seed": self.seed,
        }


def _check_memory(size: int, subscribers: int) -> None:
    """Check that each end can have a message, and one be under way. Raises UserError."""
    needed, free = (2 + subscribers) * size, psutil.virtual_memory().available
    if needed > free:
        raise UserError(
            f"--sizes {size}: {subscribers} subscribers need {needed / 1e9:.1f} GB, and"
            f" {free / 1e9:.1f} GB are free; give smaller ones, or fewer --subscribers"
        )


def planned(
    settings: TransportSettings, logs: Path, client: ClientProgram | None = None
) -> TransportPlan:
    """Return what will be measured, with what a resumed run has of it. Raises UserError.

    Networks that this machine cannot have are left out, with the reason. ``client``: in the place
    of the Python one.
    """
    usable, not_run = [], {}
    for profile in settings.request.networks:
        if profile is not None and (why := support.missing(profile)):
            not_run[f"network {profile.name}"] = why
        else:
            usable.append(profile)
    # Loopback goes on where nothing else can be had.
    usable = usable or [None]
    request = TransportRequest(**{**vars(settings.request), "networks": tuple(usable)})
    all_planned = plan(request, logs, client)
    all_planned.not_run = {**not_run, **all_planned.not_run}
    all_planned.notes = [
        note for profile in usable if profile is not None and (note := support.instead(profile))
    ]
    if settings.resume is not None:
        resume.resume(settings.resume, all_planned.outcomes, settings.asked)
    return all_planned


def expected_seconds(settings: TransportSettings, plan: TransportPlan) -> float:
    """Return how many seconds measuring takes, roughly."""
    total = GROUND_S * sum(profile is not None for profile, _ in plan.grounds)
    for turn in plan.turns:
        for outcome in turn.outcomes:
            rounds = max(0, settings.processes - outcome.rounds)
            total += rounds * (settings.request.seconds + BLOCK_S)
            total += PEAK_S * (settings.find_peak and outcome.peak is None)
        fewest = min(outcome.rounds for outcome in turn.outcomes)
        total += START_S * (max(0, settings.processes - fewest) + settings.find_peak)
    return total + FAULT_S * _faults(settings, plan)


def _faults(settings: TransportSettings, plan: TransportPlan) -> int:
    """Return how many faults happen to all contenders."""
    return len(settings.faults) * len(plan.contenders) * len(plan.grounds)


def run(
    settings: TransportSettings, plan: TransportPlan, journal: Journal, progress: Progress
) -> None:
    """Measure all cases. Raises UserError."""
    outcomes = plan.outcomes
    measurement = Measurement(SCENARIO, journal, progress)
    _about(settings, plan, measurement)
    (journal.folder / "logs").mkdir(exist_ok=True)
    networks: dict[str, object] = {}
    faults = [] if settings.resume is None else resume.faults(settings.resume)
    with measurement.case("", [outcome.entry for outcome in outcomes]) as together:
        together.keep()
        before = sum(min(outcome.rounds, settings.processes) for outcome in outcomes)
        for profile, turns in plan.grounds:
            if not turns:
                continue
            together.report(f"{name_of(profile)}: making the network", before)
            before = 0
            with opened(profile, _receivers(settings, turns)) as ground:
                if ground.record:
                    networks[ground.name] = ground.record
                    journal.about(networks=networks)
                _run_ground(settings, ground, turns, together)
                _run_faults(settings, ground, turns, faults, journal, together)


def _receivers(settings: TransportSettings, turns: list[TransportTurn]) -> int:
    """Return the most receiving ends that there are at once."""
    most = max(turn.outcomes[0].case.subscribers for turn in turns)
    return max(most, FAULT_RECEIVERS) if settings.faults else most


def _run_ground(
    settings: TransportSettings,
    ground: Ground,
    turns: list[TransportTurn],
    together: Case[TransportContender],
) -> None:
    rounds = plan_rounds(settings.processes, settings.processes, settings.seed)
    seconds, report, keep = settings.request.seconds, together.report, together.keep
    for number in range(rounds.processes):
        for turn in rounds.order(number, turns):
            turn.run(ground, number, seconds, report, keep)
    if settings.find_peak:
        for turn in turns:
            turn.find_peaks(ground, settings.peak_limit_s, report, keep)


def _run_faults(
    settings: TransportSettings,
    ground: Ground,
    turns: list[TransportTurn],
    records: list[Record],
    journal: Journal,
    together: Case[TransportContender],
) -> None:
    """Let faults happen, with messages of the smallest size. Adds to ``records`` what they lack."""
    request, size = settings.request, min(settings.request.sizes)
    rate = request.rate or rate_for(size, FAULT_RECEIVERS, ground.profile)
    contenders = {turn.contender.name: turn.contender for turn in turns}
    logs = journal.folder / "logs"

    def keep() -> None:
        journal.about(faults=msgspec.to_builtins(records))
        journal.flush()

    series(
        settings.faults, contenders.values(), ground, logs, size, rate, records, together.report,
        keep,
    )  # fmt: skip


def _about(settings: TransportSettings, plan: TransportPlan, measurement: Measurement) -> None:
    mwares = dict.fromkeys(contender.mware for contender in plan.contenders)
    peaks = len(plan.outcomes) if settings.find_peak else 0
    measurement.about(
        total=settings.processes * len(plan.outcomes) + peaks + _faults(settings, plan),
        seconds=settings.request.seconds,
        processes=settings.processes,
        seed=settings.seed,
        asked=settings.asked,
        contenders={name: msgspec.to_builtins(_contender(name, plan)) for name in mwares},
        settings={
            " ".join(filter(None, (mware, setting.client, setting.name))): setting.record()
            for mware, setting in ((entry.mware, entry.setting) for entry in plan.contenders)
        },
        requested=list(settings.request.mwares),
        not_run=plan.not_run,
        networks={},
        faults=[],
        notes=plan.notes,
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
