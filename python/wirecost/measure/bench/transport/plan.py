# SPDX-License-Identifier: Apache-2.0
"""Plan of what can be measured here: contenders, cases, and why the rest is not."""

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
from wirecost.measure.bench.transport.choices import (
    FLOORS,
    LEAST_RUST,
    NATIVE,
    NATIVE_ONLY,
    NATIVE_PROGRAMS,
    PATTERNS,
    PYTHON,
    RUST_PROGRAMS,
)
from wirecost.measure.bench.transport.clients import ClientProgram, floors, native, python
from wirecost.measure.bench.transport.contender import TransportContender
from wirecost.measure.bench.transport.meeting import unreachable
from wirecost.measure.bench.transport.outcome import TransportOutcome
from wirecost.measure.bench.transport.payload import digest
from wirecost.measure.bench.transport.setting_groups import settings_of
from wirecost.measure.bench.transport.settings import Settings
from wirecost.measure.bench.transport.turn import TransportTurn
from wirecost.measure.network.profiles import Profile
from wirecost.messaging.transport import SHARED_MEMORY, find
from wirecost.system.errors import UserError

NATIVE_ALONE = "has a native client only: --client native"
NO_FLOORS = "their program is not built: run `setup/install transport` in a checkout"


@dataclass
class TransportPlan:
    """Contenders, clients and turns of a run."""

    contenders: list[TransportContender] = field(default_factory=list)
    clients: list[ClientProgram] = field(default_factory=list)
    grounds: list[tuple[Profile | None, list[TransportTurn]]] = field(default_factory=list)
    not_run: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """Notes about stand-ins for what this machine lacks."""
    no_shared_memory: str = ""
    """Why no requested transport with shared memory is measured; empty where one is."""

    @property
    def turns(self) -> list[TransportTurn]:
        return [turn for _, turns in self.grounds for turn in turns]

    @property
    def outcomes(self) -> list[TransportOutcome]:
        return [outcome for turn in self.turns for outcome in turn.outcomes]


def plan(
    settings: Settings,
    logs: Path,
    client: ClientProgram | None = None,
    networks: Sequence[Profile | None] | None = None,
) -> TransportPlan:
    """Return the plan. Raises UserError where nothing can be measured.

    ``client``: in the place of the Python one; ``networks``: those of the settings that can be had
    here, if not all.
    """
    planned = TransportPlan()
    planned.clients = _clients(settings, planned, client)
    planned.contenders = list(_contenders(settings, planned))
    planned.no_shared_memory = _no_shared_memory(settings, planned)
    for profile in settings.networks if networks is None else networks:
        turns = []
        for subscribers in settings.subscribers:
            for contender in planned.contenders:
                name = _in_reasons(contender.mware)
                if why := unreachable(contender.mware, profile):
                    planned.not_run[f"{name}, {name_of(profile)}"] = why
                    continue
                if contender.mware in FLOORS and subscribers > 1:
                    planned.not_run[f"{name}, {subscribers} subscribers"] = "have one subscriber"
                    continue
                cases = _cases(settings, profile, subscribers, planned)
                if cases:
                    outcomes = [_outcome(contender, case, settings) for case in cases]
                    turns.append(
                        TransportTurn(contender, settings.pattern, subscribers, outcomes, logs)
                    )
        planned.grounds.append((profile, turns))
    asked = set(settings.transports).difference(FLOORS) or FLOORS
    if not any(outcome.contender.mware in asked for outcome in planned.outcomes):
        reasons = "; ".join(f"{what}: {why}" for what, why in planned.not_run.items())
        why = reasons or "no contender remains"
        raise UserError(f"nothing can be measured: {why}; choose another --middlewares or --client")
    return planned


def _clients(
    settings: Settings, planned: TransportPlan, client: ClientProgram | None
) -> list[ClientProgram]:
    clients = []
    if PYTHON in settings.client:
        clients.append(client or python())
    if NATIVE in settings.client:
        programs = native()
        clients += programs
        if not programs:
            planned.not_run["native clients"] = (
                "none is installed; build wirecost with their libraries"
            )
    elif not set(FLOORS).isdisjoint(settings.transports):
        clients += floors()
    return clients


def _in_reasons(mware: str) -> str:
    """Return the name of a contender in reasons: those of all floors are the same."""
    return "floors" if mware in FLOORS else mware


