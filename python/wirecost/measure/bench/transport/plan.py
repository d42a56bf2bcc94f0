# SPDX-License-Identifier: Apache-2.0
"""What can be measured here: contenders, cases, and why the rest is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wirecost.measure.bench.engine.entry import Entry
from wirecost.measure.bench.transport.cases import (
    LEAST_MESSAGES,
    TransportCase,
    name_of,
    rate_for,
)
from wirecost.measure.bench.transport.choices import NATIVE, NATIVE_ONLY, NATIVE_PROGRAMS, PYTHON
from wirecost.measure.bench.transport.clients import ClientProgram, native, python
from wirecost.measure.bench.transport.contender import TransportContender
from wirecost.measure.bench.transport.meeting import unreachable
from wirecost.measure.bench.transport.outcome import TransportOutcome
from wirecost.measure.bench.transport.payload import digest
from wirecost.measure.bench.transport.race import TransportTurn
from wirecost.measure.bench.transport.settings import AskedQuality, settings_of
from wirecost.measure.network.profiles import Profile
from wirecost.messaging.transport import find
from wirecost.system.errors import UserError

NATIVE_ALONE = "has a native client only: --client native"


@dataclass(frozen=True)
class TransportRequest:
    """``networks``: None is loopback. ``rate``: None where it follows from the size."""

    mwares: tuple[str, ...]
    sizes: tuple[int, ...]
    rate: float | None
    subscribers: tuple[int, ...]
    pattern: str
    networks: tuple[Profile | None, ...]
    asked: AskedQuality
    clients: tuple[str, ...]
    settings: tuple[str, ...]
    seconds: float


@dataclass
class TransportPlan:
    contenders: list[TransportContender] = field(default_factory=list)
    clients: list[ClientProgram] = field(default_factory=list)
    grounds: list[tuple[Profile | None, list[TransportTurn]]] = field(default_factory=list)
    not_run: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """What stands in for what this machine lacks."""

    @property
    def turns(self) -> list[TransportTurn]:
        return [turn for _, turns in self.grounds for turn in turns]

    @property
    def outcomes(self) -> list[TransportOutcome]:
        return [outcome for turn in self.turns for outcome in turn.outcomes]


def plan(
    wanted: TransportRequest, logs: Path, client: ClientProgram | None = None
) -> TransportPlan:
    """``client``: in the place of the Python one. Raises UserError where nothing can be
    measured."""
    made = TransportPlan()
    made.clients = _clients(wanted, made, client)
    made.contenders = list(_contenders(wanted, made))
    for profile in wanted.networks:
        turns = []
        for subscribers in wanted.subscribers:
            for one in made.contenders:
                if why := unreachable(one.mware, profile):
                    made.not_run[f"{one.mware}, {name_of(profile)}"] = why
                    continue
                cases = _cases(wanted, profile, subscribers, made)
                if cases:
                    outcomes = [_outcome(one, case, wanted) for case in cases]
                    turns.append(TransportTurn(one, wanted.pattern, subscribers, outcomes, logs))
        made.grounds.append((profile, turns))
    if not made.outcomes:
        reasons = "; ".join(f"{what}: {why}" for what, why in made.not_run.items())
        why = reasons or "no contender is left"
        raise UserError(f"nothing can be measured: {why}; choose another --mwares or --client")
    return made


def _clients(
    wanted: TransportRequest, made: TransportPlan, client: ClientProgram | None
) -> list[ClientProgram]:
    found = []
    if PYTHON in wanted.clients:
        found.append(client or python())
    if NATIVE in wanted.clients:
        programs = native()
        found += programs
        if not programs:
            made.not_run["native clients"] = (
                "none is installed; build wirecost with their libraries"
            )
    return found


def _contenders(wanted: TransportRequest, made: TransportPlan) -> list[TransportContender]:
    found = []
    _leave_out(wanted, made)
    for mware in wanted.mwares:
        able = [one for one in made.clients if mware in one.transports]
        for one in able:
            if wanted.pattern == "reqrep" and (why := _no_requests(mware, one)):
                made.not_run[f"{mware}, {one.kind}"] = why
                continue
            asked = settings_of(mware, wanted.asked, one.kind)
            chosen = [setting for setting in asked if setting.name in wanted.settings]
            # They are of publishers and subscribers: for requests all are the same.
            used = chosen[:1] if wanted.pattern == "reqrep" else chosen
            found += [TransportContender(mware, one, setting) for setting in used]
    return found


def _leave_out(wanted: TransportRequest, made: TransportPlan) -> None:
    """Says of each chosen kind of client which transports it does not have, and why."""
    names: dict[tuple[str, str], list[str]] = {}
    for mware in wanted.mwares:
        kinds = {one.kind for one in made.clients if mware in one.transports}
        for kind in wanted.clients:
            if kind not in kinds:
                why = _absence(mware, kind)
                # Who asks for both kinds need not hear that one is impossible.
                if why != NATIVE_ALONE or NATIVE not in wanted.clients:
                    names.setdefault((kind, why), []).append(mware)
    for (kind, why), those in names.items():
        made.not_run[f"{', '.join(those)} {kind}"] = why


def _absence(mware: str, kind: str) -> str:
    if kind == PYTHON:
        if mware in NATIVE_ONLY:
            return NATIVE_ALONE
        return find(mware).missing() or "the Python client does not have it"
    if mware in NATIVE_PROGRAMS:
        return "its native client is not installed: build wirecost with its C or C++ library"
    there = ", ".join(name for name in NATIVE_PROGRAMS if name not in NATIVE_ONLY)
    return f"wirecost has no native client for it; {there} have one"


def _no_requests(mware: str, client: ClientProgram) -> str | None:
    if client.kind == NATIVE:
        return "native clients publish and subscribe only"
    return None if find(mware).capabilities.request_reply else "has no requests"


def _cases(
    wanted: TransportRequest, profile: Profile | None, subscribers: int, made: TransportPlan
) -> Sequence[TransportCase]:
    cases = []
    network = name_of(profile)
    for size in wanted.sizes:
        rate = rate_for(size, subscribers, profile) if wanted.rate is None else wanted.rate
        if rate and rate * wanted.seconds < LEAST_MESSAGES:
            made.not_run[f"{size} bytes, {network}, {subscribers} subscribers"] = (
                f"{rate:g} Hz are fewer than {LEAST_MESSAGES} messages in {wanted.seconds:g} s;"
                " give more --seconds, or a --rate"
            )
            continue
        cases.append(TransportCase(wanted.pattern, network, subscribers, size, rate))
    return cases


def _outcome(
    contender: TransportContender, case: TransportCase, wanted: TransportRequest
) -> TransportOutcome:
    who = {
        "case": case.name,
        "variant": "raw bytes",
        "build": "release",
        "contender": contender.mware,
        "mode": contender.mode,
        "mware": contender.mware,
        "client": contender.client.kind,
        "settings": contender.setting.name,
        "pattern": case.pattern,
        "network": case.network,
        "size": case.size,
        "subscribers": case.subscribers,
    }
    entry = Entry(contender.name, contender, who, bytes=case.size, digest=digest(case.size))
    outcome = TransportOutcome(case, entry, _command(contender, case, wanted))
    outcome.state()
    return outcome


def _command(
    contender: TransportContender, case: TransportCase, wanted: TransportRequest
) -> tuple[str, ...]:
    """Words of a command line that measures this case of this contender alone."""
    return (
        "wirecost", "bench", "transport",
        "--mwares", contender.mware,
        "--client", contender.client.kind,
        "--settings", contender.setting.name,
        "--pattern", case.pattern,
        "--network", case.network,
        "--sizes", str(case.size),
        "--subscribers", str(case.subscribers),
        "--queue", str(wanted.asked.queue),
        "--reliable" if wanted.asked.reliable else "--best-effort",
        "--seconds", f"{wanted.seconds:g}",
    )  # fmt: skip
