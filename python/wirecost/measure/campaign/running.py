# SPDX-License-Identifier: Apache-2.0
"""The tasks of a campaign that the store lacks, wherever they are measured."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from wirecost.measure.campaign.definition import Definition
from wirecost.measure.campaign.measuring import Measured
from wirecost.measure.campaign.tasks import Task
from wirecost.results.store.store import DONE, FAILED, Record, Store
from wirecost.system.counted import counted
from wirecost.system.errors import UserError

Progress = Callable[[int, int, str], None]
"""Callback with the seconds expected of what is done and of all, and what runs now."""


@dataclass(frozen=True)
class TaskResult:
    """Result of a task: ``record``, which the store has, or the reason why there is none."""

    task: Task
    record: Record | None = None
    why: str = ""


Results = Callable[[list[Task], set[str]], Iterator[TaskResult]]
"""Callback that measures tasks and keeps their results in the store.

The second argument: keys of tasks that the store has already.
"""


@dataclass
class CampaignOutcome:
    done: int = 0
    failed: int = 0
    missing: int = 0
    """Tasks that came to nothing: the store has no record of them."""
    there: int = 0
    """Tasks that the store had already."""
    elsewhere: int = 0
    """Tasks of other machines."""
    reasons: list[str] = field(default_factory=list)
    seconds: float = 0.0


def run(
    definition: Definition,
    tasks: list[Task],
    store: Store,
    machines: set[str],
    resume: bool,
    results: Results,
    progress: Progress,
) -> CampaignOutcome:
    """Run the tasks of ``machines``; those that failed before are tried again.

    Raises UserError where the store has some already and not ``resume``, OSError where it cannot be
    written.
    """
    outcome = CampaignOutcome()
    records = store.records()
    there = set(records.filter(outcome=DONE)["task"].to_list())
    chosen = [task for task in tasks if task.machine in machines]
    if not chosen:
        here, names = (", ".join(sorted(some)) for some in (machines, {t.machine for t in tasks}))
        raise UserError(f"{definition.path}: no task is for machine {here}; there are {names}")
    outcome.elsewhere = len(tasks) - len(chosen)
    remaining = [task for task in chosen if task.key not in there]
    outcome.there = len(chosen) - len(remaining)
    attempted = {task.key for task in chosen} & set(records["task"].to_list())
    if attempted and not resume:
        raise UserError(
            f"{store.place}: has {len(attempted):,} of {counted(len(chosen), 'task')} of this "
            "campaign; give --resume to run the others, or name another --store"
        )
    store.begin()
    begin = time.monotonic()
    _follow(remaining, there, results, progress, outcome)
    outcome.seconds = time.monotonic() - begin
    return outcome


def here(store: Store, measure: Callable[[Task], Measured]) -> Results:
    """Run tasks on this machine, in this process, one after the other."""

    def results(tasks: list[Task], _: set[str]) -> Iterator[TaskResult]:
        for task in tasks:
            measured = measure(task)
            store.keep(measured.record, measured.samples, measured.rows)
            yield TaskResult(task, measured.record)

    return results


def _follow(
    tasks: list[Task],
    there: set[str],
    results: Results,
    progress: Progress,
    outcome: CampaignOutcome,
) -> None:
    """Report progress by time: machines work in parallel, so the one with most work counts."""
    remaining_s: defaultdict[str, float] = defaultdict(float)
    for task in tasks:
        remaining_s[task.machine] += task.expected_s
    total = max(remaining_s.values(), default=0.0)
    progress(
        0, round(total), f"{counted(len(tasks), 'task')}, about {max(1, round(total / 60)):,} min"
    )
    for number, result in enumerate(results(tasks, there), start=1):
        remaining_s[result.task.machine] -= result.task.expected_s
        line = " ".join((result.task.scenario, *result.task.arguments))
        done = round(total - max(remaining_s.values()))
        progress(done, round(total), f"{number:,} of {counted(len(tasks), 'task')}, last {line}")
        why = result.why
        if result.record is None:
            outcome.missing += 1
        else:
            why = result.record.failure
            outcome.failed += result.record.outcome == FAILED
            outcome.done += result.record.outcome == DONE
        if why:
            outcome.reasons.append(f"{result.task.key} {line}: {why}")
