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
"""Subscribers of most faults: one with it, one without."""
START_S, BLOCK_S, PEAK_S, GROUND_S = 1.6, 0.7, 25.0, 3.0
"""What starting and ending processes takes, a block beyond its messages, finding a peak, and making
a network; roughly."""


@dataclass(frozen=True)
class TransportSettings:
    wanted: TransportRequest
    processes: int = PROCESSES
    """Of each end of each contender, one after the other: rounds."""
    seed: int = 1
    find_peak: bool = False
    peak_limit_s: float = LIMIT_S
    resume: Path | None = None
    faults: tuple[InjectedFault, ...] = ()

    def check(self) -> None:
        """Check all options. Raises UserError on what cannot be run."""
        wanted = self.wanted
        for size in wanted.sizes:
            limits.between("--sizes", size, LEAST_BYTES, MOST_BYTES)
        for subscribers in wanted.subscribers:
            limits.between("--subscribers", subscribers, 1, 64)
        _check_memory(max(wanted.sizes, default=0), max(wanted.subscribers, default=1))
        if wanted.rate is not None and not 0 <= wanted.rate <= 1_000_000:
            raise UserError(f"--rate {wanted.rate:g}: must lie between 0 and 1,000,000 Hz")
        if wanted.pattern not in PATTERNS:
            raise UserError(f"--pattern {wanted.pattern}: there are {', '.join(PATTERNS)}")
        if wanted.pattern == "reqrep" and wanted.subscribers != (1,):
            raise UserError("--pattern reqrep: one replier answers; leave --subscribers out")
        if wanted.pattern == "reqrep" and self.find_peak:
            raise UserError("--find-peak: is for publish and subscribe; leave --pattern out")
        if wanted.pattern == "reqrep" and self.faults:
            raise UserError("--faults: are of publish and subscribe; leave --pattern out")
        limits.between("--queue", wanted.asked.queue, 1, 1_000_000)
        limits.between("--processes", self.processes, 1, 1_000)
        limits.between("--seconds", wanted.seconds, 0.1, 600)
        limits.seed(self.seed)
        if self.resume is not None:
            resume.check(self.resume)

    @property
    def asked(self) -> dict[str, Scalar]:
        """What a resumed run must have as well."""
        asked = self.wanted.asked
        return {
            "seconds": self.wanted.seconds,
            "reliable": asked.reliable,
            "queue": asked.queue,
            "seed": self.seed,
        }


def _check_memory(size: int, subscribers: int) -> None:
    """Each end has a message of its own, and one is under way. Raises UserError."""
    needed, free = (2 + subscribers) * size, psutil.virtual_memory().available
    if needed > free:
        raise UserError(
            f"--sizes {size}: {subscribers} subscribers need {needed / 1e9:.1f} GB, and"
            f" {free / 1e9:.1f} GB are free; give smaller ones, or fewer --subscribers"
        )


def planned(
    settings: TransportSettings, logs: Path, client: ClientProgram | None = None
) -> TransportPlan:
    """Return what will be measured, with what a resumed run has of it. Networks that this machine
    cannot have are left out, with the reason. ``client``: in the place of the Python one. Raises
    UserError."""
    usable, not_run = [], {}
    for profile in settings.wanted.networks:
        if profile is not None and (why := support.missing(profile)):
            not_run[f"network {profile.name}"] = why
        else:
            usable.append(profile)
    # Loopback goes on where nothing else can be had.
    usable = usable or [None]
    wanted = TransportRequest(**{**vars(settings.wanted), "networks": tuple(usable)})
    made = plan(wanted, logs, client)
    made.not_run = {**not_run, **made.not_run}
    made.notes = [note for one in usable if one is not None and (note := support.instead(one))]
    if settings.resume is not None:
        resume.resume(settings.resume, made.outcomes, settings.asked)
    return made


def expected_seconds(settings: TransportSettings, made: TransportPlan) -> float:
    """How long measuring takes, roughly."""
    total = GROUND_S * sum(profile is not None for profile, _ in made.grounds)
    for turn in made.turns:
        for outcome in turn.outcomes:
            rounds = max(0, settings.processes - outcome.rounds)
            total += rounds * (settings.wanted.seconds + BLOCK_S)
            total += PEAK_S * (settings.find_peak and outcome.peak is None)
        fewest = min(one.rounds for one in turn.outcomes)
        total += START_S * (max(0, settings.processes - fewest) + settings.find_peak)
    return total + FAULT_S * _faults(settings, made)


def _faults(settings: TransportSettings, made: TransportPlan) -> int:
    """How many faults happen to all contenders."""
    return len(settings.faults) * len(made.contenders) * len(made.grounds)


def run(
    settings: TransportSettings, made: TransportPlan, journal: Journal, progress: Progress
) -> None:
    """Measure all cases. Raises UserError."""
    outcomes = made.outcomes
    peaks = len(outcomes) if settings.find_peak else 0
    total = settings.processes * len(outcomes) + peaks + _faults(settings, made)
    measurement = Measurement(journal, progress, total)
    _about(settings, made, measurement)
    (journal.folder / "logs").mkdir(exist_ok=True)
    networks: dict[str, object] = {}
    faults = [] if settings.resume is None else resume.faults(settings.resume)
    with measurement.case("", [one.entry for one in outcomes]) as together:
        together.keep()
        before = sum(min(outcome.rounds, settings.processes) for outcome in outcomes)
        for profile, turns in made.grounds:
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
    seconds, report, keep = settings.wanted.seconds, together.report, together.keep
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
    wanted, size = settings.wanted, min(settings.wanted.sizes)
    rate = wanted.rate or rate_for(size, FAULT_RECEIVERS, ground.profile)
    contenders = {turn.contender.name: turn.contender for turn in turns}
    logs = journal.folder / "logs"

    def keep() -> None:
        journal.about(faults=msgspec.to_builtins(records))
        journal.flush()

    series(
        settings.faults, contenders.values(), ground, logs, size, rate, records, together.report,
        keep,
    )  # fmt: skip


def _about(settings: TransportSettings, made: TransportPlan, measurement: Measurement) -> None:
    mwares = dict.fromkeys(one.mware for one in made.contenders)
    measurement.about(
        SCENARIO,
        seconds=settings.wanted.seconds,
        processes=settings.processes,
        seed=settings.seed,
        asked=settings.asked,
        contenders={name: msgspec.to_builtins(_contender(name, made)) for name in mwares},
        settings={
            " ".join(filter(None, (one.mware, one.setting.client, one.setting.name))): (
                one.setting.record()
            )
            for one in made.contenders
        },
        requested=list(settings.wanted.mwares),
        not_run=made.not_run,
        networks={},
        faults=[],
        notes=made.notes,
    )


def _contender(mware: str, made: TransportPlan) -> TransportAbout:
    versions: dict[str, str] = {}
    server = ""
    for client in made.clients:
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
