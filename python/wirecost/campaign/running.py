# SPDX-License-Identifier: Apache-2.0
"""The tasks of a campaign that the store lacks, one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from wirecost.campaign.definition import Definition
from wirecost.campaign.measuring import Measured
from wirecost.campaign.store import DONE, FAILED, Store
from wirecost.campaign.tasks import Task
from wirecost.errors import UserError

Progress = Callable[[int, int, str], None]
"""Called with seconds that were expected of what is done and of all, and what runs now."""


@dataclass
class Outcome:
    done: int = 0
    failed: int = 0
    there: int = 0
    """That the store had already."""
    elsewhere: int = 0
    """Of other machines."""
    reasons: list[str] = field(default_factory=list)
    seconds: float = 0.0


def run(
    definition: Definition,
    tasks: list[Task],
    store: Store,
    machine: str,
    resume: bool,
    measure: Callable[[Task], Measured],
    progress: Progress,
) -> Outcome:
    """Those of ``machine``. What failed before is tried again. Raises UserError where the store has
    some already and not ``resume``, OSError where it cannot be written."""
    outcome = Outcome()
    known = store.records()
    there = set(known.filter(outcome=DONE)["task"].to_list())
    mine = [task for task in tasks if task.machine == machine]
    if not mine:
        names = ", ".join(sorted({task.machine for task in tasks}))
        raise UserError(f"{definition.path}: no task is for machine {machine}; there are {names}")
    outcome.elsewhere = len(tasks) - len(mine)
    left = [task for task in mine if task.key not in there]
    outcome.there = len(mine) - len(left)
    attempted = {task.key for task in mine} & set(known["task"].to_list())
    if attempted and not resume:
        raise UserError(
            f"{store.folder}: has {len(attempted):,} of {len(mine):,} tasks of this campaign; give"
            " --resume to run the others, or name another --store"
        )
    store.begin()
    begin, total, expected = time.monotonic(), sum(task.expected_s for task in left), 0.0
    for task in left:
        line = " ".join((task.scenario, *task.arguments))
        progress(round(expected), round(total), line)
        measured = measure(task)
        store.keep(measured.record, measured.samples, measured.rows)
        expected += task.expected_s
        if measured.record.outcome == FAILED:
            outcome.failed += 1
        else:
            outcome.done += 1
        if measured.record.failure:
            outcome.reasons.append(f"{task.key} {line}: {measured.record.failure}")
    outcome.seconds = time.monotonic() - begin
    return outcome
