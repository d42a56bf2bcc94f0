# SPDX-License-Identifier: Apache-2.0
"""Parts of long methods: Java refuses a method of more than 64 kB of bytecode."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from wirecost.schema.compile.plan.sequential import Run, SequentialPlan, Step

MOST_TOGETHER = 128
"""Fields that one method treats: the longest statements of a field take some 250 bytes."""
Item = TypeVar("Item")


def parted(items: Sequence[Item]) -> list[Sequence[Item]]:
    """Return the items in the groups that a method each treats."""
    starts = range(0, max(len(items), 1), MOST_TOGETHER)
    return [items[start : start + MOST_TOGETHER] for start in starts]


def parted_steps(plan: SequentialPlan) -> list[Sequence[tuple[Step, int]]]:
    """Return steps, each with the least bytes behind it, in groups; long runs are cut."""
    steps = [
        (piece, rest)
        for step, rest in zip(plan.steps, plan.rests, strict=True)
        for piece in (_pieces(step) if isinstance(step, Run) else (step,))
    ]
    weights = [len(step.slots) if isinstance(step, Run) else 1 for step, _ in steps]
    if sum(weights) <= MOST_TOGETHER:
        return [steps]
    groups: list[list[tuple[Step, int]]] = [[]]
    room = MOST_TOGETHER
    for step, weight in zip(steps, weights, strict=True):
        if weight > room:
            groups.append([])
            room = MOST_TOGETHER
        groups[-1].append(step)
        room -= weight
    return list(groups)


def _pieces(run: Run) -> Iterator[Run]:
    """Yield runs of few slots that follow each other as those of the run do.

    A gap between two of them is the beginning of the second.
    """
    begin = 0
    groups = parted(run.slots)
    for number, slots in enumerate(groups):
        end = run.size
        if number < len(groups) - 1:
            last = slots[-1]
            width = last.kind.width or 0
            end = last.offset + width * (1 if last.count is None else last.count)
        moved = tuple(replace(slot, offset=slot.offset - begin) for slot in slots)
        yield Run(run.align if number == 0 else 1, end - begin, moved)
        begin = end