def _contenders(settings: Settings, planned: TransportPlan) -> list[TransportContender]:
    contenders = []
    _leave_out(settings, planned)
    for mware in settings.transports:
        able = [client for client in planned.clients if mware in client.transports]
        if able and mware not in NATIVE_ONLY and (why := find(mware).no_server()):
            planned.not_run[mware] = why
            continue
        for client in able:
            if settings.pattern == "reqrep" and (why := _no_requests(mware, client)):
                planned.not_run[f"{_in_reasons(mware)}, {client.kind}"] = why
                continue
            available = settings_of(mware, settings.quality, client.kind)
            names = settings.settings
            chosen = [one for one in available if one.name in names or mware in FLOORS]
            # They are of publishers and subscribers: for requests all are the same.
            used = chosen[:1] if settings.pattern == "reqrep" else chosen
            contenders += [TransportContender(mware, client, setting) for setting in used]
    return contenders


def _no_shared_memory(settings: Settings, planned: TransportPlan) -> str:
    own_names = [name for name in settings.transports if name not in NATIVE_ONLY]
    sharing = [name for name in own_names if find(name).capabilities.shared_memory]
    if not sharing or any(contender.mware in sharing for contender in planned.contenders):
        return ""
    name = SHARED_MEMORY if SHARED_MEMORY in sharing else sharing[0]
    return f"{name}: {_absence(name, PYTHON)}"


def _leave_out(settings: Settings, planned: TransportPlan) -> None:
    """Say of each chosen kind of client which transports it does not have, and why."""
    names: dict[tuple[str, str], list[str]] = {}
    for mware in settings.transports:
        kinds = {client.kind for client in planned.clients if mware in client.transports}
        if mware in FLOORS:
            if not kinds:
                planned.not_run["floors"] = NO_FLOORS
            continue
        for kind in settings.client:
            if kind not in kinds:
                why = _absence(mware, kind)
                # A request of both kinds needs no line about one that is impossible.
                if why != NATIVE_ALONE or NATIVE not in settings.client:
                    names.setdefault((kind, why), []).append(mware)
    for (kind, why), middlewares in names.items():
        planned.not_run[f"{', '.join(middlewares)} {kind}"] = why


def _absence(mware: str, kind: str) -> str:
    if kind == PYTHON:
        if mware in NATIVE_ONLY:
            return NATIVE_ALONE
        return find(mware).missing() or "the Python client does not have it"
    if NATIVE_PROGRAMS.get(mware) in RUST_PROGRAMS:
        return (
            f"its native client is not installed: install Rust {LEAST_RUST} or newer"
            " (https://rustup.rs), then run `setup/install transport` in a checkout (online)"
        )
    if mware in NATIVE_PROGRAMS:
        return "its native client is not installed: build wirecost with its C or C++ library"
    there = ", ".join(name for name in NATIVE_PROGRAMS if name not in NATIVE_ONLY)
    return f"wirecost has no native client for it; {there} have one"


def _no_requests(mware: str, client: ClientProgram) -> str | None:
    if not set(PATTERNS["reqrep"]) <= set(client.roles):
        return "its native client publishes and subscribes only"
    if mware in NATIVE_ONLY:
        return None
    return None if find(mware).capabilities.request_reply else "has no requests"


def _cases(
    settings: Settings, profile: Profile | None, subscribers: int, planned: TransportPlan
) -> Sequence[TransportCase]:
    cases = []
    network = name_of(profile)
    for size in settings.sizes:
        rate = rate_for(size, subscribers, profile) if settings.rate is None else settings.rate
        if rate and rate * settings.seconds < LEAST_MESSAGES:
            planned.not_run[f"{size} bytes, {network}, {subscribers} subscribers"] = (
                f"{rate:g} Hz are fewer than {LEAST_MESSAGES} messages in {settings.seconds:g} s;"
                " give more --seconds, or a --rate"
            )
            continue
        cases.append(TransportCase(settings.pattern, network, subscribers, size, rate))
    return cases


def _outcome(
    contender: TransportContender, case: TransportCase, settings: Settings
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
    outcome = TransportOutcome(case, entry, _command(contender, case, settings))
    outcome.state()
    return outcome


def _command(
    contender: TransportContender, case: TransportCase, settings: Settings
) -> tuple[str, ...]:
    """Return words of a command line that measures this case of this contender alone."""
    return (
        "wirecost", "bench", "transport",
        "--middlewares", contender.mware,
        "--client", contender.client.kind,
        "--settings", contender.setting.name,
        "--pattern", case.pattern,
        "--network", case.network,
        "--sizes", str(case.size),
        "--subscribers", str(case.subscribers),
        "--queue", str(settings.quality.queue),
        "--reliable" if settings.quality.reliable else "--best-effort",
        "--seconds", f"{settings.seconds:g}",
    )  # fmt: skip
