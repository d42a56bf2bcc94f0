# SPDX-License-Identifier: Apache-2.0
"""Tasks of a campaign: one command line on one machine each, in the order of running."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wirecost.measure.campaign.definition import Bench, Definition, Options, Value

VERSION = 1
"""Version of the rule that makes a task's name."""
MOST = 100_000

Check = Callable[[str, list[str]], str | None]
"""Why ``wirecost bench`` would not take that scenario with these arguments; None where it would."""


@dataclass(frozen=True)
class Task:
    """``arguments``: behind ``wirecost bench SCENARIO``. ``key``: the same for a second attempt."""

    key: str
    scenario: str
    arguments: tuple[str, ...]
    machine: str
    repetition: int
    expected_s: float
    revision: str = ""


def tasks(definition: Definition, check: Check, revision: str = "") -> list[Task]:
    """Return all tasks, each repetition's shuffled by the seed.

    ``revision``: what is measured, in the user's words; another's tasks are others. Raises
    UserError where ``check`` refuses one, where two are the same, and where they are too many.
    """
    lines: list[tuple[Bench, tuple[str, ...]]] = []
    for bench in definition.benches:
        combinations = list(_combinations(bench, definition))
        for options in combinations:
            arguments = (*bench.arguments, *_arguments(options))
            if why := check(bench.scenario, list(arguments)):
                raise definition.wrong(bench.number, *_place(bench, why), why)
            lines.append((bench, arguments))
    all_tasks: list[Task] = []
    for repetition in range(definition.repetitions):
        of_repetition = [
            _task(definition, bench, arguments, machine, repetition, revision)
            for bench, arguments in lines
            for machine in bench.machines
        ]
        # Each repetition has its own generator, so that one more leaves the others as they are.
        random.Random(f"{definition.seed} {repetition}").shuffle(of_repetition)
        all_tasks += of_repetition
    seen: dict[str, Task] = {}
    for task in all_tasks:
        if task.key in seen:
            why = f"{task.scenario} {' '.join(task.arguments)}: is there twice; leave one out"
            raise definition.wrong(0, "bench", "", why)
        seen[task.key] = task
    return all_tasks


def _combinations(bench: Bench, definition: Definition) -> Iterator[Options]:
    keys = list(bench.matrix)
    count = 0
    for values in itertools.product(*bench.matrix.values()):
        chosen = dict(zip(keys, values, strict=True))
        if any(_agrees(chosen, exclusion) for exclusion in bench.exclude):
            continue
        count += len(bench.machines) * definition.repetitions
        if count > MOST:
            why = f"gives more than {MOST:,} tasks; leave values out"
            raise definition.wrong(bench.number, "bench.matrix", "", why)
        yield {**bench.options, **chosen}
    for inclusion in bench.include:
        yield {**bench.options, **inclusion}


def _agrees(chosen: dict[str, Value], excluded: Options) -> bool:
    return all(chosen[key] == value for key, value in excluded.items())


def _arguments(options: Options) -> tuple[str, ...]:
    words: list[str] = []
    for key, value in options.items():
        if value is False:
            continue
        words.append(f"--{key}")
        if value is not True:
            words.append(",".join(map(str, value)) if isinstance(value, list) else str(value))
    return tuple(words)


def _task(
    definition: Definition, bench: Bench, arguments: tuple[str, ...], machine: str, repetition: int,
    revision: str,
) -> Task:  # fmt: skip
    content = [VERSION, definition.name, bench.scenario, arguments, machine, repetition]
    content += [revision] if revision else []
    text = json.dumps(content, separators=(",", ":"))
    key = hashlib.sha256(text.encode()).hexdigest()[:16]
    return Task(key, bench.scenario, arguments, machine, repetition, bench.expected_s, revision)


def _place(bench: Bench, why: str) -> tuple[str, str]:
    """Return table and key that an error of the command line is about, as far as it names one."""
    for table, keys in (("matrix", bench.matrix), ("options", bench.options)):
        for key in keys:
            if f"--{key}" in why:
                return f"bench.{table}", key
    for inclusion in bench.include:
        for key in inclusion:
            if f"--{key}" in why:
                return "bench.include", key
    return "bench", "scenario"
