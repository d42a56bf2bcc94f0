# SPDX-License-Identifier: Apache-2.0
"""Contenders in turns: of this process, or within a program (``cpp/bench/turns.hpp``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count

from wirecost.measure.bench.engine.entry import C, Entry, StageSample
from wirecost.measure.bench.engine.measurement import Case
from wirecost.measure.bench.engine.processes import ProcessPlan, measured, plan
from wirecost.measure.bench.engine.program import Program
from wirecost.system.children import ProgramFailedError

TOTAL = "total"


def take_turns(
    case: Case[C], rounds: int, seed: int, turn: Callable[[C], Mapping[str, float]]
) -> None:
    """Let the contenders of this process take turns, in another order in each round.

    ``turn`` returns the nanoseconds of each stage; one that raises ProgramFailedError has failed.
    """
    order = plan(rounds, rounds, seed)
    for number in range(rounds):
        samples: list[StageSample] = []
        for entry in order.order(number, case.running):
            with entry.failing(ProgramFailedError):
                samples += _samples(entry.key, number, turn(entry.contender))
                case.report(entry.key, 1)
        case.keep(samples)


def run_in_turns(
    program: Program,
    case: Case[C],
    rounds: ProcessPlan,
    stages: Sequence[str],
    *words: str,
    verify: Callable[[Entry[C]], None] = lambda _: None,
) -> None:
    """Fill the entries by processes of a program that races all contenders by itself.

    ``stages``: of a turn, in the order in which the program prints them; their sum is added as the
    total. ``words``: the program's arguments, beside rounds and seed;
    ``verify``: called once for each entry, before its first sample counts. Raises
    ProgramFailedError.
    """
    verified: set[str] = set()
    seeds = count(rounds.seed)

    def measure(_: list[str], repetitions: int) -> Iterator[list[StageSample]]:
        own = ("--rounds", str(repetitions), "--seed", str(next(seeds)))
        return rounds_of(program.lines("race", *words, *own), case, stages)

    for samples in measured(rounds, [entry.key for entry in case.entries], measure):
        for entry in case.running:
            if not entry.missing and entry.key not in verified:
                verified.add(entry.key)
                verify(entry)
        case.keep(samples)


def rounds_of(
    lines: Iterable[str], case: Case[C], stages: Sequence[str]
) -> Iterator[list[StageSample]]:
    """Yield the samples of each round as it ends; its first one is verified and not timed."""
    entries = {entry.key: entry for entry in case.entries}
    current: list[StageSample] = []
    for line in lines:
        kind, name, *words = line.split("\t")
        entry = entries[name]
        if kind == "absent":
            entry.missing = words[0]
        elif kind == "failed":
            entry.failure = words[0]
        elif kind == "fact":
            entry.facts[words[0]] = float(words[1])
        else:
            repetition = int(words[0]) - 1
            entry.bytes = float(words[1])
            case.report(name, repetition >= 0)
            if repetition < 0:
                continue
            if current and repetition != current[0].repetition:
                yield current
                current = []
            times = zip(stages, map(float, words[2:]), strict=True)
            current += _samples(name, repetition, dict(times))
    if current:
        yield current


def _samples(key: str, repetition: int, times: Mapping[str, float]) -> list[StageSample]:
    """Return a turn's stages, and their sum as the total."""
    total = {} if TOTAL in times else {TOTAL: sum(times.values())}
    return [StageSample(key, repetition, stage, ns) for stage, ns in {**times, **total}.items()]
