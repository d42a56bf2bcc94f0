# SPDX-License-Identifier: Apache-2.0
"""Cases and the result folder that they fill."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

from wirecost.measure.bench.engine.measurement import Measurement
from wirecost.measure.bench.engine.timing import GC_POLICY
from wirecost.measure.bench.tensor.cases import TensorPlan
from wirecost.measure.bench.tensor.cases import plan as planned
from wirecost.measure.bench.tensor.interpreters import Interpreter, parse, probed
from wirecost.measure.bench.tensor.outcome import TensorOutcome, outcome
from wirecost.measure.bench.tensor.plugins import PLUGINS
from wirecost.measure.bench.tensor.rounds import WARM_UP, Pairs, TensorRace, plan_of, warm_up_of
from wirecost.measure.bench.tensor.settings import Settings
from wirecost.system.counted import counted

START_S = 3.0
"""Seconds that starting a pair of processes takes, roughly."""
BLOCK_S = 0.4


def _expected_seconds(settings: Settings, plan: TensorPlan) -> float:
    """Return how long measuring takes, roughly: messages at their rate, and starting."""
    rounds = [plan_of(case, settings.processes, settings.seed).processes for case in plan.cases]
    starts = {(pair.mware, pair.apart) for case in plan.cases for pair in case.combinations}
    blocks = sum(
        len(case.combinations)
        * (
            count * BLOCK_S
            + (case.trials + count * warm_up_of(case.nbytes)) / (case.rate or 1000.0)
        )
        for case, count in zip(plan.cases, rounds, strict=True)
    )
    return START_S * max(rounds) * len(starts) + blocks


def run(settings: Settings, measurement: Measurement) -> None:
    """Measure all cases. Raises UserError on what cannot be run."""
    interpreters = interpreters_of(settings)
    plan = planned(settings, interpreters)
    contenders = counted(sum(len(case.combinations) for case in plan.cases), "contender")
    minutes = _expected_seconds(settings, plan) / 60
    measurement.note(f"{contenders} of {counted(len(plan.cases), 'case')}: about {minutes:.1f} min")
    _measure(settings, plan, interpreters, measurement)


def interpreters_of(settings: Settings) -> dict[str, Interpreter]:
    """Look at the interpreters that were given. Raises UserError."""
    device = next((name for name in settings.devices if name != "cpu"), "cpu")
    return {
        name: probed(path, name, settings.used_middlewares, device)
        for name, path in parse(settings.python, PLUGINS).items()
    }


def _measure(
    settings: Settings,
    plan: TensorPlan,
    interpreters: Mapping[str, Interpreter],
    measurement: Measurement,
) -> None:
    total = sum(case.trials * len(case.combinations) for case in plan.cases)
    plugins = {pair.plugin for case in plan.cases for pair in case.combinations if pair.plugin}
    measurement.about(
        {"packages": _versions(plugins - set(interpreters))},
        total=total,
        trials=settings.trials,
        rate=settings.rate,
        content=settings.content,
        pattern=settings.pattern,
        warm_up=WARM_UP,
        processes=settings.processes,
        seed=settings.seed,
        gc=GC_POLICY,
        interpreters={
            name: {"path": str(python.path), "packages": python.packages}
            for name, python in interpreters.items()
        },
        contenders={name: contender.about() for name, contender in plan.contenders.items()},
        not_run=plan.not_run,
    )
    logs = measurement.journal.folder / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    pairs = Pairs(plan.contenders, settings.pattern, logs, interpreters)
    outcomes = [
        [outcome(case, pair, settings.content, settings.pattern) for pair in case.combinations]
        for case in plan.cases
    ]
    entries = [outcome.entry for of_case in outcomes for outcome in of_case]
    try:
        with measurement.case("", entries) as together:
            race = TensorRace(
                pairs, settings.content, settings.pattern, together.report, together.keep
            )
            _run_rounds(settings, outcomes, race, pairs)
    finally:
        pairs.end()


def _run_rounds(
    settings: Settings, outcomes: list[list[TensorOutcome]], race: TensorRace, pairs: Pairs
) -> None:
    """Give every case its turn in each round, so that new processes serve all of them."""
    plans = [plan_of(of_case[0].case, settings.processes, settings.seed) for of_case in outcomes]
    for number in range(max(plan.processes for plan in plans)):
        for of_case, rounds in zip(outcomes, plans, strict=True):
            if number >= rounds.processes:
                continue
            race.round(of_case, rounds, number)
            last = number == rounds.processes - 1
            inside = of_case[0].case.one_process
            if settings.sweep and last and settings.pattern == "pubsub" and not inside:
                race.back_to_back(of_case)
        pairs.end()


def _versions(plugins: set[str]) -> dict[str, str]:
    modules = {PLUGINS[name].pip or PLUGINS[name].module.partition(".")[0] for name in plugins}
    return {name: _version(name) for name in sorted(modules | {"numpy"})}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown version"
