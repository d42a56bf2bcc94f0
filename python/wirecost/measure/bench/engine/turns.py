# SPDX-License-Identifier: Apache-2.0
"""Races within one program, whose contenders take their turns there (``cpp/bench/turns.hpp``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from wirecost.measure.bench.engine.entry import C, StageSample
from wirecost.measure.bench.engine.measurement import Case
from wirecost.measure.bench.engine.processes import ProcessPlan, measured
from wirecost.measure.bench.engine.program import Program

TOTAL = "total"


def run_in_turns(
    program: Program, case: Case[C], plan: ProcessPlan, stages: Sequence[str], *words: str
) -> None:
    """Fill the entries by processes of a program that races all contenders by itself.

    ``stages``: of a turn, in the order in which the program prints them; their sum is added as the
    total. ``words``: the program's arguments, beside rounds and seed. Raises ProgramFailedError.
    """
    seeds = count(plan.seed)

    def measure(_: list[str], repetitions: int) -> Iterator[list[StageSample]]:
        own = ("--rounds", str(repetitions), "--seed", str(next(seeds)))
        return rounds_of(program.lines("race", *words, *own), case, stages)

    for samples in measured(plan, [entry.key for entry in case.entries], measure):
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
            times = dict(zip(stages, map(float, words[2:]), strict=True))
            times[TOTAL] = sum(times.values())
            current += [StageSample(name, repetition, *timed) for timed in times.items()]
    if current:
        yield current
